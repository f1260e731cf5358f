/** `mrs proxy` as a command: what it prints and writes, and how it ends. */
import type { ChildProcess } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test as base, expect } from 'vitest';
import { ask, read, SECRET, tokenFrom } from '../proxy/testing/proxied.ts';
import { startRaw } from '../proxy/testing/wire.ts';
import { type Deployment, startDeployment } from './testing/deployment.ts';
import { expectNowhere, type Left, leftIn, mrs, newFolder, startMrs } from './testing/mrs.ts';

interface Run {
  url: string;
  folder: string;
  child: ChildProcess;
  /** Sends the signal, and resolves when it has ended. */
  end(signal?: NodeJS.Signals): Promise<Left>;
}

const test = base.extend<{
  start: (target: string, ...args: string[]) => Promise<Run>;
  service: Deployment;
}>({
  // biome-ignore lint/correctness/noEmptyPattern: Vitest reads the names of the fixtures from this pattern.
  service: async ({}, use) => {
    const client = { clientId: 'acme', clientSecret: SECRET };
    await using service = await startDeployment({ ...client, tokenLifetimeMs: 60_000 });
    await use(service);
  },
  // biome-ignore lint/correctness/noEmptyPattern: Vitest reads the names of the fixtures from this pattern.
  start: async ({}, use) => {
    const runs: Run[] = [];
    await use(async (target, ...args) => {
      const run = await startCommand(target, ...args);
      runs.push(run);
      return run;
    });
    for (const { end } of runs) await end('SIGKILL');
  },
});

async function startCommand(target: string, ...args: string[]): Promise<Run> {
  const folder = newFolder();
  mkdirSync(join(folder, 'har'));
  const { child, ended } = startMrs(['proxy', '--target', target, '--port', '0', ...args], { cwd: folder });
  let printed = '';
  const url = await new Promise<string>((resolve) => {
    for (const stream of [child.stdout, child.stderr])
      stream?.setEncoding('utf8').on('data', (text) => {
        printed += text;
        const [, found] = /listens on (http:\/\/127\.0\.0\.1:\d+)/.exec(printed) ?? [];
        if (found !== undefined) resolve(found);
      });
    void ended.then(() => resolve(''));
  });
  const end = async (signal: NodeJS.Signals = 'SIGINT') => {
    child.kill(signal);
    return leftIn(folder, await ended);
  };
  return { url, folder, child, end };
}

const HAR = ['--har', 'har/traffic.har'];
const entriesIn = ({ files }: Left) => JSON.parse(files['har/traffic.har'] ?? '').log.entries;

test('traffic is reported at Ctrl-C, without a secret anywhere', async ({ start, service }) => {
  const run = await start(service.url, '--log', 'text', ...HAR);
  const token = await tokenFrom(run.url);
  const others = ['not-the-secret-0815', 'never-issued-9a8b7c6d5e'] as const;
  for (let nth = 0; nth < 3; nth++) expect((await read(run.url, token)).status).toBe(200);
  expect((await ask(run.url, 'acme', others[0])).status).toBeGreaterThanOrEqual(400);
  await read(run.url, token, `/ods_data/?secret=${SECRET}`);
  await read(run.url, others[1]);
  await read(run.url, token, `/${encodeURIComponent(token)}/x`);
  const left = await run.end();
  expect(left.stderr).toContain('acme      POST /token/     200 issued  acme#1\n');
  expect(left.stderr).toContain('acme      GET /ods_data/   200 served  acme#1\n');
  expect([left.code, left.lastLine]).toEqual([1, expect.stringContaining('outcome: nonconformant (')]);
  expect(Object.keys(left.files)).toEqual([
    'har/traffic.har',
    ...['junit.xml', 'report.html', 'report.json', 'summary.md'].map((name) => `reports/proxy/${name}`),
  ]);
  expectNowhere(left, [SECRET, token, ...others]);
  expect(left.report).toMatchObject({
    judge: 'proxy',
    outcome: 'nonconformant',
    subject: { text: service.url },
    properties: { server: 'incomplete', client: 'nonconformant' },
    sections: [{ blocks: [{ fold: '✗ acme' }] }],
    problems: [],
  });
  expect(entriesIn(left)).toHaveLength(8);
});

test('without traffic, the outcome is incomplete, and standard output has only JSON where that is asked for', async ({
  start,
  service,
}) => {
  const run = await start(service.url, '--format', 'json');
  const { code, stdout, stderr } = await run.end();
  expect(JSON.parse(stdout)).toMatchObject({
    outcome: 'incomplete',
    tally: expect.stringMatching(/^0 passed/),
  });
  expect(stderr).toContain('mrs proxy listens on');
  expect(code).toBe(3);
});

test('a service that cannot be reached is not judged, and the client is', async ({ start }) => {
  const run = await start('http://127.0.0.1:9'); // No service listens on the port of RFC 863.
  const refused = await read(run.url, 'x');
  expect([refused.status, refused.headers.get('proxy-status')]).toEqual([502, 'mrs-proxy']);
  await read(run.url, 'x');
  const { stderr, report } = await run.end();
  expect(stderr).toContain(
    '! The service at http://127.0.0.1:9 refused the connection. See whether it runs,\n  and whether --target is right.\n',
  );
  expect(stderr.split('refused the connection')).toHaveLength(2); // It is reported once, in lines of a terminal.
  const ofService = report?.items.filter(({ group }) => group.startsWith('server.'));
  expect(new Set(ofService?.map(({ verdict }) => verdict))).toEqual(new Set(['not-seen']));
  expect(report?.remarks.join(' ')).toContain('The proxy answered 2 requests: the service gave no answer.');
  expect(JSON.stringify(report?.sections)).toContain('no answer from the service');
});

test('Ctrl-C ends the proxy while a request is under way, and the request is not judged', async ({
  start,
}) => {
  let asked = () => {};
  const isAsked = new Promise<void>((resolve) => {
    asked = resolve;
  });
  await using silent = await startRaw((socket) => void socket.once('data', asked));
  const run = await start(silent.url);
  const reading = read(run.url, 'x').catch(() => 'broken off');
  await isAsked;
  const { code, report } = await run.end();
  expect([code, await reading, report?.exchanges]).toEqual([3, 'broken off', []]);
});

test('a HAR file that could not be written makes the last line that of an error', async ({
  start,
  service,
}) => {
  const run = await start(service.url, ...HAR);
  await tokenFrom(run.url);
  rmSync(join(run.folder, 'har'), { recursive: true });
  writeFileSync(join(run.folder, 'har'), 'not a folder');
  const { code, stderr, lastLine } = await run.end();
  expect(stderr).toContain('traffic.har could not be written (EEXIST).\n');
  expect([code, lastLine]).toEqual([2, 'outcome: error (1 problem with the reports)']);
});

test('a proxy that is killed leaves the HAR file of before, and no report of an earlier run', async ({
  start,
  service,
}) => {
  const folder = newFolder();
  writeFileSync(join(folder, 'report.html'), '<p>earlier');
  const run = await start(service.url, '--report-dir', folder, ...HAR);
  const har = join(run.folder, 'har');
  writeFileSync(join(har, 'traffic.har'), 'of before');
  await read(run.url, await tokenFrom(run.url));
  await run.end('SIGKILL');
  expect(readdirSync(folder)).toEqual([]);
  expect(readdirSync(har)).toEqual(['traffic.har']);
  expect(readFileSync(join(har, 'traffic.har'), 'utf8')).toBe('of before');
});

test('a proxy that does not start leaves no report of an earlier run', async ({ service }) => {
  const folder = newFolder();
  writeFileSync(join(folder, 'report.html'), '<p>earlier');
  const args = ['--target', service.url, '--port', new URL(service.url).port, '--report-dir', folder];
  expect(await mrs(['proxy', ...args])).toMatchObject({ code: 2 });
  expect(readdirSync(folder)).toEqual([]);
});
