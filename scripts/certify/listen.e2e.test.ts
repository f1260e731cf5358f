/** `mrs certify --listen`: clients that are started apart from it. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, _baseTest as test } from '@playwright/test';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { type ClientEnvironment, Exit, type Parts } from '../../tests/client/corpus/client.ts';
import { runClient } from '../../tests/client/corpus/run-client.ts';
import { certificateOf } from '../../tests/client/judge.ts';
import type { CertificateReport } from '../../tests/client/report/report.ts';
import { certificateSchema } from '../../tests/client/report/write-reports.ts';
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
  expect(on.said.slice(1)).toEqual([
    expect.stringMatching(/^(expires|ended-early) is over\. 1 scenario left: (expires|ended-early)\.$/),
    expect.stringMatching(/^(expires|ended-early) is over\.$/),
  ]);
});

test('a client that requests a token for each read fails', async () => {
  const on = listening('steady');
  await on.start('steady', { choose: (client) => client.ask() });
  const runs = await on.runs;
  expect(statesOf(runs)).toEqual({ steady: 'seen' });
  expect(brokenIn(runs)).toEqual(['token-reuse']);
});

/** Ends once its token request has failed. */
const givesUp: Partial<Parts> = {
  async tokenFailed() {
    throw new Exit(1, 'no token');
  },
};

test('a wrong secret before the first token is not judged, however often it is tried', async () => {
  const on = listening('403-empty');
  const wrong = await on.start(
    '403-empty',
    {
      async tokenFailed(client, failures) {
        if (failures === 5) throw new Exit(1, 'corrected by its user');
        await client.pause(1.4);
      },
    },
    { clientSecret: 'another' },
  );
  await wrong.ended;
  await on.start('403-empty');
  const runs = await on.runs;
  expect(brokenIn(runs)).toEqual([]);
  expect(runs[0]?.traffic.calls.map(({ reason }) => reason)).not.toContain('wrong-credentials');
});

test('a secret that stays wrong is judged', async () => {
  const on = listening('403-empty', 'expires');
  const wrong = await on.start('403-empty', givesUp, { clientSecret: 'another' });
  await wrong.ended;
  on.stop();
  const runs = await on.runs;
  expect(statesOf(runs)).toEqual({ '403-empty': 'deadline' });
  expect(on.said.slice(1)).toEqual([
    '403-empty was not over: it waited for three reads with a new token, after its token has ended.',
  ]);
  expect(brokenIn(runs)).toEqual(['form-fields']);
});

test('a secret that a form has to encode is judged also before the first token', async () => {
  const on = listening('odd-secret');
  const odd = { clientSecret: `${SECRET}+&%=` };
  const wrong = await on.start('odd-secret', givesUp, { clientSecret: `${SECRET}+` });
  await wrong.ended;
  await on.start('odd-secret', {}, odd);
  expect(brokenIn(await on.runs)).toEqual(['form-fields']);
});

test('a read without a token is judged, although other clients call', async () => {
  const on = listening('403-empty', 'ended-early');
  await on.start('403-empty');
  await on.start('ended-early', {
    async start({ env, connections }) {
      const headers = { Accept: 'application/json' };
      await connections.send({ method: 'GET', url: `${env.baseUrl}/ods_data/`, headers });
    },
  });
  expect(brokenIn(await on.runs)).toEqual(['bearer-header']);
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

const children: ChildProcess[] = [];
test.afterEach(async () => {
  const running = children.splice(0).filter(({ exitCode, signalCode }) => exitCode === null && !signalCode);
  const closed = running.map((child) => once(child, 'close'));
  for (const child of running) child.kill();
  await Promise.all(closed);
});

/** A process of its own. */
function certify(...args: string[]) {
  const directory = test.info().outputPath('reports');
  const program = fileURLToPath(new URL('../../dist/scripts/mrs.js', import.meta.url));
  const child = spawn(
    process.execPath,
    [program, 'certify', '--listen', ...args, '--report-dir', directory],
    {
      env: { PATH: process.env.PATH },
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  );
  children.push(child);
  const run = { child, stdout: '', stderr: '', closed: once(child, 'close') };
  child.stdout.on('data', (chunk) => {
    run.stdout += chunk;
  });
  child.stderr.on('data', (chunk) => {
    run.stderr += chunk;
  });
  const report = (): CertificateReport => JSON.parse(readFileSync(join(directory, 'report.json'), 'utf8'));
  const written = () =>
    readdirSync(directory)
      .map((file) => readFileSync(join(directory, file), 'utf8'))
      .join();
  return Object.assign(run, { report, written });
}

test('Ctrl-C judges what was seen and leaves out the rest', async () => {
  const run = certify(
    '--port',
    '0',
    '--scenario',
    '403-empty',
    '--scenario',
    'expires',
    '--scenario',
    'steady',
  );
  const found = () => /^ {2}demo-403-empty +(\S+) +demo-secret +6 s$/m.exec(run.stderr)?.[1];
  await expect.poll(found, { timeout: 30_000 }).toBeDefined();
  const own = { baseUrl: found() ?? '', clientId: 'demo-403-empty', clientSecret: SECRET, pollSeconds: 0.1 };
  const client = runClient({ ...own, tokenLifetimeSeconds: 6 });
  ends.push(() => client.stop());
  await expect
    .poll(() => run.stderr, { timeout: 30_000 })
    .toContain('403-empty is over. 2 scenarios left: steady, expires.\n');
  run.child.kill('SIGINT');
  expect(await run.closed).toEqual([3, null]);
  expect(run.stdout).toContain('? 14 of 15 scenarios were left out');
  expect(run.stdout).toMatch(/\noutcome: incomplete \(\d+ passed, 0 failed/);
  for (const line of run.stderr.split('\n')) expect(line.length, line).toBeLessThanOrEqual(80);
  expect(run.report().scenarios).toMatchObject([{ name: '403-empty', state: 'seen' }]);
  const ajv = new Ajv2020({ strict: false });
  addFormats.default(ajv);
  expect(ajv.validate(JSON.parse(certificateSchema), run.report()), ajv.errorsText()).toBe(true);
  expect(run.written()).not.toContain(SECRET);
});

for (const signal of ['SIGINT', 'SIGTERM'] as const)
  test(`${signal} before the first call ends as incomplete`, async () => {
    const run = certify('--port', '0');
    await expect.poll(() => run.stderr, { timeout: 30_000 }).toContain('demo-shorter-than-agreed');
    run.child.kill(signal);
    expect(await run.closed).toEqual([3, null]);
    expect(run.stdout).toMatch(/\noutcome: incomplete \(0 passed/);
    expect(run.report()).toMatchObject({ scenarios: [], leftOut: expect.arrayContaining(['steady']) });
    expect(run.report().leftOut).toHaveLength(15);
  });

test('a port in use is reported', async () => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  ends.push(() => server.close());
  const { port } = server.address() as { port: number };
  const run = certify('--port', String(port));
  expect(await run.closed).toEqual([2, null]);
  expect(run.stderr).toContain(`Port ${port} of 127.0.0.1 is in use.`);
  expect(run.stdout).toBe('');
});
