/** Tokens that are almost one that was issued. What calls show else is seen by the traffic in scripts/judge. */
import { expect, test } from 'vitest';
import { createAlteredTokens } from './compared-calls.ts';

const ISSUED = 'Zm9vYmFyYmF6cXV4LW9mLXRoZS1zZXJ2aWNl';

for (const [what, token, expected] of [
  ['in capital letters', ISSUED.toUpperCase(), true],
  ['with a character after it', `${ISSUED}.`, true],
  ['in quotation marks', `"${ISSUED}"`, true],
  ['with bits after it that are too few for a byte', `${ISSUED}x`, false],
  ['with three characters after it', `${ISSUED}...`, false],
  ['without its first and its last character', ISSUED.slice(1, -1), true],
  ['cut to 16 characters', ISSUED.slice(4, 20), true],
  ['cut to 15 characters', ISSUED.slice(4, 19), false],
] as const)
  test(`an issued token ${what} is ${expected ? 'an altered one' : 'another one'}`, () => {
    expect(createAlteredTokens(['the-first-one-of-all', ISSUED, 'short'])(token)).toBe(expected);
  });

test('parts of two tokens, and tokens that are short, may be alike by chance', () => {
  const [one, other, short] = ['the-end-of-the-first-one', 'the-begin-of-the-second-one', 'fifteen-letters'];
  const isAltered = createAlteredTokens([one, other, short]);
  expect(isAltered(one.slice(-10) + other.slice(0, 10))).toBe(false);
  expect(isAltered(`${short}.`)).toBe(false);
});

test('of many tokens that are not known, the first are compared', () => {
  const isAltered = createAlteredTokens([ISSUED]);
  for (let nth = 0; nth < 1000; nth++)
    expect(isAltered(`another-token-${String(nth).padStart(4, '0')}`)).toBe(false);
  expect(isAltered(ISSUED.toUpperCase())).toBe(false);
});
