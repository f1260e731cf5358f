/** Mocks that share a token key, in process: what one issues, the others judge; what only one could know is refused. */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { type Mock, MockError, type MockOptions, startMock } from './index.ts';
import { ask, KEY, obtainToken, START, statusOf } from './testing/described.ts';

const TOKEN_KEY = 'a token key of the test, which is long enough';
const replica = (more: MockOptions = {}): Promise<Mock> =>
  startMock({ tokenKey: TOKEN_KEY, controlKey: KEY, ...more });

test('a token is accepted and expired by every replica, and by one that was started later', async () => {
  let now = START;
  const options = { now: () => now, tokenLifetime: 60 };
  await using one = await replica(options);
  await using other = await replica(options);
  const token = await obtainToken(one);
  expect([await statusOf(one, token), await statusOf(other, token)]).toEqual([200, 200]);
  now += 60_000;
  await using later = await replica(options);
  expect([await statusOf(one, token), await statusOf(other, token)]).toEqual([403, 403]);
  expect(await statusOf(later, token)).toBe(403);
  expect(await statusOf(later, await obtainToken(other))).toBe(200);
});

/** What each operation of the control API is answered with where the mock is a replica. */
const SERVED = ['GET /__mock/health'];
const { paths } = parse(
  readFileSync(fileURLToPath(import.meta.resolve('mrs-contract/control.openapi.yaml')), 'utf8'),
);
const OPERATIONS = Object.entries(paths as Record<string, object>).flatMap(([path, methods]) =>
  ['get', 'put', 'post', 'delete']
    .filter((method) => method in methods)
    .map((method) => `${method.toUpperCase()} ${path}`),
);

test('every operation of the control API that only one replica could carry out is refused with 409', async () => {
  await using mock = await replica();
  const served: string[] = [];
  for (const operation of OPERATIONS) {
    const [method = '', path = ''] = operation.split(' ');
    const answer = await ask(mock, path.replace(/\{\w+\}/, 'demo'), { method });
    if (answer.status < 300) served.push(operation);
    else
      expect([operation, answer.status, answer.body]).toEqual([
        operation,
        409,
        {
          error: 'conflict',
          error_description: expect.stringMatching(
            /^Several replicas may serve this address, and what it knows would be of only one of them: start one mock without a token key for this\.$/,
          ),
        },
      ]);
  }
  expect(served.sort()).toEqual(SERVED.sort());
});

test('the page of a replica is refused, and without the key of the control API a refusal says nothing else', async () => {
  await using mock = await replica();
  expect((await ask(mock, '/__mock/page.js')).status).toBe(409);
  expect(await ask(mock, '/__mock/journal', { headers: { authorization: '' } })).toMatchObject({
    status: 401,
  });
});

for (const [what, options] of [
  ['the option scenarios', { scenarios: true }],
  ['the option defect', { defect: 'never-expires' }],
  ['the option variant', { variant: 'token-4-kib' }],
  ['the option clock', { clock: 'frozen' }],
  ['the option startsAt', { startsAt: '2030-01-01T00:00:00Z' }],
  ['the script of the client "a"', { clients: [{ id: 'a', secret: 'x', script: [{ do: { delay: 1 } }] }] }],
  ['the token lifetimes of the client "a"', { clients: [{ id: 'a', secret: 'x', tokenLifetime: [1, 2] }] }],
  ['no tokens that replicas could share', { profile: 'static-feed' }],
] as const satisfies [string, MockOptions][])
  test(`a token key is refused together with what only one replica has: ${what}`, async () => {
    const started = replica(options as MockOptions);
    await expect(started).rejects.toThrow(MockError);
    await expect(started).rejects.toThrow(what);
  });

test('a test in the same process reads clients and clock of a replica, and ends no token', async () => {
  await using mock = await replica();
  const client = mock.client('demo');
  expect(mock.clients).toMatchObject([{ id: 'demo', secret: 'demo-secret', tokenLifetimesSeconds: [900] }]);
  expect(mock.clock.mode).toBe('real');
  const heard: string[] = [];
  mock.onExchange(({ reason }) => heard.push(reason));
  const given: string[][] = [];
  mock.onToken((value, name) => given.push([value, name]));
  const token = await obtainToken(mock);
  expect(heard).toEqual(['issued']);
  expect(given).toEqual([[token, expect.stringMatching(/^demo#\d+$/)]]);
  for (const refused of [
    () => mock.addClient({ id: 'b', secret: 'y', script: [{ do: { delay: 1 } }] }),
    () => mock.clock.advanceToExpiry('demo'),
    () => client.expire(),
    () => client.revoke(),
  ])
    expect(refused, String(refused)).toThrow(MockError);
  expect(await statusOf(mock, token)).toBe(200);
});
