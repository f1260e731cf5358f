/** JSON as bytes: where values begin and end. JSON.parse decides whether they are right. */
import { isUtf8 } from 'node:buffer';

export const [QUOTE, COMMA, COLON] = [0x22, 0x2c, 0x3a] as const;
export const [BRACE, BRACE_END, BRACKET, BRACKET_END] = [0x7b, 0x7d, 0x5b, 0x5d] as const;
const [BACKSLASH, LINE_FEED] = [0x5c, 0x0a] as const;
const MAX_DEPTH = 64;

/** Results of `endOfValue`: the end is not among the bytes; it is nested too deeply. */
const MORE = -1;
export const TOO_DEEP = -2;

/**
 * Where the value that begins at `from` ends. For an object or a list, brackets are counted; JSON.parse compares their
 * kinds later. `isLast`: no bytes follow. `counts`, if given, gets the number of members, at all depths.
 */
export function endOfValue(
  bytes: Uint8Array,
  from: number,
  isLast: boolean,
  counts?: { members: number },
): number {
  const { length } = bytes;
  let depth = 0;
  let at = from;
  let colons = 0;
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
    } else if (byte === COLON) colons++;
    else if (byte < BRACKET) {
      // Most bytes outside of strings are digits and commas.
      if (depth === 0 && (byte === COMMA || isSpace(byte))) return at - 1;
    } else if (byte === BRACE || byte === BRACKET) {
      if (++depth > MAX_DEPTH) return TOO_DEEP;
    } else if (byte === BRACE_END || byte === BRACKET_END) {
      if (depth === 0) return at - 1;
      if (--depth === 0) {
        if (counts) counts.members = colons;
        return at;
      }
    }
  }
  return isLast && depth === 0 && at === length ? at : MORE;
}

/** What a list expects next. */
export type Expected = 'first item or end' | 'separator or end' | 'item';

/** Why `findItems` stopped: more bytes are needed, the list ended, the next byte is wrong, or an item is unreadable. */
type Stop = 'more' | 'ended' | 'wrong' | 'too deep' | 'too large';

interface ListItems {
  /** Where each item begins and ends. */
  starts: number[];
  ends: number[];
  /** The number of members of each item, at all depths; 0 where it is not an object or a list. */
  members: number[];
  /** The first byte that was not used. */
  at: number;
  stop: Stop;
  expected: Expected;
}

/** The complete items of a list from `from` on, in a list that expects `expected`. */
export function findItems(bytes: Uint8Array, from: number, expected: Expected, maxBytes: number): ListItems {
  const starts: number[] = [];
  const ends: number[] = [];
  const members: number[] = [];
  const counts = { members: 0 };
  let next = expected;
  let at = from;
  const stopped = (stop: Stop): ListItems => ({ starts, ends, members, at, stop, expected: next });
  for (;;) {
    while (at < bytes.length && isSpace(bytes[at])) at++;
    if (at >= bytes.length) return stopped('more');
    const byte = bytes[at];
    const isEnd = byte === BRACKET_END;
    if (next === 'separator or end' || (next === 'first item or end' && isEnd)) {
      if (byte !== COMMA && !isEnd) return stopped('wrong');
      at++;
      if (isEnd) return stopped('ended');
      next = 'item';
    } else {
      if (byte === COMMA || isEnd || byte === BRACE_END) return stopped('wrong');
      counts.members = 0;
      const end = endOfValue(bytes, at, false, counts);
      if (end < 0) return stopped(end === TOO_DEEP ? 'too deep' : 'more');
      if (end - at > maxBytes) return stopped('too large');
      starts.push(at);
      ends.push(end);
      members.push(counts.members);
      at = end;
      next = 'separator or end';
    }
  }
}

const isSpace = (byte: number | undefined): boolean =>
  byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;

/** The number of line feeds before `end`. */
function countLineFeeds(bytes: Buffer, end: number): number {
  let count = 0;
  for (let at = bytes.indexOf(LINE_FEED); at !== -1 && at < end; at = bytes.indexOf(LINE_FEED, at + 1))
    count++;
  return count;
}

/** The offset of the first character that is not UTF-8. */
export function firstInvalidUtf8(bytes: Buffer): number {
  for (let at = 0; at < bytes.length; ) {
    const lead = bytes[at] as number;
    const size = lead < 0x80 ? 1 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
    if (!isUtf8(bytes.subarray(at, at + size))) return at;
    at += size;
  }
  return bytes.length;
}

// The part of a body that is in memory: one block, however long the body is.

/**
 * `block` is in memory, and `at` the first byte of it that has not been used; `hasEnded`: it ends with the last byte of the
 * body. `waitingBytes` were added since the last `advance`.
 */
export function createBodyWindow() {
  let waiting: Uint8Array[] = [];
  let bytesBefore = 0;
  let lineFeedsBefore = 0;
  const window = {
    block: Buffer.alloc(0) as Buffer,
    at: 0,
    hasEnded: false,
    waitingBytes: 0,
    /** Keeps `bytes` until they are used: they must not be overwritten. */
    add(bytes: Uint8Array) {
      waiting.push(bytes);
      window.waitingBytes += bytes.length;
    },
    /** Drops what has been used, and takes in what was added. */
    advance() {
      lineFeedsBefore += countLineFeeds(window.block, window.at);
      bytesBefore += window.at;
      window.block = Buffer.concat([window.block.subarray(window.at), ...waiting]);
      window.at = 0;
      waiting = [];
      window.waitingBytes = 0;
    },
    /** Where the byte at `at` in the block is in the body: `byte` counts from 0, `line` from 1. */
    positionOf: (at: number) => ({
      byte: bytesBefore + at,
      line: lineFeedsBefore + countLineFeeds(window.block, at) + 1,
    }),
  };
  return window;
}

type BodyWindow = ReturnType<typeof createBodyWindow>;

/** Moves to the next byte that is not white space, and returns it; undefined after the last. Yields to wait for more. */
export function* peek(window: BodyWindow): Generator<void, number | undefined> {
  for (;;) {
    while (window.at < window.block.length && isSpace(window.block[window.at])) window.at++;
    if (window.at < window.block.length) return window.block[window.at];
    if (window.hasEnded) return undefined;
    yield;
  }
}
