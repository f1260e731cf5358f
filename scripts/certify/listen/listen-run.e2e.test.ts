/** `mrs certify --listen` as a whole: a process of its own, and what it leaves behind. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { createServer } from 'node:net';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, _baseTest as test } from '@playwright/test';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import type { CertificateReport } from '../../../tests/client/report/report.ts';
import { certificateSchema } from '../../../tests/client/report/write-reports.ts';

test.describe.configure({ timeout: 90_000 });

const at = (path: string) => fileURLToPath(new URL(`../../../dist/${path}`, import.meta.url));
const children: ChildProcess[] = [];

test.afterEach(async () => {
  const running = children.splice(0).filter(({ exitCode, signalCode }) => exitCode === null && !signalCode);
  const closed = running.map((child) => once(child, 'close'));
  for (const child of running) child.kill(); // An examination removes its secrets then.
  await Promise.all(closed);
});

function start(program: string, args: string[], env: Record<string, string> = {}) {
  const child = spawn(process.execPath, [at(program), ...args], {
    env: { PATH: process.env.PATH, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  children.push(child);
  const run = { child, stdout: '', stderr: '', code: undefined as number | null | undefined };
  child.stdout.on('data', (chunk) => {
    run.stdout += chunk;
  });
  child.stderr.on('data', (chunk) => {
    run.stderr += chunk;
  });
  child.on('close', (code) => {
    run.code = code;
  });
  return run;
}

function certify(args: string[], env: Record<string, string> = {}) {
  const directory = test.info().outputPath('reports');
  const run = start('scripts/mrs.js', ['certify', ...args, '--report-dir', directory], env);
  return Object.assign(run, {
    ended: () => expect.poll(() => run.code, { timeout: 60_000 }).not.toBeUndefined(),
    /** A line of what it tells the client. */
    async told(name: string): Promise<string> {
      const found = () => new RegExp(`^ +${name}=(.+)$`, 'm').exec(run.stdout)?.[1] ?? '';
      await expect.poll(found, { timeout: 30_000 }).not.toBe('');
      return found();
    },
    report: (): CertificateReport => JSON.parse(readFileSync(join(directory, 'report.json'), 'utf8')),
    /** All that it printed and wrote. */
    everything: () =>
      [
        run.stdout,
        run.stderr,
        ...readdirSync(directory).map((file) => readFileSync(join(directory, file), 'utf8')),
      ].join(),
  });
}

const LISTEN = ['--listen', '--port', '0', '--token-lifetime', '2s'];
const QUICK = [...LISTEN, '--scenario', 'steady', '--scenario', 'expires'];
const mode = (path: string) => statSync(path).mode & 0o777;

test('a client with the printed variables is examined, and the secret is only in a file', async () => {
  const run = certify(QUICK);
  const file = await run.told('MRS_CLIENT_SECRET_FILE');
  const secret = readFileSync(file, 'utf8');
  expect([mode(file), mode(dirname(file)), secret.slice(32)]).toEqual([0o600, 0o700, '+&%=']);
  const key = readFileSync(join(dirname(file), 'control-key'), 'utf8');
  start('tests/client/corpus/reactive.js', [], {
    MRS_BASE_URL: await run.told('MRS_BASE_URL'),
    MRS_CLIENT_ID: await run.told('MRS_CLIENT_ID'),
    MRS_CLIENT_SECRET: secret,
  });
  expect(await run.told('MRS_TOKEN_LIFETIME')).toBe('2');
  await run.ended();
  expect(run.stdout).toContain('? 13 of 15 scenarios were left out');
  expect(run.stdout).toMatch(/\noutcome: incomplete \(\d+ passed, 0 failed.*strategy: reactive\n$/);
  expect(run.code).toBe(3);
  const lines = `${run.stdout}\n${run.stderr}`.split('\n');
  for (const line of lines.filter((line) => !/\/|^outcome: /.test(line))) // a path and a stable form do not wrap
    expect(line.length, line).toBeLessThanOrEqual(80);
  expect(run.stderr).toMatch(/^✓ expires {14}\d+ calls, \d+ tokens?, \d+ refusals?$/m);
  expect(run.report()).toMatchObject({
    client: { processes: 1 },
    scenarios: [
      { name: 'steady', state: 'seen' },
      { name: 'expires', state: 'seen', agreedLifetimeSeconds: 2 },
    ],
  });
  const ajv = new Ajv2020({ strict: false });
  addFormats.default(ajv);
  expect(ajv.validate(JSON.parse(certificateSchema), run.report()), ajv.errorsText()).toBe(true);
  expect(run.everything()).not.toContain(secret);
  expect(run.everything()).not.toContain(key);
  expect(existsSync(dirname(file))).toBe(false);
});

test('Ctrl-C midway judges what was seen and skips the rest', async () => {
  const run = certify(['--listen', '--port', '0', '--client', 'acme'], {
    MRS_CLIENT_SECRET: 'my-own-secret-1',
  });
  start('tests/client/corpus/reactive.js', [], {
    MRS_BASE_URL: await run.told('MRS_BASE_URL'),
    MRS_CLIENT_ID: 'acme',
    MRS_CLIENT_SECRET: 'my-own-secret-1',
  });
  await expect.poll(() => run.stderr, { timeout: 30_000 }).toMatch(/^✓ steady/m);
  run.child.kill('SIGINT');
  await run.ended();
  const states = run.report().scenarios.map(({ state }) => state);
  expect(states.slice(0, 3)).toEqual(['seen', expect.stringMatching(/^(deadline|skipped)$/), 'skipped']);
  expect(run.code).toBe(3);
  expect(run.everything()).not.toContain('my-own-secret-1');
});

for (const signal of ['SIGINT', 'SIGTERM'] as const)
  test(`${signal} before the first call ends as incomplete`, async () => {
    const run = certify(LISTEN);
    const file = await run.told('MRS_CLIENT_SECRET_FILE');
    await expect.poll(() => run.stderr).toContain('waits for the client: it has not called yet');
    run.child.kill(signal);
    await run.ended();
    expect(run.code).toBe(3);
    expect(run.stdout).toMatch(/\noutcome: incomplete \(/);
    expect(run.report().scenarios.map(({ state }) => state)).toEqual([
      'silent',
      ...Array(14).fill('skipped'),
    ]);
    expect(existsSync(dirname(file))).toBe(false);
  });

test('a client with a wrong id or secret is reported at once', async () => {
  const run = certify(LISTEN);
  const env = { MRS_BASE_URL: await run.told('MRS_BASE_URL'), MRS_CLIENT_SECRET: 'x' };
  start('tests/client/corpus/reactive.js', [], { ...env, MRS_CLIENT_ID: 'nobody' });
  await expect
    .poll(() => run.stderr.replace(/\s+/g, ' '), { timeout: 20_000 })
    .toContain('its client_id or client_secret is not the one above (401)');
});

test('a port in use is reported, and nothing is left', async () => {
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as { port: number };
  const run = certify(['--listen', '--port', String(port)]);
  await run.ended();
  server.close();
  expect([run.code, run.stderr, run.stdout]).toEqual([
    2,
    expect.stringContaining(`Port ${port} of 127.0.0.1 is in use.`),
    '',
  ]);
});
