import { expect, _baseTest as test } from '@playwright/test';
import fc from 'fast-check';
import { createGrams, GRAM } from './grams.ts';

test('every place where a remembered text begins is found, and no other', () => {
  const text = fc.string({ unit: fc.constantFrom('a', 'b', '\uffff'), minLength: 40, maxLength: 200 });
  fc.assert(
    fc.property(text, fc.array(fc.nat({ max: 28 })), (text, places) => {
      const given = places.map((at) => text.slice(at, at + GRAM + 3));
      const grams = createGrams<string>();
      for (const one of given) grams.add(one, one);
      const found: string[] = [];
      grams.find(text, (at, one) => found.push(`${at} ${one}`));
      const expected = given.flatMap((one) =>
        [...text].flatMap((_, at) => (text.startsWith(one.slice(0, GRAM), at) ? [`${at} ${one}`] : [])),
      );
      return JSON.stringify(found.sort()) === JSON.stringify(expected.sort());
    }),
  );
});

test('a text is known by its first characters', () => {
  const grams = createGrams<string>();
  grams.add('abcdefgh-1', 'one');
  expect([grams.has('abcdefgh-2'), grams.has('bcdefgh-1')]).toEqual([true, false]);
});
