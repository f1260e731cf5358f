import { expect, _baseTest as test } from '@playwright/test';
import { createSecrets, type Secrets } from '../../support/secrets.ts';
import type { Exchange, Response } from '../support/evidence.ts';
import { redactExchange } from './api.ts';

const SECRET = 'hunter2-hunter2';

const response: Response = {
  status: 400,
  mediaType: `text/${SECRET}`,
  headers: [
    ['location', `/a/${SECRET}`],
    [`x-${SECRET}`, 'a'],
  ],
  bodyBytes: 40,
  digest: 'ac60',
  excerpt: `{"${SECRET}":"${btoa(SECRET)}"}`,
  json: { wellFormed: true, type: 'object', empty: false, fields: ['a', SECRET] },
  tokenResponse: {
    issued: false,
    unclear: true,
    mismatches: [{ pointer: '', keyword: 'additionalProperties', expected: `must not have: ${SECRET}` }],
  },
};

const exchange: Exchange = {
  id: 'x1',
  what: 'a form with valid credentials',
  request: {
    method: 'POST',
    path: '/token/',
    headers: [
      ['accept', 'application/json'],
      ['authorization', `Bearer ${SECRET}`],
    ],
    form: { grant_type: 'client_credentials', client_secret: SECRET },
  },
  sentAtMs: 0,
  durationMs: 40,
  response,
  failure: `sent ${SECRET}`,
};
const asGiven = structuredClone(exchange);

const answering = (part: Partial<Response>): Exchange => ({
  ...exchange,
  response: { ...response, ...part },
});

const knowing = (...values: string[]): Secrets => {
  const secrets = createSecrets();
  for (const value of values) secrets.register(value, 'secret');
  return secrets;
};
const redacted = (one: Exchange, ...values: string[]): Exchange => redactExchange(one, knowing(...values));

for (const [place, read, seen] of [
  ['the Authorization header', ({ request }) => request.headers[1], ['authorization', 'Bearer ‹secret›']],
  ['the form', (one) => one.request.form?.client_secret, '‹secret›'],
  ['the media type', (one) => one.response?.mediaType, 'text/‹secret›'],
  ['the value of a header', (one) => one.response?.headers[0], ['location', '/a/‹secret›']],
  ['the name of a header', (one) => one.response?.headers[1]?.[0], 'x-‹secret›'],
  ['the body', (one) => one.response?.excerpt, '{"‹secret›":"‹secret›"}'],
  ['a member', (one) => one.response?.json.wellFormed && one.response.json.fields, ['a', '‹secret›']],
  ['a mismatch', (one) => one.response?.tokenResponse?.mismatches[0]?.expected, 'must not have: ‹secret›'],
  ['a failure', ({ failure }) => failure, 'sent ‹secret›'],
] as [string, (one: Exchange) => unknown, unknown][])
  test(`a secret in ${place} is taken out`, () => {
    expect(read(redacted(exchange, SECRET))).toEqual(seen);
  });

test('no secret is left anywhere, not even one that became known later', () => {
  const early = redacted(exchange);
  expect(JSON.stringify(early)).toContain(SECRET);
  const late = redactExchange(early, knowing(SECRET));
  expect(knowing(SECRET).leaks(JSON.stringify(late))).toEqual([]);
});

test('what does not come from outside is kept, even where it equals a secret', () => {
  const words = 'x1 POST /token/ accept application/json client_secret ac60 additionalProperties'.split(' ');
  const json = { wellFormed: false, error: 'the body is empty' } as const;
  const one = answering({ mediaType: 'application/json', headers: [], excerpt: '', json });
  expect(redacted(one, ...words, json.error)).toEqual(one);
});

for (const name of [
  ...['allow', 'cache-control', 'connection', 'content-encoding', 'content-length', 'content-type', 'date'],
  ...['etag', 'expires', 'last-modified', 'location', 'retry-after', 'server', 'vary', 'www-authenticate'],
  ...['ratelimit', 'ratelimit-reset', 'rate-limit-limit', 'x-ratelimit-remaining', 'x-rate-limit'],
])
  test(`the value of ${name} is kept`, () => {
    const { response: seen } = redacted(answering({ headers: [[name, 'value']] }));
    expect(seen?.headers).toEqual([[name, 'value']]);
  });

for (const name of [
  ...['set-cookie', 'authorization', 'x-request-id', 'x-location', 'location-x', 'content-security-policy'],
  ...['x-ratelimited', 'my-ratelimit', 'Location', ''],
])
  test(`the value of "${name}" is not kept, but that there was one is`, () => {
    const { response: seen } = redacted(answering({ headers: [[name, 'value']] }));
    expect(seen?.headers).toEqual([[name, '(not kept)']]);
  });

const long = 'a'.repeat(1000);
const json = { wellFormed: true, type: 'object', empty: false, fields: [long] } as const;
const tokenResponse = {
  issued: false,
  unclear: false,
  mismatches: [{ pointer: '', keyword: '', expected: long }],
};
const verbose: Exchange = {
  ...answering({
    mediaType: long,
    json: { ...json, fields: [long] },
    tokenResponse,
    headers: [['etag', long], [long, 'a'], ...Array(1000).fill(['etag', ''])],
  }),
  failure: long,
};
for (const [what, read, length] of [
  ['a failure', ({ failure }) => failure, 200],
  ['a media type', ({ response: seen }) => seen?.mediaType, 100],
  ['headers', ({ response: seen }) => seen?.headers, 100],
  ['the value of a header', ({ response: seen }) => seen?.headers[0]?.[1], 500],
  ['the name of a header', ({ response: seen }) => seen?.headers[1]?.[0], 100],
  ['the name of a member', ({ response: seen }) => seen?.json.wellFormed && seen.json.fields?.[0], 100],
  ['a mismatch', ({ response: seen }) => seen?.tokenResponse?.mismatches[0]?.expected, 200],
] as [string, (seen: Exchange) => string, number][])
  test(`of ${what} no more than ${length} are kept`, () => {
    expect(read(redacted(verbose))).toHaveLength(length);
  });

test('where a text is cut, no part of a secret is left', () => {
  const { response: seen } = redacted(
    answering({ headers: [['etag', long.slice(0, 493) + SECRET + long]] }),
    SECRET,
  );
  expect(seen?.headers[0]?.[1]).not.toContain('h');
});

test('what was given is not changed', () => {
  redacted(exchange, SECRET);
  expect(exchange).toEqual(asGiven);
});
