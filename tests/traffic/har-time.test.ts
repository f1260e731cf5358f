import { expect, _baseTest as test } from '@playwright/test';
import { spanOf } from './har-time.ts';

const AT = Date.parse('2030-01-31T12:00:00.250Z');

for (const [what, startedDateTime] of [
  ['ISO 8601', '2030-01-31T12:00:00.250Z'],
  ['seven digits and an offset', '2030-01-31T13:00:00.2500000+01:00'],
  ['an offset without a colon', '2030-01-31T12:00:00.250+0000'],
  ['milliseconds', AT],
  ['milliseconds in a string', String(AT)],
  ['seconds', AT / 1000],
] as const)
  test(`a begin as ${what} is read`, () => {
    expect(spanOf({ startedDateTime, time: 20 })).toEqual({ startMs: AT, endMs: AT + 20 });
  });

for (const startedDateTime of [undefined, null, '', 'Invalid date', '1970-01-01T00:00:00Z', 0, -1, {}, 1e300])
  test(`a begin as ${JSON.stringify(startedDateTime)} is not known`, () => {
    expect(spanOf({ startedDateTime, time: 20 }).startMs).toBeNaN();
  });

for (const [what, more, took] of [
  ['a string', { time: '12.5' }, 12.5],
  [
    '-1, with its phases',
    { time: -1, timings: { blocked: -1, connect: 3, ssl: 2, wait: 18, receive: 1 } },
    22,
  ],
  ['-1, with no phase', { time: -1, timings: { wait: -1 } }, 0],
  ['nothing', {}, 0],
] as const)
  test(`how long it took is read from ${what}`, () => {
    const { startMs, endMs } = spanOf({ startedDateTime: AT, ...more });
    expect(endMs - startMs).toBe(took);
  });
