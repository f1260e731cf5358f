import { expect, _baseTest as test } from '@playwright/test';
import { createSecrets } from '../../support/secrets.ts';
import type { Exchange } from '../support/evidence.ts';
import { createApi } from './api.ts';
import type { HttpRequest, HttpResponse } from './http.ts';

const form = { grant_type: 'client_credentials', client_id: 'station', client_secret: 'hunter2' };

test('a token is asked for by a form, with the header that clause 4.1 names', async () => {
  const { api, sent } = against(json({ token: 'abc' }));
  await api.obtainToken('a form', { ...form, client_secret: 'a b&c=é' });
  expect(sent).toEqual([
    {
      method: 'POST',
      url: 'http://mrs.example/api/token/',
      headers: {
        accept: 'application/json',
        'accept-encoding': 'gzip, deflate, br',
        'content-type': 'application/x-www-form-urlencoded',
        'user-agent': 'suite/1',
      },
      body: 'grant_type=client_credentials&client_id=station&client_secret=a+b%26c%3D%C3%A9',
      bodyBytes: 256 * 1024,
    },
  ]);
});

test('data is asked for with the headers that clause 4.2 names, and without a token none of them has credentials', async () => {
  const { api, sent } = against(json([]));
  await api.ask('the data', { token: 'abc' });
  const headers = {
    accept: 'application/json',
    'accept-encoding': 'gzip, deflate, br',
    authorization: 'Bearer abc',
    'user-agent': 'suite/1',
  };
  expect(sent).toEqual([{ method: 'GET', url: 'http://mrs.example/api/ods_data/', headers }]);
  const ids = [
    await api.ask('the data'),
    await api.ask('health', { path: '/live' }),
    await api.ask('health', { path: '/live', method: 'HEAD' }),
  ].map(({ id }) => id);
  expect(ids).toEqual(['x2', 'x3', 'x4']);
  expect(sent.slice(1).map(({ method, url }) => `${method} ${url}`)).toEqual([
    'GET http://mrs.example/api/ods_data/',
    'GET http://mrs.example/api/live',
    'HEAD http://mrs.example/api/live',
  ]);
  for (const one of sent.slice(1)) expect(one.headers).not.toHaveProperty('authorization');
});

for (const status of [200, 201, 400, 500])
  test(`a token that comes with status ${status} is one that was issued`, async () => {
    const { api } = against({ ...json({ token: 'abc' }), status });
    const { token, exchange } = await api.obtainToken('a form', form);
    expect(token).toBe('abc');
    expect(exchange.response).toMatchObject({ status, tokenResponse: { issued: true, mismatches: [] } });
  });

for (const [what, value, pointer, keyword, taken] of [
  ['no token', {}, '', 'required', undefined],
  ['an empty token', { token: '' }, '/token', 'minLength', undefined],
  ['a number', { token: 7 }, '/token', 'type', undefined],
  ['null', { token: null }, '/token', 'type', undefined],
  ['an object', { token: { value: 'abcdef-1' } }, '/token', 'type', '/token/value'],
  ['another case', { Token: 'abc' }, '', 'required', '/Token'],
  ['access_token', { access_token: 'abc', token_type: 'Bearer' }, '', 'required', '/access_token'],
  ['an array', [{ token: 'abc' }], '', 'type', '/0/token'],
  ['an array of texts', ['abcdef-1'], '', 'type', '/0'],
  ['a string', 'abcdef-1', '', 'type', ''],
  ['a short word', ['abc'], '', 'type', undefined],
  ['two strings', { one: 'abcdef-1', two: 'abcdef-2' }, '', 'required', undefined],
  ['an address', { token_uri: 'https://mrs.example/' }, '', 'required', undefined],
] as const)
  test(`${what} in the answer is a mismatch, and the token is taken from ${taken ?? 'nowhere'}`, async () => {
    const { api } = against(json(value));
    const { token, exchange } = await api.obtainToken('a form', form);
    expect([token !== undefined, exchange.response?.tokenResponse]).toMatchObject([
      taken !== undefined,
      { issued: false },
    ]);
    expect(exchange.response?.tokenResponse?.takenFrom).toBe(taken);
    expect(exchange.response?.tokenResponse?.mismatches).toContainEqual(
      expect.objectContaining({ pointer, keyword }),
    );
  });

test('a field besides token is a mismatch with the contract', async () => {
  const { api } = against(json({ token: 'abc', token_type: 'Bearer' }));
  const { exchange } = await api.obtainToken('a form', form);
  expect(exchange.response?.tokenResponse?.mismatches).toEqual([
    {
      pointer: '',
      keyword: 'additionalProperties',
      expected: 'no further field, but there is token_type',
    },
  ]);
});

test('the token is taken out of what is kept of its own answer, and of all that follow', async () => {
  const { api, answers } = against(json({ token: 'tok-en/1+' }));
  const kept = [(await api.obtainToken('a form', form)).exchange];
  answers.push({ ...json({ seen: 'tok-en/1+' }), headers: [['x-echo', 'Bearer tok-en/1+']] });
  kept.push(await api.ask('the data', { token: 'tok-en/1+' }));
  expect(JSON.stringify(kept)).not.toContain('tok-en');
  expect(kept[1]?.request.headers).toContainEqual(['authorization', 'Bearer ‹token 1›']);
});

for (const [how, body] of [
  ['escapes the slash', '{"token":"tok-en\\/1+"}'],
  ['escapes the plus', '{"token":"tok-en/1\\u002b"}'],
  ['escapes every character', '{"token":"\\u0074\\u006f\\u006b\\u002d\\u0065\\u006e\\u002f\\u0031\\u002b"}'],
] as const)
  test(`the token is taken out of a token answer that ${how}`, async () => {
    const { api } = against({ ...json(null), body: Buffer.from(body) });
    const { token, exchange } = await api.obtainToken('a form', form);
    expect(token).toBe('tok-en/1+');
    expect(exchange.response?.excerpt).toBe('{"token":"‹token 1›"}');
  });

test('nothing is kept of a token answer that is not JSON', async () => {
  const { api } = against({ ...json(null), body: Buffer.from('tok-en-1') });
  const { exchange } = await api.obtainToken('a form', form);
  expect(JSON.stringify(exchange)).not.toContain('tok-en-1');
  expect(exchange.response).toMatchObject({ bodyBytes: 8, json: { wellFormed: false } });
});

test('credentials in another field of a token answer are taken out', async () => {
  const { api } = against(
    json({ access_token: 'one-1', data: { refreshToken: ['two-2'] }, jwt: 'j'.repeat(20) }),
  );
  const { exchange } = await api.obtainToken('a form', form);
  expect(exchange.response?.excerpt).not.toMatch(/one-1|two-2|jjj/);
});

for (const [what, hidden] of [
  ['many', Array.from({ length: 51 }, (_, nth) => `${'h'.repeat(20)}${nth}`)],
  ['long', ['h'.repeat(20_000)]],
] as const)
  test(`of a token answer whose other values are too ${what} to be looked for, nothing is kept`, async () => {
    const { api } = against(json({ token: 'tok-en-1', hidden }));
    const { exchange } = await api.obtainToken('a form', form);
    expect(exchange.response).toMatchObject({ excerpt: '', json: { fields: ['token', 'hidden'] } });
  });

for (const [what, value] of [
  ['a word of JSON', { token: 'tok-en-1', token_use: 'object' }],
  ['a word of the media type', { token: 'tok-en-1', token_format: 'json' }],
  ['a digit', { token: 'tok-en-1', token_version: 2 }],
  ['the name of the field', { token: 'tok-en-1', token_kind: 'token' }],
] as const)
  test(`what the suite itself writes of an answer is left as it is where a hidden value is ${what}`, async () => {
    const { api, answers } = against(json(value));
    await api.obtainToken('a form', form);
    answers.push(json({ token: 7 }));
    const { exchange } = await api.obtainToken('a form', form);
    expect(exchange).toMatchObject({
      id: 'x2',
      request: { method: 'POST', path: '/token/' },
      response: {
        mediaType: 'application/json',
        json: { wellFormed: true, type: 'object' },
        tokenResponse: { mismatches: [{ pointer: '/token', keyword: 'type' }] },
      },
    });
  });

for (const status of [200, 400])
  test(`no value of a member that is there twice is kept, with status ${status}`, async () => {
    const text =
      '{"token":"first-token-value","token":"second-token-value","a":{"b":"in-the-first-b","b":"","c":"kept"}}';
    const { api, secrets } = against({ ...json(''), status, body: Buffer.from(text) });
    const { exchange, token } = await api.obtainToken('a form', form);
    expect(token).toBe('second-token-value');
    expect(JSON.stringify(exchange)).not.toMatch(/first-token-value|second-token-value|in-the-first-b/);
    expect(exchange.response?.tokenResponse?.mismatches).toContainEqual({
      pointer: '',
      keyword: 'twice',
      expected: 'no member twice, but there is token',
    });
    for (const value of ['first-token-value', 'second-token-value', 'in-the-first-b'])
      expect(secrets.redact(`said ${value}`)).not.toContain(value);
  });

test('of a long body the beginning is kept', async () => {
  const { api } = against({ ...json(null), body: Buffer.alloc(100_000, 'é') });
  const { response } = await api.ask('the data');
  expect(response).toMatchObject({ bodyBytes: 100_000, excerpt: 'é'.repeat(2000) });
});

test('a secret that is cut off by the end of what is kept leaves no part of itself', async () => {
  const secret = `${'k'.repeat(999)}z`;
  const { api, secrets } = against({ ...json(null), body: Buffer.from(secret.repeat(100)) });
  secrets.register(secret, 'secret');
  const { response } = await api.ask('the data');
  expect(response?.excerpt).not.toContain('kkk');
});

test('an answer that is nested without measure is an answer, which was not parsed', async () => {
  const body = Buffer.from('['.repeat(100_000) + ']'.repeat(100_000));
  const { api } = against({ ...json(null), body });
  const { exchange } = await api.obtainToken('a form', form);
  expect(exchange.response).toMatchObject({
    json: { wellFormed: false, refused: true },
    tokenResponse: { issued: false, mismatches: [] },
  });
});

test('a few fields are recorded of an answer with very many', async () => {
  const wide = Object.fromEntries(
    Array.from({ length: 50_000 }, (_, nth) => [`f${nth}`, 'x'.repeat(20) + nth]),
  );
  const { api } = against(json(wide));
  const { exchange } = await api.obtainToken('a form', form);
  expect(JSON.stringify(exchange).length).toBeLessThan(100_000);
});

test('the reason for a missing answer is kept unchanged', async () => {
  const { api } = against({ failure: 'refused the connection' });
  const exchange: Exchange = await api.ask('the data');
  expect(exchange).toMatchObject({ id: 'x1', what: 'the data', failure: 'refused the connection' });
  expect(exchange).not.toHaveProperty('response');
});

test('an address of the user is no secret, whatever a deployment names it', async () => {
  const { api, secrets } = against(json({ token: 'T-0123456789', debug_token: 'http://mrs.example/api' }));
  await api.obtainToken('a token', { client_id: 'acme' });
  expect(secrets.redact('http://mrs.example/api T-0123456789')).toBe('http://mrs.example/api ‹token 1›');
});

for (const token of ['error', 'r', 'content-type'])
  test(`an error is seen as one where the token is ${token}`, async () => {
    const { api, answers } = against(json({ token }));
    await api.obtainToken('a token', { client_id: 'acme' });
    answers.push(json({ error: 'no data for you', message: 'sorry' }));
    const { response } = await api.ask('the data', { token });
    expect(response).toMatchObject({ mediaType: 'application/json', json: { fields: ['error', 'message'] } });
    expect(response?.headers).toEqual([['content-type', 'application/json']]);
  });

/** An Api whose requests are kept in `sent`; each gets the last of `answers`. */
function against(answer: HttpResponse | { failure: string }) {
  const sent: HttpRequest[] = [];
  const answers = [answer];
  const exchange = async (request: HttpRequest) => {
    sent.push(request);
    return answers.at(-1) ?? answer;
  };
  const secrets = createSecrets();
  const api = createApi('http://mrs.example/api', { exchange, close: async () => {} }, secrets, 'suite/1');
  return { api, sent, answers, secrets };
}

function json(value: unknown): HttpResponse {
  const headers: [string, string][] = [['content-type', 'application/json']];
  return { status: 200, headers, body: Buffer.from(JSON.stringify(value)) };
}
