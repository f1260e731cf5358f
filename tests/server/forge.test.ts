import { expect, test } from 'vitest';
import * as forge from './forge.ts';
import {
  alter,
  alterClaims,
  cut,
  extended,
  hasBytesOf,
  randomBeginning,
  randomEnd,
  randomLike,
} from './forge.ts';

const HEAD = 'eyJhbGciOiJIUzI1NiJ9';
const JWT = `${HEAD}.eyJzdWIiOiJhIn0.SflKxwRJSMeKKF2QT4fwpMeJf36POk6yJV_adQssw5c`;

for (const token of [
  ...['opaque-token-with-words', JWT, 'eyJhbGciOiJub25lIn0.e30.', 'deadbeefcafe0123', 'DEADBEEFCAFE0123'],
  ...['0123456789', '9999', 'x', 'y', 'X', '0', '9', '.', '...', 'YWJj+/==', '====', 'xx', 'xxx'],
])
  test(`the token ${token} is altered in one character, and stays one that a header can carry`, () => {
    const altered = alter(token);
    expect(altered.toLowerCase()).not.toBe(token.toLowerCase());
    expect(altered).toMatch(/^[\x21-\x7e]+$/);
    expect(altered.length - token.length).toBeLessThanOrEqual(1);
    expect([...token].filter((character, at) => character !== altered[at]).length).toBeLessThanOrEqual(1);
  });

test('a token is altered, cut and extended to what decodes to other bytes', () => {
  const bytes = Buffer.from('a signature of bytes, each with its bits, of any length').toString('base64url');
  for (let length = 2; length <= 12; length++) {
    const part = bytes.slice(0, length);
    for (const token of [part, `a.b.${part}`, `${part}==`])
      for (const forged of [alter(token), cut(token), extended(token)])
        expect(hasBytesOf(token, forged ?? ''), `${forged} for ${token}`).toBe(false);
  }
});

/** By what is random in it, a forged token is compared with a pattern. */
for (const [what, forged, expected] of [
  [
    'a JWT is altered in its signature, but not at its end',
    alter('aaaa.bbbb.cccccccc'),
    /^aaaa\.bbbb\.(?!c{8}).{7}c$/,
  ],
  ['a token of digits stays one of digits', alter('1234'), /^\d{4}$/],
  ['only claims are altered', alterClaims('head.claims.signature'), `head.${alter('claims')}.signature`],
  ['a token that is no base64 is cut', cut('token-4'), 'token-'],
  ['a random token has the form', randomLike('ab12-CD34.ef'), /^[a-z]{2}\d\d-[A-Z]{2}\d\d\.[a-z]{2}$/],
  ['a token without letters and digits has no random form', randomLike('...'), undefined],
  ['a random token that may be issued is not made', randomLike('abc-12'), undefined],
  ['a random token of six digits is made', randomLike('123456'), /^\d{6}$/],
  ['the end of a token is random', randomEnd('abcdefghijklmnop01'), /^abcdefghi(?!jklmnop01)[a-z]{7}\d\d$/],
  [
    'the beginning of a token is random',
    randomBeginning('01abcdefgjklmnopqr'),
    /^(?!01abcdefg)\d\d[a-z]{7}jklmnopqr$/,
  ],
  [
    'the beginning of a random token is no prefix',
    randomBeginning('abcdefghijkl-abcdefghijklmnopqrs'),
    /^(?!abcdefghijkl-abc)[a-z]{12}-[a-z]{3}defghijklmnopqrs$/,
  ],
  ['a JWT loses its signature', forge.withoutSignature(JWT), `${HEAD}.eyJzdWIiOiJhIn0.`],
  ...['opaque', 'a.b.c', 'a.b'].flatMap((token) => [
    [`${token} has no signature`, forge.withoutSignature(token), undefined] as const,
    [`${token} has no algorithm`, forge.unsigned(token), undefined] as const,
  ]),
] as const)
  test(what, () => {
    if (expected instanceof RegExp) expect(forged).toMatch(expected);
    else expect(forged).toBe(expected);
  });

for (const [what, token, form] of [
  ['a prefix and a hexadecimal number', `tok-${'0123456789abcdef'.repeat(2)}`, /^tok-[0-9a-f]{32}$/],
  ['a UUID', '3f2b8c1e-9d4a-4e6f-8a7b-c0d1e2f3a4b5', /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/],
] as const)
  test(`a forged token has the form of ${what}, whatever is random`, () => {
    for (const forged of [alter, randomLike, randomEnd, randomBeginning])
      for (let nth = 0; nth < 50; nth++) {
        expect(forged(token)).toMatch(form);
        expect(forged(token)).not.toBe(token);
      }
  });

test('a token of many equals signs is extended', () => {
  const token = `a${'='.repeat(2_000_000)}b==`;
  expect(forge.extended(token) === `${token}x`).toBe(true);
});
