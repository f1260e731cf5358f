/** The whole of `mrs fleet`, against deployments of its own. */
import { once } from 'node:events';
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { expect, _baseTest as test } from '@playwright/test';
import { type Answer, json, type Traits } from './testing/deployment.ts';
import {
  filesBelow,
  fleet,
  outcomesOf,
  readFleet,
  reasonOf,
  startFleet,
  startSites,
  workplace,
} from './testing/fleet-run.ts';

/** A deployment that refuses an expired token with 401. */
const BROKEN: Partial<Traits> = { refusedToken: () => json(401, { error: 'refused' }) };
/** A deployment whose bodies never end. */
const HANGS: Partial<Traits> = {
  send: (answer: Answer): Answer => ({ ...answer, stream: new Readable({ read() {} }) }),
};

/** The entry of a deployment that ends each connection at once. */
async function startDown() {
  const server = createServer((socket) => socket.destroy()).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const baseUrl = `http://127.0.0.1:${port}`;
  return {
    entry: { name: 'down', baseUrl, clientId: 'x', clientSecret: { env: 'SECRET_A' }, tokenLifetime: 60 },
    async [Symbol.asyncDispose]() {
      server.close();
      await once(server, 'close');
    },
  };
}

const example = fileURLToPath(new URL('../../tests/feed/examples/ods.json', import.meta.url));

test('shards merge to what a single run reports, and no report has the secret of another', async () => {
  const folder = workplace();
  copyFileSync(example, join(folder, 'ods.json'));
  await using down = await startDown();
  const more = [{ name: 'feed', feed: 'ods.json', labels: ['feeds'] }, down.entry];
  await using sites = await startSites(folder, { a: BROKEN, b: {}, effelsberg: {} }, more);

  const whole = await fleet(folder, ['run', '--report-dir', 'whole'], sites.env);
  const one = await fleet(folder, ['run', '--shard', '1/2', '--report-dir', 'one'], sites.env);
  const two = await fleet(folder, ['run', '--shard', '2/2', '--report-dir', 'two'], sites.env);
  const merged = await fleet(folder, [
    'report',
    'one',
    'two',
    '--fleet',
    'fleet.yaml',
    '--report-dir',
    'merged',
  ]);

  expect(outcomesOf(readFleet(folder, 'whole'))).toEqual([
    'a nonconformant',
    'b conformant',
    'down incomplete',
    'effelsberg conformant', // Its secret begins with its name.
    'feed nonconformant',
  ]);
  expect([whole.code, merged.code]).toEqual([1, 1]);
  expect(outcomesOf(readFleet(folder, 'one')).concat(outcomesOf(readFleet(folder, 'two')))).toHaveLength(5);
  expect(outcomesOf(readFleet(folder, 'merged'))).toEqual(outcomesOf(readFleet(folder, 'whole')));
  expect(merged.stdout.trimEnd().split('\n').at(-1)).toBe(
    'outcome: nonconformant (2 conformant, 0 conformant-to-profile, 0 accepted, 1 incomplete, 0 no-report, 2 nonconformant, 0 error)',
  );

  const seen = filesBelow(folder).concat(
    [whole, one, two, merged].map((run) => ['output', run.stdout + run.stderr]),
  );
  for (const secret of Object.values(sites.env))
    expect(seen.filter(([, content]) => content.includes(secret)).map(([path]) => path)).toEqual([]);
  const ids = Object.values(sites.deployments).map(({ traits }) => traits.clientId);
  for (const { calls, traits } of Object.values(sites.deployments)) {
    const asked = new Set(calls.map(({ form }) => form.get('client_id') ?? ''));
    expect(ids.filter((id) => asked.has(id))).toEqual([traits.clientId]);
  }
});

test('secret that another deployment sends is in no report', async () => {
  const folder = workplace();
  const stolen = 'b-Kx81-qwertzqwertz-b';
  await using sites = await startSites(folder, { a: { refusedToken: () => json(403, { stolen }) }, b: {} });
  expect(sites.env.SECRET_B).toBe(stolen);
  await fleet(folder, ['run'], sites.env);
  const seen = filesBelow(join(folder, 'reports'));
  expect(seen.filter(([, content]) => content.includes(stolen))).toEqual([]);
  const report = seen.find(([path]) => path.endsWith('deployments/a/report.json'))?.[1];
  expect(report).toContain('‹secret of b›');
});

test('mistake in one entry ends with 2 before any deployment is asked', async () => {
  const folder = workplace();
  await using sites = await startSites(folder, { a: {}, b: {} });
  const { SECRET_B: _, ...env } = sites.env;
  const { code, stderr } = await fleet(folder, ['run'], env);
  expect([code, stderr]).toEqual([
    2,
    expect.stringMatching(
      /^fleet\.yaml:\d+: deployment "b": clientSecret is in the variable SECRET_B, which is not set\. Set it in the environment\.\n$/,
    ),
  ]);
  expect(sites.deployments.a?.calls).toEqual([]);
});

for (const [what, args, sentence] of [
  ['a file without a subcommand', ['fleet.yaml'], 'mrs fleet run fleet.yaml'],
  ['a file that is missing', ['run', 'other.yaml'], '"other.yaml" cannot be read (ENOENT).'],
  [
    'a label that nothing has',
    ['run', '--only', 'europe'],
    '--only is "europe", which is neither a label nor a name',
  ],
  ['a shard that does not exist', ['run', '--shard', '3/2'], '--shard is "3/2". Write it as 2/5'],
  ['a history of a part', ['run', '--shard', '1/2', '--history', 'h'], '--history needs all shards'],
  ['regressions without a history', ['run', '--fail-on', 'regression'], 'Give its file by --history.'],
  ['a history that is none', ['run', '--history', 'fleet.yaml'], 'fleet.yaml:1 is not a run of a fleet.'],
  ['a directory that is missing', ['report', 'nowhere'], '"nowhere" is not a directory that can be read.'],
] as const)
  test(`${what} ends with 2`, async () => {
    const folder = workplace();
    writeFileSync(join(folder, 'fleet.yaml'), 'deployments: [{ name: a, feed: ods.json }]\n');
    copyFileSync(example, join(folder, 'ods.json'));
    const { code, stderr } = await fleet(folder, [...args]);
    expect([code, stderr]).toEqual([2, expect.stringContaining(sentence)]);
  });

test('run that hangs is ended by the deadline or an interruption, and the rest is reported', async () => {
  const folder = workplace();
  await using sites = await startSites(folder, { a: {}, b: HANGS });
  // A killed run of before must leave no report to what this one does not get to.
  mkdirSync(join(folder, 'reports/fleet/deployments/b'), { recursive: true });
  writeFileSync(join(folder, 'reports/fleet/deployments/b/report.json'), '{}');
  const late = await startFleet(folder, ['run', '--only', 'b', '--deadline', '1s'], sites.env).ended;
  expect([late.code, reasonOf(readFleet(folder), 'b')]).toEqual([
    3,
    'The run was ended after 1 s (--deadline).',
  ]);

  const { child, ended } = startFleet(folder, ['run'], sites.env);
  for await (const line of createInterface(child.stderr as NodeJS.ReadableStream))
    if (line.includes(' a: ')) child.kill('SIGINT');
  expect((await ended).code).toBe(3);
  expect(outcomesOf(readFleet(folder))).toEqual(['a conformant', 'b no report']);
  expect(reasonOf(readFleet(folder), 'b')).toBe('The run was interrupted.');
  expect(filesBelow(join(folder, 'reports/fleet/deployments/b'))).toEqual([]);
});

test('folder that cannot be written to is no report with the reason, and the rest is reported', async () => {
  const folder = workplace();
  await using sites = await startSites(folder, { b: {}, c: {} });
  mkdirSync(join(folder, 'reports/fleet/deployments'), { recursive: true });
  writeFileSync(join(folder, 'reports/fleet/deployments/b'), 'a file where a folder must be');
  const { code } = await fleet(folder, ['run'], sites.env);
  expect([code, outcomesOf(readFleet(folder))]).toEqual([3, ['b no report', 'c conformant']]);
  expect(reasonOf(readFleet(folder), 'b')).toMatch(/^No report can be written to /);
});

test('deviation that a baseline accepts does not fail the fleet, and is shown', async () => {
  const folder = workplace();
  await using sites = await startSites(folder, { a: BROKEN });
  await fleet(folder, ['run'], sites.env);
  const failed = readFleet(folder).items[0]?.findings.map(({ where }) => String(where)) ?? [];
  const accepted = failed.map((requirement) => ({
    requirement,
    reason: 'x',
    owner: 'ops',
    until: '2999-01-01',
  }));
  writeFileSync(join(folder, 'known.json'), JSON.stringify(accepted));
  const file = join(folder, 'fleet.yaml');
  writeFileSync(file, `${readFileSync(file, 'utf8')}    baseline: known.json\n`);
  const { code, stdout } = await fleet(folder, ['run'], sites.env);
  expect(failed.length).toBeGreaterThan(0);
  expect(outcomesOf(readFleet(folder))).toEqual(['a accepted by its baseline']);
  expect([code, stdout]).toEqual([0, expect.stringContaining('outcome: accepted (')]);
});

test('key in the URL of a feed is in no report', async () => {
  const folder = workplace();
  const feed = 'http://127.0.0.1:9/ods.json?key=hunter2';
  writeFileSync(join(folder, 'fleet.yaml'), JSON.stringify({ deployments: [{ name: 'f', feed }] }));
  const { stdout, stderr } = await fleet(folder, ['run']);
  const seen = [...filesBelow(join(folder, 'reports')).map(([, content]) => content), stdout, stderr];
  expect(seen.filter((text) => text.includes('hunter2'))).toEqual([]);
});
