import { gunzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { createFileReply } from './file-reply.ts';
import type { Reply } from './http.ts';

const NOW = Date.UTC(2030, 0, 1, 12);

const file = (text: string): Reply => ({
  status: 200,
  headers: { 'content-type': 'application/json', 'content-length': String(text.length) },
  bytes: Buffer.from(text),
});

test('a file has an ETag and the date of its content, which change with the content only', () => {
  const reply = createFileReply();
  const first = reply(file('[1]'), {}, NOW);
  expect(first).toMatchObject({ status: 200, headers: { ...file('[1]').headers, etag: /^"[\w-]{22}"$/ } });
  expect(first.headers['last-modified']).toBe('Tue, 01 Jan 2030 11:59:00 GMT');
  expect(reply(file('[1]'), {}, NOW + 3_600_000).headers).toEqual(first.headers);
  const second = reply(file('[2]'), {}, NOW);
  expect(second.headers.etag).not.toBe(first.headers.etag);
  // Within the same second, too, it is later than before.
  expect(second.headers['last-modified']).toBe('Tue, 01 Jan 2030 11:59:01 GMT');
});

test('a conditional request is answered with 304 while the content is the same, and has no body then', () => {
  const reply = createFileReply();
  const { etag = '', 'last-modified': modified = '' } = reply(file('[1]'), {}, NOW).headers;
  const date = { 'if-modified-since': modified };
  for (const headers of [
    { 'if-none-match': etag },
    { 'if-none-match': `"x", W/${etag}` },
    { 'if-none-match': '*' },
    date,
  ])
    expect(reply(file('[1]'), headers, NOW), JSON.stringify(headers)).toEqual({
      status: 304,
      headers: { etag, 'last-modified': modified, vary: 'accept-encoding' },
      bytes: Buffer.alloc(0),
    });
  for (const headers of [
    { 'if-none-match': '"x"', ...date }, // the date does not count next to a tag
    { 'if-modified-since': 'Tue, 01 Jan 2030 11:58:59 GMT' },
    { 'if-modified-since': 'yesterday' },
  ])
    expect(reply(file('[1]'), headers, NOW).status, JSON.stringify(headers)).toBe(200);
  expect(reply(file('[2]'), { 'if-none-match': etag }, NOW).status).toBe(200);
  expect(reply(file('[3]'), date, NOW).status).toBe(200);
});

test('a body is compressed where gzip is accepted, with a weak tag', () => {
  const reply = createFileReply();
  const text = JSON.stringify(Array(100).fill('abc'));
  for (const accepted of ['gzip', 'br;q=1.0, GZIP;q=0.5']) {
    const { headers, bytes } = reply(file(text), { 'accept-encoding': accepted }, NOW);
    expect(headers).toMatchObject({ 'content-encoding': 'gzip', 'content-length': String(bytes.length) });
    expect(headers.etag).toMatch(/^W\/"/);
    expect(gunzipSync(bytes).toString()).toBe(text);
    expect(reply(file(text), { 'if-none-match': headers.etag }, NOW).status).toBe(304);
  }
  for (const accepted of ['', 'identity', 'gzip;q=0', 'gzip; q=0.0', 'xgzip'])
    expect(reply(file(text), { 'accept-encoding': accepted }, NOW).bytes.toString(), accepted).toBe(text);
});

test('a reply that is not a success, or encoded already, is not changed', () => {
  const reply = createFileReply();
  for (const other of [
    { ...file('[]'), status: 404 },
    { ...file('[]'), headers: { 'content-encoding': 'br' } },
  ])
    expect(reply(other, { 'accept-encoding': 'gzip', 'if-none-match': '*' }, NOW)).toBe(other);
});
