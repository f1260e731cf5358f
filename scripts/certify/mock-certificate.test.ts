/** The certificate of a mock: a test suite asks how its own client did, in process or through the control API. */
import { expect, test } from 'vitest';
import { ask, KEY, obtainToken, START, statusOf } from '../../mocks/testing/described.ts';
import { type Certificate, type Mock, MockError, type MockOptions, startMock } from '../mock/index.ts';

const client = { id: 'demo', secret: 'demo-secret' };
const start = (more: MockOptions = {}) => startMock({ clients: [client], ...more });

const verdict = ({ rules }: Certificate, rule: string) => rules.find(({ id }) => id === rule)?.verdict;
const broken = ({ rules }: Certificate) =>
  rules.filter(({ findings }) => findings.length > 0).map(({ id }) => id);

async function read(mock: Mock, token: string, times: number): Promise<void> {
  for (let nth = 0; nth < times; nth++) await statusOf(mock, token);
}

for (const clock of ['real', 'frozen'] as const)
  test(`a client that renews when its token has expired is conformant, on a ${clock} clock`, async () => {
    await using mock = await start({ clock });
    const token = await obtainToken(mock);
    await read(mock, token, 4);
    // A token that was asked for as late as the first read would live for as much longer.
    mock.clock.advanceToExpiry('demo', '1s');
    expect(await statusOf(mock, token)).toBe(403);
    await read(mock, await obtainToken(mock), 3);
    const certificate = mock.certificate('demo');
    expect(broken(certificate)).toEqual([]);
    expect(certificate).toMatchObject({
      outcome: 'conformant',
      strategy: 'reactive',
      tokens: { asked: 2, needed: 2 },
      scenarios: [{ name: 'journal', state: 'seen', agreedLifetimeSeconds: 900, callCount: 10 }],
    });
  });

test('a client that never called is incomplete, and an unknown one is an error', async () => {
  await using mock = await start();
  expect(mock.certificate('demo')).toMatchObject({
    ...{ outcome: 'incomplete', strategy: 'none' },
    scenarios: [{ state: 'silent' }],
  });
  expect(() => mock.certificate('missing')).toThrow(MockError);
  expect(() => mock.traffic('missing')).toThrow(MockError);
});

const controlled = () => startMock({ controlKey: KEY, clock: 'frozen', now: () => START });
const path = '/__mock/certificate?client=demo';

test('the control API returns the same certificate as the mock in process, and no secret', async () => {
  await using mock = await controlled();
  const token = await obtainToken(mock);
  await read(mock, token, 3);
  const { status, body } = await ask(mock, path);
  expect(status).toBe(200);
  expect(body).toMatchObject({
    tokens: { asked: 1, needed: 1 },
    scenarios: [{ name: 'journal', callCount: 4 }],
  });
  const own = JSON.parse(JSON.stringify(mock.certificate('demo')));
  const { durationMs: _, ...scenario } = own.scenarios[0];
  expect(body).toMatchObject({ ...own, scenarios: [scenario] }); // real time goes on
  expect(JSON.stringify(body)).not.toMatch(new RegExp(`demo-secret|${token}`));
});

test('processes that share an id may have a token each, where that is said', async () => {
  await using mock = await controlled();
  const tokens = [await obtainToken(mock), await obtainToken(mock)];
  for (const token of [...tokens, ...tokens]) await read(mock, token, 1);
  const reuse = async (query: string) =>
    verdict((await ask(mock, `${path}${query}`)).body as unknown as Certificate, 'token-reuse');
  expect([await reuse(''), await reuse('&processes=1'), await reuse('&processes=2')]).toEqual([
    ...['failed', 'failed', 'passed'],
  ]);
  expect(verdict(mock.certificate('demo', { processes: 2 }), 'token-reuse')).toBe('passed');
});

test('the control API refuses a certificate with a sentence, and without the key', async () => {
  await using mock = await controlled();
  for (const [query, status, sentence] of [
    ['', 400, /The query has no "client"/],
    ['?client=missing', 404, /There is no client "missing"/],
    ['?client=demo&processes=0', 400, /processes is 0\. Use 1 or more/],
    ['?client=demo&processes=1.5', 400, /processes/],
    ['?client=demo&since=3', 400, /"since", which has no meaning there/],
  ] as const)
    expect(await ask(mock, `/__mock/certificate${query}`), query).toMatchObject({
      status,
      body: { error_description: expect.stringMatching(sentence) },
    });
  expect(await ask(mock, path, { headers: { authorization: '' } })).toMatchObject({ status: 401 });
});
