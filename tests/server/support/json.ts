/** A body as JSON (RFC 8259), and what is kept of it. Both are bounded, since a deployment may send anything. */
import { MIMEType } from 'node:util';
import { BRACE, BRACE_END, BRACKET, BRACKET_END, COLON, COMMA, QUOTE } from '../../support/json/bytes.ts';
import type { Field } from '../../traffic/exchange.ts';

type JsonType = 'object' | 'array' | 'string' | 'number' | 'boolean' | 'null';

/** What is kept of a body: its form, without values. */
export type Json =
  | Unparsed
  | {
      wellFormed: true;
      type: JsonType;
      /** The names of an object's members; of an array, those of its first item. */
      fields?: string[];
      /** Those of them that have a value: anything but null, false, an empty text, list or object. */
      filled?: string[];
      /** Whether there is nothing in it. */
      empty: boolean;
      /** Set where nothing in it is data: constants around an empty list, an empty object or null. */
      vacant?: true;
      /** Of these, set where there is an empty list, which is an empty schedule. */
      emptyList?: true;
      /** Where it has records: the names of the members of the first; none where that is a list. */
      recordFields?: string[];
      /** Set where its first record has no figure, as in an example of a document. */
      blankRecord?: true;
      /** Of an object: set where each member is a record, or each of several a list of them. */
      keyed?: true;
    };

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
const MAX_FIELDS = 100;

/** `refused`: not parsed, since that would cost too much. */
type Unparsed = { wellFormed: false; error: string; refused?: true };
export type Parsed = { wellFormed: true; value: unknown } | Unparsed;

const MAX_DEPTH = 512;
/** Of values in all: a body of small ones takes many times its own size in memory. */
const MAX_VALUES = 1_000_000;
/** How many of those an object or a list counts for: it takes as much memory, if no other has its member names. */
const OBJECT_VALUES = 8;
/** Of one object: each name that no other object has costs far more than a value. */
const MAX_MEMBERS = 200_000;

export function parseJson(body: Buffer): Parsed {
  if (body.length === 0) return { wellFormed: false, error: 'the body is empty' };
  const excess = excessOf(body);
  if (excess) return { wellFormed: false, error: excess, refused: true };
  try {
    return { wellFormed: true, value: JSON.parse(utf8.decode(body)) };
  } catch (error) {
    // The parser's own message quotes the body, so it is not passed on.
    const why = error instanceof SyntaxError ? 'it does not parse' : 'it is not UTF-8';
    return { wellFormed: false, error: why };
  }
}

/** What there is too much of, found without building anything. */
function excessOf(body: Buffer): string | undefined {
  /** The members so far of each object or list that is open. */
  const open: number[] = [];
  let values = 1;
  for (let at = 0; at < body.length; at++) {
    const byte = body[at];
    if (byte === QUOTE) {
      for (at++; at < body.length && body[at] !== QUOTE; at++) if (body[at] === BACKSLASH) at++;
    } else if (byte === COMMA) values++;
    else if (byte === COLON) {
      const members = (open.at(-1) ?? 0) + 1;
      if (members > MAX_MEMBERS) return `an object in it has more than ${MAX_MEMBERS} members`;
      open[open.length - 1] = members;
    } else if (byte === BRACE || byte === BRACKET) {
      values += OBJECT_VALUES;
      if (open.push(0) > MAX_DEPTH) return `it is nested more than ${MAX_DEPTH} levels deep`;
    } else if (byte === BRACE_END || byte === BRACKET_END) open.pop();
    if (values > MAX_VALUES) return `it holds more than ${MAX_VALUES} values`;
  }
  return undefined;
}

const BACKSLASH = 0x5c;

export function describeJson(parsed: Parsed): Json {
  if (!parsed.wellFormed) return parsed;
  const { value } = parsed;
  const described = Array.isArray(value) ? value[0] : value;
  const members = isObject(described) ? [...membersOf(described, MAX_FIELDS)] : undefined;
  const record = listIn(value)?.find((one) => typeof one === 'object' && !isEmpty(one));
  return {
    wellFormed: true,
    type: typeOf(value),
    empty: isEmpty(value),
    ...(members && {
      fields: members.map(([name]) => name),
      filled: members.filter(([, member]) => !isEmpty(member)).map(([name]) => name),
    }),
    ...(!isEmpty(value) &&
      isVacant(value) && { vacant: true, ...(hasEmptyList(value) && { emptyList: true }) }),
    ...(record !== undefined && {
      recordFields: isObject(record) ? [...membersOf(record, MAX_FIELDS)].map(([name]) => name) : [],
      ...(!hasFigure(record, 0) && { blankRecord: true }),
    }),
    ...(isKeyed(value) && { keyed: true }),
  };
}

/** Whether a number but zero, or a text with a digit, is in it; documentation has examples without. */
function hasFigure(value: unknown, depth: number): boolean {
  if (typeof value === 'number') return value !== 0;
  if (typeof value === 'string') return /\d/.test(value);
  if (typeof value !== 'object' || value === null || depth > DEPTH) return false;
  return [...membersOf(value, MAX_FIELDS)].some(([, member]) => hasFigure(member, depth + 1));
}

/** Whether the members of an object are named by what they are, and not by what they mean. */
function isKeyed(value: unknown): boolean {
  if (!isObject(value)) return false;
  const members = [...membersOf(value, MAX_FIELDS)].map(([, member]) => member);
  const areLists = members.length > 1 && members.every((one) => listIn(one));
  return areLists || (members.length > 0 && members.every(isObject));
}

const isObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function isEmpty(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return value === null || value === '' || value === false;
  return membersOf(value, 1).next().done === true;
}

/** Lists that refusals have as well as data. */
const ABOUT_ANSWERS = /^_?(links|errors|warnings|messages|details|docs)$/i;
const DEPTH = 4;

/** The largest list with objects or lists in it, near the top, but for those that describe an answer. */
export function listIn(value: unknown): unknown[] | undefined {
  let [largest, most]: [unknown[] | undefined, number] = [undefined, 0];
  const visit = (node: unknown, depth: number) => {
    if (typeof node !== 'object' || node === null || depth === DEPTH) return;
    if (Array.isArray(node)) {
      if (!node.some((one) => typeof one === 'object' && one !== null)) return;
      let size = 0;
      for (const _ of leavesOf(node)) size++;
      if (size > most) [largest, most] = [node, size];
    } else
      for (const [name, member] of membersOf(node, MAX_FIELDS))
        if (!ABOUT_ANSWERS.test(name)) visit(member, depth + 1);
  };
  visit(value, 0);
  return largest;
}

const LEAVES = 50_000;
const LEAF_DEPTH = 12;

/** The texts and the numbers in a value. */
export function* leavesOf(value: unknown): Generator<string> {
  let left = LEAVES;
  function* visit(node: unknown, depth: number): Generator<string> {
    if (typeof node === 'string' || typeof node === 'number') yield String(node);
    else if (typeof node === 'object' && node !== null && depth < LEAF_DEPTH)
      for (const [, member] of membersOf(node, left)) {
        if (left-- <= 0) return;
        yield* visit(member, depth + 1);
      }
  }
  yield* visit(value, 0);
}

/** Whether it is an envelope without data: nothing but constants around an empty list, an empty object or null. */
export function isVacant(value: unknown): boolean {
  const hasGap = (node: unknown, name: string, depth: number): boolean => {
    if (node === null) return depth === 0 || HOLDS_DATA.test(name);
    if (typeof node !== 'object' || depth > DEPTH) return false;
    const members = [...membersOf(node, MAX_FIELDS)];
    const isAbout = (own: string) => ABOUT_ANSWERS.test(own) || /^error/i.test(own);
    return members.length === 0 || members.some(([own, one]) => !isAbout(own) && hasGap(one, own, depth + 1));
  };
  return hasGap(value, '', 0) && listIn(value) === undefined;
}

const hasEmptyList = (node: unknown, depth = 0): boolean =>
  Array.isArray(node)
    ? node.length === 0
    : isObject(node) &&
      depth < DEPTH &&
      [...membersOf(node, MAX_FIELDS)].some(
        ([name, member]) => !ABOUT_ANSWERS.test(name) && hasEmptyList(member, depth + 1),
      );

/** Members that are null where there is no data; others of a record may be null too. */
const HOLDS_DATA =
  /data$|^(items?|results?|records?|requests?|mitigations?|schedule|payload|content|value|entries|features)$/i;

/** The first members, without a list of all: of an object of millions that would take many times its size. */
function* membersOf(node: object, limit: number): Generator<[name: string, member: unknown]> {
  // Of a list, for…in would first make a text of every index.
  if (Array.isArray(node)) {
    for (let at = 0; at < Math.min(node.length, limit); at++) yield [String(at), node[at]];
    return;
  }
  let count = 0;
  for (const name in node) {
    if (count++ === limit) return;
    yield [name, (node as Record<string, unknown>)[name]];
  }
}

const typeOf = (value: unknown): JsonType =>
  value === null ? 'null' : Array.isArray(value) ? 'array' : (typeof value as JsonType);

// Media types.

/** Type and subtype of the Content-Type, in lower case; undefined if it does not parse, or several headers differ. */
export function mediaTypeOf(headers: readonly Field[]): string | undefined {
  const types = new Set(headers.flatMap(([name, value]) => (name === 'content-type' ? value.trim() : [])));
  try {
    return types.size === 0 ? undefined : new MIMEType([...types].join()).essence;
  } catch {
    return undefined;
  }
}

/** `application/json`, `text/json` and every `+json` (RFC 6839 section 3.1; WHATWG MIME Sniffing section 4.6). */
export const isJsonMediaType = (mediaType: string | undefined): boolean =>
  mediaType !== undefined && /^(application\/json|text\/json|[^/]+\/[^/]+\+json)$/.test(mediaType);
