import { expect, _baseTest as test } from '@playwright/test';
import type { Reply } from '../wire/reply.ts';
import { createDateHeader } from './date-header.ts';

const reply: Reply = { status: 200, headers: { a: 'b' }, bytes: Buffer.alloc(0) };

test('the Date header follows the headers of the reply and stays within the calendar', () => {
  const withDate = createDateHeader();
  expect(withDate(reply, -1)).toEqual(['a', 'b', 'date', 'Wed, 31 Dec 1969 23:59:59 GMT']);
  expect(withDate(reply, 9e15)).toEqual(['a', 'b', 'date', 'Fri, 31 Dec 9999 23:59:59 GMT']);
});

test('the list of headers is built once per reply and second, unless an answer has headers of its own', () => {
  const withDate = createDateHeader();
  const first = withDate(reply, 0);
  expect(withDate(reply, 999)).toBe(first);
  expect(withDate(reply, 5, { x: 'y' })).toEqual([...first, 'x', 'y']);
  expect(withDate(reply, 6)).toBe(first);
  expect(withDate(reply, 1000)).not.toEqual(first);
  expect(withDate({ ...reply, headers: {} }, 0)).toEqual(['date', 'Thu, 01 Jan 1970 00:00:00 GMT']);
});
