import { request } from 'undici';
import { expect, test } from 'vitest';
import { type Mock, MockError, type MockOptions, startMock } from './index.ts';

const clients = [
  { id: 'acme', secret: 'x' },
  { id: 'other', secret: 'y', tokenLifetime: 60 },
];
const start = (more: MockOptions = {}) => startMock({ clients, clock: 'frozen', seed: 'a seed', ...more });

async function obtain(mock: Mock, id = 'acme'): Promise<string> {
  const secret = mock.client(id).secret;
  const body = `grant_type=client_credentials&client_id=${id}&client_secret=${secret}`;
  const headers = { 'content-type': 'application/x-www-form-urlencoded' };
  const answer = await request(`${mock.url}/token/`, { method: 'POST', headers, body });
  return ((await answer.body.json()) as { token: string }).token;
}
async function read(mock: Mock, token: string, method: 'GET' | 'HEAD' = 'GET'): Promise<number> {
  const headers = { authorization: `Bearer ${token}` };
  const answer = await request(`${mock.url}/ods_data/`, { method, headers });
  await answer.body.dump();
  return answer.statusCode;
}

for (const filter of [
  { reason: 'expierd' },
  { resaon: 'expired' },
  { client: 'acmee' },
  { token: 'acmee#1' },
  { token: 'acme' },
])
  test(`the journal refuses the filter ${JSON.stringify(filter)}, which no call can match`, async () => {
    await using mock = await start();
    const [name] = Object.keys(filter);
    expect(() => mock.journal(filter as object)).toThrow(MockError);
    expect(() => mock.journal(filter as object)).toThrow(new RegExp(`${name}|"acmee"`));
  });

test('a listener that fails is reported to the operator, and its exchange is still answered', async () => {
  const faults: unknown[] = [];
  await using mock = await start({ onFault: (error) => faults.push(error) });
  mock.onExchange(() => {
    throw new Error('the listener failed');
  });
  expect(await read(mock, await obtain(mock))).toBe(200);
  expect(faults).toMatchObject([{ message: 'the listener failed' }, { message: 'the listener failed' }]);
  expect(mock.journal().length).toBe(2);
});

test('a script counts reads and no HEAD, and may begin with a token that was used before', async () => {
  await using mock = await start();
  const [first, second] = [await obtain(mock), await obtain(mock)];
  mock.client('acme').script([{ from: 2, reused: true, times: 1, do: { answer: { status: 403 } } }]);
  expect([await read(mock, first, 'HEAD'), await read(mock, first, 'HEAD')]).toEqual([200, 200]);
  expect([await read(mock, first), await read(mock, second)]).toEqual([200, 200]);
  expect([await read(mock, second, 'HEAD'), await read(mock, second)]).toEqual([200, 403]);
  expect(await read(mock, second)).toBe(200);
});
