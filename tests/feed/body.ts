/** The body of a feed as a whole: its type, its encoding, where it stops being JSON, and where its records are. */
import { append } from '@hyperjump/json-pointer';
import { printParseErrorCode, visit } from 'jsonc-parser';
import type { FeedContract } from './feed-contract.ts';
import { quote } from './findings.ts';

/** What is wrong with a Content-Type, or with several of them; undefined if it is that of JSON. */
export function mediaTypeProblem(contentType: string): string | undefined {
  // Several headers are joined by commas; readers differ in which of them they take.
  const types = contentType
    .replace(/"[^"]*"/g, '')
    .split(',')
    .map((one) => one.split(';', 1)[0]?.trim().toLowerCase());
  if (types.every((type = '') => /^application\/([\w.!#$&^-]+\+)?json$/.test(type))) return undefined;
  return contentType.trim() === ''
    ? 'the response has no Content-Type; expected application/json'
    : `the Content-Type is ${JSON.stringify(contentType)}; expected application/json`;
}

/** The records of `body`. A bare list is reported and read all the same: many feeds are one. */
export function recordsIn(
  body: unknown,
  { listPath }: Pick<FeedContract, 'listPath'>,
  fault: (pointer: string, seen: string) => void,
): unknown[] | undefined {
  let node = body;
  let pointer = '';
  for (const name of listPath) {
    const isObject = typeof node === 'object' && node !== null && !Array.isArray(node);
    if (!isObject || !Object.hasOwn(node as object, name)) {
      fault(pointer, isObject ? memberMissing(name, Object.keys(node as object)) : notInPlace(node, name));
      return pointer === '' && Array.isArray(node) ? node : undefined;
    }
    node = (node as Record<string, unknown>)[name];
    pointer = append(name, pointer);
  }
  if (Array.isArray(node)) return node;
  fault(pointer, notInPlace(node, undefined));
  return undefined;
}

/** What is where the list should be, or an object with it as the member `name`. */
export const notInPlace = (seen: unknown, name: string | undefined): string =>
  `it is ${quote(seen)}; expected ${name === undefined ? 'the list of records' : `an object with the member ${quote(name)}`}`;

/** An object has `members`, and not the one that leads to the list. */
export const memberMissing = (name: string, members: string[]): string =>
  `it has no member ${quote(name)}; it has ${members.slice(0, 5).map(quote).join(', ') || 'none'}`;

export const BYTE_ORDER_MARK = Buffer.from([0xef, 0xbb, 0xbf]);
/** The number of bytes at the beginning that show an encoding. */
export const SIGNATURE_BYTES = 3;
/** The number of bytes that are quoted where JSON ends. */
export const EXCERPT_BYTES = 24;

/** The encoding of a body that is not UTF-8, by its first bytes. */
export function foreignEncoding(body: Buffer): string | undefined {
  const [first, second] = body;
  if (first === 0x1f && second === 0x8b) return 'it is compressed with gzip: decompress it first';
  const isMarked = (first === 0xfe && second === 0xff) || (first === 0xff && second === 0xfe);
  return isMarked || (second !== undefined && (first === 0) !== (second === 0))
    ? 'it looks like UTF-16, but JSON is UTF-8'
    : undefined;
}

/** `bytes` begin where the body stops being JSON. */
export function notJsonFrom(bytes: Buffer): string {
  const excerpt = bytes.subarray(0, EXCERPT_BYTES).toString('utf8');
  const hint = HINTS.find(([start]) => start.test(excerpt))?.[1] ?? '';
  return `it is not JSON from here on: ${excerpt}${hint}`;
}

const HINTS: [start: RegExp, hint: string][] = [
  [/^(NaN|-?Infinity)/, ' (send null, or leave the record out)'],
  [/^(None|True|False)/, ' (Python writes this; use json.dumps)'],
  [/^'/, ' (JSON uses double quotes)'],
  [/^</, ' (a page of HTML, or XML?)'],
];

// Where a text stops being JSON, for a text that JSON.parse refused.

/**
 * The offset of the first token of `bytes`, from `from` on, that cannot belong to a single JSON value; the length of
 * `bytes` where the value is only cut off; undefined where it is a value. Meant for values that are not nested deeply.
 */
export function jsonFault(bytes: Buffer, from = 0): number | undefined {
  // JSON's syntax is ASCII, and Latin-1 has one character for each byte, so that offsets count bytes.
  const text = bytes.toString('latin1', from);
  let fault: number | undefined;
  try {
    visit(text, {
      onError(code, offset, length) {
        // The parser reports the whole token.
        const name = printParseErrorCode(code);
        const token = text.slice(offset, offset + length);
        const isCutOff = token.startsWith('"')
          ? name === 'UnexpectedEndOfString' || !token.endsWith('"')
          : /^(Invalid|UnexpectedEnd)/.test(name) && CUT_OFF.test(token);
        fault = from + (isCutOff && offset + length >= text.length ? text.length : offset);
        throw FOUND;
      },
      onComment(offset) {
        fault = from + offset;
        throw FOUND;
      },
    });
  } catch (error) {
    if (error !== FOUND) throw error;
  }
  return fault;
}

const CUT_OFF = /^(?:t(?:ru?)?|f(?:a(?:ls?)?)?|n(?:ul?)?|-?[\d.]*(?:[eE][+-]?)?)$/;
const FOUND = Symbol('found');

// Members of JSON objects that have the same name. JSON.parse keeps the last of them and does not report it.

/** The number of members of a parsed value, at all depths. */
export function countMembers(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  let count = Array.isArray(value) ? 0 : Object.keys(value).length;
  const members = value as Record<string, unknown>;
  for (const name in members) {
    const member = members[name];
    if (typeof member === 'object' && member !== null) count += countMembers(member);
  }
  return count;
}

/** Paths of the members whose name their object had before, at most `limit`. `text` is JSON. */
export function repeatedMembers(text: string, limit: number): string[][] {
  const repeated: string[][] = [];
  const open: Set<string>[] = [];
  visit(text, {
    onObjectBegin: () => void open.push(new Set()),
    onObjectProperty(name, _offset, _length, _line, _character, pathOf) {
      const names = open.at(-1);
      if (names?.has(name) && repeated.length < limit) repeated.push([...pathOf().map(String), name]);
      names?.add(name);
    },
    onObjectEnd: () => void open.pop(),
  });
  return repeated;
}
