/** How a client is led through scenarios: what it is told, when it is ended, and what comes of trouble. */
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { expect, _baseTest as test } from '@playwright/test';
import type { Parts } from '../../tests/client/corpus/client.ts';
import { certificateOf } from '../../tests/client/judge.ts';
import type { End } from '../../tests/client/traffic.ts';
import { createSecrets } from '../../tests/support/secrets.ts';
import { type ExamineOptions, examine } from './examine.ts';
import { clientsInProcess } from './process-clock.ts';
import type { ClientVariables, RunningClient } from './program.ts';
import { scenarios } from './scenarios.ts';

const chosen = (...names: string[]) => scenarios.filter(({ name }) => names.includes(name));

/** A client that does nothing, and notes whether it runs. */
function idle(
  running: Set<string>,
  name: string,
  ended: Promise<End> = new Promise(() => {}),
): RunningClient {
  running.add(name);
  return {
    ended,
    async stop() {
      running.delete(name);
    },
  };
}

/** A client that reads. */
const reader = (variables: ClientVariables, behaviour: Partial<Parts> = {}) =>
  clientsInProcess(behaviour, { pollSeconds: 0.05 })(variables, '', () => {});

function run(examination: Pick<ExamineOptions, 'start'> & Partial<ExamineOptions>) {
  const scratch = test.info().outputPath('scratch');
  mkdirSync(scratch, { recursive: true });
  return examine({ scenarios, scratch, ...examination });
}

test('each scenario has a mock and credentials of its own, and a file that its user alone can read', async () => {
  const told: ClientVariables[] = [];
  await run({
    scenarios: chosen('steady', 'expires'),
    deadlineSeconds: 0,
    async start(variables, name) {
      told.push(variables);
      return idle(new Set(), name);
    },
  });
  for (const name of [
    'MRS_BASE_URL',
    'MRS_CLIENT_ID',
    'MRS_CLIENT_SECRET',
    'MRS_CLIENT_SECRET_FILE',
  ] as const)
    expect(new Set(told.map((one) => one[name])).size, name).toBe(2);
  expect(told.map((one) => one.MRS_TOKEN_LIFETIME).sort()).toEqual(['3', '900']);
  for (const { MRS_CLIENT_SECRET: secret, MRS_CLIENT_SECRET_FILE: file } of told) {
    expect(readFileSync(file, 'utf8')).toBe(secret);
    expect(statSync(file).mode & 0o777).toBe(0o600);
  }
});

test('a client is ended when all has been seen, and its mock with it', async () => {
  let url = '';
  const [played, ...others] = await run({
    scenarios: chosen('403-empty'),
    async start(variables) {
      url = variables.MRS_BASE_URL;
      return reader(variables);
    },
  });
  expect(others).toEqual([]);
  expect(played).toMatchObject({
    state: 'seen',
    output: '',
    traffic: { name: '403-empty', agreedSeconds: 6 },
  });
  expect(played?.traffic.ended).toBeUndefined();
  expect(played?.traffic.calls.filter(({ status }) => status === 403)).toHaveLength(1);
  await expect(fetch(`${url}/health/`)).rejects.toThrow();
});

test('of one that ends by itself its end is told, and what it did until then', async () => {
  const [silent, active] = await run({
    scenarios: chosen('steady', 'expires'),
    async start({ MRS_BASE_URL }, name) {
      const call = name === 'steady' ? undefined : fetch(`${MRS_BASE_URL}/ods_data/`);
      return idle(
        new Set(),
        name,
        Promise.resolve(call).then(() => ({ code: 3 })),
      );
    },
  });
  expect(silent).toMatchObject({ state: 'ended', traffic: { calls: [], ended: { code: 3 } } });
  expect(active).toMatchObject({
    state: 'ended',
    traffic: { calls: [{ kind: 'data' }], ended: { code: 3 } },
  });
});

test('at the deadline one that never called was silent, and another was not done', async () => {
  const running = new Set<string>();
  const played = await run({
    scenarios: chosen('steady', 'expires'),
    deadlineSeconds: 0.3,
    start: async (variables, name) => (name === 'steady' ? idle(running, name) : reader(variables)),
  });
  expect(played.map(({ state }) => state)).toEqual(['silent', 'deadline']);
  expect(running.size).toBe(0);
});

test('so many play at once as were asked for, each is told of, and the results are in order', async () => {
  const running = new Set<string>();
  const told: string[] = [];
  let most = 0;
  const played = await run({
    scenarios: chosen('steady', 'expires', 'parallel', 'token-down', 'data-reset'),
    ...{ atOnce: 2, deadlineSeconds: 0.1 },
    async start(_, name) {
      const client = idle(running, name);
      most = Math.max(most, running.size);
      return client;
    },
    onScenarioEnd: ({ traffic }) => told.push(traffic.name),
  });
  expect(most).toBe(2);
  const names = played.map(({ traffic }) => traffic.name);
  expect(names).toEqual(['steady', 'expires', 'parallel', 'token-down', 'data-reset']);
  expect(told.sort()).toEqual(names.sort());
});

test('where one cannot be started, those that run are ended at once, and no more are started', async () => {
  const running = new Set<string>();
  const started: string[] = [];
  const begun = performance.now();
  const broken = run({
    scenarios: chosen('steady', 'expires', 'expires-again', 'parallel'),
    atOnce: 3,
    async start(_, name) {
      started.push(name);
      if (name === 'expires-again') throw new Error('EMFILE');
      return idle(running, name);
    },
  });
  await expect(broken).rejects.toThrow('EMFILE');
  expect(performance.now() - begun).toBeLessThan(5000);
  expect(running.size).toBe(0);
  expect(started.sort()).toEqual(['expires', 'expires-again', 'steady']);
});

test('a client is ended where its examination breaks down', async () => {
  const running = new Set<string>();
  const [scenario] = chosen('steady');
  const isOver = () => {
    throw new Error('broken');
  };
  const broken = run({
    scenarios: scenario ? [{ ...scenario, isOver }] : [],
    start: async (_, name) => idle(running, name),
  });
  await expect(broken).rejects.toThrow('broken');
  expect(running.size).toBe(0);
});

test('when it is ended early, what was seen is kept, and the rest is skipped', async () => {
  const interrupted = new AbortController();
  const running = new Set<string>();
  const played = await run({
    scenarios: chosen('steady', 'expires'),
    ...{ atOnce: 1, signal: interrupted.signal },
    async start({ MRS_BASE_URL }, name) {
      await fetch(`${MRS_BASE_URL}/ods_data/`);
      interrupted.abort();
      return idle(running, name);
    },
  });
  expect(played).toMatchObject([
    { state: 'deadline', traffic: { name: 'steady', calls: [{ kind: 'data' }] } },
    { state: 'skipped', traffic: { name: 'expires', calls: [] } },
  ]);
  expect(running.size).toBe(0);
});

test('a wrong client whose examination is interrupted is not certified', async () => {
  const interrupted = new AbortController();
  const played = await run({
    signal: interrupted.signal,
    async start(variables, name) {
      if (name === 'data-reset') interrupted.abort();
      return reader(variables, { refused: async () => true });
    },
  });
  const { outcome, rules } = certificateOf(played);
  expect(outcome).toBe('incomplete');
  const verdicts = Object.fromEntries(rules.map(({ id, verdict }) => [id, verdict]));
  expect(verdicts).toMatchObject({ retry: 'could-not-run', 'no-loop': 'could-not-run' });
});

test('neither its secret nor its tokens are in what it printed, and who wants to know is told the secret', async () => {
  const secrets = createSecrets();
  let secret = '';
  let token = '';
  const [played] = await run({
    ...{ scenarios: chosen('steady'), deadlineSeconds: 0, secrets },
    async start({ MRS_BASE_URL, MRS_CLIENT_ID: client_id, MRS_CLIENT_SECRET: client_secret }, name) {
      const body = new URLSearchParams({ grant_type: 'client_credentials', client_id, client_secret });
      const headers = { accept: 'application/json' };
      const answer = await fetch(`${MRS_BASE_URL}/token/`, { method: 'POST', headers, body });
      secret = client_secret;
      token = ((await answer.json()) as { token: string }).token;
      const output = () => `${secret} and ${token}, ${Buffer.from(`${token}:`).toString('base64')}`;
      return { ...idle(new Set(), name), output };
    },
  });
  expect(played?.output).toMatch(/^‹client_secret› and ‹token client-\w+#1›, ‹token in base64›$/);
  expect(secrets.leaks(`x${secret}`)).toEqual(['client_secret']);
});

test('the scenarios hear of the profile that the mock declares', async () => {
  const unknown = run({ profile: 'nobody-has-this', start: async (_, name) => idle(new Set(), name) });
  await expect(unknown).rejects.toThrow('nobody-has-this');
  const scratch = test.info().outputPath('scratch');
  expect(existsSync(scratch) && readdirSync(scratch)).toEqual([]);
});
