import { expect, test } from 'vitest';
import { parseUtc } from './time.ts';

test('every day of four hundred years parses to its date', () => {
  const wrong: string[] = [];
  for (let ms = Date.UTC(1900, 0, 1); ms < Date.UTC(2301, 0, 1); ms += 86_400_000) {
    const day = new Date(ms).toISOString();
    if (parseUtc(day) !== ms) wrong.push(day);
  }
  expect(wrong).toEqual([]);
});

test('two times a microsecond apart differ', () => {
  expect(parseUtc('2030-01-01T00:00:00.000002')).toBeGreaterThan(parseUtc('2030-01-01T00:00:00.000001'));
});

test('a fraction has any number of digits', () => {
  expect(parseUtc(`2030-01-01T00:00:00.5${'0'.repeat(400)}`)).toBe(Date.UTC(2030, 0, 1) + 500);
  expect(parseUtc(`2030-01-01T00:00:00.5${'0'.repeat(400_000)}x`)).toBeNaN();
});

for (const text of [
  ...['2030-13-01T00:00:00', '2030-00-01T00:00:00', '2030-01-00T00:00:00', '2100-02-29T00:00:00'],
  ...['2030-01-01T00:60:00', '2030-01-01T00:00:61', '2030-01-01T00:00:00.', '2016-12-31T22:59:60Z'],
  ...['+02030-01-01T00:00:00', '2030-01-01T00:00:00.1e3', '2030-01-01T00:00:00ZZ'],
])
  test(`"${text}" is no time`, () => {
    expect(parseUtc(text)).toBeNaN();
  });
