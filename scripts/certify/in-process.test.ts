/** `mock.certificate()`: a test suite asks how its own client did. */
import { expect, _baseTest as test } from '@playwright/test';
import { request } from 'undici';
import { type Certificate, type Mock, MockError, type MockOptions, startMock } from '../index.ts';

const accept = 'application/json';
const start = (more: MockOptions = {}) => startMock({ clients: [{ id: 'acme', secret: 's3cret' }], ...more });

async function obtain(mock: Mock): Promise<string> {
  const body = 'grant_type=client_credentials&client_id=acme&client_secret=s3cret';
  const headers = { accept, 'content-type': 'application/x-www-form-urlencoded' };
  const answer = await request(`${mock.url}/token/`, { method: 'POST', headers, body });
  return ((await answer.body.json()) as { token: string }).token;
}
async function read(mock: Mock, token: string): Promise<number> {
  const answer = await request(`${mock.url}/ods_data/`, {
    headers: { accept, authorization: `Bearer ${token}` },
  });
  await answer.body.dump();
  return answer.statusCode;
}
const verdict = ({ rules }: Certificate, rule: string) => rules.find(({ id }) => id === rule)?.verdict;
const broken = ({ rules }: Certificate) =>
  rules.filter(({ findings }) => findings.length > 0).map(({ id }) => id);

for (const clock of ['real', 'frozen'] as const)
  test(`a client that renews when its token has expired is conformant, on a ${clock} clock`, async () => {
    await using mock = await start({ clock });
    const token = await obtain(mock);
    for (let nth = 0; nth < 4; nth++) await read(mock, token);
    // A token that was asked for as late as the first read would live for as much longer.
    mock.clock.advanceToExpiry('acme', '1s');
    expect(await read(mock, token)).toBe(403);
    const next = await obtain(mock);
    for (let nth = 0; nth < 3; nth++) await read(mock, next);
    const certificate = mock.certificate('acme');
    expect(broken(certificate)).toEqual([]);
    expect(certificate).toMatchObject({
      outcome: 'conformant',
      strategy: 'reactive',
      tokens: { asked: 2, needed: 2 },
      scenarios: [{ name: 'journal', state: 'seen', agreedLifetimeSeconds: 900, callCount: 10 }],
    });
  });

test('a client that renews just before the expiry has no needless token', async () => {
  await using mock = await start({ clock: 'frozen' });
  const token = await obtain(mock);
  for (let nth = 0; nth < 4; nth++) await read(mock, token);
  mock.clock.advanceToExpiry('acme', '-30s');
  const next = await obtain(mock);
  for (let nth = 0; nth < 4; nth++) await read(mock, next);
  const certificate = mock.certificate('acme');
  expect(broken(certificate)).toEqual([]);
  expect(certificate).toMatchObject({ outcome: 'conformant', strategy: 'proactive', marginSeconds: 30 });
});

test('a client that sends the dead token again fails', async () => {
  await using mock = await start({ clock: 'frozen' });
  const token = await obtain(mock);
  for (let nth = 0; nth < 3; nth++) await read(mock, token);
  mock.clock.advanceToExpiry('acme');
  expect([await read(mock, token), await read(mock, token)]).toEqual([403, 403]);
  await read(mock, await obtain(mock));
  const certificate = mock.certificate('acme');
  expect([certificate.outcome, broken(certificate)]).toEqual(['nonconformant', ['renewal']]);
});

test('a token for each call is found, with how many would have done', async () => {
  await using mock = await start();
  for (let nth = 0; nth < 4; nth++) await read(mock, await obtain(mock));
  const certificate = mock.certificate('acme');
  expect(certificate).toMatchObject({ outcome: 'nonconformant', tokens: { asked: 4, needed: 1 } });
  expect(verdict(certificate, 'token-reuse')).toBe('failed');
});

test('two processes may each have a token where that is said', async () => {
  await using mock = await start();
  const tokens = [await obtain(mock), await obtain(mock)];
  for (const token of [...tokens, ...tokens]) await read(mock, token);
  expect(verdict(mock.certificate('acme'), 'token-reuse')).toBe('failed');
  expect(verdict(mock.certificate('acme', { processes: 2 }), 'token-reuse')).toBe('passed');
});

test('a client that never called is incomplete, and an unknown one is an error', async () => {
  await using mock = await start();
  expect(mock.certificate('acme')).toMatchObject({ outcome: 'incomplete', scenarios: [{ state: 'silent' }] });
  expect(() => mock.certificate('nobody')).toThrow(MockError);
  expect(() => mock.traffic('nobody')).toThrow(MockError);
});

test('traffic is returned from a given number on, and starts again after a reset', async () => {
  await using mock = await start();
  const token = await obtain(mock);
  for (let nth = 0; nth < 2; nth++) await read(mock, token);
  expect(mock.traffic('acme').calls.map(({ kind }) => kind)).toEqual(['token', 'data', 'data']);
  expect(mock.traffic('acme', 2).calls.map(({ kind }) => kind)).toEqual(['data']);
  mock.reset();
  expect(mock.traffic('acme')).toMatchObject({ calls: [], lost: 0 });
  expect(mock.certificate('acme').outcome).toBe('incomplete');
});

test('a read whose connection was reset is a call of the client, in its place', async () => {
  await using mock = await start();
  const token = await obtain(mock);
  mock.client('acme').script([{ nth: 2, do: { reset: true } }]);
  await read(mock, token);
  await expect(read(mock, token)).rejects.toThrow();
  await read(mock, token);
  expect(mock.traffic('acme').calls.map(({ id, kind, ended }) => [id, kind, ended])).toEqual([
    [1, 'token', undefined],
    [2, 'data', undefined],
    [3, 'data', 'reset'],
    [4, 'data', undefined],
  ]);
  expect(broken(mock.certificate('acme'))).toEqual([]);
});

test('a number of processes that cannot be is refused', async () => {
  await using mock = await start();
  for (const processes of [0, -1, 1.5, Number.NaN, 1000])
    expect(() => mock.certificate('acme', { processes }), String(processes)).toThrow(
      /whole number from 1 to 999/,
    );
});

test('a token is shown by its name, and other text has no name', async () => {
  await using mock = await start();
  expect(mock.tokenName(await obtain(mock))).toBe('acme#1');
  expect(mock.tokenName('nobody')).toBeUndefined();
});
