import { expect, test } from 'vitest';
import type { Exchange } from './exchange.ts';
import { harOf } from './journal.ts';
import { exchange as plain, withToken } from './testing/exchange.ts';

const exchange = (more: Partial<Exchange> = {}): Exchange =>
  plain({ seq: 7, wallAt: 1_000, duration: 1.23456, path: '/ods_data/', bytes: 5, ...more });
const token = withToken('acme#3');
const logOf = (...exchanges: Exchange[]) => harOf(exchanges, 'http://127.0.0.1:4010', '1.2.3').log;
const entryOf = (more: Partial<Exchange> = {}) => logOf(exchange(more)).entries[0];
const HIDDEN = '‹not kept›';

/** What an exchange has, and what its entry shows of it. */
for (const [what, more, shown] of [
  [
    'as short as can be',
    {},
    {
      ...{ _seq: 7, startedDateTime: '1970-01-01T00:00:01.000Z', time: 1.235 },
      request: { method: 'GET', url: 'http://127.0.0.1:4010/ods_data/', headers: [], queryString: [] },
      response: {
        status: 200,
        content: { size: 5, mimeType: '', comment: 'The journal does not keep this body.' },
      },
      comment: "served, 1970-01-01T00:00:00.000Z on the mock's clock",
    },
  ],
  ['that was reset', { ended: 'reset' }, { response: { status: 0 } }],
  [
    'with a query, whose values are nowhere',
    { query: ['a b', 'c&d', '#'] },
    {
      request: {
        url: 'http://127.0.0.1:4010/ods_data/?a%20b&c%26d&%23',
        queryString: [{ name: 'a b', value: HIDDEN }, {}, {}],
      },
    },
  ],
  [
    'with a known token',
    { operation: 'readData', ...token, authorization: 'bearer' },
    { request: { headers: [{ name: 'authorization', value: 'Bearer ‹acme#3›' }] } },
  ],
  [
    'with headers',
    { accept: 'a/b', contentType: 'c/d', authorization: 'malformed', isConditional: true },
    {
      request: {
        headers: [
          { name: 'accept', value: 'a/b' },
          { name: 'content-type', value: 'c/d' },
          { name: 'authorization', value: HIDDEN },
          { name: 'if-none-match', value: HIDDEN },
        ],
      },
    },
  ],
  [
    'with a form of a known client',
    { client: 'acme', contentType: 'a/b', fields: ['client_id', 'client_secret'] },
    {
      request: {
        postData: {
          mimeType: 'a/b',
          params: [
            { name: 'client_id', value: 'acme' },
            { name: 'client_secret', value: HIDDEN },
          ],
        },
      },
    },
  ],
  [
    'with headers of the answer, those that may hold a secret left out',
    {
      headers: {
        'Content-Type': 'a/b',
        'retry-after': '2',
        date: 'x',
        'set-cookie': 'x',
        location: 'x',
        'x-token': 'x',
      },
    },
    { response: { headers: [{ name: 'Content-Type' }, { name: 'retry-after' }] } },
  ],
  [
    'with an issued token',
    { reason: 'issued', ...token },
    { response: { content: { text: '{"token":"‹acme#3›"}' } } },
  ],
] as [string, Partial<Exchange>, Record<string, unknown>][])
  test(`an exchange ${what} is an entry of HAR 1.2`, () => {
    expect(entryOf(more)?.request.url).toMatch(/^http:\/\/127\.0\.0\.1:4010\/[^ #]*$/);
    expect(entryOf(more)).toMatchObject(shown);
  });
