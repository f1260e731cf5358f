import { expect, test } from '@playwright/test';
import { readBearer } from './bearer.ts';

test('a request without Authorization has a missing token', () => {
  expect(readBearer(undefined)).toEqual({ kind: 'missing' });
});

for (const header of ['Bearer abc', 'bearer abc', 'BEARER abc', 'Bearer   abc'])
  test(`"${header}" holds the token abc`, () => {
    expect(readBearer(header)).toEqual({ kind: 'token', token: 'abc' });
  });

test('every character of a b64token is allowed', () => {
  expect(readBearer('Bearer aZ0-._~+/==')).toEqual({ kind: 'token', token: 'aZ0-._~+/==' });
});

for (const header of [
  '',
  'Bearer',
  'Bearer ',
  'abc',
  'Basic abc',
  'Bearer a b',
  'Bearer a,b',
  'Bearerabc',
  'Bearer =',
])
  test(`"${header}" is malformed`, () => {
    expect(readBearer(header)).toEqual({ kind: 'malformed' });
  });
