import { expect, test } from '@playwright/test';
import type { Reply } from '../wire/reply.ts';
import { createDateHeader } from './date-header.ts';

const reply: Reply = { status: 200, headers: { a: 'b' }, bytes: Buffer.alloc(0) };
const dateIn = (headers: readonly string[]) => headers[headers.indexOf('date') + 1];

test('a moment is written as the header Date has it, behind the headers of the reply', () => {
  const headers = createDateHeader()(reply, Date.UTC(2030, 0, 1, 2, 3, 4, 999));
  expect(headers).toEqual(['a', 'b', 'date', 'Tue, 01 Jan 2030 02:03:04 GMT']);
});

test('it is that of the second, forward and back, and on both sides of 1970', () => {
  const withDate = createDateHeader();
  for (const ms of [0, 999, 1000, 1999, 1000, 999, -1, -1000, -1001, 0, 5e12, 0.5, 999.9])
    expect(dateIn(withDate(reply, ms)), String(ms)).toBe(
      new Date(1000 * Math.floor(ms / 1000)).toUTCString(),
    );
});

test('the list is made once for a reply and a second, and not for an answer with headers of its own', () => {
  const withDate = createDateHeader();
  const first = withDate(reply, 0);
  expect(withDate(reply, 999)).toBe(first);
  expect(withDate(reply, 5, { x: 'y' })).toEqual([...first, 'x', 'y']);
  expect(withDate(reply, 6)).toBe(first);
  expect(withDate({ ...reply, headers: {} }, 0)).toEqual(['date', 'Thu, 01 Jan 1970 00:00:00 GMT']);
});

for (const [what, ms, written] of [
  ['the end', 9e15, 'Fri, 31 Dec 9999 23:59:59 GMT'],
  ['the beginning', -9e15, 'Sat, 01 Jan 0000 00:00:00 GMT'],
] as const)
  test(`beyond ${what} of the calendar it stays a date`, () => {
    expect(dateIn(createDateHeader()(reply, ms))).toBe(written);
  });
