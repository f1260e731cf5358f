import { expect, _baseTest as test } from '@playwright/test';
import { timesOf } from './times.ts';

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

test('calls of the same millisecond keep their order', () => {
  expect(spans([1000, 1000.4], [1000, 1000.3], [1000, 1002])).toEqual([
    [0, 0.001],
    [0.001, 0.002],
    [0.002, 2],
  ]);
});
