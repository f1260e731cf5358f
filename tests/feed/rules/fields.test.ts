import { expect, test } from 'vitest';
import { but, judgeBody } from '../testing/sample-feed.ts';
import { identifierProblem } from './fields.ts';

for (const text of [
  'vla_D',
  'Green Bank 140 ft',
  'Kōkeʻe',
  'ستاره\u200cی',
  '🛰️',
  'none',
  'Nan',
  'x'.repeat(9999),
])
  test(`"${text.slice(0, 20)}" is an identifier`, () => {
    expect(identifierProblem(text)).toBe(undefined);
  });

for (const [text, codePoint] of [
  ['a\u0000b', 'U+0000'],
  ['a\u009bb', 'U+009B'],
  ['a\ufe0f', 'U+FE0F'],
  ['a\u3164b', 'U+3164'],
  ['a\u{e0041}', 'U+E0041'],
] as const)
  test(`${JSON.stringify(text)} has the invisible character ${codePoint}`, () => {
    expect(identifierProblem(text)).toBe(`which has the invisible character ${codePoint}`);
  });

/** The rules that a record with this text in the field violates. */
const rulesOf = (name: string, text: string) =>
  judgeBody({ ods_data: [but({ [name]: text })] }).findings.map(({ rule }) => rule);

const LONG = 400_000;
for (const [what, name, text, rule] of [
  ['digits and a letter', 'freq_lower_hz', `${'1'.repeat(LONG)}x`, 'type'],
  ['digits without end', 'site_el_m', '1'.repeat(LONG), 'digit-string'],
  ['digits of an exponent, and a letter', 'slew_sec', `1e${'1'.repeat(LONG)}x`, 'type'],
  ['blanks and a letter', 'dish_diameter_m', `${' '.repeat(LONG)}x`, 'type'],
  ['the letter T', 'src_start_utc', 'T'.repeat(LONG), 'time-format'],
  ['offsets from UTC', 'src_end_utc', `${'T+01:00'.repeat(LONG / 7)}x`, 'time-format'],
] as const)
  test(`${LONG} characters of ${what} in ${name} take no more time than their number`, () => {
    expect(rulesOf(name, text)).toContain(rule);
  });

for (const text of ['12', ' -1.5 ', '12.', '.5', '1.e5', '1E+5'])
  test(`the string "${text}" is digits`, () => {
    expect(rulesOf('slew_sec', text)).toEqual(['digit-string']);
  });

for (const text of ['', '.', '1e', '1.2.3', '0x1', 'x1'])
  test(`the string "${text}" is not digits`, () => {
    expect(rulesOf('slew_sec', text)).toEqual(['type']);
  });
