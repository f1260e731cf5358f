/** The part of a body that is in memory: one block, however long the body is. */
import { countLineFeeds, isSpace } from './json-bytes.ts';

/** Where a byte is in the whole body: `byte` counts from 0, `line` from 1. */
export interface BodyPosition {
  byte: number;
  line: number;
}

export interface BodyWindow {
  readonly block: Buffer;
  /** The first byte of the block that has not been used. */
  at: number;
  /** Whether the block ends with the last byte of the body. */
  hasEnded: boolean;
  /** Bytes added since the last `advance`. */
  readonly waitingBytes: number;
  /** Keeps `bytes` until they are used: they must not be overwritten. */
  add(bytes: Uint8Array): void;
  /** Drops what has been used, and takes in what was added. */
  advance(): void;
  /** The position in the body of the byte at `at` in the block. */
  positionOf(at: number): BodyPosition;
}

export function createBodyWindow(): BodyWindow {
  let waiting: Uint8Array[] = [];
  let bytesBefore = 0;
  let lineFeedsBefore = 0;
  const window = {
    block: Buffer.alloc(0) as Buffer,
    at: 0,
    hasEnded: false,
    waitingBytes: 0,
    add(bytes: Uint8Array) {
      waiting.push(bytes);
      window.waitingBytes += bytes.length;
    },
    advance() {
      lineFeedsBefore += countLineFeeds(window.block, window.at);
      bytesBefore += window.at;
      window.block = Buffer.concat([window.block.subarray(window.at), ...waiting]);
      window.at = 0;
      waiting = [];
      window.waitingBytes = 0;
    },
    positionOf: (at: number) => ({
      byte: bytesBefore + at,
      line: lineFeedsBefore + countLineFeeds(window.block, at) + 1,
    }),
  };
  return window;
}

/** Moves to the next byte that is not white space, and returns it; undefined after the last. Yields to wait for more. */
export function* peek(window: BodyWindow): Generator<void, number | undefined> {
  for (;;) {
    while (window.at < window.block.length && isSpace(window.block[window.at])) window.at++;
    if (window.at < window.block.length) return window.block[window.at];
    if (window.hasEnded) return undefined;
    yield;
  }
}
