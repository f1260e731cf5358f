import { expect, _baseTest as test } from '@playwright/test';
import { multipart, sampleFile } from './sample-uploads.ts';

const NOW = new Date('2030-02-03T12:00:00Z');

test('the lines of elements are 69 characters long, and each ends with its checksum', () => {
  const lines = sampleFile('tle', NOW)?.text.trimEnd().split('\n') ?? [];
  expect(lines).toHaveLength(6);
  for (const line of lines.filter((_, nth) => nth % 3 > 0)) {
    expect(line).toHaveLength(69);
    const digits = [...line.slice(0, 68)].map((one) => (one === '-' ? 1 : Number(/\d/.exec(one)?.[0] ?? 0)));
    expect(line.at(-1)).toBe(String(digits.reduce((sum, one) => sum + one, 0) % 10));
  }
  expect(lines[1]).toContain('30034.50000000');
});

test('an avoidance log is named and dated as a test', () => {
  expect(sampleFile('avoidance-log', NOW)).toMatchObject({
    name: 'VLA_mrs_contract_test_1999-01-01_to_1999-01-01.csv',
    text: expect.stringMatching(/^utc_time,.*\n1999-01-01 00:00:00,1990,1995,outer,/),
  });
});

test('another kind has no sample file', () => {
  expect(sampleFile('other', NOW)).toBeUndefined();
});

test('a form of one file is framed by its boundary', () => {
  const body = multipart('f', { name: 'a.txt', mediaType: 'text/plain', text: 'x' }, 'b');
  expect(body.split('\r\n')).toEqual([
    ...['--b', 'content-disposition: form-data; name="f"; filename="a.txt"', 'content-type: text/plain'],
    ...['', 'x', '--b--', ''],
  ]);
});
