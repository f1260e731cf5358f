import type { IncomingMessage } from 'node:http';
import { PassThrough } from 'node:stream';
import { expect, _baseTest as test } from '@playwright/test';
import { readBody } from '../http.ts';

test('the body is read whole up to the limit, whatever the chunks', async () => {
  const { stream, request } = arriving();
  const body = readBody(request, 4);
  stream.write(Buffer.from('a\u00e4').subarray(0, 2)); // cut within a character
  stream.end(Buffer.from('a\u00e4b').subarray(2));
  expect(await body).toBe('a\u00e4b');
});

test('a body above the limit is given up while it is still arriving', async () => {
  const { stream, request } = arriving();
  const body = readBody(request, 4);
  stream.write('12345');
  expect(await body).toBeUndefined();
});

test('a body whose length is above the limit is given up before it arrives', async () => {
  expect(await readBody(arriving({ 'content-length': '5' }).request, 4)).toBeUndefined();
});

test('reading rejects when the client goes away', async () => {
  const { stream, request } = arriving();
  const body = readBody(request, 4);
  stream.destroy(new Error('aborted'));
  await expect(body).rejects.toThrow('aborted');
});

function arriving(headers: Record<string, string> = {}) {
  const stream = new PassThrough();
  return { stream, request: Object.assign(stream, { headers }) as unknown as IncomingMessage };
}
