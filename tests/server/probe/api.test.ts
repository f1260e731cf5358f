import { expect, test } from 'vitest';
import { createSecrets, type Secrets } from '../../support/secrets.ts';
import type { Exchange, Response } from '../support/evidence.ts';
import { createApi, redactExchange } from './api.ts';
import type { HttpRequest, HttpResponse } from './http.ts';

const form = { grant_type: 'client_credentials', client_id: 'station', client_secret: 'hunter2' };

/** An Api whose requests are kept in `sent`; each gets the last of `answers`. */
function against(answer: HttpResponse | { failure: string }) {
  const sent: HttpRequest[] = [];
  const answers = [answer];
  const exchange = async (request: HttpRequest) => {
    sent.push(request);
    return answers.at(-1) ?? answer;
  };
  const secrets = createSecrets();
  const api = createApi({ baseUrl: 'http://mrs.example/api', userAgent: 'suite/1' }, { exchange }, secrets);
  return { api, sent, answers, secrets };
}

function json(value: unknown, status = 200): HttpResponse {
  return {
    status,
    headers: [['content-type', 'application/json']],
    body: Buffer.from(JSON.stringify(value)),
  };
}
const raw = (text: string, status = 200): HttpResponse => ({
  ...json(null, status),
  body: Buffer.from(text),
});

/** What is kept of the answer to a form, and what was learned from it. */
async function posted(answer: HttpResponse) {
  const { api, secrets, answers } = against(answer);
  const { exchange, token } = await api.obtainToken('a form', form);
  return { exchange, token, secrets, api, answers, response: exchange.response };
}

test('each request has the headers that its clause names, and credentials only where they are given', async () => {
  const { api, sent } = against(json([]));
  await api.obtainToken('a form', { ...form, client_secret: 'a b&c=é' });
  const ids = [
    await api.ask('the data', { token: 'abc' }),
    await api.ask('the data'),
    await api.ask('health', { path: '/live' }),
    await api.ask('health', { path: '/live', method: 'HEAD' }),
  ].map(({ id }) => id);
  expect(ids).toEqual(['x2', 'x3', 'x4', 'x5']);
  const common = {
    ...{ accept: 'application/json', 'accept-encoding': 'gzip, deflate, br', 'user-agent': 'suite/1' },
  };
  const get = (path: string, more = {}) => ({
    ...{
      method: 'GET',
      url: `http://mrs.example/api${path}`,
      headers: { ...common, ...more },
      isValid: false,
    },
  });
  expect(sent).toEqual([
    {
      ...get('/token/', { 'content-type': 'application/x-www-form-urlencoded' }),
      method: 'POST',
      body: 'grant_type=client_credentials&client_id=station&client_secret=a+b%26c%3D%C3%A9',
      bodyBytes: 256 * 1024,
    },
    get('/ods_data/', { authorization: 'Bearer abc' }),
    get('/ods_data/'),
    get('/live'),
    { ...get('/live'), method: 'HEAD' },
  ]);
});

test('an answer that asks to wait is an exchange of its own, before the one that follows it', async () => {
  const busy = json({ error: 'busy' }, 503);
  const { api } = against({ ...json([]), waitedSeconds: 2, before: [busy] });
  const { id, response } = await api.ask('the data');
  expect([id, response?.status]).toEqual(['x2', 200]);
  expect(api.takeWaited()).toMatchObject([{ id: 'x1', what: 'the data', response: { status: 503 } }]);
  expect(api.takeWaited()).toEqual([]);
});

test('a cookie that holds the token is not kept: it is a token in another place', async () => {
  const { api } = against({ ...json([]), headers: [['set-cookie', 'jwt=abc%2Bdef; Path=/']] });
  await api.ask('the data', { token: 'abc+def' });
  expect(api.cookies()).toBeUndefined();
  await api.ask('the data', { token: 'another' });
  expect(api.cookies()).toBe('jwt=abc%2Bdef');
});

test('the cookies of the data are kept to be sent, and recorded nowhere', async () => {
  const headers = [
    ['set-cookie', 'sid=0123456789abcdef; Path=/; HttpOnly'],
    ['set-cookie', 'lang=en'],
  ] as const;
  const { api, sent, answers } = against({ ...json([]), headers });
  await api.ask('the data without a token');
  expect(api.cookies()).toBeUndefined(); // It may be one of a visitor.
  await api.ask('the data', { token: 'token-1' });
  const cookie = api.cookies();
  expect(cookie).toBe('sid=0123456789abcdef; lang=en');
  answers.push(raw('your sid is 0123456789abcdef'));
  const exchange = await api.ask('the data with its cookies', { ...(cookie !== undefined && { cookie }) });
  expect(sent.at(-1)?.headers.cookie).toBe(cookie);
  expect(exchange.request.headers).toContainEqual(['cookie', '‹the cookies of the data›']);
  expect(JSON.stringify(exchange)).not.toContain('0123456789abcdef');
});

for (const status of [201, 400])
  test(`a token that comes with status ${status} is one that was issued`, async () => {
    const { token, response } = await posted(json({ token: 'abc' }, status));
    expect(token).toBe('abc');
    expect(response).toMatchObject({ status, tokenResponse: { issued: true, mismatches: [] } });
  });

// The proof has the other forms of a token answer.
const TOKEN = 'tok-en/1+';

for (const [what, answer, token, kept] of [
  ['that is plain', json({ token: TOKEN }), TOKEN, { excerpt: '{"token":"‹token 1›"}' }],
  ['that escapes it', raw('{"token":"tok-en\\/1\\u002b"}'), TOKEN, { excerpt: '{"token":"‹token 1›"}' }],
  ['that is not JSON', raw('tok-en-1'), 'tok-en-1', { bodyBytes: 8, excerpt: '' }],
  [
    'with credentials in other fields',
    json({ access_token: 'tok-en', data: { refreshToken: ['two-2'] }, jwt: 'j'.repeat(20) }),
    'tok-en',
    {},
  ],
  [
    'with many other values',
    json({ token: TOKEN, hidden: Array.from({ length: 51 }, (_, nth) => `${'h'.repeat(20)}${nth}`) }),
    TOKEN,
    { excerpt: '', json: { fields: ['token', 'hidden'] } },
  ],
  ['with a long value', json({ token: TOKEN, hidden: ['h'.repeat(20_000)] }), TOKEN, { excerpt: '' }],
  ...[200, 400].map(
    (status) =>
      [
        `with members twice and status ${status}`,
        raw('{"token":"two-2-value","token":"tok-en","a":{"b":"two-2-hidden","b":"","c":"kept"}}', status),
        'tok-en',
        {
          tokenResponse: {
            mismatches: expect.arrayContaining([
              { pointer: '', keyword: 'twice', expected: 'no member twice, but there is token' },
            ]),
          },
        },
      ] as const,
  ),
] as [string, HttpResponse, string, Record<string, unknown>][])
  test(`no credential is kept of a token answer ${what}, nor of the answers that follow`, async () => {
    const { token: seen, response, api, answers, secrets, exchange } = await posted(answer);
    expect(seen).toBe(token);
    expect(response).toMatchObject(kept);
    answers.push({
      ...json({ seen: what.includes('twice') ? `${token} two-2-hidden` : token }),
      headers: [['etag', `Bearer ${token}`]],
    });
    const next = await api.ask('the data', { token });
    expect(JSON.stringify([exchange, next.response])).not.toMatch(/tok-en|two-2|jjj|hhh/);
    expect(next.request.headers).toContainEqual(['authorization', 'Bearer ‹token 1›']);
    expect(secrets.redact(`said ${token}`)).toBe('said ‹token 1›');
  });

for (const value of [
  { token: 'tok-en-1', token_format: 'json' },
  { token: 'tok-en-1', token_version: 2 },
])
  test(`what the suite itself writes of an answer is left as it is after ${JSON.stringify(value)}`, async () => {
    const { api, answers } = await posted(json(value));
    answers.push(json({ token: 7 }));
    const { exchange } = await api.obtainToken('a form', form);
    expect(exchange).toMatchObject({
      ...{ id: 'x2', request: { method: 'POST', path: '/token/' } },
      response: {
        ...{ mediaType: 'application/json', json: { wellFormed: true, type: 'object' } },
        tokenResponse: { mismatches: [{ pointer: '/token', keyword: 'type' }] },
      },
    });
  });

for (const token of ['r', 'content-type'])
  test(`an error is seen as one where the token is ${token}`, async () => {
    const { api, answers } = await posted(json({ token }));
    answers.push(json({ error: 'no data for you', message: 'sorry' }));
    const { response } = await api.ask('the data', { token });
    expect(response).toMatchObject({ mediaType: 'application/json', json: { fields: ['error', 'message'] } });
    expect(response?.headers).toEqual([['content-type', 'application/json']]);
  });

test('an address of the user is no secret, whatever a deployment names it', async () => {
  const { secrets } = await posted(json({ token: 'T-0123456789', debug_token: 'http://mrs.example/api' }));
  expect(secrets.redact('http://mrs.example/api T-0123456789')).toBe('http://mrs.example/api ‹token 1›');
});

test('a secret that is cut off by the end of what is kept leaves no part of itself', async () => {
  const secret = `${'k'.repeat(999)}z`;
  const { api, secrets } = against(raw(secret.repeat(100)));
  secrets.register(secret, 'secret');
  expect((await api.ask('the data')).response?.excerpt).not.toContain('kkk');
});

test('what a deployment sends without measure is an answer, of which little is kept', async () => {
  const nested = await posted(raw('['.repeat(100_000) + ']'.repeat(100_000)));
  expect(nested.response).toMatchObject({
    ...{ json: { wellFormed: false, refused: true }, tokenResponse: { issued: false, mismatches: [] } },
  });
  const members = Array.from({ length: 50_000 }, (_, nth) => [`f${nth}`, 'x'.repeat(20) + nth]);
  const wide = await posted(json(Object.fromEntries(members)));
  expect(JSON.stringify(wide.exchange).length).toBeLessThan(100_000);
  const long = await against(raw('é'.repeat(100_000))).api.ask('the data');
  expect(long.response).toMatchObject({ bodyBytes: 200_000, excerpt: 'é'.repeat(2000) });
});

// Redaction.

const SECRET = 'hunter2-hunter2';
const response: Response = {
  status: 400,
  mediaType: `text/${SECRET}`,
  headers: [
    ['location', `/a/${SECRET}`],
    [`x-${SECRET}`, 'a'],
  ],
  ...{ bodyBytes: 40, digest: 'ac60', excerpt: `{"${SECRET}":"${btoa(SECRET)}"}` },
  json: { wellFormed: true, type: 'object', empty: false, fields: ['a', SECRET] },
  tokenResponse: {
    ...{ issued: false, unclear: true },
    mismatches: [{ pointer: '', keyword: 'additionalProperties', expected: `must not have: ${SECRET}` }],
  },
};
const exchange: Exchange = {
  ...{ id: 'x1', what: 'a form with valid credentials', sentAtMs: 0, durationMs: 40 },
  request: {
    ...{ method: 'POST', path: '/token/' },
    headers: [
      ['accept', 'application/json'],
      ['authorization', `Bearer ${SECRET}`],
    ],
    form: { grant_type: 'client_credentials', client_secret: SECRET },
  },
  response,
  failure: `sent ${SECRET}`,
};
const answering = (part: Partial<Response>): Exchange => ({
  ...exchange,
  response: { ...response, ...part },
});

const knowing = (...values: string[]): Secrets => {
  const secrets = createSecrets();
  for (const value of values) secrets.register(value, 'secret');
  return secrets;
};

test('a secret is taken out of each part of an exchange, also where it became known later', () => {
  const asGiven = structuredClone(exchange);
  const early = redactExchange(exchange, knowing());
  expect(JSON.stringify(early)).toContain(SECRET);
  const text = JSON.stringify(exchange).replaceAll(SECRET, '‹secret›').replaceAll(btoa(SECRET), '‹secret›');
  const clean = JSON.parse(text) as Exchange;
  expect(redactExchange(early, knowing(SECRET))).toEqual({
    ...clean,
    response: {
      ...clean.response,
      headers: [
        ['location', '/a/‹secret›'],
        ['x‹secret›', '(not kept)'],
      ],
    },
  });
  expect(exchange).toEqual(asGiven);
});

test('the values of a few headers are kept; of others, that there was one is', () => {
  const kept = [
    ...['allow', 'cache-control', 'connection', 'content-encoding', 'content-length', 'content-type', 'date'],
    ...['etag', 'expires', 'last-modified', 'location', 'retry-after', 'server', 'vary', 'www-authenticate'],
    ...['ratelimit', 'ratelimit-reset', 'rate-limit-limit', 'x-ratelimit-remaining', 'x-rate-limit'],
  ];
  const others = [
    ...['set-cookie', 'authorization', 'x-request-id', 'x-location', 'location-x', 'x-ratelimited', ''],
    ...['content-security-policy', 'my-ratelimit', 'Location'],
  ];
  const headers = [...kept, ...others].map((name) => [name, 'value'] as const);
  expect(redactExchange(answering({ headers }), knowing()).response?.headers).toEqual([
    ...kept.map((name) => [name, 'value']),
    ...others.map((name) => [name, '(not kept)']),
  ]);
});

test('each text from outside is cut, and a cut leaves no part of a secret', () => {
  const long = 'a'.repeat(1000);
  const mismatches = [{ pointer: '', keyword: '', expected: long }];
  const verbose = answering({
    mediaType: long,
    json: { wellFormed: true, type: 'object', empty: false, fields: [long] },
    tokenResponse: { issued: false, unclear: false, mismatches },
    headers: [['etag', long], [long, 'a'], ...Array(1000).fill(['etag', ''])],
  });
  const { response: seen, failure } = redactExchange({ ...verbose, failure: long }, knowing());
  const fields = seen?.json.wellFormed ? seen.json.fields : [];
  const [etag, named] = seen?.headers ?? [];
  const texts = [failure, seen?.mediaType, etag?.[1], named?.[0], fields?.[0]];
  expect(texts.map((text) => text?.length)).toEqual([200, 100, 500, 100, 100]);
  expect([seen?.headers.length, seen?.tokenResponse?.mismatches[0]?.expected.length]).toEqual([100, 200]);
  const cut = redactExchange(
    answering({ headers: [['etag', long.slice(0, 493) + SECRET]] }),
    knowing(SECRET),
  );
  expect(cut.response?.headers[0]?.[1]).not.toContain('h');
});
