import { expect, _baseTest as test } from '@playwright/test';
import { inOrder, roundingOf, timesOf } from './times.ts';

const spans = (...calls: [startMs: number, endMs: number][]) =>
  timesOf(
    calls.map(([startMs, endMs]) => ({ startMs, endMs })),
    1000,
  ).map(({ startMs, endMs }) => [startMs, endMs]);

test('times are counted from the origin', () => {
  expect(spans([1000, 1020], [1500, 1540])).toEqual([
    [0, 20],
    [500, 540],
  ]);
});

test('a call that was rounded into the one before it does not overlap with it, and others do', () => {
  expect(spans([1000, 1003.6], [1003, 1005], [1004, 1009])).toEqual([
    [0, 3],
    [3, 5],
    [4, 9],
  ]);
});

test('a call whose duration was not noted ends before the next one begins', () => {
  expect(spans([1000, 1000], [1000, 1000])).toEqual([
    [0, 0.0005],
    [0.001, 0.0015],
  ]);
});

test('calls of the same millisecond keep their order', () => {
  expect(spans([1000, 1000.4], [1000, 1000.3], [1000, 1002])).toEqual([
    [0, 0.001],
    [0.001, 0.002],
    [0.002, 2],
  ]);
});

for (const [what, starts, rounding] of [
  ['milliseconds', [61_001, 61_500, 62_000], 1],
  ['seconds', [61_000, 61_000, 62_000], 1000],
  ['minutes', [60_000, 60_000, 120_000], undefined],
  ['one moment', [61_001, 61_001], undefined],
  ['nothing for one call', [61_001, Number.NaN, 62_000], undefined],
  ['one call', [60_000], 1],
] as const)
  test(`begins that count ${what} are rounded by ${rounding ?? 'too much to distinguish calls'}`, () => {
    expect(roundingOf(starts.map((startMs) => ({ startMs })))).toBe(rounding);
  });

test('a call that was rounded by a second into the one before it does not overlap with it', () => {
  const calls = [
    { startMs: 5000, endMs: 5020 },
    { startMs: 5000, endMs: 5300 },
  ];
  expect(timesOf(calls, 5000, 1000).map(({ startMs, endMs }) => [startMs, endMs])).toEqual([
    [0, 0.001],
    [0.001, 300],
  ]);
});

for (const [what, starts, expected] of [
  ['the oldest first', [1, 2, 2, 3], [1, 2, 3, 4]],
  ['the newest first', [3, 2, 2, 1], [4, 3, 2, 1]],
  ['one after another page', [3, 4, 1, 1], [3, 4, 1, 2]],
  ['no times', [Number.NaN, Number.NaN], [1, 2]],
] as const)
  test(`a file with ${what} is put into the order of time`, () => {
    const calls = starts.map((startMs, at) => ({ exchange: { startMs, entry: at + 1 } }));
    expect(inOrder(calls).map(({ exchange }) => exchange.entry)).toEqual(expected);
  });

for (const endMs of [Number.NaN, Number.POSITIVE_INFINITY, 1e300])
  test(`a call that ends at ${endMs} ends when it began`, () => {
    expect(timesOf([{ startMs: 5, endMs }], 0)).toEqual([{ startMs: 5, endMs: 5.0005 }]);
  });
