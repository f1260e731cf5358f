import { expect, _baseTest as test } from '@playwright/test';
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

for (const [text, problem] of [
  ['', 'which is empty'],
  [' \u00a0', 'which is empty'],
  [' x', 'which has blanks around it'],
  ['x\u00a0', 'which has blanks around it'],
  ['x\n', 'which has the invisible character U+000A'],
  ['a\u0000b', 'which has the invisible character U+0000'],
  ['a\u009bb', 'which has the invisible character U+009B'],
  ['a\u2067b', 'which has the invisible character U+2067'],
  ['a\ufe0f', 'which has the invisible character U+FE0F'],
  ['a\u3164b', 'which has the invisible character U+3164'],
  ['a\u{e0041}', 'which has the invisible character U+E0041'],
  ['a\udc00', 'which is damaged: it was read in another encoding, or cut within a character'],
  ['NaN', 'which is the text of a missing value'],
] as const)
  test(`${JSON.stringify(text)} is an identifier ${problem}`, () => {
    expect(identifierProblem(text)).toBe(problem);
  });
