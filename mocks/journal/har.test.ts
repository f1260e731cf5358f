import { expect, _baseTest as test } from '@playwright/test';
import { Ajv2020 } from 'ajv/dist/2020.js';
import type { Exchange } from '../exchange.ts';
import { harOf } from '../har.ts';
import { exchange as plain, withToken } from '../testing/exchange.ts';

const exchange = (more: Partial<Exchange> = {}): Exchange =>
  plain({ seq: 7, wallAt: 1_000, duration: 1.23456, path: '/ods_data/', bytes: 5, ...more });
const token = withToken('acme#3');
const entryOf = (more: Partial<Exchange> = {}) =>
  harLog([exchange(more)]).entries[0] as Record<string, unknown>;
const harLog = (exchanges: Exchange[]) =>
  (harOf(exchanges, 'http://127.0.0.1:4010', '1.2.3') as { log: { entries: unknown[] } }).log;

const object = (properties: Record<string, object>, optional: Record<string, object> = {}) => ({
  type: 'object',
  required: Object.keys(properties),
  additionalProperties: false,
  properties: { ...properties, ...optional },
});
const text = { type: 'string' };
const number = { type: 'number' };
const size = { type: 'integer', minimum: -1 };
const listOf = (items: object) => ({ type: 'array', items });
const pairs = listOf(object({ name: text, value: text }));
/** HAR 1.2, http://www.softwareishard.com/blog/har-12-spec/ */
const har = object({
  log: object({
    version: { const: '1.2' },
    creator: object({ name: text, version: text }),
    entries: listOf(
      object(
        {
          _seq: number,
          _misplaced: { type: 'array' },
          startedDateTime: {
            type: 'string',
            pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z$',
          },
          time: { type: 'number', minimum: 0 },
          request: object(
            {
              method: text,
              url: { type: 'string', pattern: '^http://127\\.0\\.0\\.1:4010/[^ #]*$' },
              httpVersion: text,
              cookies: listOf({}),
              headers: pairs,
              queryString: pairs,
              headersSize: size,
              bodySize: size,
            },
            { postData: object({ mimeType: text, params: pairs }) },
          ),
          response: object({
            status: { type: 'integer' },
            statusText: text,
            httpVersion: text,
            cookies: listOf({}),
            headers: pairs,
            redirectURL: text,
            headersSize: size,
            bodySize: size,
            content: object({ size, mimeType: text }, { text, comment: text }),
          }),
          cache: object({}),
          timings: object({ send: number, wait: number, receive: number }),
        },
        { comment: text },
      ),
    ),
  }),
});
const isHar = new Ajv2020({ strict: false }).compile(har);

for (const [what, more] of [
  ['as short as can be', {}],
  ['of a token request', { fields: ['client_id'], contentType: 'a/b', client: 'acme', ...token }],
  ['of a form of no type', { fields: [] }],
  ['with a query', { query: ['a b', 'c&d', '#'] }],
  ['of the target *', { path: '*' }],
  ['with a kept body', { headers: { 'content-type': 'a/b' }, bytes: 1, body: Buffer.from('x') }],
  ['that was reset', { ended: 'reset' }],
] as [string, Partial<Exchange>][])
  test(`an exchange ${what} is an entry of HAR 1.2`, () => {
    expect(
      isHar(harOf([exchange(more)], 'http://127.0.0.1:4010', '1.2.3')),
      JSON.stringify(isHar.errors),
    ).toBe(true);
  });

test('a log says whose it is, and has its entries in order', () => {
  expect(harLog([])).toEqual({
    version: '1.2',
    creator: { name: 'mrs mock', version: '1.2.3' },
    entries: [],
  });
  expect(harLog([exchange({ path: '/a' }), exchange({ path: '/b' })]).entries).toMatchObject([
    { request: { url: 'http://127.0.0.1:4010/a' } },
    { request: { url: 'http://127.0.0.1:4010/b' } },
  ]);
});

test('an entry has the times, the statuses and the sizes of its exchange', () => {
  expect(entryOf()).toEqual({
    _seq: 7,
    _misplaced: [],
    startedDateTime: '1970-01-01T00:00:01.000Z',
    time: 1.235,
    cache: {},
    request: {
      method: 'GET',
      url: 'http://127.0.0.1:4010/ods_data/',
      httpVersion: 'HTTP/1.1',
      cookies: [],
      headers: [],
      queryString: [],
      headersSize: -1,
      bodySize: -1,
    },
    response: {
      status: 200,
      statusText: '',
      httpVersion: 'HTTP/1.1',
      cookies: [],
      headers: [],
      redirectURL: '',
      content: { size: 5, mimeType: '', comment: 'The journal does not keep this body.' },
      headersSize: -1,
      bodySize: 5,
    },
    timings: { send: 0, wait: 1.235, receive: 0 },
    comment: "exchange 7: served, 1970-01-01T00:00:00.000Z on the mock's clock",
  });
  expect(entryOf({ ...token, ended: 'cut', status: 403 })).toMatchObject({
    response: { status: 403 },
    comment: "exchange 7: served, token acme#3, 1970-01-01T00:00:00.000Z on the mock's clock, cut",
  });
  expect(entryOf({ headers: { 'content-type': 'a/b' }, bytes: 1 })).toMatchObject({
    response: { content: { size: 1, mimeType: 'a/b' }, bodySize: 1 },
  });
  expect(entryOf({ ended: 'reset' })).toMatchObject({ response: { status: 0 } });
});

test('the names of a query are in its address, and their values nowhere', () => {
  expect(entryOf({ query: ['a b', 'c'] })).toMatchObject({
    request: {
      url: 'http://127.0.0.1:4010/ods_data/?a%20b&c',
      queryString: [
        { name: 'a b', value: '‹not kept›' },
        { name: 'c', value: '‹not kept›' },
      ],
    },
  });
});

for (const [what, more, authorization] of [
  ['a known token', { operation: 'readData', ...token, authorization: 'bearer' }, 'Bearer ‹acme#3›'],
  ['an unknown one', { operation: 'readData', authorization: 'bearer' }, 'Bearer ‹unknown›'],
  ['one at another place', { ...token, authorization: 'bearer' }, 'Bearer ‹unknown›'],
  ['something malformed', { authorization: 'malformed' }, '‹not kept›'],
] as [string, Partial<Exchange>, string][])
  test(`for ${what} the header Authorization says ${authorization}`, () => {
    expect(entryOf(more)).toMatchObject({
      request: { headers: [{ name: 'authorization', value: authorization }] },
    });
  });

test('what is known of the headers of a request is there', () => {
  expect(entryOf({ accept: 'a/b', contentType: 'c/d' })).toMatchObject({
    request: {
      headers: [
        { name: 'accept', value: 'a/b' },
        { name: 'content-type', value: 'c/d' },
      ],
    },
  });
});

test('of a form the client is shown where it is known, and no other value', () => {
  const form = { contentType: 'a/b', fields: ['grant_type', 'client_id', 'client_secret'] };
  const params = (id: string) => [
    { name: 'grant_type', value: '‹not kept›' },
    { name: 'client_id', value: id },
    { name: 'client_secret', value: '‹not kept›' },
  ];
  const known = { request: { postData: { mimeType: 'a/b', params: params('acme') } } };
  expect(entryOf({ client: 'acme', ...form })).toMatchObject(known);
  const unknown = { request: { postData: { mimeType: '', params: params('‹not kept›') } } };
  expect(entryOf({ fields: form.fields })).toMatchObject(unknown);
});

test('of an answer those headers are shown that hold no secret, whatever their case', () => {
  const shown = [
    'Content-Type',
    'content-length',
    'cache-control',
    'www-authenticate',
    'allow',
    'retry-after',
  ];
  const hidden = ['date', 'set-cookie', 'location', 'x-token'];
  const headers = Object.fromEntries([...shown, ...hidden].map((name) => [name, 'v']));
  expect(entryOf({ headers, bytes: 0 })).toMatchObject({
    response: { headers: shown.map((name) => ({ name, value: 'v' })) },
  });
});

for (const [what, more, content] of [
  ['that is kept', { body: Buffer.from('é') }, { text: 'é' }],
  ['with a token', { reason: 'issued', ...token }, { text: '{"token":"‹acme#3›"}' }],
  [
    'with a token that has no name',
    { reason: 'issued' },
    { comment: 'The journal does not keep this body.' },
  ],
  ['of another reason', token, { comment: 'The journal does not keep this body.' }],
] as [string, Partial<Exchange>, object][])
  test(`a body ${what} is shown as ${JSON.stringify(content)}`, () => {
    const { response } = entryOf({ ...more, bytes: 2 });
    expect(response).toMatchObject({ content: { size: 2, mimeType: '', ...content } });
    expect(Object.keys((response as { content: object }).content)).toHaveLength(3);
  });
