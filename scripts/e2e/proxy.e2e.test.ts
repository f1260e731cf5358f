/** `mrs proxy` as a command: what it prints and writes, and how it ends. */
import type { ChildProcess } from 'node:child_process';
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { test as base, expect } from 'vitest';
import { ask, read, SECRET, tokenFrom } from '../proxy/testing/proxied.ts';
import { startRaw, startWeb } from '../proxy/testing/wire.ts';
import { type Deployment, startDeployment } from './testing/deployment.ts';
import { expectNowhere, type Left, leftIn, newFolder, startMrs } from './testing/mrs.ts';

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
    if (args.includes('--quiet')) void untilAccepted(Number(args.at(-1)), child).then(resolve);
  });
  const end = async (signal: NodeJS.Signals = 'SIGINT') => {
    child.kill(signal);
    return leftIn(folder, await ended);
  };
  return { url, folder, child, end };
}

/** With --quiet, it does not print where it listens. */
async function untilAccepted(port: number, child: ChildProcess): Promise<string> {
  const accepts = () =>
    new Promise<boolean>((resolve) => {
      const socket = connect(port, '127.0.0.1');
      socket.once('error', () => resolve(false)).once('connect', () => resolve(!!socket.destroy()));
    });
  while (child.exitCode === null && !(await accepts()));
  return `http://127.0.0.1:${port}`;
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
  expect(left.stderr).toContain('acme      POST /token/     200 OK  acme#1\n');
  expect(left.stderr).toContain('acme      GET /ods_data/   200 OK  acme#1\n');
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

test('a HAR file that could not be written makes the last line that of an error, also where the target is wrong', async ({
  start,
  service,
}) => {
  await using web = await startWeb((_, response) => {
    response.setHeader('content-type', 'application/json').end('{"token":"a-token-of-it-4711"}');
  });
  for (const [target, path, says] of [
    [service.url, '', ''],
    [web.url, '/api', `give --target ${web.url}/api.`],
  ] as const) {
    const run = await start(target, ...HAR);
    await tokenFrom(`${run.url}${path}`);
    rmSync(join(run.folder, 'har'), { recursive: true });
    writeFileSync(join(run.folder, 'har'), 'not a folder');
    const { code, stderr, lastLine } = await run.end();
    expect(stderr).toContain('traffic.har could not be written (EEXIST).\n');
    expect(stderr).toContain(says);
    if (!says) expect(lastLine).toBe('outcome: error (1 problem with the reports)');
    expect(code).toBe(2);
  }
});

test('a proxy that is killed leaves a HAR file with the calls so far, which mrs judge reads, and no secret', async ({
  start,
  service,
}) => {
  const run = await start(service.url, ...HAR);
  const token = await tokenFrom(run.url);
  for (let nth = 0; nth < 20; nth++) await read(run.url, token);
  const killed = await run.end('SIGKILL');
  expect(Object.keys(killed.files)).toEqual(['har/traffic.har']);
  expectNowhere(killed, [SECRET, token]);
  // The last one may have been passed on and not yet written.
  expect(entriesIn(killed).length).toBeGreaterThanOrEqual(20);
  const { code, stdout } = await startMrs(['judge', 'har/traffic.har'], { cwd: run.folder }).ended;
  expect([code, stdout]).toEqual([3, expect.stringMatching(/(\d+) of \1 entries judged/)]);
});

test('a proxy that is killed or does not start leaves no report of an earlier run', async ({
  start,
  service,
}) => {
  const folder = newFolder();
  const stale = join(folder, 'report.html');
  const reports = ['--report-dir', folder];
  writeFileSync(stale, '<p>earlier');
  const taken = new URL(service.url).port;
  const failed = startMrs(['proxy', '--target', service.url, '--port', taken, ...reports], { cwd: folder });
  expect(await failed.ended).toMatchObject({ code: 2 });
  expect(existsSync(stale)).toBe(false);
  writeFileSync(stale, '<p>earlier');
  const run = await start(service.url, ...reports);
  await read(run.url, await tokenFrom(run.url));
  await run.end('SIGKILL');
  expect(existsSync(stale)).toBe(false);
});
