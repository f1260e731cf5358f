import { expect, _baseTest as test } from '@playwright/test';
import { newTokenId, openToken, signToken } from './signed-token.ts';

const key = Buffer.alloc(32, 'k');
const claims = {
  id: newTokenId(),
  client: Buffer.alloc(12, 'c'),
  issuedAt: Date.UTC(2030, 0, 1) + 0.25,
  expiresAt: Date.UTC(9999, 11, 31),
};
const token = signToken(claims, key);

test('a token can be opened with its key, and fits into a header as it is', () => {
  expect(openToken(token, key)).toEqual(claims);
  expect(token).toMatch(/^[\w-]{96}$/);
});

test('another key does not open the token', () => {
  expect(openToken(token, Buffer.alloc(32, 'l'))).toBeUndefined();
});

test('a token with one character changed is not opened, whichever it is', () => {
  const opened = [...token].filter((character, at) => {
    const other = character === 'A' ? 'B' : 'A';
    return openToken(token.slice(0, at) + other + token.slice(at + 1), key);
  });
  expect(opened).toEqual([]);
});

test('another encoding of the same bytes is not opened', () => {
  const bytes = Buffer.from(token, 'base64url');
  // The bytes of a token are random, so one is made that has characters in which the two encodings differ.
  const withBoth = Buffer.concat([Buffer.from([0xfb, 0xff, 0xbf]), bytes.subarray(3, 40)]);
  const signed = signToken(
    {
      id: withBoth.subarray(0, 12),
      client: withBoth.subarray(12, 24),
      issuedAt: withBoth.readDoubleBE(24),
      expiresAt: withBoth.readDoubleBE(32),
    },
    key,
  );
  expect(openToken(signed, key)).toBeDefined();
  const others = [
    Buffer.from(signed, 'base64url').toString('base64'),
    `${signed}=`,
    `${signed.slice(0, -1)} `,
    `${signed.slice(0, 40)}\n${signed.slice(40)}`,
    signed.toUpperCase(),
    '',
  ];
  expect(others[0]).not.toBe(signed);
  expect(others.filter((text) => openToken(text, key))).toEqual([]);
});
