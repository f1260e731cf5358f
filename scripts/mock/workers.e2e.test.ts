/** `mrs mock --workers`: several processes that serve one address as one mock. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { expect, _baseTest as test } from '@playwright/test';
import { mrsHere } from '../e2e/testing/mrs.ts';
import { childrenOf, isAlive, untilGone } from '../e2e/testing/processes.ts';
import { program } from './testing/replica-processes.ts';

const ENV = { PATH: process.env.PATH ?? '' };
const KEY = 'a key of at least 32 characters, for the tests';

interface Started {
  child: ChildProcess;
  url: string;
  pid: number;
  /** All that it has printed, and what it will have printed once it has ended. */
  lines: string[];
  errors(): string;
  stderr: Promise<string>;
  closed: Promise<unknown[]>;
}

const children: ChildProcess[] = [];

// Workers end with the process that started them.
test.afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
});

async function start(args: string[] = [], env: Record<string, string> = {}): Promise<Started> {
  const child = spawn(
    process.execPath,
    [program, 'mock', '--workers', '2', '--port', '0', '--log', 'json', ...args],
    { env: { ...ENV, ...env }, stdio: ['ignore', 'pipe', 'pipe'] },
  );
  children.push(child);
  const closed = once(child, 'close');
  let errors = '';
  child.stderr.setEncoding('utf8').on('data', (part: string) => {
    errors += part;
  });
  const stderr = closed.then(() => errors);
  const lines: string[] = [];
  const printed = createInterface(child.stdout).on('line', (line) => lines.push(line));
  await Promise.race([once(printed, 'line'), closed]);
  const { url, pid } = JSON.parse(lines[0] ?? '{}');
  return { child, url, pid, lines, errors: () => errors, stderr, closed };
}

const workersOf = (pid: number): number[] =>
  childrenOf(pid)
    .map((one) => one.pid)
    .filter(isAlive);

/** While a file exists, workers die as they start: before they listen, however busy the machine is. */
const DIES_AT_START = `data:text/javascript,
  import cluster from 'node:cluster';
  import { existsSync } from 'node:fs';
  if (cluster.isWorker && existsSync(process.env.DEATHS)) process.kill(process.pid, 'SIGKILL');`;

function deathsAtStart(): { env: Record<string, string>; begin(): void; end(): void } {
  const file = test.info().outputPath('deaths');
  return {
    env: { DEATHS: file, NODE_OPTIONS: imported(DIES_AT_START) },
    begin() {
      mkdirSync(test.info().outputDir, { recursive: true });
      writeFileSync(file, '');
    },
    end: () => rmSync(file),
  };
}

const imported = (module: string): string =>
  `--import "${module.replace(/\n\s*/g, ' ').replaceAll('"', '%22')}"`;

const headers = { accept: 'application/json' };

async function obtain(url: string): Promise<string> {
  const body = new URLSearchParams({
    grant_type: 'client_credentials',
    client_id: 'demo',
    client_secret: 'demo-secret',
  });
  const answer = await fetch(`${url}/token/`, { method: 'POST', headers, body });
  return ((await answer.json()) as { token: string }).token;
}

/** The statuses of `count` reads, each on a connection of its own: they go to the workers in turn. */
async function read(url: string, token: string, count: number): Promise<number[]> {
  const statuses = [];
  for (let nth = 0; nth < count; nth++) {
    const answer = await fetch(`${url}/ods_data/`, {
      headers: { ...headers, authorization: `Bearer ${token}`, connection: 'close' },
      signal: AbortSignal.timeout(20_000), // Whoever is given to a worker as it dies is never answered.
    });
    await answer.arrayBuffer();
    statuses.push(answer.status);
  }
  return statuses;
}

test('every worker accepts a token, the calls of all are printed whole without the key, and a signal ends them', async () => {
  const folder = test.info().outputPath('run');
  mkdirSync(folder, { recursive: true });
  const readyFile = join(folder, 'ready.json');
  const keyFile = join(folder, 'token.key');
  writeFileSync(keyFile, KEY);
  const mock = await start(['--ready-file', readyFile, '--token-key', keyFile, '--explain']);
  expect(mock.pid).toBe(mock.child.pid);
  expect(JSON.parse(readFileSync(readyFile, 'utf8'))).toMatchObject({ url: mock.url, pid: mock.pid });
  const workers = workersOf(mock.pid);
  expect(workers).toHaveLength(2);
  expect(await read(mock.url, await obtain(mock.url), 20)).toEqual(Array(20).fill(200));
  const pids = [mock.pid, ...workers];
  const args = pids.map((pid) =>
    execFileSync('ps', ['-o', 'args=', '-p', String(pid)], { encoding: 'utf8' }),
  );
  expect(args.join('\n')).toContain('mock --workers 2');
  mock.child.kill('SIGTERM');
  expect(await mock.closed).toEqual([0, null]);
  expect(existsSync(readyFile)).toBe(false);
  for (const pid of workers) await untilGone(pid);
  const calls = mock.lines.slice(1).map((line) => JSON.parse(line));
  // Workers print each for itself, so that lines may be out of order.
  expect(calls.map(({ event, path }) => `${event} ${path}`).toSorted()).toEqual([
    ...Array(20).fill('call /ods_data/'),
    'call /token/',
  ]);
  // Each worker numbers its own.
  expect(Math.max(...calls.map(({ seq }) => seq))).toBeLessThan(calls.length);
  expect(await mock.stderr).toBe('');
  expect([...args, ...mock.lines].join('\n')).not.toContain(KEY);
});

test('a worker that dies is replaced with a line, and the new one accepts the tokens of before', async () => {
  const mock = await start();
  const token = await obtain(mock.url);
  const [first = 0, second = 0] = workersOf(mock.pid);
  process.kill(first, 'SIGKILL');
  await untilGone(first);
  await expect.poll(() => workersOf(mock.pid).length, { intervals: [20] }).toBe(2);
  process.kill(second, 'SIGKILL'); // Only the new one is left, once it listens.
  await untilGone(second);
  await expect.poll(() => read(mock.url, token, 1).catch(() => []), { intervals: [20] }).toEqual([200]);
  mock.child.kill('SIGTERM');
  expect(await mock.closed).toEqual([0, null]);
  expect(mock.lines.filter((line) => line.includes('/ods_data/'))).not.toEqual([]);
  expect(await mock.stderr).toBe(
    [first, second]
      .map((pid) => `A worker (process ${pid}) ended (SIGKILL). Another one takes its place.\n`)
      .join(''),
  );
});

test('workers that die together are replaced at the same address, whose port the system chose', async () => {
  const mock = await start();
  const token = await obtain(mock.url);
  const workers = workersOf(mock.pid);
  for (const pid of workers) process.kill(pid, 'SIGKILL');
  for (const pid of workers) await untilGone(pid);
  await expect.poll(() => read(mock.url, token, 1).catch(() => []), { intervals: [20] }).toEqual([200]);
  mock.child.kill('SIGTERM');
  expect(await mock.closed).toEqual([0, null]);
});

test('a replacement that dies before it listens is replaced after a delay, while the other worker serves', async () => {
  const deaths = deathsAtStart();
  const mock = await start([], deaths.env);
  const token = await obtain(mock.url);
  const [first = 0, second = 0] = workersOf(mock.pid);
  deaths.begin();
  process.kill(first, 'SIGKILL');
  await expect.poll(mock.errors, { intervals: [20] }).toContain('Another one starts in');
  expect(await read(mock.url, token, 3)).toEqual([200, 200, 200]);
  deaths.end();
  process.kill(second, 'SIGKILL'); // Only the new one is left, once it listens.
  await untilGone(second);
  await expect.poll(() => read(mock.url, token, 1).catch(() => []), { intervals: [20] }).toEqual([200]);
  mock.child.kill('SIGTERM');
  expect(await mock.closed).toEqual([0, null]);
  const replacement = /process (\d+)\) ended before/.exec(await mock.stderr)?.[1];
  expect([first, second]).not.toContain(Number(replacement));
  expect(await mock.stderr).toContain(
    `A worker (process ${first}) ended (SIGKILL). Another one takes its place.\n` +
      `A worker (process ${replacement}) ended before it listened (SIGKILL). Something else ended it, ` +
      'as the system does when memory runs out: with fewer workers, less is needed. Another one starts in 0.5 s.\n',
  );
});

test('a mock ends with the reason when five replacements in a row die before they listen', async () => {
  const deaths = deathsAtStart();
  const mock = await start([], deaths.env);
  const [first = 0, second = 0] = workersOf(mock.pid);
  deaths.begin();
  process.kill(first, 'SIGKILL');
  expect(await mock.closed).toEqual([2, null]);
  await untilGone(second);
  const stderr = await mock.stderr;
  expect([...stderr.matchAll(/starts in (\S+) s\./g)].map(([, seconds]) => seconds)).toEqual([
    '0.5',
    '1',
    '2',
    '4',
  ]);
  expect(stderr).toMatch(
    /ended before it listened \(SIGKILL\).*It was the last of 5 attempts to replace a worker\.\n$/,
  );
  expect(stderr).not.toContain('printed');
});

test('a signal ends a mock that waits before it replaces a worker', async () => {
  const deaths = deathsAtStart();
  const mock = await start([], deaths.env);
  const [first = 0] = workersOf(mock.pid);
  deaths.begin();
  process.kill(first, 'SIGKILL');
  await expect.poll(mock.errors, { intervals: [20] }).toContain('Another one starts in');
  mock.child.kill('SIGTERM');
  expect({ closed: await mock.closed, stderr: await mock.stderr }).toMatchObject({ closed: [0, null] });
});

/** In the first process, workers die as the signal comes, before it can know that they have. */
const DIES_AT_SIGNAL = `data:text/javascript,
  import cluster from 'node:cluster';
  import { execFileSync } from 'node:child_process';
  if (cluster.isPrimary) process.once('SIGTERM', () => {
    const pids = Object.values(cluster.workers).map((worker) => worker.process.pid);
    for (const pid of pids) process.kill(pid, 'SIGKILL');
    const stats = () => execFileSync('ps', ['-o', 'stat=', '-p', pids.join()], { encoding: 'utf8' });
    while (/^[^Z\\s]/m.test(stats()));
  });`;

test('a signal ends a mock whose workers die at that moment', async () => {
  const mock = await start([], { NODE_OPTIONS: imported(DIES_AT_SIGNAL) });
  expect(workersOf(mock.pid)).toHaveLength(2);
  mock.child.kill('SIGTERM');
  expect({ closed: await mock.closed, stderr: await mock.stderr }).toEqual({ closed: [0, null], stderr: '' });
});

test('workers end with the process that started them, however that ends', async () => {
  const mock = await start();
  const workers = workersOf(mock.pid);
  expect(workers).toHaveLength(2);
  mock.child.kill('SIGKILL');
  for (const pid of workers) await untilGone(pid);
});

test('a port in use is reported once, and Ctrl-C, which reaches the workers too, ends all of them and replaces none', async () => {
  const mock = await start();
  const again = await start(['--port', new URL(mock.url).port]);
  expect(await again.closed).toEqual([2, null]);
  expect((await again.stderr).match(/ is in use\./g)).toHaveLength(1);
  for (const pid of [...workersOf(mock.pid), mock.pid]) process.kill(pid, 'SIGINT');
  expect(await mock.closed).toEqual([0, null]);
  expect(await mock.stderr).toBe('');
});

for (const [what, args, env, says] of [
  ['a short key', [], { MRS_TOKEN_KEY: 'short-and-secret' }, /^The token key has 16 of at least 32 bytes/],
  ['a moving clock', ['--clock', 'frozen'], {}, /^Several replicas may serve this address, and each would/],
] as const)
  test(`${what} is a usage error, reported once`, async () => {
    const { closed, stderr, lines } = await start([...args], env);
    expect([await closed, lines]).toEqual([[2, null], []]);
    expect((await stderr).match(new RegExp(says, 'gm'))).toHaveLength(1);
    expect(await stderr).not.toContain('short-and-secret');
  });

test('a missing key file is a usage error, reported once', async () => {
  const { code, stdout, stderr } = await mrsHere(['mock', '--workers', '2', '--token-key', '/nowhere/key']);
  expect([code, stdout]).toEqual([2, '']);
  expect(stderr.match(/^The token key file "\/nowhere\/key" cannot/gm)).toHaveLength(1);
});
