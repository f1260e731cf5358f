import { expect, test } from '@playwright/test';
import fc from 'fast-check';
import { createGrams, GRAM } from './grams.ts';

test('every place where a remembered text begins is found, and no other', () => {
  const letters = (options: fc.StringConstraints) =>
    fc.string({ unit: fc.constantFrom('a', 'b', '\uffff'), ...options });
  fc.assert(
    fc.property(
      letters({ maxLength: 200 }),
      fc.array(letters({ minLength: GRAM, maxLength: 12 })),
      (text, given) => {
        const grams = createGrams<string>();
        for (const one of given) grams.add(one, one);
        const found: string[] = [];
        grams.find(text, (at, one) => found.push(`${at} ${one}`));
        const expected = given.flatMap((one) =>
          [...text].flatMap((_, at) => (text.startsWith(one.slice(0, GRAM), at) ? [`${at} ${one}`] : [])),
        );
        return JSON.stringify(found.sort()) === JSON.stringify(expected.sort());
      },
    ),
  );
});

test('a text is known by its first characters', () => {
  const grams = createGrams<string>();
  grams.add('abcdefgh-1', 'one');
  expect([grams.has('abcdefgh-2'), grams.has('bcdefgh-1')]).toEqual([true, false]);
});
