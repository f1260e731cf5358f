import { expect, _baseTest as test } from '@playwright/test';
import type { Reply } from '../http.ts';
import {
  body,
  empty,
  headers,
  json,
  loginPage,
  mediaType,
  noContent,
  sequence,
  status,
} from './reply-edits.ts';

const reply: Reply = {
  status: 200,
  headers: { 'Content-type': 'application/json', 'content-length': '9' },
  bytes: Buffer.from('{"a":"é"}'),
};

test('changes are made one after the other, and the reply before them stays as it was', () => {
  const changed = sequence(
    status(201),
    json(({ a }) => ({ b: a })),
  )(reply);
  expect(changed).toMatchObject({ status: 201, bytes: Buffer.from('{"b":"é"}') });
  expect(reply).toMatchObject({ status: 200, bytes: Buffer.from('{"a":"é"}') });
});

test('a header is found whatever its case, and is there once', () => {
  expect(mediaType('text/html')(reply).headers).toEqual({
    'content-type': 'text/html',
    'content-length': '9',
  });
  expect(mediaType()(reply).headers).toEqual({ 'content-length': '9' });
  expect(headers({ allow: 'GET' })(reply).headers).toMatchObject({ allow: 'GET' });
});

test('the length is that of the changed body, in bytes', () => {
  expect(body('é')(reply).headers['content-length']).toBe('2');
  expect(empty(reply).headers).toEqual({ 'content-length': '0' });
  expect(loginPage(reply).headers['content-length']).toBe(String(loginPage(reply).bytes.length));
});

test('an answer with 204 has neither length nor type', () => {
  expect(noContent(reply)).toEqual({ status: 204, headers: {}, bytes: Buffer.from('') });
});
