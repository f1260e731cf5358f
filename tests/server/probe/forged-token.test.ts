import { expect, test } from '@playwright/test';
import { alter, alterClaims, unguessable } from './forged-token.ts';

for (const token of [
  'opaque-token-with-words',
  'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJhIn0.SflKxwRJSMeKKF2QT4fwpMeJf36POk6yJV_adQssw5c',
  'eyJhbGciOiJub25lIn0.e30.',
  'deadbeefcafe0123',
  'DEADBEEFCAFE0123',
  '0123456789',
  '9999',
  'x',
  'y',
  'X',
  '0',
  '9',
  '.',
  '...',
  'YWJj+/==',
  '====',
  'xx',
  'xxx',
])
  test(`the token ${token} is altered in one character, and stays one that a header can carry`, () => {
    const altered = alter(token);
    expect(altered).not.toBe(token);
    expect(altered.toLowerCase()).not.toBe(token.toLowerCase());
    expect(altered).toMatch(/^[\x21-\x7e]+$/);
    expect(altered.length - token.length).toBeLessThanOrEqual(1);
    expect([...token].filter((character, at) => character !== altered[at]).length).toBeLessThanOrEqual(1);
  });

test('of a JWT the signature is altered, and not its last character, whose bits may not count', () => {
  const [head, payload, signature = ''] = alter('aaaa.bbbb.cccccccc').split('.');
  expect([head, payload]).toEqual(['aaaa', 'bbbb']);
  expect(signature).not.toBe('cccccccc');
  expect(signature.at(-1)).toBe('c');
});

test('a token of digits stays one of digits', () => {
  expect(alter('1234')).toMatch(/^\d{4}$/);
  expect(alter('9')).toBe('0');
});

test('an unguessable token is new each time, and has the characters of a token', () => {
  const values = Array.from({ length: 100 }, unguessable);
  expect(new Set(values).size).toBe(100);
  for (const value of values) expect(value).toMatch(/^[\w-]{32}$/);
});

test('the claims of a token are altered, and neither its head nor its signature', () => {
  expect(alterClaims('head.claims.signature')).toBe(
    'head.claxms.signature'.replace('claxms', alter('claims')),
  );
  expect(alterClaims('opaque')).toBeUndefined();
  expect(alterClaims('.x')).toBeUndefined();
});
