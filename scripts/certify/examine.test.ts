import { expect, test } from 'vitest';
import { recordStalls } from './examine.ts';

test('a time in which no timer fired is recorded, by the time that is given', () => {
  let nowMs = 1000;
  using recorder = recordStalls(() => nowMs);
  nowMs = 1059;
  expect(recorder.since(1000)).toEqual([]);
  nowMs = 1400;
  expect(recorder.since(1050)).toEqual([{ startMs: 19, endMs: 350 }]);
  expect(recorder.since(1400)).toEqual([{ startMs: -331, endMs: 0 }]);
});
