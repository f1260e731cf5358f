import { expect, test } from 'vitest';
import type { RecordedExchange } from './exchange.ts';
import { disorderOf, inOrder, timesOf } from './times.ts';

/** By the begin and the end of each call, in milliseconds, and what they are on one axis. */
const SPANS: Record<string, [calls: [number, number][], expected: [number, number][]]> = {
  'calls one after the other': [
    [
      [1000, 1020],
      [1500, 1540],
    ],
    [
      [0, 20],
      [500, 540],
    ],
  ],
  'a call that was rounded into the one before it, and one that overlaps': [
    [
      [1000, 1003.6],
      [1003, 1005],
      [1004, 1009],
    ],
    [
      [0, 3],
      [3, 5],
      [4, 9],
    ],
  ],
  'calls whose duration was not noted': [
    [
      [1000, 1000],
      [1000, 1000],
    ],
    [
      [0, 0.0005],
      [0.001, 0.0015],
    ],
  ],
  ...Object.fromEntries(
    [Number.NaN, Number.POSITIVE_INFINITY, 1e300].map(
      (endMs): [string, [[number, number][], [number, number][]]] => [
        `a call that ends at ${endMs}`,
        [[[5, endMs]], [[0, 0.0005]]],
      ],
    ),
  ),
};

for (const [what, [calls, expected]] of Object.entries(SPANS))
  test(`${what}: times count from the first, and no two begin at once`, () => {
    const exchanges = calls.map(([startMs, endMs]) => ({ startMs, endMs }) as RecordedExchange);
    expect(timesOf(exchanges).map(({ startMs, endMs }) => [startMs, endMs])).toEqual(expected);
  });

for (const [what, starts, expected] of [
  ['milliseconds', [61_001, 61_500, 62_000], true],
  ['calls of the same millisecond', [61_001, 61_001, 62_000], true],
  ['a second each', [61_000, 62_000], true],
  ['several calls in a second', [61_000, 61_000, 62_000], false],
  ['one moment', [61_001, 61_001], false],
  ['nothing for one call', [61_001, Number.NaN, 62_000], false],
  ['one call', [60_000], true],
] as const)
  test(`begins that count ${what} ${expected ? 'order' : 'do not order'} the calls`, () => {
    const calls = starts.map((startMs, at) => ({ startMs, entry: at + 1, startText: '"x"' }));
    expect(disorderOf(calls) === undefined).toBe(expected);
  });

test('calls are put into the order of time, and those of one moment keep that of the file', () => {
  const calls = [3, 4, 1, 1].map((startMs, at) => ({ exchange: { startMs, entry: at + 1 } }));
  expect(inOrder(calls).map(({ exchange }) => exchange.entry)).toEqual([3, 4, 1, 2]);
});
