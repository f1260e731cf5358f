/** The body of a feed as a whole: its type, where it stops being JSON, and where its records are. */
import { visit } from 'jsonc-parser';
import { type FeedVerdict, quote } from './findings.ts';

/** What is wrong with a Content-Type, or with several of them; undefined if it is that of JSON. */
export function mediaTypeProblem(contentType: string): string | undefined {
  // Several headers are joined by commas; readers differ in which of them they take.
  const types = contentType.replace(/"[^"]*"/g, '').split(',');
  if (types.every((one) => /^\s*application\/([\w.!#$&^-]+\+)?json\s*(;|$)/i.test(one))) return undefined;
  return contentType.trim() === ''
    ? 'the response has no Content-Type; expected application/json'
    : `the Content-Type is ${JSON.stringify(contentType)}; expected application/json`;
}

/** What is where the list should be, or an object with it as the member `name`. */
export const notInPlace = (seen: unknown, name: string | undefined): string =>
  `it is ${quote(seen)}; expected ${name === undefined ? 'the list of records' : `an object with the member ${quote(name)}`}`;

/** An object has `members`, and not the one that leads to the list. */
export const memberMissing = (name: string, members: string[]): string =>
  `it has no member ${quote(name)}; it has ${members.slice(0, 5).map(quote).join(', ') || 'none'}`;

/** The encoding of a body that is not UTF-8, by its first two bytes. */
export function foreignEncoding([first, second]: Buffer): string | undefined {
  if (first === 0x1f && second === 0x8b) return 'it is compressed with gzip: decompress it first';
  const isMarked = (first === 0xfe && second === 0xff) || (first === 0xff && second === 0xfe);
  const isWide = second !== undefined && (first === 0) !== (second === 0);
  return isMarked || isWide ? 'it looks like UTF-16, but JSON is UTF-8' : undefined;
}

/**
 * What a body looks like that has neither a list in its place nor a record. Undefined if it may be damaged JSON of a
 * feed.
 */
export function lookOf(begin: string, { findings }: Pick<FeedVerdict, 'findings'>): string | undefined {
  if (begin === '') return 'it is empty';
  const first = findings.find(({ rule }) => rule !== 'media-type');
  const isList = /^[^!-~]*(\{|\[[^!-~]*[{\]])/.test(begin); // Or an object, in any encoding.
  if (isList) return first?.rule === 'envelope' ? first.places[0]?.seen : undefined;
  const known =
    HINTS.find(([pattern]) => pattern.test(begin))?.[1] ?? foreignEncoding(Buffer.from(begin, 'latin1'));
  return known ?? (/^[!-~]/.test(begin) ? `it begins with ${quote(begin)}` : 'it is binary');
}

/** Whether `value` is a record, or has one inside: an object with two of the fields, as single values. */
export function holdsRecord(value: unknown, names: ReadonlySet<string>): boolean {
  if (typeof value !== 'object' || value === null) return false;
  const fields = Object.entries(value).filter(([name, one]) => names.has(name) && typeof one !== 'object');
  return fields.length > 1 || Object.values(value).some((one) => holdsRecord(one, names));
}

const FOUND = Symbol('found');

/**
 * The first token of `bytes`, from `from` on, that cannot belong to a single JSON value; undefined where it is a value.
 * Meant for values that are not nested deeply.
 */
export function jsonFault(bytes: Buffer, from = 0): { at: number; end: number } | undefined {
  let fault: { at: number; end: number } | undefined;
  const stop = (offset: number, length: number) => {
    fault = { at: from + offset, end: from + offset + length };
    // A system that lost power leaves NUL bytes. The token around them may seem to be cut off.
    const zero = bytes.indexOf(0, fault.at);
    if (zero >= 0 && zero < fault.end) fault = { at: zero, end: zero };
    throw FOUND;
  };
  try {
    // JSON's syntax is ASCII, and Latin-1 has one character for each byte, so that offsets count bytes.
    visit(bytes.toString('latin1', from), {
      onError: (_, offset, length) => stop(offset, length),
      onComment: stop,
    });
  } catch (error) {
    if (error !== FOUND) throw error;
  }
  return fault;
}

/** What programs write in place of JSON, as it begins where the JSON ends. */
const HINTS: readonly (readonly [begin: RegExp, seen: string])[] = [
  [/^<!doctype html|^<html/i, 'it is an HTML page'],
  [/^</, 'it is XML or HTML'],
  [/^PK\W/, 'it is a ZIP archive'],
  [/^[+-]?(nan|inf)/i, 'JSON has no NaN and no infinity; send null, or leave the member out'],
  [/^(None|True|False)\b/, 'it is written in Python; JSON has null, true and false'],
  [/^'/, 'JSON has double quotes, not single ones'],
  [/^(\/[/*]|#)/, 'JSON has no comments'],
];

/** What is wrong with a body that is not JSON from this byte on. */
export function notJsonAt(bytes: Buffer, at: number): string {
  if (bytes[at] === 0) return 'it has a NUL byte';
  const begin = bytes.toString('latin1', at, at + 20);
  return HINTS.find(([pattern]) => pattern.test(begin))?.[1] ?? 'it is not JSON from here on';
}

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
