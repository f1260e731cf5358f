import { expect, _baseTest as test } from '@playwright/test';
import { ask, KEY, obtainToken, START, statusOf } from '../../mocks/testing/described.ts';
import { type MockOptions, startMock } from '../index.ts';

const start = (options: MockOptions = {}) =>
  startMock({ controlKey: KEY, clock: 'frozen', now: () => START, ...options });

const path = '/__mock/certificate?client=demo';

test('the control API returns the same certificate as the mock in process', async () => {
  await using mock = await start();
  const token = await obtainToken(mock);
  for (let n = 0; n < 3; n++) await statusOf(mock, token);
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

test('a client that never called has a certificate that says so', async () => {
  await using mock = await start();
  expect(await ask(mock, path)).toMatchObject({
    status: 200,
    body: { outcome: 'incomplete', strategy: 'none', scenarios: [{ state: 'silent' }] },
  });
});

test('processes that share an id may have a token each', async () => {
  await using mock = await start();
  const tokens = [await obtainToken(mock), await obtainToken(mock)];
  for (const token of [...tokens, ...tokens]) await statusOf(mock, token);
  const reuse = async (query: string) => {
    const { body } = await ask(mock, `${path}${query}`);
    return (body as { rules: { id: string; verdict: string }[] }).rules.find(({ id }) => id === 'token-reuse')
      ?.verdict;
  };
  expect([await reuse(''), await reuse('&processes=1'), await reuse('&processes=2')]).toEqual([
    ...['failed', 'failed', 'passed'],
  ]);
});

for (const [what, query, status, sentence] of [
  ['nobody', '', 400, /name the client, as in \?client=demo/],
  ['a client that is none', '?client=nobody', 404, /there is no client "nobody"/],
  ['no processes', '?client=demo&processes=0', 400, /a whole number from 1 to 999/],
  ['half a process', '?client=demo&processes=1.5', 400, /a whole number from 1 to 999/],
  ['something else', '?client=demo&since=3', 400, /"since" is not a parameter/],
] as const)
  test(`the certificate of ${what} is refused with a sentence`, async () => {
    await using mock = await start();
    expect(await ask(mock, `/__mock/certificate${query}`)).toMatchObject({
      status,
      body: { error_description: expect.stringMatching(sentence) },
    });
  });

test('without the key there is no certificate', async () => {
  await using mock = await start();
  expect(await ask(mock, path, { headers: { authorization: '' } })).toMatchObject({ status: 401 });
});
