/**
 * Reads a feed from its bytes as they arrive: finds the list of records, cuts single records out of it and passes them
 * to the judge. It holds one block at a time, however long the feed is.
 *
 * Libraries for this are too slow: for a record of 460 bytes, stream-json 3.8 took 97 µs and @streamparser/json 0.0.22
 * took 48 µs, where JSON.parse of the whole takes 7 to 9. Here, bytes are examined one by one only to find where a
 * record ends; JSON.parse does the rest, for some hundred records at once.
 */
import { isAscii, isUtf8 } from 'node:buffer';
import { append } from '@hyperjump/json-pointer';
import { visit } from 'jsonc-parser';
import { several } from '../report/text.ts';
import {
  BRACE,
  BRACE_END,
  BRACKET,
  COLON,
  COMMA,
  createBodyWindow,
  type Expected,
  endOfValue,
  findItems,
  firstInvalidUtf8,
  peek,
  QUOTE,
  TOO_DEEP,
} from '../support/json/json-bytes.ts';
import { repeatedMembers } from '../support/json/values.ts';
import type { FeedContract } from './feed-contract.ts';
import { type FeedVerdict, quote } from './findings.ts';
import { createFeedJudge } from './judge.ts';

export interface ReaderOptions {
  /** The moment at which the feed was served, in milliseconds since 1970. */
  nowMs: number;
  /** The number of bytes that are gathered before they are examined. */
  blockBytes?: number;
  /** The Content-Type of the response, empty if it had none; leave it out for what is not a response. */
  contentType?: string | undefined;
  /** The maximum size of a single record, and of any other value in the body. */
  recordBytes?: number;
  /** Whether the verdict has the digests by which two reads are compared. */
  withDigests?: boolean;
}

interface FeedReader {
  /** Returns whether more bytes are useful. `bytes` are kept until they are used: they must not be overwritten. */
  write(bytes: Uint8Array): boolean;
  /** To be called once. `leftOut` says why there may be more bytes, which were not read. */
  done(leftOut?: string): FeedVerdict;
}

const BLOCK_BYTES = 64 * 1024;
const MAX_RECORD_BYTES = 4 * 1024 * 1024;
/** Of an object with the list, this many member names are kept. */
const MAX_MEMBER_NAMES = 6;
/** Of the repeated members of a record, this many are reported. */
const MAX_REPEATED = 3;
const BYTE_ORDER_MARK = Buffer.from([0xef, 0xbb, 0xbf]);
/** Thrown where reading on makes no sense; what is to be said has been said. */
const STOP = Symbol('stop');

export function createFeedReader(
  contract: FeedContract,
  {
    nowMs,
    contentType,
    blockBytes = BLOCK_BYTES,
    recordBytes = MAX_RECORD_BYTES,
    withDigests = false,
  }: ReaderOptions,
): FeedReader {
  const judge = createFeedJudge(contract, { nowMs, withDigests, locate: () => window.positionOf(recordAt) });
  const window = createBodyWindow();
  /** Where the current record begins in the block, and its index in the list. */
  let recordAt = 0;
  let index = 0;
  /** Whether the body was read to its end, or to where reading on makes no sense. */
  let isOver = false;
  /** Whether a list in its place, or a record anywhere, shows that the body is meant to be a feed. */
  let isFeed = false;
  let begin = ''; // Without blanks, to show what the body looks like.
  const reading = readBody();
  const wrongType = contentType === undefined ? undefined : mediaTypeProblem(contentType);
  if (wrongType !== undefined) judge.fault('media-type', '', wrongType);

  function readOn(): void {
    window.advance();
    try {
      isOver = reading.next().done === true;
    } catch (error) {
      if (error !== STOP) throw error;
      isOver = true;
    }
  }

  /** This and the generators that it calls yield for more bytes; `window.hasEnded` is set when there are none. */
  function* readBody(): Generator<void, void> {
    while (window.block.length < BYTE_ORDER_MARK.length && !window.hasEnded) yield;
    const encoding = foreignEncoding(window.block);
    if (encoding) stopAt(0, encoding);
    if (window.block.indexOf(BYTE_ORDER_MARK) === 0) {
      judge.fault('not-json', '', 'it begins with a byte order mark', window.positionOf(0));
      window.at = BYTE_ORDER_MARK.length;
    }
    if ((yield* peek(window)) === undefined) stopAt(window.at, 'it is empty');
    yield* readEnvelope(0, '');
    if ((yield* peek(window)) !== undefined) stopAt(window.at, 'something follows after its end');
  }

  /** The value that is the list, or that holds it under the names of the contract from `depth` on. */
  function* readEnvelope(depth: number, pointer: string): Generator<void, void> {
    const byte = yield* peek(window);
    const name = contract.listPath[depth];
    isFeed ||= name === undefined && (depth > 0 || byte === BRACKET);
    if (name === undefined && byte === BRACKET) return yield* readList(true);
    if (name !== undefined && byte === BRACE) return yield* readMembers(name, depth, pointer);
    const position = window.positionOf(window.at);
    // Many feeds are a bare list: that is one fault, and the records can still be judged.
    const seen = byte === BRACE ? {} : byte === BRACKET ? [byte] : yield* readValue();
    judge.fault('envelope', pointer, notInPlace(seen, name), position);
    if (byte === BRACKET) yield* readList(depth === 0);
    else if (byte === BRACE) yield* readValue();
  }

  /** An object with the member `wanted`. */
  function* readMembers(wanted: string, depth: number, pointer: string): Generator<void, void> {
    const position = window.positionOf(window.at);
    const names: string[] = [];
    window.at++;
    let hasMore = (yield* peek(window)) !== BRACE_END;
    if (!hasMore) window.at++;
    while (hasMore) {
      if ((yield* peek(window)) !== QUOTE) notJson(window.at);
      const memberPosition = window.positionOf(window.at);
      const name = String(yield* readValue());
      const isFirst = !names.includes(name);
      if (!isFirst) judge.repeated(append(name, pointer), memberPosition);
      else if (names.length < MAX_MEMBER_NAMES || name === wanted) names.push(name);
      if ((yield* peek(window)) !== COLON) notJson(window.at);
      window.at++;
      const byte = yield* peek(window);
      if (name === wanted && isFirst) yield* readEnvelope(depth + 1, append(name, pointer));
      else yield* byte === BRACKET ? readList(false) : readValue();
      const sign = yield* peek(window);
      if (sign !== COMMA && sign !== BRACE_END) notJson(window.at);
      window.at++;
      hasMore = sign === COMMA;
    }
    // A single record, without a list. The examples of an OpenAPI document are not records of it.
    isFeed ||= names.filter((name) => contract.fieldNames.has(name)).length > 1;
    if (names.includes('openapi')) isFeed = false;
    if (!names.includes(wanted)) judge.fault('envelope', pointer, memberMissing(wanted, names), position);
    // A service may report a failure so, or send the records under another name.
    else if (index === 0 && names.length > 1)
      judge.remarks.push(
        `No records, but other members: ${names.filter((one) => one !== wanted).map(quote)}. Check that nothing failed.`,
      );
  }

  /** A value that is built as a whole. */
  function* readValue(): Generator<void, unknown> {
    for (;;) {
      const { block, at } = window;
      const end = endOfValue(block, at, window.hasEnded);
      if (end >= 0) {
        if (end - at > recordBytes) tooLarge();
        const value = parsed(at, end);
        isFeed ||= holdsRecord(value, contract.fieldNames);
        window.at = end;
        return value;
      }
      yield* more(end === TOO_DEEP ? 'too deep' : 'more');
    }
  }

  function* readList(ofRecords: boolean): Generator<void, void> {
    window.at++;
    let expected: Expected = 'first item or end';
    for (;;) {
      const items = findItems(window.block, window.at, expected, recordBytes);
      window.at = items.at;
      const values = parsedTogether(items.starts, items.ends);
      for (const [item, start] of items.starts.entries()) {
        const end = items.ends[item] ?? 0;
        recordAt = start;
        const value = values ? values[item] : parsed(start, end);
        isFeed ||= holdsRecord(value, contract.fieldNames);
        if (!ofRecords) continue;
        if (items.members[item] !== countMembers(value)) reportRepeated(start, end);
        judge.record(value, index++);
      }
      expected = items.expected;
      isFeed ||= ofRecords && items.stop === 'ended' && index === 0;
      if (items.stop === 'ended') return;
      if (items.stop === 'wrong') notJson(window.at);
      yield* more(items.stop);
    }
  }

  function reportRepeated(from: number, to: number): void {
    const record = append(String(index), contract.listPointer);
    for (const path of repeatedMembers(window.block.subarray(from, to).toString('utf8'), MAX_REPEATED)) {
      const pointer = path.reduce((above, name) => append(name, above), record);
      judge.repeated(pointer, window.positionOf(from));
    }
  }

  /** Waits for more bytes. `why`: the reason why the bytes at hand are not enough. */
  function* more(why: 'more' | 'too deep' | 'too large'): Generator<void, void> {
    if (why === 'too deep') stopUnjudged('is nested more than 64 levels deep');
    if (why === 'too large' || window.block.length - window.at > recordBytes) tooLarge();
    if (window.hasEnded) cutOff();
    yield;
  }

  /** All items at hand; undefined where one of them is not JSON, and where there are none. */
  function parsedTogether(starts: number[], ends: number[]): unknown[] | undefined {
    if (starts.length === 0) return undefined;
    const bytes = window.block.subarray(starts[0], ends.at(-1));
    // ASCII is decoded and parsed faster.
    const encoding = isAscii(bytes) ? 'latin1' : isUtf8(bytes) ? 'utf8' : undefined;
    try {
      if (encoding) return JSON.parse(`[${bytes.toString(encoding)}]`);
    } catch {} // The caller parses them one by one to find it.
    return undefined;
  }

  function parsed(from: number, to: number): unknown {
    const bytes = window.block.subarray(from, to);
    if (!isUtf8(bytes)) return stopAt(from + firstInvalidUtf8(bytes), 'it is not UTF-8 there');
    try {
      return JSON.parse(bytes.toString('utf8'));
    } catch {
      return notJson(jsonFault(window.block.subarray(0, to), from)?.at ?? from);
    }
  }

  /** The body is not JSON from `at` on. */
  function notJson(at: number): never {
    if (at >= window.block.length && window.hasEnded) cutOff();
    return stopAt(at, notJsonAt(window.block, at));
  }

  /** A token of the value at hand that is wrong whatever follows. */
  function faultInside(): number | undefined {
    const fault = jsonFault(window.block, window.at);
    return fault && fault.end < window.block.length ? fault.at : undefined;
  }

  /** The body ends within a value, unless that value is wrong before the end. */
  function cutOff(): never {
    const fault = window.at < window.block.length ? faultInside() : undefined;
    return fault === undefined ? stopAt(window.block.length, 'it is cut off') : notJson(fault);
  }

  function tooLarge(): never {
    // Where a quote is missing, a record seems to have no end.
    const fault = faultInside();
    if (fault !== undefined && fault - window.at < recordBytes) notJson(fault);
    return stopUnjudged(`is larger than ${recordBytes} bytes`);
  }

  function stopUnjudged(what: string): never {
    const { byte } = window.positionOf(window.at);
    judge.unjudged.push(`The value at byte ${byte} ${what}: nothing from there on was judged.`);
    throw STOP;
  }

  function stopAt(at: number, what: string): never {
    const position = window.positionOf(at);
    const after = index === 0 ? '' : `, after ${several(index, 'record')}`;
    judge.fault('not-json', '', `byte ${position.byte}${after}: ${what}`, position);
    judge.unjudged.push(`Nothing from byte ${position.byte} on was judged, since it is not JSON.`);
    throw STOP;
  }

  return {
    write(bytes) {
      if (isOver) return false;
      if (begin.length < 40) begin = (begin + Buffer.from(bytes).toString('latin1')).trimStart().slice(0, 40);
      window.add(bytes);
      if (window.waitingBytes >= blockBytes) readOn();
      return !isOver;
    },
    done(leftOut) {
      if (!isOver && window.waitingBytes > 0) readOn();
      if (leftOut !== undefined) judge.unjudged.push(leftOut);
      else if (!isOver) {
        window.hasEnded = true;
        readOn();
      }
      const verdict = judge.done();
      return isFeed || leftOut !== undefined ? verdict : { ...verdict, looks: lookOf(begin, verdict) };
    },
  };
}

/** Judges a body at hand, so that it can be compared with another read. */
export function judgeFeed(body: Uint8Array, contract: FeedContract, nowMs: number): FeedVerdict {
  const reader = createFeedReader(contract, { nowMs, withDigests: true });
  reader.write(body);
  return reader.done();
}

// The body around the records: its type, where it stops being JSON, and what else it may be.

/** What is wrong with a Content-Type, or with several of them; undefined if it is that of JSON. */
function mediaTypeProblem(contentType: string): string | undefined {
  // Several headers are joined by commas; readers differ in which of them they take.
  const types = contentType.replace(/"[^"]*"/g, '').split(',');
  if (types.every((one) => /^\s*application\/([\w.!#$&^-]+\+)?json\s*(;|$)/i.test(one))) return undefined;
  return contentType.trim() === ''
    ? 'the response has no Content-Type; expected application/json'
    : `the Content-Type is ${JSON.stringify(contentType)}; expected application/json`;
}

/** What is where the list should be, or an object with it as the member `name`. */
const notInPlace = (seen: unknown, name: string | undefined): string =>
  `it is ${quote(seen)}; expected ${name === undefined ? 'the list of records' : `an object with the member ${quote(name)}`}`;

/** An object has `members`, and not the one that leads to the list. */
const memberMissing = (name: string, members: string[]): string =>
  `it has no member ${quote(name)}; it has ${members.slice(0, 5).map(quote).join(', ') || 'none'}`;

/** The encoding of a body that is not UTF-8, by its first two bytes. */
function foreignEncoding([first, second]: Buffer): string | undefined {
  if (first === 0x1f && second === 0x8b) return 'it is compressed with gzip: decompress it first';
  const isMarked = (first === 0xfe && second === 0xff) || (first === 0xff && second === 0xfe);
  const isWide = second !== undefined && (first === 0) !== (second === 0);
  return isMarked || isWide ? 'it looks like UTF-16, but JSON is UTF-8' : undefined;
}

/**
 * What a body looks like that has neither a list in its place nor a record. Undefined if it may be damaged JSON of a
 * feed.
 */
function lookOf(begin: string, { findings }: Pick<FeedVerdict, 'findings'>): string | undefined {
  if (begin === '') return 'it is empty';
  const first = findings.find(({ rule }) => rule !== 'media-type');
  const isList = /^[^!-~]*(\{|\[[^!-~]*[{\]])/.test(begin); // Or an object, in any encoding.
  if (isList) return first?.rule === 'envelope' ? first.places[0]?.seen : undefined;
  const known =
    HINTS.find(([pattern]) => pattern.test(begin))?.[1] ?? foreignEncoding(Buffer.from(begin, 'latin1'));
  return known ?? (/^[!-~]/.test(begin) ? `it begins with ${quote(begin)}` : 'it is binary');
}

/** Whether `value` is a record, or has one inside: an object with two of the fields, as single values. */
function holdsRecord(value: unknown, names: ReadonlySet<string>): boolean {
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
function notJsonAt(bytes: Buffer, at: number): string {
  if (bytes[at] === 0) return 'it has a NUL byte';
  const begin = bytes.toString('latin1', at, at + 20);
  return HINTS.find(([pattern]) => pattern.test(begin))?.[1] ?? 'it is not JSON from here on';
}

// Members of JSON objects that have the same name. JSON.parse keeps the last of them and does not report it.

/** The number of members of a parsed value, at all depths. */
function countMembers(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  let count = Array.isArray(value) ? 0 : Object.keys(value).length;
  const members = value as Record<string, unknown>;
  for (const name in members) {
    const member = members[name];
    if (typeof member === 'object' && member !== null) count += countMembers(member);
  }
  return count;
}
