/** `mrs proxy` as a command: what it prints and writes, and how it ends. */
import type { ChildProcess } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { _baseTest as base, expect } from '@playwright/test';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import type { Report } from '../../tests/report/report.ts';
import { ask, read, SECRET, tokenFrom } from '../proxy/testing/proxied.ts';
import { startRaw, startWeb } from '../proxy/testing/wire.ts';
import { type Deployment, startDeployment } from './testing/deployment.ts';
import { type Ended, mrsHere, startMrs } from './testing/mrs.ts';

interface Run {
  url: string;
  child: ChildProcess;
  /** Sends the signal, and resolves when it has ended. */
  end(signal?: NodeJS.Signals): Promise<Ended>;
  ended: Promise<Ended>;
}

const test = base.extend<{
  start: (target: string, ...args: string[]) => Promise<Run>;
  service: Deployment;
}>({
  // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the names of the fixtures from this pattern.
  service: async ({}, use) => {
    await using service = await startDeployment({
      clientId: 'acme',
      clientSecret: SECRET,
      tokenLifetimeMs: 60_000,
    });
    await use(service);
  },
  // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the names of the fixtures from this pattern.
  start: async ({}, use, info) => {
    const runs: Run[] = [];
    await use(async (target, ...args) => {
      const run = await startCommand(info.outputPath(), target, ...args);
      runs.push(run);
      return run;
    });
    for (const { child, ended } of runs) {
      child.kill('SIGKILL');
      await ended;
    }
  },
});

async function startCommand(folder: string, target: string, ...args: string[]): Promise<Run> {
  const options = ['--port', '0', '--report-dir', join(folder, 'reports'), ...args];
  const { child, ended } = startMrs(['proxy', '--target', target, ...options]);
  let printed = '';
  const url = await new Promise<string>((resolve) => {
    for (const stream of [child.stdout, child.stderr])
      stream?.setEncoding('utf8').on('data', (text) => {
        printed += text;
        const [, found] = /listens on (http:\/\/127\.0\.0\.1:\d+)/.exec(printed) ?? [];
        if (found !== undefined) resolve(found);
      });
    void ended.then(() => resolve(''));
    if (args.includes('--quiet')) void untilAccepted(`http://127.0.0.1:${args.at(-1)}`, child).then(resolve);
  });
  const end = (signal: NodeJS.Signals = 'SIGINT') => {
    child.kill(signal);
    return ended;
  };
  return { url, child, ended, end };
}

/** With --quiet, it does not print where it listens. */
async function untilAccepted(url: string, child: ChildProcess): Promise<string> {
  while (child.exitCode === null && !(await accepts(url)));
  return url;
}

/** Whether a server listens there. */
const accepts = (url: string): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(Number(new URL(url).port), '127.0.0.1');
    socket
      .once('error', () => resolve(false))
      .once('connect', () => {
        socket.destroy();
        resolve(true);
      });
  });

const reportIn = (folder: string) => JSON.parse(readFileSync(join(folder, 'reports/report.json'), 'utf8'));

test('traffic that keeps everything is reported at Ctrl-C, without a secret anywhere', async ({
  start,
  service,
}, info) => {
  const har = info.outputPath('traffic.har');
  const run = await start(service.url, '--log', 'text', '--har', har);
  const token = await tokenFrom(run.url);
  for (let nth = 0; nth < 3; nth++) expect((await read(run.url, token)).status).toBe(200);
  expect((await ask(run.url, 'acme', 'not-the-secret-0815')).status).toBeGreaterThanOrEqual(400);
  await read(run.url, token, `/ods_data/?secret=${SECRET}`);
  await read(run.url, 'never-issued-9a8b7c6d5e');
  await read(run.url, token, `/${encodeURIComponent(token)}/x`);
  const { code, stdout, stderr } = await run.end();
  expect(stderr).toContain('acme      POST /token/     200 issued  acme#1\n');
  expect(stderr).toContain('acme      GET /ods_data/   200 served  acme#1\n');
  expect(stdout).toContain('\noutcome: nonconformant (');
  expect(code).toBe(1);
  const files = readdirSync(info.outputPath('reports')).map((file) => join(info.outputPath('reports'), file));
  expect(files).toHaveLength(5);
  const written = [...files, har].map((file): [string, string] => [file, readFileSync(file, 'utf8')]);
  for (const [where, text] of [...written, ['standard output', stdout], ['standard error', stderr]] as const)
    for (const value of [SECRET, token, 'not-the-secret-0815', 'never-issued-9a8b7c6d5e'])
      expect(text.includes(value) ? `${where} has ${value}` : '').toBe('');
  expect(reportIn(info.outputPath())).toMatchObject({
    judge: 'proxy',
    outcome: 'nonconformant',
    properties: { 'base-url': service.url, injected: '0', server: 'incomplete', client: 'nonconformant' },
    sections: [{ blocks: [{ card: { title: 'acme' } }] }],
    problems: [],
  });
  expect(JSON.parse(readFileSync(har, 'utf8')).log.entries).toHaveLength(8);
  expect(readdirSync(info.outputPath()).sort()).toEqual(['reports', 'traffic.har']);
});

test('an injected scenario is marked in the line, the HAR file and the report', async ({
  start,
  service,
}, info) => {
  const har = info.outputPath('traffic.har');
  const args = ['--inject', '403-for-ever', '--client', 'acme', '--log', 'json', '--har', har];
  const run = await start(service.url, ...args);
  expect((await read(run.url, await tokenFrom(run.url))).status).toBe(403);
  const { stderr, stdout } = await run.end('SIGTERM');
  const lines = stderr.split('\n').filter((line) => line.startsWith('{'));
  expect(lines.map((line) => JSON.parse(line).reason)).toEqual(['issued', 'injected: 403-for-ever']);
  expect(stdout).toContain('by the injected scenario');
  const { entries } = JSON.parse(readFileSync(har, 'utf8')).log;
  expect(entries.map((entry: object) => '_proxyAnswer' in entry && entry._proxyAnswer)).toEqual([
    false,
    'injected: 403-for-ever',
  ]);
  const report = reportIn(info.outputPath());
  expect(report.properties.injected).toBe('1');
  expect(JSON.stringify(report.facts)).toContain('1 request of acme, by the injected scenario 403-for-ever');
  expect(JSON.stringify(report.sections)).toContain('injected: 403-for-ever');
  expect(readFileSync(info.outputPath('reports/report.html'), 'utf8')).toContain('injected: 403-for-ever');
  const schema = JSON.parse(readFileSync(info.outputPath('reports/report.schema.json'), 'utf8'));
  const ajv = new Ajv2020({ strict: true, allErrors: true, strictRequired: false, strictTypes: false });
  addFormats.default(ajv);
  const fits = ajv.compile(schema);
  expect(fits(report) ? [] : fits.errors).toEqual([]);
});

test('without traffic, the outcome is incomplete, and standard output has only JSON where that is asked for', async ({
  start,
  service,
}) => {
  const run = await start(service.url, '--format', 'json');
  const { code, stdout, stderr } = await run.end();
  expect(JSON.parse(stdout)).toMatchObject({ outcome: 'incomplete', properties: { exchanges: '0' } });
  expect(stderr).toContain('mrs proxy listens on');
  expect(code).toBe(3);
});

test('a service that cannot be reached is not judged, and the client is', async ({ start }, info) => {
  const run = await start('http://127.0.0.1:9'); // No service listens on the port of RFC 863.
  const refused = await read(run.url, 'x');
  expect([refused.status, refused.headers.get('proxy-status')]).toEqual([
    502,
    'mrs-proxy; error=connection_refused',
  ]);
  await read(run.url, 'x');
  const { stderr } = await run.end();
  expect(stderr).toContain(
    '! The service at http://127.0.0.1:9 refused the connection. Start the service,\n  or correct the host and port of --target.\n',
  );
  expect(stderr.split('refused the connection')).toHaveLength(2); // It is reported once, in lines of a terminal.
  const { items, sections, remarks } = reportIn(info.outputPath()) as Report;
  const ofService = items.filter(({ group }) => group.startsWith('server.'));
  expect(new Set(ofService.map(({ verdict }) => verdict))).toEqual(new Set(['not-seen']));
  expect(remarks.join(' ')).toContain('2 requests that the service gave no answer to');
  expect(JSON.stringify(sections)).toContain('no answer from the service');
});

test('Ctrl-C ends the proxy while a request is under way, and the request is not judged', async ({
  start,
}, info) => {
  let asked = () => {};
  const isAsked = new Promise<void>((resolve) => {
    asked = resolve;
  });
  await using silent = await startRaw((socket) => void socket.once('data', asked));
  const run = await start(silent.url);
  const reading = read(run.url, 'x').catch(() => 'broken off');
  await isAsked;
  expect((await run.end()).code).toBe(3);
  expect(await reading).toBe('broken off');
  expect(reportIn(info.outputPath()).properties.exchanges).toBe('0');
});

test('an injected client that never came is mentioned at the end', async ({ start, service }) => {
  const run = await start(service.url, '--inject', '403-for-ever', '--client', 'other');
  await tokenFrom(run.url);
  const { stderr } = await run.end();
  expect(stderr).toContain('! No token request had the id other of --client, so nothing was injected.');
});

test('a HAR file that could not be written is reported, also where the target is wrong', async ({
  start,
}, info) => {
  await using web = await startWeb((_, response) => {
    response.setHeader('content-type', 'application/json').end('{"token":"a-token-of-it-4711"}');
  });
  const folder = info.outputPath('folder');
  mkdirSync(folder);
  const har = join(folder, 'traffic.har');
  const run = await start(web.url, '--har', har);
  await tokenFrom(`${run.url}/api`);
  rmSync(folder, { recursive: true });
  const { code, stderr } = await run.end();
  expect(stderr).toContain(`mrs: ${har} could not be written (ENOENT).\n`);
  expect(stderr).toContain(`give --target ${web.url}/api.`);
  expect(code).toBe(2);
});

test('a recording that is killed leaves the HAR file of before, and no other', async ({
  start,
  service,
}, info) => {
  const folder = info.outputPath('folder');
  mkdirSync(folder);
  const har = join(folder, 'traffic.har');
  writeFileSync(har, 'of before');
  const run = await start(service.url, '--har', har);
  await tokenFrom(run.url);
  await run.end('SIGKILL');
  expect([readdirSync(folder), readFileSync(har, 'utf8')]).toEqual([['traffic.har'], 'of before']);
});

test('a HAR file that could not be written makes the last line that of an error', async ({
  start,
  service,
}, info) => {
  const folder = info.outputPath('folder');
  mkdirSync(folder);
  const run = await start(service.url, '--har', join(folder, 'traffic.har'));
  await tokenFrom(run.url);
  rmSync(folder, { recursive: true });
  const { code, stdout, stderr } = await run.end();
  expect(stderr).toContain('traffic.har could not be written (ENOENT).\n');
  expect(stdout.trimEnd().split('\n').at(-1)).toBe('outcome: error (1 problem with the recording)');
  expect(code).toBe(2);
});

test('--quiet prints the report to open and the outcome, and nothing else', async ({ start, service }) => {
  const free = await startRaw(() => {});
  await free[Symbol.asyncDispose]();
  const run = await start(service.url, '--quiet', '--port', new URL(free.url).port);
  await tokenFrom(run.url);
  await read(run.url);
  const { code, stdout, stderr } = await run.end();
  expect([code, stderr]).toEqual([1, '']);
  expect(stdout).toMatch(/^report: \S+report\.html\noutcome: nonconformant \(.+\)\n$/);
});

for (const [what, args, message] of [
  ['no target', [], "required option '--target <url>' not specified"],
  ['a target that is not a URL', ['--target', 'mrs.example'], '--target is not a URL that begins with http'],
  ['plain http to another machine', ['--target', 'http://mrs.example'], '--target is plain http'],
  [
    'a scenario without a client',
    ['--target', 'https://a.example', '--inject', 'expires'],
    '--inject requires --client',
  ],
  [
    'a client without a scenario',
    ['--target', 'https://a.example', '--client', 'acme'],
    '--client requires --inject',
  ],
  [
    'a scenario that cannot be injected',
    ['--target', 'https://a.example', '--inject', 'data-empty', '--client', 'acme'],
    'is not a scenario that the proxy can play',
  ],
  [
    'a HAR file in a folder that does not exist',
    ['--target', 'https://a.example', '--har', '/nowhere/t.har'],
    '--har /nowhere/t.har cannot be written (ENOENT)',
  ],
  [
    'the token endpoint as the target',
    ['--target', 'https://a.example/api/token/'],
    '--target ends in /token/, which is an endpoint of the service. Give its base URL: https://a.example/api.',
  ],
  [
    'the data endpoint as the target',
    ['--target', 'https://a.example/ods_data'],
    'Give its base URL: https://a.example.',
  ],
  [
    'itself at the default port',
    ['--target', 'http://127.0.0.1', '--port', '80'],
    '--target is the address of the proxy itself. Give another --port than 80.',
  ],
  [
    'its page as the target',
    ['--target', 'http://127.0.0.1:4031', '--control-port', '4031'],
    '--target is the address of the page of the proxy',
  ],
  [
    'itself as the target',
    ['--target', 'http://localhost:4020'],
    '--target is the address of the proxy itself',
  ],
] as [string, string[], string][])
  test(`${what} is refused with 2`, async () => {
    const { code, stderr } = await mrsHere(['proxy', ...args]);
    expect(stderr).toContain(message);
    expect(code).toBe(2);
  });
