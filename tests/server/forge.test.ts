import { expect, _baseTest as test } from '@playwright/test';
import {
  alter,
  alterClaims,
  cut,
  extended,
  hasBytesOf,
  inOtherCase,
  randomBeginning,
  randomEnd,
  randomLike,
  unguessable,
  unsigned,
  withoutSignature,
} from './forge.ts';

const JWT = 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJhIn0.SflKxwRJSMeKKF2QT4fwpMeJf36POk6yJV_adQssw5c';

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

const BYTES = Buffer.from('a signature of bytes, each with its bits, of any length').toString('base64url');
for (let length = 2; length <= 12; length++)
  for (const token of [
    BYTES.slice(0, length),
    `a.b.${BYTES.slice(0, length)}`,
    `${BYTES.slice(0, length)}==`,
  ])
    test(`${token} is altered, cut and extended to what decodes to other bytes`, () => {
      for (const forged of [alter(token), cut(token), extended(token)])
        expect(hasBytesOf(token, forged ?? ''), forged).toBe(false);
    });

test('a token that is no base64 is cut and extended all the same', () => {
  expect([cut('token-4'), cut('ab'), cut('x'), extended('.'), extended('x')]).toEqual([
    'token-',
    'a',
    undefined,
    '.xx',
    'xx',
  ]);
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

test('a random token has the length, the separators and the kinds of characters of the real one', () => {
  expect(randomLike('ab12-CD34.ef')).toMatch(
    /^[a-f]{2}\d\d-[A-Z]{2}\d\d\.[a-z]{2}$|^[a-z]{2}\d\d-[A-Z]{2}\d\d\.[a-z]{2}$/,
  );
  expect(randomLike('3f2504e0-4f89-11d3-9a0c-0305e82c3301')).toMatch(
    /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/,
  );
  expect(randomLike(JWT)?.split('.')[0]).toBe('eyJhbGciOiJIUzI1NiJ9');
  expect(randomLike('...')).toBeUndefined();
});

test('half of a token is kept, and the other half is random', () => {
  const token = 'abcdefghijklmnopqrstuvwxyz012345';
  expect(randomEnd(token)?.slice(0, 16)).toBe(token.slice(0, 16));
  expect(randomEnd(token)?.slice(16)).not.toBe(token.slice(16));
  expect(randomBeginning(token)?.slice(16)).toBe(token.slice(16));
  expect(randomBeginning(token)?.slice(0, 16)).not.toBe(token.slice(0, 16));
});

test('a random token that an issued one may be is not made', () => {
  expect([randomLike('abc-12'), randomEnd('token-4'), randomBeginning('12345678901')]).toEqual(
    Array(3).fill(undefined),
  );
  expect([randomLike('123456'), randomEnd('token-0123456'), randomBeginning('123456789012')]).not.toContain(
    undefined,
  );
});

test('a JWT loses its signature, and its header its algorithm; other tokens give no occasion for it', () => {
  expect(withoutSignature(JWT)).toBe('eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJhIn0.');
  const [header = '', claims, signature] = unsigned(JWT)?.split('.') ?? [];
  expect(JSON.parse(Buffer.from(header, 'base64url').toString())).toEqual({ alg: 'none', typ: 'JWT' });
  expect([claims, signature]).toEqual(['eyJzdWIiOiJhIn0', '']);
  for (const other of ['opaque', 'a.b.c', 'a.b'])
    expect([withoutSignature(other), unsigned(other)]).toEqual([undefined, undefined]);
});

test('letters change their case, and a text without letters has no other case', () => {
  expect(inOtherCase('aB-1')).toBe('Ab-1');
  expect(inOtherCase('12-34')).toBeUndefined();
});

for (const [what, token, form] of [
  ['a prefix and a hexadecimal number', `tok-${'0123456789abcdef'.repeat(2)}`, /^tok-[0-9a-f]{32}$/],
  ['a UUID', '3f2b8c1e-9d4a-4e6f-8a7b-c0d1e2f3a4b5', /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/],
] as const)
  test(`forged token has the form of ${what}, whatever is random`, () => {
    for (const forge of [alter, randomLike, randomEnd, randomBeginning])
      for (let nth = 0; nth < 50; nth++) {
        const forged = forge(token);
        expect(forged).toMatch(form);
        expect(forged).not.toBe(token);
      }
  });
