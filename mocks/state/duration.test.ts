import { expect, test } from '@playwright/test';
import { loadControlContract } from '../contract/control-contract.ts';
import type { Duration } from '../contract/control-types.ts';
import { secondsIn } from './duration.ts';

for (const [given, seconds] of [
  [90, 90],
  [0, 0],
  [-1.5, -1.5],
  ['90', 90],
  ['-90', -90],
  ['0.25', 0.25],
  ['500ms', 0.5],
  ['0s', 0],
  ['-1s', -1],
  ['1.5m', 90],
  ['15m', 900],
  ['1h', 3600],
  ['2d', 172_800],
  ['9000000000000000', 9e15],
  [1e16, 1e16],
] as const)
  test(`${JSON.stringify(given)} is ${seconds} s`, () => {
    expect(secondsIn(given)).toBe(seconds);
  });

for (const [what, given] of [
  [
    'a text of another form',
    [
      ...[
        '',
        ' ',
        'soon',
        '1 s',
        ' 1',
        '1\n',
        '+1',
        '--1',
        '.5',
        '1.',
        '1e3',
        '1S',
        '1w',
        '1y',
        '15 minutes',
      ],
      ...['s', '1ss', '0x10', 'Infinity', 'NaN', '1,5', '1.5.1'],
    ],
  ],
  [
    'a text of too many digits',
    ['9'.repeat(17), `0.${'3'.repeat(17)}`, '9'.repeat(400), `${'9'.repeat(120)}s`],
  ],
  ['a number beyond all measure', [1.1e16, -1.1e16, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]],
  ['what is no number', [Number.NaN, undefined, null, true, [5], { seconds: 5 }, 5n]],
] as [string, Duration[]][])
  test(`${what} is no duration`, () => {
    for (const one of given) {
      expect(() => secondsIn(one), String(one)).toThrow(RangeError);
      expect(() => secondsIn(one)).toThrow(/^"[^"]{0,40}" is no duration\. Give seconds, or a number/s);
    }
  });

test('what the control takes for a duration is one, and nothing else is', () => {
  const { schemaProblem } = loadControlContract();
  const isDuration = (given: Duration) => {
    try {
      return Number.isFinite(secondsIn(given) * 1000);
    } catch {
      return false;
    }
  };
  for (const given of [
    ...['1', '-1.5h', '9'.repeat(16), '9'.repeat(17), `1.${'1'.repeat(17)}ms`, '1w', '', 'm'],
    ...[0, -3, 1e16, 1.1e16, -1e16, -1.1e16],
  ])
    expect(schemaProblem('Duration', given) === undefined, String(given)).toBe(isDuration(given));
});
