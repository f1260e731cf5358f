import type { IncomingMessage } from 'node:http';
import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { BEARER, readForm } from './condition.ts';
import { readBody } from './http.ts';

test('a bearer token is read whatever the case of its scheme, and any other value is malformed', () => {
  expect(BEARER.exec('bEARER   aZ0-._~+/==')?.[1]).toBe('aZ0-._~+/==');
  for (const header of ['', 'Bearer', 'Bearer ', 'abc', 'Basic abc', 'Bearer a b', 'Bearerabc', 'Bearer ='])
    expect(BEARER.test(header), header).toBe(false);
});

const whole = 'grant_type=client_credentials&client_id=a&client_secret=b';

test('a form with each field once is complete', () => {
  expect(readForm(whole)).toEqual({
    ...{ id: 'a', secret: 'b' },
    complete: true,
    names: ['grant_type', 'client_id', 'client_secret'],
  });
});

test('values are decoded as form fields', () => {
  expect(readForm('client_id=a+b%26&client_secret=%C3%A4')).toMatchObject({ id: 'a b&', secret: 'ä' });
});

for (const [what, body] of [
  ['a missing field', 'grant_type=client_credentials&client_id=a'],
  ['an empty field', 'grant_type=client_credentials&client_id=&client_secret=b'],
  ['a field without an equals sign', 'grant_type=client_credentials&client_id&client_secret=b'],
  ['a repeated field', `${whole}&client_id=a`],
  ['a leading question mark', `?${whole}`],
  ['malformed percent-encoding in a name', '%=a&grant_type=x'],
  ['nothing', ''],
] as const)
  test(`a form with ${what} is incomplete`, () => {
    expect(readForm(body).complete).toBe(false);
  });

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

function arriving(headers: Record<string, string> = {}) {
  const stream = new PassThrough();
  return { stream, request: Object.assign(stream, { headers }) as unknown as IncomingMessage };
}
