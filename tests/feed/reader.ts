/**
 * Reads a feed from its bytes as they come: finds the list of records, cuts single records out of it and hands them to
 * the judge. What it holds at a time is one block, however long the feed is.
 *
 * There are libraries for this, and they take too long: for a record of 460 bytes stream-json 3.8 took 97 µs and
 * @streamparser/json 0.0.22 took 48 µs, where JSON.parse of the whole takes 7 to 9. Here bytes are looked at one by one
 * only to find where a record ends; JSON.parse does the rest, for some hundred records at once.
 */
import { isAscii, isUtf8 } from 'node:buffer';
import type { FeedContract } from './contract.ts';
import { escapedToken } from './findings.ts';
import { isSpace, jsonFault } from './json-fault.ts';
import { createFeedJudge, type FeedVerdict, misplaced, notAList, type Where } from './judge.ts';

export interface ReaderOptions {
  /** The moment at which the feed was served, in milliseconds. */
  nowMs: number;
  /** So many bytes are gathered before they are looked at. */
  blockBytes?: number;
  /** A single record, and whatever else stands beside the list, may have so many. */
  recordBytes?: number;
}

export interface FeedReader {
  /** Whether more bytes are of use. These are kept until they are dealt with: nobody may write over them. */
  write(bytes: Uint8Array): boolean;
  /** To be called once. `leftOut` says why there may be more bytes, which were not read. */
  done(leftOut?: string): FeedVerdict;
}

const BLOCK = 256 * 1024;
const MOST_RECORD_BYTES = 4 * 1024 * 1024;
const MOST_DEPTH = 64;

export function createFeedReader(
  contract: FeedContract,
  { nowMs, blockBytes = BLOCK, recordBytes = MOST_RECORD_BYTES }: ReaderOptions,
): FeedReader {
  const judge = createFeedJudge(contract, { nowMs, locate: () => whereIs(starts[current] ?? 0) });

  /** What is at hand; `at` is the first byte that is not dealt with. */
  let block = Buffer.alloc(0);
  let at = 0;
  /** Where the block begins in the body, and how many line feeds are before it. */
  let base = 0;
  let linesBefore = 0;
  /** What comes behind the block. */
  const gathered: Uint8Array[] = [];
  let gatheredBytes = 0;
  let hasEnded = false;

  /** Where the records that are at hand begin and end in the block, and which of them is with the judge. */
  const starts: number[] = [];
  const ends: number[] = [];
  let current = 0;
  let index = 0;

  /** Whether the body was read to its end, or to where reading it makes no more sense. */
  let isOver = false;
  const reading = readToFault();

  function goOn(): void {
    linesBefore += lineFeedsIn(block, at);
    base += at;
    block = Buffer.concat([block.subarray(at), ...gathered]);
    at = 0;
    gathered.length = 0;
    gatheredBytes = 0;
    isOver = reading.next().done === true;
  }

  /** To the end, or to where the body is no JSON; of that a few bytes more are waited for, to be quoted. */
  function* readToFault(): Generator<void, void> {
    try {
      yield* readBody();
    } catch (error) {
      if (error === STOP) return;
      if (error !== BROKEN) throw error;
      while (block.length < at + EXCERPT && !hasEnded) yield;
      const excerpt = block.subarray(at, at + EXCERPT).toString('utf8');
      const hint = HINTS.find(([start]) => start.test(excerpt))?.[1] ?? '';
      tellBroken(at, `it is no JSON from here on: ${excerpt}${hint}`);
    }
  }

  /** This and what it consists of yield for more bytes; when there are none, `hasEnded` is set. */
  function* readBody(): Generator<void, void> {
    while (block.length < MOST_SIGNATURE && !hasEnded) yield;
    const encoding = foreignEncoding(block);
    if (encoding) broken(0, encoding);
    if (block.indexOf(BYTE_ORDER_MARK) === 0) {
      judge.fault('not-json', '', 'it begins with a byte order mark', whereIs(0));
      at = BYTE_ORDER_MARK.length;
    }
    if ((yield* peek()) === NONE) broken(at, 'it is empty');
    yield* readEnvelope(0, '');
    if ((yield* peek()) !== NONE) broken(at, 'something follows behind its end');
  }

  /** The value that is the list, or holds it below the names of the contract from `depth` on. */
  function* readEnvelope(depth: number, pointer: string): Generator<void, void> {
    const byte = yield* peek();
    const name = contract.list[depth];
    if (name === undefined && byte === BRACKET) return yield* readList(true);
    if (name !== undefined && byte === BRACE) return yield* readMembers(name, depth, pointer);
    const where = whereIs(at);
    const isScalar = byte !== BRACE && byte !== BRACKET;
    const seen = isScalar ? yield* readValue() : byte === BRACE ? {} : [byte];
    judge.fault('envelope', pointer, name === undefined ? notAList(seen) : misplaced(seen, name), where);
    // Many feeds are a bare list: that is one fault, and no reason to leave its records unjudged.
    if (byte === BRACKET) yield* readList(depth === 0);
    else if (byte === BRACE) yield* readValue();
  }

  /** An object, one member of which is `wanted`. */
  function* readMembers(wanted: string, depth: number, pointer: string): Generator<void, void> {
    const below = `${pointer}/${escapedToken(wanted)}`;
    const where = whereIs(at);
    const names: string[] = [];
    let found = 0;
    at++;
    if ((yield* peek()) === BRACE_END) at++;
    else
      for (;;) {
        if ((yield* peek()) !== QUOTE) broken(at);
        const member = whereIs(at);
        const name = String(yield* readValue());
        if (names.length < MOST_NAMES) names.push(name);
        if ((yield* peek()) !== COLON) broken(at);
        at++;
        const byte = yield* peek();
        if (name === wanted && ++found === 1) yield* readEnvelope(depth + 1, below);
        else {
          if (name === wanted) judge.fault('envelope', below, TWICE, member);
          yield* byte === BRACKET ? readList(false) : readValue();
        }
        const sign = yield* peek();
        if (sign !== COMMA && sign !== BRACE_END) broken(at);
        at++;
        if (sign === BRACE_END) break;
      }
    if (found === 0) judge.fault('envelope', pointer, misplaced({}, wanted, names), where);
  }

  /** A value that is built as a whole. */
  function* readValue(): Generator<void, unknown> {
    for (;;) {
      const end = endOfValue(block, at, hasEnded);
      if (end >= 0) {
        if (end - at > recordBytes) tooLarge();
        const value = parsed(at, end);
        at = end;
        return value;
      }
      yield* more(end);
    }
  }

  function* readList(ofRecords: boolean): Generator<void, void> {
    at++;
    let expected: number = FIRST;
    for (;;) {
      const { stop, expects } = cut(expected);
      const values = parsedTogether();
      for (current = 0; current < starts.length; current++) {
        const value = values ? values[current] : parsed(starts[current] ?? 0, ends[current] ?? 0);
        if (ofRecords) judge.record(value, index++);
      }
      expected = expects;
      if (stop === ENDED) return;
      if (stop === WRONG) broken(at);
      yield* more(stop);
    }
  }

  /** Cuts the items of a list that are at hand as a whole, up to where more bytes are due or something is wrong. */
  function cut(from: number): { stop: number; expects: number } {
    starts.length = 0;
    ends.length = 0;
    let expects = from;
    for (;;) {
      while (at < block.length && isSpace(block[at])) at++;
      if (at >= block.length) return { stop: MORE, expects };
      const byte = block[at];
      if (expects === SEPARATOR || (expects === FIRST && byte === BRACKET_END)) {
        if (byte !== COMMA && byte !== BRACKET_END) return { stop: WRONG, expects };
        at++;
        if (byte === BRACKET_END) return { stop: ENDED, expects };
        expects = ITEM;
      } else {
        if (byte === COMMA || byte === BRACKET_END || byte === BRACE_END) return { stop: WRONG, expects };
        const end = endOfValue(block, at, false);
        if (end < 0) return { stop: end, expects };
        if (end - at > recordBytes) return { stop: LARGE, expects };
        starts.push(at);
        ends.push(end);
        at = end;
        expects = SEPARATOR;
      }
    }
  }

  /** Waits for more bytes; `why` those at hand do not do. */
  function* more(why: number): Generator<void, void> {
    if (why === DEEP)
      stopFor(`What begins at byte ${whole(base + at)} is nested more than ${MOST_DEPTH} levels deep`);
    if (why === LARGE || block.length - at > recordBytes) tooLarge();
    if (hasEnded) brokenOff();
    yield;
  }

  /** The next byte that is no space; NONE behind the last. */
  function* peek(): Generator<void, number> {
    for (;;) {
      for (; at < block.length; at++) if (!isSpace(block[at])) return block[at] as number;
      if (hasEnded) return NONE;
      yield;
    }
  }

  /** All items at hand; undefined where one of them is broken, and for none. */
  function parsedTogether(): unknown[] | undefined {
    if (starts.length === 0) return undefined;
    const bytes = block.subarray(starts[0], ends.at(-1));
    // A text of ASCII is made faster, and parsed faster.
    const encoding = isAscii(bytes) ? 'latin1' : isUtf8(bytes) ? 'utf8' : undefined;
    try {
      if (encoding) return JSON.parse(`[${bytes.toString(encoding)}]`);
    } catch {} // It is found out which one.
    return undefined;
  }

  function parsed(from: number, to: number): unknown {
    const bytes = block.subarray(from, to);
    if (!isUtf8(bytes)) return broken(from + badUtf8(bytes), 'it is not UTF-8 there');
    try {
      return JSON.parse(bytes.toString('utf8'));
    } catch {
      return broken(jsonFault(block.subarray(0, to), from) ?? from);
    }
  }

  /** `from` is a place in the block. */
  function whereIs(from: number): Where {
    return { byte: base + from, line: linesBefore + lineFeedsIn(block, from) + 1 };
  }

  /** The body is no JSON from this place of the block on. */
  function broken(from: number, why?: string): never {
    if (why === undefined && from >= block.length && hasEnded) brokenOff();
    if (why === undefined) {
      at = from;
      throw BROKEN;
    }
    tellBroken(from, why);
    throw STOP;
  }

  /** The bytes ended within a value, unless that was broken before. */
  function brokenOff(): never {
    const fault = at < block.length ? jsonFault(block, at) : undefined;
    if (fault !== undefined && fault < block.length) broken(fault);
    tellBroken(block.length, 'it breaks off');
    throw STOP;
  }

  function tellBroken(from: number, what: string): void {
    const where = whereIs(from);
    const after = index === 0 ? '' : `, after ${whole(index)} record${index === 1 ? '' : 's'}`;
    judge.fault('not-json', '', `byte ${whole(where.byte)}${after}: ${what}`, where);
  }

  function tooLarge(): never {
    // Where a quote is missing, a record seems to have no end.
    const fault = jsonFault(block, at);
    if (fault !== undefined && fault < block.length && fault - at < recordBytes) broken(fault);
    return stopFor(`What begins at byte ${whole(base + at)} is larger than ${whole(recordBytes)} bytes`);
  }

  function stopFor(what: string): never {
    judge.leaveOut(`${what}: nothing from there on was judged.`);
    throw STOP;
  }

  return {
    write(bytes) {
      if (isOver) return false;
      gathered.push(bytes);
      gatheredBytes += bytes.length;
      if (gatheredBytes >= blockBytes) goOn();
      return !isOver;
    },
    done(leftOut) {
      if (!isOver && gatheredBytes > 0) goOn();
      if (leftOut !== undefined) judge.leaveOut(leftOut);
      else if (!isOver) {
        hasEnded = true;
        goOn();
      }
      return judge.done();
    },
  };
}

/**
 * Where the value that begins at `from` ends: an object or a list by its brackets, whose kinds JSON.parse compares
 * later. MORE where the end is not at hand, DEEP where it is nested too deep; `isLast`: nothing follows the bytes.
 */
function endOfValue(bytes: Uint8Array, from: number, isLast: boolean): number {
  const length = bytes.length;
  let depth = 0;
  let at = from;
  while (at < length) {
    const byte = bytes[at++] as number;
    if (byte === QUOTE) {
      for (;;) {
        if (at >= length) return MORE;
        const inside = bytes[at++];
        if (inside === QUOTE) break;
        if (inside === BACKSLASH) at++;
      }
      if (depth === 0) return at;
    } else if (byte === BRACE || byte === BRACKET) {
      if (++depth > MOST_DEPTH) return DEEP;
    } else if (byte === BRACE_END || byte === BRACKET_END) {
      if (depth === 0) return at - 1;
      if (--depth === 0) return at;
    } else if (depth === 0 && (byte === COMMA || isSpace(byte))) return at - 1;
  }
  return isLast && depth === 0 && at === length ? at : MORE;
}

function lineFeedsIn(bytes: Buffer, to: number): number {
  let count = 0;
  for (let at = bytes.indexOf(NEWLINE); at !== -1 && at < to; at = bytes.indexOf(NEWLINE, at + 1)) count++;
  return count;
}

/** Where the first character stands that is not UTF-8. */
function badUtf8(bytes: Buffer): number {
  for (let at = 0; at < bytes.length; ) {
    const lead = bytes[at] as number;
    const size = lead < 0x80 ? 1 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
    if (!isUtf8(bytes.subarray(at, at + size))) return at;
    at += size;
  }
  return bytes.length;
}

function foreignEncoding(block: Buffer): string | undefined {
  const [first, second] = block;
  if (first === 0x1f && second === 0x8b) return 'it is compressed by gzip: decompress it first';
  const isMarked = (first === 0xfe && second === 0xff) || (first === 0xff && second === 0xfe);
  return isMarked || (second !== undefined && (first === 0) !== (second === 0))
    ? 'it looks like UTF-16, and JSON is UTF-8'
    : undefined;
}

/** What people meet in place of a value. */
const HINTS: [start: RegExp, hint: string][] = [
  [/^(NaN|-?Infinity)/, ' (send null, or leave the record out)'],
  [/^(None|True|False)/, ' (Python writes this; use json.dumps)'],
  [/^'/, ' (JSON has double quotes)'],
  [/^</, ' (a page of HTML, or XML?)'],
];

const whole = (value: number): string => String(value).replace(/\B(?=(\d{3})+$)/g, ' ');

const BYTE_ORDER_MARK = Buffer.from([0xef, 0xbb, 0xbf]);
const EXCERPT = 24;
const MOST_NAMES = 6;
const TWICE = 'it stands there a second time, and clients read one of the two';
/** The longest beginning that tells an encoding. */
const MOST_SIGNATURE = 3;
const STOP = Symbol('stop');
const BROKEN = Symbol('broken');
const [NONE, MORE, DEEP, LARGE, WRONG, ENDED] = [-1, -1, -2, -3, -4, -5] as const;
const [FIRST, ITEM, SEPARATOR] = [0, 1, 2] as const;
const [QUOTE, COMMA, COLON, BACKSLASH, NEWLINE] = [0x22, 0x2c, 0x3a, 0x5c, 0x0a] as const;
const [BRACE, BRACE_END, BRACKET, BRACKET_END] = [0x7b, 0x7d, 0x5b, 0x5d] as const;
