/** Clients that come by themselves, in this process: one mock for all scenarios. */
import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from '@playwright/test';
import {
  type ClientEnvironment,
  type Parts,
  type RunningClient,
  runClient,
} from '../../../tests/client/corpus/client.ts';
import { proactive } from '../../../tests/client/corpus/parts.ts';
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

for (const [strategy, behaviour, broken] of [
  ['reactive', {}, []],
  ['proactive', proactive, ['early-end']],
] as const)
  test(`a client that is ${strategy} is led through, and found so`, async () => {
    await using on = await stage();
    on.run(behaviour);
    const played = await on.listen({ scenarios: named(...MOST) });
    expect(statesOf(played)).toEqual(Object.fromEntries(MOST.map((name) => [name, 'seen'])));
    expect(brokenIn(played)).toEqual(broken);
    expect(certificateOf(played)).toMatchObject({ outcome: 'conformant', strategy });
    const [steady, expires, shorter] = played.map(({ traffic }) => traffic);
    expect(steady?.lives).toHaveLength(1);
    expect(expires?.lives[0]?.issuedMs).toBeLessThan(0); // it came with its token
    expect(shorter).toMatchObject({ agreedSeconds: AGREED, lifetimesSeconds: [1] });
    for (const { issuedMs, expiresMs } of shorter?.lives ?? []) expect(expiresMs - issuedMs).toBe(1000);
  });

test('a client that never renews is caught, and not waited for for ever', async () => {
  await using on = await stage(2);
  on.run({ refused: async () => true }, { pollSeconds: 0.1 });
  const played = await on.listen({ scenarios: named('steady', 'expires', 'ended-early', 'token-down') });
  expect(Object.values(statesOf(played))).toEqual(['seen', 'seen', 'seen', 'seen']);
  expect(certificateOf(played)).toMatchObject({ outcome: 'nonconformant' });
  expect(brokenIn(played)).toContain('renewal');
});

test('a client that asks for each read anew is found wasteful in spite of what it brings along', async () => {
  await using on = await stage();
  on.run({ choose: (client) => client.ask() });
  const played = await on.listen({ scenarios: named('steady', 'data-reset') });
  const reuse = certificateOf(played).rules.find(({ id }) => id === 'token-reuse');
  expect(reuse?.findings.map(({ scenario }) => scenario)).toEqual(['steady', 'data-reset']);
  expect(
    on.mock
      .client('demo')
      .tokens()
      .filter(({ standing }) => standing === 'valid').length,
  ).toBeGreaterThan(1);
});

test('attempts with a wrong secret are not held against who puts it right', async () => {
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

test('one whose secret stays wrong is judged by what it did', async () => {
  await using on = await stage();
  on.run({}, { clientSecret: 'another' });
  const played = await on.listen({ deadlineSeconds: 1, scenarios: named('steady', 'expires') });
  expect(statesOf(played)).toEqual({ steady: 'deadline', expires: 'skipped' });
  expect(brokenIn(played)).toEqual(['form-fields']);
});

test('where time is up, or it is ended, what was seen is kept and the rest is skipped', async () => {
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
  await pause(500);
  expect(examinations[0]?.progress()).toMatchObject({
    ...{
      client: 'demo',
      scenario: 'expires',
      left: ['data-reset'],
      done: [{ name: 'steady', state: 'seen' }],
    },
    waitsFor: 'the end of a token, and two reads after it',
  });
  expect(on.mock.certificate('demo').scenarios.map(({ name, callCount }) => [name, callCount > 0])).toEqual([
    ...[
      ['steady', true],
      ['expires', true],
      ['data-reset', false],
    ],
  ]);
  stop.abort();
  const played = await listening;
  expect(statesOf(played)).toEqual({ steady: 'seen', expires: 'deadline', 'data-reset': 'skipped' });
  expect(on.mock.certificate('demo').scenarios.map(({ name }) => name)).toEqual(['journal']);
});

test('a client that never called was silent', async () => {
  await using on = await stage();
  const played = await on.listen({ deadlineSeconds: 0.2, scenarios: named('steady', 'expires') });
  expect(statesOf(played)).toEqual({ steady: 'silent', expires: 'silent' });
  expect(certificateOf(played).outcome).toBe('incomplete');
});
