import { expect, _baseTest as test } from '@playwright/test';
import { secondsIn } from './clock.ts';
import { loadControlContract } from './contract/control-contract.ts';
import type { Duration } from './contract/control-types.ts';

for (const [given, seconds] of [
  [-1.5, -1.5],
  ['90', 90],
  ['500ms', 0.5],
  ['-1s', -1],
  ['1.5m', 90],
  ['1h', 3600],
  ['2d', 172_800],
  [1e16, 1e16],
] as const)
  test(`${JSON.stringify(given)} is ${seconds} s`, () => {
    expect(secondsIn(given)).toBe(seconds);
  });

const INVALID = [
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

test('an invalid duration is refused with a sentence that shows at most 40 characters of it', () => {
  for (const given of [...INVALID, 1.1e16, Number.NaN, null, [5], { seconds: 5 }] as Duration[])
    expect(() => secondsIn(given), String(given)).toThrow(
      /^"[^"]{0,40}" is not a duration\. Use seconds, or a number/s,
    );
});

test('the control API accepts exactly the durations that the mock can read', () => {
  const { schemaProblem } = loadControlContract();
  const isDuration = (given: Duration) => {
    try {
      return Number.isFinite(secondsIn(given) * 1000);
    } catch {
      return false;
    }
  };
  for (const given of ['1', '-1.5h', '9'.repeat(16), ...INVALID, 0, -3, 1e16, 1.1e16, -1e16, -1.1e16])
    expect(schemaProblem('Duration', given) === undefined, String(given)).toBe(isDuration(given));
});
