import { expect, _baseTest as test } from '@playwright/test';
import { MockError } from '../contract/mock-error.ts';
import { readTokenKey } from './token-key.ts';

test('a key of fewer than 32 bytes is refused with a command that makes one, and is not repeated', () => {
  const short = 'k'.repeat(31);
  expect(() => readTokenKey(short)).toThrow(MockError);
  expect(() => readTokenKey(short)).toThrow(/^The token key has 31 of at least 32 bytes.*head -c 32/);
  expect(() => readTokenKey(short)).not.toThrow(new RegExp(short));
  expect(() => readTokenKey('')).toThrow(/^The token key has 0 of at least 32 bytes/);
  expect(() => readTokenKey(new Uint8Array(32))).not.toThrow();
});

test('what is derived from a key differs by key and by purpose, and is the same each time', () => {
  const derived = ['a', 'b', 'a'].map((letter) => {
    const { signing, seed, clientTag } = readTokenKey(letter.repeat(32));
    return [signing, seed, clientTag('acme'), clientTag('other')].map((one) =>
      Buffer.from(one).toString('hex'),
    );
  });
  expect(derived[2]).toEqual(derived[0]);
  expect(new Set(derived.flat()).size).toBe(8);
});
