import { expect, _baseTest as test } from '@playwright/test';
import { type Dispatcher, request } from 'undici';
import { type Mock, startMock } from '../index.ts';

const FORM = 'application/x-www-form-urlencoded';
const whole = { grant_type: 'client_credentials', client_id: 'demo', client_secret: 'demo-secret' };

let mock: Mock;
let now = 0;
const faults: unknown[] = [];
test.beforeAll(async () => {
  const onFault = (error: unknown) => faults.push(error);
  mock = await startMock({ now: () => (now < 0 ? failing() : now), onFault });
});
test.beforeEach(() => {
  now = 0;
  faults.length = 0;
});
test.afterAll(() => mock.close());

test('a valid form obtains a fresh token each time, not to be stored', async () => {
  const [first, second] = [await obtain(), await obtain()];
  expect(first).toMatchObject({ status: 200, headers: { 'cache-control': 'no-store' } });
  expect(first.headers['content-type']).toBe('application/json');
  expect(first.body).toEqual({ token: expect.stringMatching(/^[\w-]{64}$/) });
  expect(second.body).toEqual({ token: expect.not.stringMatching(String(first.body.token)) });
});

for (const [what, fields, status, error] of [
  ['a wrong secret', { ...whole, client_secret: 'demo' }, 401, 'invalid_client'],
  ['an unknown client', { ...whole, client_id: 'nobody' }, 401, 'invalid_client'],
  ['another grant', { ...whole, grant_type: 'password' }, 400, 'unsupported_grant_type'],
  ['no grant_type', { client_id: 'demo', client_secret: 'demo-secret' }, 400, 'invalid_request'],
  [
    'no client_id',
    { grant_type: 'client_credentials', client_secret: 'demo-secret' },
    400,
    'invalid_request',
  ],
  ['no client_secret', { grant_type: 'client_credentials', client_id: 'demo' }, 400, 'invalid_request'],
  ['an empty client_secret', { ...whole, client_secret: '' }, 400, 'invalid_request'],
  ['no fields', {}, 400, 'invalid_request'],
] as const)
  test(`a form with ${what} is refused with ${status} ${error}`, async () => {
    const answer = await obtain(new URLSearchParams(fields).toString());
    expect(answer).toMatchObject({ status, body: { error } });
    expect(answer.body).not.toHaveProperty('token');
  });

test('a repeated field is refused with 400', async () => {
  const answer = await obtain(`${new URLSearchParams(whole)}&client_id=demo`);
  expect(answer).toMatchObject({ status: 400, body: { error: 'invalid_request' } });
});

for (const contentType of ['application/json', 'text/plain', 'garbage', undefined])
  test(`a form sent as ${contentType} is refused with 415`, async () => {
    const headers = contentType ? { 'content-type': contentType } : {};
    expect(await obtain(new URLSearchParams(whole).toString(), headers)).toMatchObject({ status: 415 });
  });

test('a chunked form is served, and refused with 415 as another type', async () => {
  const chunked = () => chunks([new URLSearchParams(whole).toString()]);
  expect(await obtain(chunked())).toMatchObject({ status: 200 });
  expect(await obtain(chunked(), { 'content-type': 'text/plain' })).toMatchObject({ status: 415 });
});

test('without JSON in the accept header every operation answers 406, and no token leaves', async () => {
  const accept = 'text/html';
  const refused = { status: 406, body: { error: 'invalid_request' } };
  const answer = await obtain(undefined, { 'content-type': FORM, accept });
  expect(answer).toMatchObject(refused);
  expect(answer.body).not.toHaveProperty('token');
  expect(await read({ authorization: await bearer(), accept })).toMatchObject(refused);
  expect(await send('/health/', { headers: { accept } })).toMatchObject(refused);
});

test('a valid token opens the data until it expires, and is answered with 403 from then on', async () => {
  const authorization = await bearer();
  now = 899_999;
  expect(await read({ authorization })).toMatchObject({ status: 200, body: { ods_data: [] } });
  now = 900_000;
  expect(await read({ authorization })).toMatchObject({ status: 403, body: { error: 'invalid_token' } });
  expect(await read({ authorization: await bearer() })).toMatchObject({ status: 200 });
});

test('the scheme is compared without case', async () => {
  expect(await read({ authorization: (await bearer()).replace('Bearer', 'bEARER') })).toMatchObject({
    status: 200,
  });
});

for (const [what, headers, text] of [
  ['no token', {}, 'Send the header Authorization'],
  ['a malformed Authorization', { authorization: 'Basic eDp5' }, 'is not of the form'],
  ['an unknown token', { authorization: 'Bearer nobody' }, 'did not issue the token'],
  [
    'an unknown token, and no JSON accepted',
    { authorization: 'Bearer nobody', accept: 'x/y' },
    'did not issue',
  ],
] as const)
  test(`data with ${what} is refused with 401 and a challenge`, async () => {
    const answer = await read(headers);
    expect(answer).toMatchObject({ status: 401, headers: { 'www-authenticate': 'Bearer' } });
    expect(answer.body.error_description).toContain(text);
  });

test('health answers without a token, and ignores one', async () => {
  expect(await send('/health/')).toMatchObject({ status: 200, body: { status: 'ok' } });
  expect(await send('/health/', { headers: { authorization: 'Bearer nobody' } })).toMatchObject({
    status: 200,
  });
});

test('HEAD has the status and the headers of GET, and no body', async () => {
  for (const authorization of [await bearer(), 'malformed']) {
    const headers = { authorization };
    const get = await send('/ods_data/', { headers });
    expect(await send('/ods_data/', { headers, method: 'HEAD' })).toEqual({ ...get, body: {} });
  }
});

test('an unknown path is answered with 404 and the nearest path', async () => {
  const answer = await send('/ods_data?token=hidden');
  expect(answer).toMatchObject({ status: 404, body: { error: 'not_found' } });
  expect(answer.headers['content-type']).toBe('application/json');
  expect(answer.body.error_description).toBe(
    'There is nothing at /ods_data. The nearest path is /ods_data/.',
  );
});

test('a wrong method is answered with 405 and the right ones', async () => {
  expect(await send('/token/')).toMatchObject({ status: 405, headers: { allow: 'POST' } });
  expect(await send('/health/', { method: 'POST' })).toMatchObject({
    status: 405,
    headers: { allow: 'GET, HEAD' },
  });
  expect(await send('/token/', { method: 'OPTIONS' })).toMatchObject({ status: 405 });
});

test('a query plays no part in finding the operation', async () => {
  expect(await send('/health/?page=2&page=%zz')).toMatchObject({ status: 200 });
});

test('an internal exception is answered with 500 and a sentence, and reported to the operator', async () => {
  const authorization = await bearer();
  now = -1;
  const answer = await read({ authorization });
  expect(answer).toMatchObject({ status: 500, body: { error: 'server_error' } });
  expect(JSON.stringify(answer)).not.toMatch(/clock|\.ts|at /);
  expect(faults).toEqual([expect.objectContaining({ message: 'the clock failed' })]);
  now = 0;
  expect(await read({ authorization })).toMatchObject({ status: 200 });
});

test('outside the base path nothing is served, and the nearest path has it', async () => {
  await using based = await startMock({ basePath: '/api/v1/' });
  expect(based.url).toMatch(/:\d+\/api\/v1$/);
  expect(await send('/health/', {}, based.url)).toMatchObject({ status: 200 });
  const outside = await send('/ods_data/', {}, new URL(based.url).origin);
  expect(outside).toMatchObject({ status: 404 });
  expect(outside.body.error_description).toContain('The nearest path is /api/v1/ods_data/.');
});

test('an idle connection stays open for longer than clients pause between two reads', async () => {
  const answer = await request(`${mock.url}/ods_data/`);
  await answer.body.dump();
  expect(answer.headers['keep-alive']).toBe('timeout=75');
});

type Options = {
  method?: Dispatcher.HttpMethod;
  headers?: Record<string, string>;
  body?: string | AsyncIterable<Buffer>;
};

async function send(path: string, { method = 'GET', headers = {}, body }: Options = {}, url = mock.url) {
  const options = { method, headers, ...(body !== undefined && { body: body as string }) };
  const answer = await request(url + path, options);
  const text = await answer.body.text();
  const { date: _, connection: __, 'keep-alive': ___, ...headersOfMock } = answer.headers;
  return {
    status: answer.statusCode,
    headers: headersOfMock,
    body: JSON.parse(text || '{}') as Record<string, unknown>,
  };
}

const obtain = (
  body: Options['body'] = new URLSearchParams(whole).toString(),
  headers: Record<string, string> = { 'content-type': FORM },
) => send('/token/', { method: 'POST', headers, body });

const read = (headers: Record<string, string>) => send('/ods_data/', { headers });

const bearer = async () => `Bearer ${(await obtain()).body.token}`;

async function* chunks(texts: string[]) {
  for (const text of texts) yield Buffer.from(text);
}

function failing(): never {
  throw new Error('the clock failed');
}
