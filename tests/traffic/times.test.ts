import { expect, test } from 'vitest';
import { inOrder, timesOf } from './times.ts';

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
};

for (const [what, [calls, expected]] of Object.entries(SPANS))
  test(`${what}: times count from the first, and no two begin at once`, () => {
    const exchanges = calls.map(([sentMs, answeredMs]) => ({ sentMs, answeredMs }));
    expect(timesOf(exchanges).map(({ startMs, endMs }) => [startMs, endMs])).toEqual(expected);
  });

test('calls are put into the order of time, and those of one moment keep that of the file', () => {
  const calls = [3, 4, 1, 1].map((sentMs, at) => ({ sentMs, entry: at + 1 }));
  expect(inOrder(calls).map(({ entry }) => entry)).toEqual([3, 4, 1, 2]);
});
