/**
 * Reads a HAR 1.2 file (http://www.softwareishard.com/blog/har-12-spec/) from its bytes as they arrive, one entry at a
 * time, however long the file is.
 */
import { createBodyWindow, peek } from '../support/json/body-window.ts';
import {
  BRACE,
  BRACE_END,
  BRACKET,
  COLON,
  COMMA,
  type Expected,
  endOfValue,
  findItems,
  QUOTE,
  TOO_DEEP,
} from '../support/json/json-bytes.ts';
import { UsageError } from '../support/usage-error.ts';

export interface HarReading {
  /** The name of the file in messages. */
  name: string;
  /** Receives each entry as parsed JSON, with its place in the file, from 1. */
  onEntry(entry: unknown, number: number): void;
  /** The number of bytes that are gathered before they are examined. */
  blockBytes?: number;
  /** The largest size of one entry, and of any other value in the file. */
  valueBytes?: number;
}

export interface HarFile {
  /** The program that wrote it; empty where the file does not say. */
  creator: string;
  entries: number;
}

const MEBIBYTE = 1024 * 1024;
const BYTE_ORDER_MARK = Buffer.from([0xef, 0xbb, 0xbf]);
/** How files begin that hold a HAR file in another form, and what they are. */
const OTHER_FORMS = [
  [Buffer.from([0x1f, 0x8b]), 'it is compressed by gzip, which has to be undone first'],
  [Buffer.from([0xff, 0xfe]), 'it is in UTF-16, and has to be converted to UTF-8'],
  [Buffer.from([0xfe, 0xff]), 'it is in UTF-16, and has to be converted to UTF-8'],
] as const;

/** Throws UsageError where the file is not a HAR file, is cut off, or has an entry that is too large. */
export async function readHar(bytes: AsyncIterable<Uint8Array>, reading: HarReading): Promise<HarFile> {
  const { name, onEntry, blockBytes = MEBIBYTE, valueBytes = 64 * MEBIBYTE } = reading;
  const window = createBodyWindow();
  const file: HarFile = { creator: '', entries: 0 };
  let hasLog = false;
  let hasEntries = false;
  const parsing = parse();
  const parseOn = () => {
    window.advance();
    parsing.next();
  };
  for await (const chunk of bytes) {
    window.add(chunk);
    // A value that is not complete is searched from its begin again: each time, at least twice as much of it is there.
    if (window.waitingBytes >= Math.max(blockBytes, window.block.length - window.at)) parseOn();
  }
  parseOn();
  window.hasEnded = true;
  parseOn();
  return file;

  function* parse(): Generator<void, void> {
    while (window.block.length < BYTE_ORDER_MARK.length && !window.hasEnded) yield;
    for (const [sign, what] of OTHER_FORMS) if (beginsWith(sign)) notHar(what);
    if (beginsWith(BYTE_ORDER_MARK)) window.at = BYTE_ORDER_MARK.length;
    if ((yield* peek(window)) === undefined) notHar('it is empty');
    yield* readObject(function* (member) {
      if (member !== 'log') return yield* skipValue();
      hasLog = true;
      yield* readObject(readLogMember);
    });
    if (!hasLog) notHar('it has no member "log"');
    if (!hasEntries) notHar('its log has no list "entries"');
    if ((yield* peek(window)) !== undefined) notHar('something follows after its end');
  }

  function beginsWith(sign: Buffer): boolean {
    return window.block.subarray(0, sign.length).equals(sign);
  }

  function* readLogMember(member: string): Generator<void, void> {
    if (member === 'entries' && (yield* peek(window)) === BRACKET) {
      hasEntries = true;
      return yield* readEntries();
    }
    if (member !== 'creator') return yield* skipValue();
    const creator = yield* readValue();
    const named = (creator as { name?: unknown } | null)?.name;
    if (typeof named === 'string') file.creator = named.slice(0, 100);
  }

  function* readObject(readMember: (name: string) => Generator<void, void>): Generator<void, void> {
    if ((yield* peek(window)) !== BRACE) notHar('an object is missing');
    window.at++;
    let hasMore = (yield* peek(window)) !== BRACE_END;
    if (!hasMore) window.at++;
    while (hasMore) {
      if ((yield* peek(window)) !== QUOTE) notHar('it is not JSON');
      const member = String(yield* readValue());
      if ((yield* peek(window)) !== COLON) notHar('it is not JSON');
      window.at++;
      yield* peek(window);
      yield* readMember(member);
      const sign = yield* peek(window);
      if (sign !== COMMA && sign !== BRACE_END) notHar('it is not JSON');
      window.at++;
      hasMore = sign === COMMA;
    }
  }

  function* readEntries(): Generator<void, void> {
    window.at++;
    let expected: Expected = 'first item or end';
    for (;;) {
      const items = findItems(window.block, window.at, expected, valueBytes);
      for (const [item, start] of items.starts.entries()) {
        file.entries++;
        onEntry(parsed(start, items.ends[item] ?? 0), file.entries);
      }
      window.at = items.at;
      expected = items.expected;
      if (items.stop === 'ended') return;
      if (items.stop === 'wrong') notHar(`it is not JSON after entry ${file.entries}`);
      yield* more(items.stop);
    }
  }

  function* readValue(): Generator<void, unknown> {
    const from = yield* valueEnd();
    return parsed(from.start, from.end);
  }

  function* skipValue(): Generator<void, void> {
    yield* valueEnd();
  }

  /** Leaves the window after the value. */
  function* valueEnd(): Generator<void, { start: number; end: number }> {
    for (;;) {
      const start = window.at;
      const end = endOfValue(window.block, start, window.hasEnded);
      if (end > start) {
        window.at = end;
        return { start, end };
      }
      if (end === start) notHar('it is not JSON');
      yield* more(end === TOO_DEEP ? 'too deep' : 'more');
    }
  }

  /** Waits for more bytes; `why` those at hand are not enough. */
  function* more(why: 'more' | 'too deep' | 'too large'): Generator<void, void> {
    const value = `the value after entry ${file.entries}`;
    if (why === 'too deep') notHar(`${value} is nested more than 64 levels deep`);
    if (why === 'too large' || window.block.length - window.at > valueBytes)
      throw new UsageError(
        `${name}: ${value} is larger than ${valueBytes / MEBIBYTE} MiB. Remove the bodies of other hosts from the file, or the entry.`,
      );
    if (window.hasEnded) notHar('it is cut off');
    yield;
  }

  function parsed(from: number, to: number): unknown {
    try {
      return JSON.parse(window.block.subarray(from, to).toString('utf8'));
    } catch {
      return notHar('it is not JSON', from);
    }
  }

  function notHar(what: string, at = window.at): never {
    const { byte, line } = window.positionOf(Math.min(at, window.block.length));
    throw new UsageError(
      `${name} is not a HAR file: ${what} (byte ${byte}, line ${line}). Export the traffic as HAR 1.2 again.`,
    );
  }
}
