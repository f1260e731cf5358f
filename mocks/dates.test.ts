import { expect, test } from '@playwright/test';
import { createDates } from './dates.ts';

test('a moment is written as the header Date has it', () => {
  expect(createDates()(Date.UTC(2030, 0, 1, 2, 3, 4, 999))).toBe('Tue, 01 Jan 2030 02:03:04 GMT');
});

test('it is that of the second, forward and back, and on both sides of 1970', () => {
  const dates = createDates();
  for (const ms of [0, 999, 1000, 1999, 1000, 999, -1, -1000, -1001, 0, 5e12, 0.5, 999.9])
    expect(dates(ms), String(ms)).toBe(new Date(1000 * Math.floor(ms / 1000)).toUTCString());
});

test('two of them do not know of each other', () => {
  const [one, other] = [createDates(), createDates()];
  one(0);
  expect(other(5_000)).toBe('Thu, 01 Jan 1970 00:00:05 GMT');
  expect(one(0)).toBe('Thu, 01 Jan 1970 00:00:00 GMT');
});

for (const [what, ms, written] of [
  ['the end', 9e15, 'Sat, 13 Sep 275760 00:00:00 GMT'],
  ['the beginning', -9e15, 'Tue, 20 Apr -271821 00:00:00 GMT'],
] as const)
  test(`beyond ${what} of the calendar it stays a date`, () => {
    expect(createDates()(ms)).toBe(written);
  });
