/** `mrs fleet` on machines that lose processes, files and memory. Feeds take less time to judge than deployments. */
import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect, _baseTest as test } from '@playwright/test';
import { filesBelow, fleet, outcomesOf, readFleet, startFleet, workplace } from './testing/fleet-run.ts';
import { childrenOf } from './testing/processes.ts';

const EMPTY = '{"ods_data": []}';

/** A workplace with a fleet of these feeds: a URL, or the content of a file. */
function feedsIn(feeds: Readonly<Record<string, string>>): string {
  const folder = workplace();
  const deployments = Object.entries(feeds).map(([name, feed]) => {
    if (feed.startsWith('http')) return { name, feed };
    writeFileSync(join(folder, `${name}.json`), feed);
    return { name, feed: `${name}.json` };
  });
  writeFileSync(join(folder, 'fleet.yaml'), JSON.stringify({ deployments }));
  return folder;
}

async function startServer(answer: (request: IncomingMessage, response: ServerResponse) => void) {
  const server = createServer(answer).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/ods.json`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

test('shard that does not start has no report, although one of an earlier run is on the volume', async () => {
  const folder = feedsIn({ a: EMPTY, b: EMPTY });
  const run = (shard: string, id: string) =>
    fleet(folder, ['run', '--shard', `${shard}/2`, '--run-id', id, '--report-dir', `volume/${shard}`]);
  const report = async (env: NodeJS.ProcessEnv) => {
    const { code, stdout } = await fleet(folder, ['report', 'volume'], env);
    return { code, stdout, ...readFleet(folder) };
  };
  await run('1', 'monday');
  await run('2', 'monday');
  expect(await report({ MRS_RUN_ID: 'monday' })).toMatchObject({ code: 0, outcome: 'conformant' });

  await run('1', 'tuesday');
  const tuesday = await report({ GITHUB_RUN_ID: 'tuesday' });
  expect([tuesday.code, ...outcomesOf(tuesday)]).toEqual([3, 'a conformant', 'b no-report']);
  expect(tuesday.problems).toEqual([
    expect.stringContaining(
      'Shard 2 left no report. The one that was found is of another run: monday, not tuesday.',
    ),
  ]);
  const unknown = await report({});
  expect([unknown.code, ...outcomesOf(unknown)]).toEqual([0, 'a conformant', 'b conformant']);
  expect(unknown.stdout).toContain('The reports are of 2 runs (tuesday, monday).');
});

test('--resume runs what another run has judged again', async () => {
  const folder = feedsIn({ a: EMPTY });
  const isLeftOut = async (id: string) =>
    (await fleet(folder, ['run', '--resume', '--run-id', id])).stderr.includes('1 deployment left out');
  expect([await isLeftOut('1'), await isLeftOut('1'), await isLeftOut('2')]).toEqual([false, true, false]);
});

test('fleet that is killed leaves no report of an earlier run to what it did not get to', async () => {
  let isUp = true;
  let asked = 0;
  await using server = await startServer((_, response) => {
    asked += 1;
    if (isUp) response.setHeader('content-type', 'application/json').end(EMPTY);
  });
  const folder = feedsIn({ a: server.url, b: EMPTY });
  expect(await fleet(folder, ['run'])).toMatchObject({ code: 0 });
  isUp = false;
  const { child, ended } = startFleet(folder, ['run', '--at-once', '1']);
  await expect.poll(() => asked, { timeout: 0 }).toBe(2);
  child.kill('SIGKILL');
  await ended;
  const { code } = await fleet(folder, ['report', 'reports/fleet']);
  const { deployments } = readFleet(folder);
  expect([code, ...deployments.map(({ reason }) => reason)]).toEqual([
    3,
    expect.stringContaining('The run of the fleet ended before this deployment was judged'),
    expect.stringContaining('The run of the fleet ended before this deployment was judged'),
  ]);
});

test('second run in a directory ends with 2, and the first reports as if alone', async () => {
  let held: ServerResponse | undefined;
  await using server = await startServer((_, response) => {
    held = response;
  });
  const folder = feedsIn({ a: server.url, b: EMPTY });
  const first = startFleet(folder, ['run', '--at-once', '1']);
  await expect.poll(() => held, { timeout: 0 }).toBeDefined();
  const before = filesBelow(folder);
  const second = await fleet(folder, ['run', '--only', 'b']);
  expect(second).toMatchObject({ code: 2, stdout: '' });
  expect(second.stderr).toContain(
    `Another run of this fleet, process ${first.child.pid}, writes to "reports/fleet".`,
  );
  expect(filesBelow(folder)).toEqual(before);
  held?.setHeader('content-type', 'application/json').end(EMPTY);
  expect(await first.ended).toMatchObject({ code: 0 });
  expect(outcomesOf(readFleet(folder))).toEqual(['a conformant', 'b conformant']);
});

test('run that the system kills comes out as no-report with a hint, and the others are reported', async () => {
  let killed = 0;
  await using server = await startServer(() => {
    for (const { pid, args } of childrenOf(child.pid))
      if (args.includes('mrs.js feed ')) killed += Number(process.kill(pid, 'SIGKILL'));
  });
  const folder = feedsIn({ a: server.url, b: EMPTY });
  const { child, ended } = startFleet(folder, ['run', '--at-once', '1']);
  const { code, stderr } = await ended;
  expect(killed).toBe(1);
  expect([code, ...outcomesOf(readFleet(folder))]).toEqual([3, 'a no-report', 'b conformant']);
  expect(stderr).toContain(
    'a: no report, The run was ended by SIGKILL. If the memory ran out, give a smaller --at-once.',
  );
});

test('record that cannot be written comes out as no-report with the reason, and the others are reported', async () => {
  const folder = feedsIn({ a: EMPTY, b: EMPTY });
  mkdirSync(join(folder, 'reports/fleet/deployments/a/run.json'), { recursive: true });
  const { code } = await fleet(folder, ['run']);
  const all = readFleet(folder);
  expect([code, ...outcomesOf(all)]).toEqual([3, 'a no-report', 'b conformant']);
  expect(all.deployments[0]?.reason).toMatch(
    /^The run failed on this machine: .*run\.json could not be written \(\w+\)/,
  );
});

test('inventory that cannot be written ends the run with 2 before any deployment is asked', async () => {
  const folder = feedsIn({ a: EMPTY });
  mkdirSync(join(folder, 'reports/fleet/inventory-1-of-1.json'), { recursive: true });
  const { code, stderr } = await fleet(folder, ['run', '--shard', '1/1']);
  expect(code).toBe(2);
  expect(stderr).toMatch(/inventory-1-of-1\.json could not be written \(\w+\)\. Make room/);
  expect(filesBelow(folder).filter(([path]) => path.includes('deployments'))).toEqual([]);
});

test('key in the URL of a feed is neither an argument of a process nor in a report', async () => {
  const args: string[] = [];
  const urls: string[] = [];
  await using server = await startServer(({ url = '' }, response) => {
    urls.push(url);
    args.push(...childrenOf(child.pid).map((one) => one.args));
    response.setHeader('content-type', 'application/json').end(EMPTY);
  });
  const folder = feedsIn({ f: `${server.url}?key=hunter2` });
  const { child, ended } = startFleet(folder, ['run']);
  const { code, stdout, stderr } = await ended;
  expect([code, urls]).toEqual([0, ['/ods.json?key=hunter2']]);
  expect(args).toContainEqual(expect.stringMatching(/mrs\.js feed /));
  expect(readFileSync(join(folder, 'fleet.yaml'), 'utf8')).toContain('hunter2');
  const written = filesBelow(folder).filter(([path]) => !path.endsWith('fleet.yaml'));
  expect(JSON.stringify([args, written, stdout, stderr])).not.toContain('hunter2');
});

test('run that cannot be started for want of file descriptors comes out as no-report with the reason', () => {
  const module = new URL('../../dist/scripts/fleet/run/run-entry.js', import.meta.url).href;
  const script = `
    import { openSync } from 'node:fs';
    import { runEntry } from '${module}';
    try { for (;;) openSync('/dev/null'); } catch {}
    const prepared = { entry: { name: 'a' }, variables: {}, args: ['verify'], settings: '' };
    const options = { folder: '.', signal: new AbortController().signal, suite: '', deadlineSeconds: 60 };
    const { reason, report } = await runEntry(prepared, options);
    process._rawDebug(JSON.stringify({ reason, report }));`;
  const { stderr } = spawnSync(
    'sh',
    ['-c', 'ulimit -n 100; exec "$@"', 'sh', process.execPath, '--input-type=module', '-e', script],
    { cwd: workplace(), encoding: 'utf8' },
  );
  expect(JSON.parse(stderr)).toEqual({
    reason:
      'The run could not be started: too many files are open; give a smaller --at-once, or raise the limit of open files (ulimit -n).',
  });
});
