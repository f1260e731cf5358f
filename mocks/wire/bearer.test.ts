import { expect, _baseTest as test } from '@playwright/test';
import { readBearer } from '../http.ts';

test('a bearer token is read whatever the case of its scheme, with every character of a b64token', () => {
  expect(readBearer('bEARER   aZ0-._~+/==')).toEqual({ kind: 'token', token: 'aZ0-._~+/==' });
});

test('a request without Authorization has no token, and any other value is malformed', () => {
  expect(readBearer(undefined)).toEqual({ kind: 'missing' });
  for (const header of ['', 'Bearer', 'Bearer ', 'abc', 'Basic abc', 'Bearer a b', 'Bearerabc', 'Bearer ='])
    expect(readBearer(header), header).toEqual({ kind: 'malformed' });
});
