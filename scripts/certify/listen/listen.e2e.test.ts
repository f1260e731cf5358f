/** Clients that are started apart from the examination, in this process: one mock for all scenarios. */
import { expect, _baseTest as test } from '@playwright/test';
import type { ClientEnvironment, Parts, RunningClient } from '../../../tests/client/corpus/client.ts';
import { proactive } from '../../../tests/client/corpus/parts.ts';
import { runClient } from '../../../tests/client/corpus/run-client.ts';
import type { Examination } from '../../../tests/client/examination.ts';
import { certificateOf, type ScenarioRun } from '../../../tests/client/judge.ts';
import { type Mock, startMock } from '../../index.ts';
import { scenarios } from '../scenario-catalogue.ts';
import { type ListenOptions, listen } from './listen.ts';

test.describe.configure({ timeout: 120_000 });

const AGREED = 3;
const SECRET = 'hush-hush-hush';

const named = (...names: string[]) => scenarios.filter(({ name }) => names.includes(name));

interface Stage extends AsyncDisposable {
  mock: Mock;
  run(behaviour?: Partial<Parts>, env?: Partial<ClientEnvironment>): RunningClient;
  listen(more: Partial<ListenOptions>): Promise<ScenarioRun[]>;
}

async function stage(agreedSeconds = AGREED): Promise<Stage> {
  const mock = await startMock({ clients: [{ id: 'demo', secret: SECRET, tokenLifetime: agreedSeconds }] });
  const clients: RunningClient[] = [];
  return {
    mock,
    run(behaviour = {}, env = {}) {
      const own = { baseUrl: mock.url, clientId: 'demo', clientSecret: SECRET, pollSeconds: 0.2 };
      const client = runClient({ ...own, tokenLifetimeSeconds: agreedSeconds, ...env }, behaviour);
      clients.push(client);
      return client;
    },
    listen: (more) => listen({ mock, client: 'demo', agreedSeconds, scenarios, ...more }),
    async [Symbol.asyncDispose]() {
      await Promise.all(clients.map((client) => client.stop()));
      await mock.close();
    },
  };
}

const statesOf = (played: ScenarioRun[]) =>
  Object.fromEntries(played.map(({ traffic, state }) => [traffic.name, state]));
const brokenIn = (played: ScenarioRun[]) =>
  certificateOf(played).rules.flatMap(({ id, findings }) => (findings.length > 0 ? [id] : []));

const MOST = ['steady', 'expires', 'shorter-than-agreed', 'ended-early'];

/** Examinations that are only looked at when they are over: they run side by side. */
const examinations = {
  reactive: () => examined(AGREED, MOST, {}),
  proactive: () => examined(AGREED, MOST, proactive),
  'never renews': () =>
    examined(2, ['steady', 'expires', 'ended-early', 'token-down'], { refused: async () => true }, 0.1),
  wasteful: () => examined(AGREED, ['steady', 'data-reset'], { choose: (client) => client.ask() }),
};
const results = new Map<string, Result>();

interface Result {
  runs: ScenarioRun[];
  validTokens: number;
}

test.beforeAll(async () => {
  test.setTimeout(120_000);
  await Promise.all(
    Object.entries(examinations).map(async ([name, start]) => results.set(name, await start())),
  );
});

async function examined(
  agreedSeconds: number,
  names: string[],
  behaviour: Partial<Parts>,
  pollSeconds = 0.2,
): Promise<Result> {
  await using on = await stage(agreedSeconds);
  on.run(behaviour, { pollSeconds });
  const runs = await on.listen({ scenarios: named(...names) });
  const tokens = on.mock.client('demo').tokens();
  return { runs, validTokens: tokens.filter(({ standing }) => standing === 'valid').length };
}

const resultOf = (name: keyof typeof examinations) => results.get(name) as Result;

for (const strategy of ['reactive', 'proactive'] as const)
  test(`a ${strategy} client is led through all scenarios and recognised`, () => {
    const { runs } = resultOf(strategy);
    expect(statesOf(runs)).toEqual(Object.fromEntries(MOST.map((name) => [name, 'seen'])));
    expect(brokenIn(runs)).toEqual([]);
    expect(certificateOf(runs)).toMatchObject({ outcome: 'conformant', strategy });
    const [steady, expires, shorter] = runs.map(({ traffic }) => traffic);
    expect(steady?.lives).toHaveLength(1);
    expect(expires?.lives[0]?.issuedMs).toBeLessThan(0); // it came with its token
    expect(shorter).toMatchObject({ agreedSeconds: AGREED, lifetimesSeconds: [1] });
    for (const { issuedMs, expiresMs } of shorter?.lives ?? []) expect(expiresMs - issuedMs).toBe(1000);
  });

test('a client that never renews fails, and each scenario ends', () => {
  const { runs } = resultOf('never renews');
  expect(Object.values(statesOf(runs))).toEqual(['seen', 'seen', 'seen', 'seen']);
  expect(certificateOf(runs)).toMatchObject({ outcome: 'nonconformant' });
  expect(brokenIn(runs)).toContain('renewal');
});

test('a client that asks for a token for each read is wasteful in each scenario', () => {
  const { runs, validTokens } = resultOf('wasteful');
  const reuse = certificateOf(runs).rules.find(({ id }) => id === 'token-reuse');
  expect(reuse?.findings.map(({ scenario }) => scenario)).toEqual(['steady', 'data-reset']);
  expect(validTokens).toBeGreaterThan(1);
});

test('attempts with a wrong secret before the right one are not judged', async () => {
  await using on = await stage();
  const stop = new AbortController();
  const told: string[] = [];
  const listening = on.listen({
    scenarios: named('steady', 'expires'),
    signal: stop.signal,
    onStatus: ({ traffic }) => told.push(...traffic.calls.map(({ reason }) => reason)),
  });
  const wrong = on.run({}, { clientSecret: 'another' });
  await expect.poll(() => told).toContain('wrong-credentials');
  await wrong.stop();
  on.run();
  const played = await listening;
  expect(brokenIn(played)).toEqual([]);
  expect(played[0]?.traffic.calls.map(({ reason }) => reason)).not.toContain('wrong-credentials');
});

test('a client whose secret stays wrong is judged by its calls', async () => {
  await using on = await stage();
  on.run({}, { clientSecret: 'another' });
  const played = await on.listen({ deadlineSeconds: 1, scenarios: named('steady', 'expires') });
  expect(statesOf(played)).toEqual({ steady: 'deadline', expires: 'skipped' });
  expect(brokenIn(played)).toEqual(['form-fields']);
});

test('an interrupted examination keeps what was seen and skips the rest', async () => {
  await using on = await stage(60);
  const stop = new AbortController();
  on.run();
  const examinations: Examination[] = [];
  const listening = on.listen({
    scenarios: named('steady', 'expires', 'data-reset'),
    signal: stop.signal,
    onScenarioEnd: (_, examination) => examinations.push(examination),
  });
  await expect.poll(() => examinations.length, { timeout: 20_000 }).toBe(1);
  expect(examinations[0]?.progress()).toMatchObject({
    client: 'demo',
    scenario: 'expires',
    left: ['data-reset'],
    done: [{ name: 'steady', state: 'seen' }],
    waitsFor: 'the end of a token, and two reads after it',
  });
  const called = () => on.mock.certificate('demo').scenarios.map(({ callCount }) => callCount > 0);
  await expect.poll(called).toEqual([true, true, false]);
  stop.abort();
  const played = await listening;
  expect(statesOf(played)).toEqual({ steady: 'seen', expires: 'deadline', 'data-reset': 'skipped' });
  expect(on.mock.certificate('demo').scenarios.map(({ name }) => name)).toEqual(['journal']);
});

test('a client that never calls is silent', async () => {
  await using on = await stage();
  const played = await on.listen({ deadlineSeconds: 0.2, scenarios: named('steady', 'expires') });
  expect(statesOf(played)).toEqual({ steady: 'silent', expires: 'silent' });
  expect(certificateOf(played).outcome).toBe('incomplete');
});
