import { expect, _baseTest as test } from '@playwright/test';
import { formatDuration, parseDuration } from './duration.ts';
import { UsageError } from './usage-error.ts';

for (const [text, seconds] of [
  ['90', 90],
  ['0.5', 0.5],
  [' 2 ', 2],
  ['500ms', 0.5],
  ['30s', 30],
  ['30 s', 30],
  ['15m', 900],
  ['1.5h', 5400],
  ['2 days', 172_800],
  ['1H', 3600],
] as const)
  test(`"${text}" is ${seconds} s`, () => {
    expect(parseDuration(text)).toBe(seconds);
  });

for (const text of [
  '',
  ' ',
  '0',
  '0s',
  '0.0',
  '-1',
  '-15m',
  'soon',
  '15 parsecs',
  '1.2.3',
  '.',
  '1e3',
  '0x10',
  'Infinity',
  'NaN',
  '1h 30m',
  '15m;',
  '9'.repeat(400),
])
  test(`"${text.slice(0, 20)}" is not a duration, and the message shows what to write`, () => {
    expect(() => parseDuration(text, 'MRS_TOKEN_LIFETIME')).toThrow(UsageError);
    expect(() => parseDuration(text, 'MRS_TOKEN_LIFETIME')).toThrow(
      `MRS_TOKEN_LIFETIME is "${text}", which is not a duration above zero. Write seconds, or a number with a unit: 90, 15m, 1h.`,
    );
  });

for (const [seconds, text] of [
  [0.5, '500ms'],
  [900, '15m'],
  [86_400, '1d'],
] as const)
  test(`${seconds} s is written ${text}`, () => {
    expect(formatDuration(seconds)).toBe(text);
  });

for (const seconds of [0.5, 1, 59, 90, 899, 5400, 86_400])
  test(`${seconds} s is still ${seconds} s when what is written is read again`, () => {
    expect(parseDuration(formatDuration(seconds))).toBe(seconds);
  });
