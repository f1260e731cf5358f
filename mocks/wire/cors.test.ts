import { expect, _baseTest as test } from '@playwright/test';
import { request } from 'undici';
import { type MockOptions, startMock } from '../index.ts';

const page = { origin: 'https://page.example' };
const preflight = {
  ...page,
  'access-control-request-method': 'GET',
  'access-control-request-headers': 'accept,authorization',
};

async function ask(
  path: string,
  { method = 'GET', headers = {}, ...options }: MockOptions & { method?: string; headers?: object },
) {
  await using mock = await startMock(options);
  const sent = { method: method as 'GET', headers: { accept: 'application/json', ...headers } };
  const { statusCode, headers: answered, body } = await request(mock.url + path, sent);
  await body.dump();
  const cors = Object.entries(answered).filter(([name]) => name.startsWith('access-control-'));
  return {
    status: statusCode,
    cors: Object.fromEntries(cors),
    reasons: mock.journal().map((one) => one.reason),
  };
}

test('a page of another origin may read every answer of the API', async () => {
  const cors = { 'access-control-allow-origin': '*', 'access-control-expose-headers': '*' };
  expect(await ask('/health/', { headers: page })).toMatchObject({ status: 200, cors });
  expect(await ask('/ods_data/', { headers: page })).toMatchObject({ status: 401, cors });
  expect(await ask('/nothing', { headers: page })).toMatchObject({ status: 404, cors });
});

test('a preflight request is answered with what a page may send', async () => {
  expect(await ask('/ods_data/', { method: 'OPTIONS', headers: preflight })).toEqual({
    status: 204,
    cors: {
      'access-control-allow-origin': '*',
      'access-control-expose-headers': '*',
      'access-control-allow-methods': 'GET, HEAD',
      'access-control-allow-headers': 'accept,authorization',
      'access-control-max-age': '600',
    },
    reasons: ['preflight'],
  });
});

test('a preflight request that asks for an impossible header gets no header', async () => {
  const headers = { ...preflight, 'access-control-request-headers': 'a;b' };
  const { cors } = await ask('/ods_data/', { method: 'OPTIONS', headers });
  expect(cors).not.toHaveProperty('access-control-allow-headers');
});

test('a reply with a header of its own gets no second one', async () => {
  const { cors } = await ask('/ods_data/', { variant: 'open-cors', method: 'OPTIONS', headers: preflight });
  expect(cors['access-control-allow-origin']).toBe('*');
});

test('a request that does not come from a page has no header of CORS', async () => {
  expect(await ask('/health/', {})).toEqual({ status: 200, cors: {}, reasons: ['healthy'] });
  const asked = await ask('/health/', { method: 'OPTIONS' });
  expect(asked).toEqual({ status: 405, cors: {}, reasons: ['no-method'] });
});

test('with cors: false, no page of another origin may call the API', async () => {
  const off = { cors: false };
  const read = await ask('/health/', { ...off, headers: page });
  expect(read).toEqual({ status: 200, cors: {}, reasons: ['healthy'] });
  const asked = await ask('/ods_data/', { ...off, method: 'OPTIONS', headers: preflight });
  expect(asked).toEqual({ status: 405, cors: {}, reasons: ['no-method'] });
});

test('the control API is never open to pages of other origins', async () => {
  expect(await ask('/__mock/clock', { headers: page })).toEqual({ status: 403, cors: {}, reasons: [] });
  const asked = await ask('/__mock/clock', { method: 'OPTIONS', headers: preflight });
  expect(asked.cors).toEqual({});
});
