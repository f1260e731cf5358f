import { expect, test } from 'vitest';
import { type Clock, createClock, secondsIn } from './clock.ts';
import type { Duration } from './contract/control-contract.ts';

for (const [what, move] of [
  ['an advance beyond the calendar', (clock) => clock.advance(1e15)],
  ['a moment that is not a date', (clock) => clock.set(Number.POSITIVE_INFINITY)],
] as [string, (clock: Clock) => void][])
  test(`${what} is refused, and moves nothing`, () => {
    const clock = createClock(() => 1_000);
    expect(() => move(clock)).toThrow(/ is outside the calendar/);
    expect([clock.now(), clock.mode]).toEqual([1_000, 'real']);
  });

for (const [given, seconds] of [
  ['90', 90],
  ['500ms', 0.5],
  ['-1s', -1],
  ['1h', 3600],
  [1e16, 1e16],
] as const)
  test(`${JSON.stringify(given)} is ${seconds} s`, () => {
    expect(secondsIn(given)).toBe(seconds);
  });

test('an invalid duration is refused with a sentence that shows at most 40 characters of it', () => {
  const texts = [
    '',
    ' ',
    'soon',
    '1 s',
    '1\n',
    '+1',
    '.5',
    '1e3',
    '1w',
    '15 minutes',
    '0x10',
    '9'.repeat(17),
  ];
  for (const given of [...texts, 1.1e16, Number.NaN, null, [5], { seconds: 5 }] as Duration[])
    expect(() => secondsIn(given), String(given)).toThrow(
      /^"[^"]{0,40}" is not a duration\. Use seconds, or a number/s,
    );
});
