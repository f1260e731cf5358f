import { expect, test } from 'vitest';
import { formatDuration, parseDuration, parseTimeout, readHealthPaths } from './options.ts';
import { UsageError } from './usage-error.ts';

for (const [text, seconds] of Object.entries({
  ...{ '90': 90, '0.5': 0.5, ' 2 ': 2, '500ms': 0.5, '30s': 30, '30 s': 30, '15m': 900, '1.5h': 5400 },
  ...{ '2 days': 172_800, '1H': 3600 },
}))
  test(`"${text}" is ${seconds} s`, () => {
    expect(parseDuration(text)).toBe(seconds);
  });

for (const text of [
  ...['', ' ', '0', '0s', '0.0', '-1', '-15m', 'soon', '15 parsecs', '1.2.3', '.', '1e3', '0x10'],
  ...['Infinity', 'NaN', '1h 30m', '15m;', '9'.repeat(400)],
])
  test(`"${text.slice(0, 20)}" is not a duration, and the message shows what to write`, () => {
    const read = () => parseDuration(text, 'MRS_TOKEN_LIFETIME');
    expect(read).toThrow(UsageError);
    expect(read).toThrow(
      `MRS_TOKEN_LIFETIME is "${text}", which is not a duration above zero. Write seconds, or a number with a unit: 90, 15m, 1h.`,
    );
  });

for (const [text, seconds] of Object.entries({
  ...{ '500ms': 0.5, '1s': 1, '59s': 59, '90s': 90, '899s': 899, '15m': 900, '90m': 5400, '1d': 86_400 },
}))
  test(`${seconds} s is written ${text}, and read as the same`, () => {
    expect([formatDuration(seconds), parseDuration(text)]).toEqual([text, seconds]);
  });

for (const path of ['/ods_data/', 'GET /ods_data', 'POST /token/'])
  test(`"${path}" is not a health check`, () => {
    expect(() => readHealthPaths(`/health/,${path}`, '--health-paths')).toThrow(
      `--health-paths holds "${path}", which is not a health check. Remove it.`,
    );
  });

test('a time limit is not longer than its option allows, since timers end at 24 days', () => {
  expect([parseTimeout('100ms', '--timeout'), parseTimeout('1h', '--timeout')]).toEqual([0.1, 3600]);
  for (const text of ['99ms', '61m', '60d'])
    expect(() => parseTimeout(text, '--timeout')).toThrow(
      `--timeout is "${text}". Give a duration from 100ms to 1h.`,
    );
});
