/** `mrs certify --listen`: clients that are started apart from it. */
import { once } from 'node:events';
import { createServer } from 'node:net';
import { expect, _baseTest as test } from '@playwright/test';
import { type ClientEnvironment, Exit, type Parts } from '../../tests/client/corpus/client.ts';
import { runClient } from '../../tests/client/corpus/parts.ts';
import { certificateOf } from '../../tests/client/judge.ts';
import { parseReport } from '../../tests/report/report.ts';
import { only, startCertify } from '../e2e/testing/certify-run.ts';
import { listen } from './listen.ts';
import { scenarios } from './scenarios.ts';

test.describe.configure({ timeout: 90_000 });

const ends: (() => unknown)[] = [];
test.afterEach(() => Promise.all(ends.splice(0).map((end) => end())));

const SECRET = 'demo-secret';

/** Listens in this process for clients in these scenarios. */
function listening(...names: string[]) {
  const stop = new AbortController();
  ends.push(() => stop.abort());
  const said: string[] = [];
  const runs = listen({
    scenarios: scenarios.filter(({ name }) => names.includes(name)),
    port: 0,
    signal: stop.signal,
    onReady() {},
    say: (text) => said.push(text),
  });
  return {
    runs,
    said,
    stop: () => stop.abort(),
    async start(scenario: string, parts: Partial<Parts> = {}, env: Partial<ClientEnvironment> = {}) {
      const row = () => new RegExp(`^ +demo-${scenario} +(\\S+) +\\S+ +(\\d+) s$`, 'm').exec(said[0] ?? '');
      await expect.poll(row).not.toBeNull();
      const [, baseUrl = '', seconds = ''] = row() ?? [];
      const own = { baseUrl, clientId: `demo-${scenario}`, clientSecret: SECRET, pollSeconds: 0.1 };
      const client = runClient({ ...own, tokenLifetimeSeconds: Number(seconds), ...env }, parts);
      ends.push(() => client.stop());
      return client;
    },
  };
}

type Runs = Awaited<ReturnType<typeof listen>>;
const statesOf = (runs: Runs) => Object.fromEntries(runs.map(({ traffic, state }) => [traffic.name, state]));
const brokenIn = (runs: Runs) =>
  certificateOf(runs).rules.flatMap(({ id, findings }) => (findings.length > 0 ? [id] : []));

test('clients in all chosen scenarios end the examination', async () => {
  const on = listening('expires', 'ended-early');
  await on.start('expires');
  await on.start('ended-early');
  const runs = await on.runs;
  expect(statesOf(runs)).toEqual({ expires: 'seen', 'ended-early': 'seen' });
  expect(brokenIn(runs)).toEqual([]);
  expect(on.said.slice(1).join('\n')).toMatch(
    /^([\w-]+) is over\. 1 scenario left: ([\w-]+)\.\n\2 is over\.$/,
  );
});

/** Ends when its token requests have failed so many times in a row. */
const givesUpAfter = (most: number): Partial<Parts> => ({
  async tokenFailed(client, failures) {
    if (failures === most) throw new Exit(1, 'no token');
    await client.pause(1.4);
  },
});

/** Reads without a token first. */
const readsWithoutToken: Partial<Parts> = {
  async start({ env, connections }) {
    const headers = { Accept: 'application/json' };
    await connections.send({ method: 'GET', url: `${env.baseUrl}/ods_data/`, headers });
  },
};

/** Clients in the order in which they start: those before the last end by themselves. */
for (const [what, scenario, clients, broken] of [
  ['a token for each read', 'steady', [[{ choose: (client) => client.ask() }]], ['token-reuse']],
  [
    'no wrong secret before the first token, however often it is tried',
    '403-empty',
    [[givesUpAfter(5), 'another'], [{}]],
    [],
  ],
  [
    'a secret that a form has to encode also before the first token',
    'odd-secret',
    [
      [givesUpAfter(1), `${SECRET}+`],
      [{}, `${SECRET}+&%=`],
    ],
    ['form-fields'],
  ],
  ['a read without a token', 'ended-early', [[readsWithoutToken]], ['bearer-header']],
] as [string, string, [Partial<Parts>, string?][], string[]][])
  test(`what is judged is ${what}`, async () => {
    const on = listening(scenario);
    for (const [nth, [parts, clientSecret = SECRET]] of clients.entries()) {
      const client = await on.start(scenario, parts, { clientSecret });
      if (nth < clients.length - 1) await client.ended;
    }
    const runs = await on.runs;
    expect(statesOf(runs)).toEqual({ [scenario]: 'seen' });
    expect(brokenIn(runs)).toEqual(broken);
    const isJudged = runs[0]?.traffic.calls.some(({ reason }) => reason === 'wrong-credentials');
    expect(isJudged).toBe(scenario === 'odd-secret');
  });

test('a secret that stays wrong is judged', async () => {
  const on = listening('403-empty', 'expires');
  const wrong = await on.start('403-empty', givesUpAfter(1), { clientSecret: 'another' });
  await wrong.ended;
  on.stop();
  const runs = await on.runs;
  expect(statesOf(runs)).toEqual({ '403-empty': 'deadline' });
  expect(on.said.slice(1)).toEqual([
    '403-empty was not over: it waited for three reads with a new token, after its token has ended.',
  ]);
  expect(brokenIn(runs)).toEqual(['form-fields']);
});

test('a client that was stopped in the middle is not blamed for its silence', async () => {
  const on = listening('403-empty');
  const client = await on.start('403-empty', {
    async refused() {
      throw new Exit(0, 'stopped by its user');
    },
  });
  await client.ended;
  on.stop();
  const [{ traffic } = { traffic: undefined }] = await on.runs;
  expect(traffic?.durationMs).toBe(traffic?.calls.at(-1)?.endMs);
});

/** A process of its own, and what it has said so far. */
function certify(...args: string[]) {
  const { mrs, ended } = startCertify(['--listen', ...args]);
  ends.push(
    () => ended,
    () => mrs.kill(),
  );
  let said = '';
  mrs.stderr?.on('data', (chunk) => {
    said += chunk;
  });
  return {
    mrs,
    ended,
    says: (text: string) => expect.poll(() => said, { timeout: 30_000 }).toContain(text),
    said: () => said,
  };
}

test('Ctrl-C judges what was seen and leaves out the rest', async () => {
  const run = certify('--port', '0', ...only('403-empty', 'expires', 'steady'));
  await run.says('demo-steady');
  const [, baseUrl = ''] = /^ {2}demo-403-empty +(\S+) +demo-secret +6 s$/m.exec(run.said()) ?? [];
  const own = { baseUrl, clientId: 'demo-403-empty', clientSecret: SECRET, pollSeconds: 0.1 };
  const client = runClient({ ...own, tokenLifetimeSeconds: 6 });
  ends.push(() => client.stop());
  await run.says('403-empty is over. 2 scenarios left: steady, expires.\n');
  run.mrs.kill('SIGINT');
  const { code, stdout, stderr, files } = await run.ended;
  expect(code).toBe(3);
  expect(stdout).toContain('? 14 of 15 scenarios were left out');
  expect(stdout).toMatch(/\noutcome: incomplete \(\d+ passed, 0 failed/);
  for (const line of stderr.split('\n')) expect(line.length, line).toBeLessThanOrEqual(80);
  const { sections } = parseReport(files['report.json'] ?? '', 'report.json');
  const calls = sections.find(({ id }) => id === 'calls');
  expect(calls?.blocks.map(({ card }) => card?.title)).toEqual(['403-empty']);
  expect(JSON.stringify(calls)).toContain('The scenario is complete.');
  expect(Object.values(files).join()).not.toContain(SECRET);
});

for (const signal of ['SIGINT', 'SIGTERM'] as const)
  test(`${signal} before the first call ends as incomplete`, async () => {
    const run = certify('--port', '0');
    await run.says('demo-shorter-than-agreed');
    run.mrs.kill(signal);
    const { code, stdout, files } = await run.ended;
    expect(code).toBe(3);
    expect(stdout).toMatch(/\noutcome: incomplete \(0 passed/);
    const { sections, properties } = parseReport(files['report.json'] ?? '', 'report.json');
    expect(sections.find(({ id }) => id === 'calls')?.blocks).toEqual([]);
    const leftOut = properties.leftOut?.split(', ');
    expect(leftOut).toContain('steady');
    expect(leftOut).toHaveLength(15);
  });

test('a port in use is reported', async () => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  ends.push(() => server.close());
  const { port } = server.address() as { port: number };
  const { code, stdout, stderr } = await certify('--port', String(port)).ended;
  expect([code, stdout]).toEqual([2, '']);
  expect(stderr).toContain(`Port ${port} of 127.0.0.1 is in use.`);
});
