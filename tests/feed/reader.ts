/** Judges the body of a feed: whether it is JSON, where its list of records is, and in which line each finding is. */
import { isUtf8 } from 'node:buffer';
import { createHash } from 'node:crypto';
import { append } from '@hyperjump/json-pointer';
import { type JSONVisitor, visit } from 'jsonc-parser';
import type { FeedContract } from './feed-contract.ts';
import { createFindings, type FeedVerdict, type Finding, type Findings, quote } from './findings.ts';
import { judgeRecords } from './judge.ts';

interface ReadOptions {
  /** The moment at which the feed was served, in milliseconds since 1970. */
  nowMs: number;
  /** The Content-Type of the response, empty if it had none; leave it out for what is not a response. */
  contentType?: string | undefined;
  /** Whether the verdict has the digests by which two reads are compared. */
  withDigests?: boolean;
}

/** Judges a whole body, which nobody vouches for. Takes time and memory in proportion to its length. */
export function judgeFeed(
  body: Buffer,
  contract: FeedContract,
  { nowMs, contentType, withDigests = false }: ReadOptions,
): FeedVerdict {
  const findings = createFindings();
  const wrongType = contentType === undefined ? undefined : mediaTypeProblem(contentType);
  if (wrongType !== undefined) findings.report('media-type', { pointer: '', seen: wrongType });
  const parsed = parse(body, findings);
  const {
    list = [],
    pointer = '',
    remarks = [],
    looks,
  } = 'value' in parsed ? listIn(parsed.value, contract, findings) : { looks: lookOf(body) };
  const judged = judgeRecords(list, pointer, contract, nowMs, findings);
  const digests = withDigests ? list.map((record) => digestOf(JSON.stringify(record))) : undefined;
  return {
    ...{ records: list.length, remarks, nowMs, looks, sites: judged.sites, lastEnded: judged.lastEnded },
    findings: 'value' in parsed ? withLines(parsed.text, findings.list()) : findings.list(),
    unjudged: [...('value' in parsed ? [] : [parsed.unjudged]), ...judged.unjudged],
    ...(digests && {
      digest: digestOf(digests.join()),
      setDigest: digestOf(digests.toSorted().join()),
    }),
  };
}

const digestOf = (text: string): string => createHash('sha256').update(text).digest('hex');

/** What is wrong with a Content-Type, or with several of them; undefined if it is that of JSON. */
function mediaTypeProblem(contentType: string): string | undefined {
  // Several headers are joined by commas; readers differ in which of them they take.
  const types = contentType.replace(/"[^"]*"/g, '').split(',');
  if (types.every((one) => /^\s*application\/([\w.!#$&^-]+\+)?json\s*(;|$)/i.test(one))) return undefined;
  return contentType.trim() === ''
    ? 'the response has no Content-Type; expected application/json'
    : `the Content-Type is ${JSON.stringify(contentType)}; expected application/json`;
}

// The body as JSON.

const MAX_DEPTH = 64;
const TOO_DEEP = Symbol('too deep');
const FOUND = Symbol('found');

/** The value of the body and its text, or why there is none. Reports where it is not JSON, and members that are there twice. */
function parse(body: Buffer, findings: Findings): { value: unknown; text: string } | { unjudged: string } {
  const hasMark = body[0] === 0xef && body[1] === 0xbb && body[2] === 0xbf;
  if (hasMark)
    findings.report('not-json', { pointer: '', seen: 'it begins with a byte order mark', line: 1 });
  const text = body.toString('utf8', hasMark ? 3 : 0);
  const notJson = (at: number, what: string) => {
    const before = text.slice(0, at);
    const byte = Buffer.byteLength(before) + (hasMark ? 3 : 0);
    const line = before.split('\n').length;
    findings.report('not-json', { pointer: '', seen: `byte ${byte}: ${what}`, line });
    return { unjudged: 'No record was judged, since the body is not JSON.' };
  };
  const encoding = foreignEncoding(body);
  if (encoding !== undefined) return notJson(0, encoding);
  if (!isUtf8(body))
    return notJson(validLengthOf(hasMark ? body.subarray(3) : body, text), 'invalid UTF-8 starts here');
  try {
    const value: unknown = JSON.parse(text);
    for (const pointer of repeatedIn(text))
      findings.report('duplicate-key', {
        ...{ pointer, seen: 'it is present a second time, and readers take one of the two' },
      });
    return { value, text };
  } catch (error) {
    if (error === TOO_DEEP)
      return { unjudged: `The body is nested more than ${MAX_DEPTH} levels deep: no record was judged.` };
    const { at, what } = faultIn(text);
    return notJson(at, what);
  }
}

/** How many characters of a text come before the first bytes that are not UTF-8: a U+FFFD before those was sent. */
function validLengthOf(body: Buffer, text: string): number {
  let [from, bytes] = [0, 0];
  for (let at = text.indexOf('\ufffd'); at !== -1; at = text.indexOf('\ufffd', from)) {
    bytes += Buffer.byteLength(text.slice(from, at));
    if (!body.subarray(bytes, bytes + REPLACEMENT.length).equals(REPLACEMENT)) return at;
    bytes += REPLACEMENT.length;
    from = at + 1;
  }
  return text.length;
}

const REPLACEMENT = Buffer.from('\ufffd');

/** The encoding of a body that is not UTF-8, by its first two bytes. */
function foreignEncoding([first, second]: Buffer): string | undefined {
  if (first === 0x1f && second === 0x8b) return 'it is compressed with gzip: decompress it first';
  const isMarked = (first === 0xfe && second === 0xff) || (first === 0xff && second === 0xfe);
  const isWide = second !== undefined && (first === 0) !== (second === 0);
  return isMarked || isWide ? 'it looks like UTF-16, but JSON is UTF-8' : undefined;
}

/** Pointers to the members whose name their object had before: JSON.parse keeps the last of them, and does not report it. */
function repeatedIn(text: string): string[] {
  const repeated: string[] = [];
  const open: Set<string>[] = [];
  const begin = () => {
    if (open.push(new Set()) > MAX_DEPTH) throw TOO_DEEP;
  };
  const end = () => void open.pop();
  visit(text, {
    ...{ onObjectBegin: begin, onArrayBegin: begin, onObjectEnd: end, onArrayEnd: end },
    onObjectProperty(name, _offset, _length, _line, _character, pathOf) {
      const names = open.at(-1);
      if (names?.has(name)) repeated.push(append(name, pointerOf(pathOf())));
      names?.add(name);
    },
  });
  return repeated;
}

const pointerOf = (path: readonly (string | number)[]): string =>
  path.reduce((above: string, name) => append(String(name), above), '');

/** The first place in a text that cannot belong to JSON, and what is wrong there. */
function faultIn(text: string): { at: number; what: string } {
  let [at, end] = [text.length, text.length];
  const stop = (offset: number, length: number) => {
    [at, end] = [offset, offset + length];
    throw FOUND;
  };
  try {
    visit(text, { onError: (_, offset, length) => stop(offset, length), onComment: stop });
  } catch (error) {
    // What is nested too deeply for the parser was not closed within its limit.
    if (error !== FOUND && !(error instanceof RangeError)) throw error;
  }
  // A system that lost power leaves NUL bytes. The token around them may seem to be cut off.
  const zero = text.indexOf('\0');
  if (zero !== -1 && zero <= end) return { at: zero, what: 'it has a NUL byte' };
  if (text.trim() === '') return { at, what: 'it is empty' };
  const isAfterEnd = isJson(text.slice(0, at));
  const what = hintAt(text.slice(at, at + 20));
  const isCut = end >= text.length && !/[}\]]/.test(text.charAt(at)) && !isAfterEnd && what === undefined;
  if (isCut) return { at: text.length, what: 'it is cut off' };
  return {
    at,
    what: what ?? (isAfterEnd ? 'something follows after its end' : 'it is not JSON from here on'),
  };
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
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

const hintAt = (begin: string): string | undefined => HINTS.find(([pattern]) => pattern.test(begin))?.[1];

/** What a body looks like that is not JSON. Undefined if it may be the damaged JSON of a feed. */
function lookOf(body: Buffer): string | undefined {
  const begin = body.subarray(0, 4096).toString('latin1').trimStart().slice(0, 40);
  if (begin === '') return 'it is empty';
  if (/^[^!-~]*(\{|\[[^!-~]*[{\]])/.test(begin)) return undefined; // In any encoding.
  const known = hintAt(begin) ?? foreignEncoding(Buffer.from(begin, 'latin1'));
  return known ?? (/^[!-~]/.test(begin) ? `it begins with ${quote(begin)}` : 'it is binary');
}

/** The findings, with the lines of their places that have none yet. */
function withLines(text: string, findings: readonly Finding[]): Finding[] {
  const wanted = new Set(findings.flatMap(({ places }) => places.map(({ pointer }) => pointer)));
  const lines = new Map<string, number>();
  // Of a value that is there twice, the last one counts.
  const note = (line: number, pathOf: () => (string | number)[]) => {
    const pointer = pointerOf(pathOf());
    if (wanted.has(pointer)) lines.set(pointer, line + 1);
  };
  const begin: JSONVisitor['onObjectBegin'] = (_offset, _length, line, _character, pathOf) =>
    note(line, pathOf);
  if (wanted.size > 0)
    visit(text, {
      ...{ onObjectBegin: begin, onArrayBegin: begin },
      onLiteralValue: (_value, _offset, _length, line, _character, pathOf) => note(line, pathOf),
    });
  const lined = (place: Finding['places'][number]) => {
    const line = place.line ?? (place.pointer === '' ? undefined : lines.get(place.pointer));
    return line === undefined ? place : { ...place, line };
  };
  return findings.map((one) => ({ ...one, places: one.places.map(lined) }));
}

// The list of records within the body.

/** The records and where they are, or what a body looks like that has no list in its place, and no record anywhere. */
function listIn(
  value: unknown,
  { listPath, fieldNames }: FeedContract,
  findings: Findings,
): { list?: readonly unknown[]; pointer?: string; remarks?: string[]; looks?: string | undefined } {
  let [node, pointer, others] = [value, '', [] as string[]];
  const misplaced = (seen: string, list: readonly unknown[] = []) => {
    findings.report('envelope', { pointer, seen });
    const isFeed =
      pointer !== '' || (Array.isArray(value) && value.length === 0) || holdsRecord(value, fieldNames);
    const isObject = typeof value === 'object' && value !== null;
    const looks = isObject ? seen : `it begins with ${quote(JSON.stringify(value))}`;
    return { list, pointer, looks: isFeed ? undefined : looks };
  };
  for (const name of listPath) {
    if (typeof node !== 'object' || node === null || Array.isArray(node)) {
      const seen = `it is ${quote(node)}; expected an object with the member ${quote(name)}`;
      // Many feeds are a bare list: that is one fault, and the records can still be judged.
      return misplaced(seen, node === value && Array.isArray(node) ? node : []);
    }
    const names = Object.keys(node);
    if (!names.includes(name))
      return misplaced(
        `it has no member ${quote(name)}; it has ${names.slice(0, 5).map(quote).join(', ') || 'none'}`,
      );
    others = names.filter((one) => one !== name);
    node = (node as Record<string, unknown>)[name];
    pointer = append(name, pointer);
  }
  if (!Array.isArray(node)) return misplaced(`it is ${quote(node)}; expected the list of records`);
  // A service may report a failure so, or send the records under another name.
  const few = others.slice(0, 5).map(quote).join(', ');
  const isSuspicious = node.length === 0 && others.length > 0;
  const remarks = isSuspicious ? [`No records, but other members: ${few}. Check that nothing failed.`] : [];
  return { list: node, pointer, remarks };
}

/** Whether `value` is a record, or has one inside: an object with two of the fields, as single values. */
function holdsRecord(value: unknown, names: ReadonlySet<string>): boolean {
  if (typeof value !== 'object' || value === null) return false;
  // The examples of an OpenAPI document are not its records.
  if (Object.hasOwn(value, 'openapi')) return false;
  const fields = Object.entries(value).filter(([name, one]) => names.has(name) && typeof one !== 'object');
  return fields.length > 1 || Object.values(value).some((one) => holdsRecord(one, names));
}
