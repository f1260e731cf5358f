/** The whole of `mrs fleet`, against deployments of its own. */
import { once } from 'node:events';
import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { expect, _baseTest as test } from '@playwright/test';
import type { Fleet } from '../../tests/fleet/report/wording.ts';
import { type Answer, json, type Traits } from './testing/deployment.ts';
import {
  filesBelow,
  fleet,
  outcomesOf,
  readFleet,
  startFleet,
  startSites,
  workplace,
} from './testing/fleet-run.ts';

/** A deployment that refuses an expired token with 401. */
const BROKEN: Partial<Traits> = { refusedToken: () => json(401, { error: 'refused' }) };
/** An answer whose body never ends. */
const endless = (answer: Answer): Answer => ({ ...answer, stream: new Readable({ read() {} }) });
const HANGS: Partial<Traits> = { send: endless };

/** The entry of a deployment that ends each connection at once. */
async function startDown() {
  const server = createServer((socket) => socket.destroy()).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const entry = {
    name: 'down',
    baseUrl: `http://127.0.0.1:${port}`,
    clientId: 'x',
    clientSecret: { env: 'SECRET_A' },
    tokenLifetime: 60,
  };
  return {
    entry,
    async [Symbol.asyncDispose]() {
      server.close();
      await once(server, 'close');
    },
  };
}

const example = fileURLToPath(new URL('../../tests/feed/examples/ods.json', import.meta.url));

/** What does not depend on when and where a fleet was run. */
const verdictsOf = ({ deployments, outcome, counts }: Fleet) => ({
  outcome,
  counts,
  deployments: deployments.map(({ name, kind, address, outcome: own, requirements, labels }) => ({
    name,
    kind,
    address,
    own,
    labels,
    verdicts: requirements.map(({ id, verdict }) => `${id} ${verdict}`),
  })),
});

test('shards merge to what a single run reports, and no report has the secret of another', async () => {
  const folder = workplace();
  copyFileSync(example, join(folder, 'ods.json'));
  await using down = await startDown();
  const more = [{ name: 'feed', feed: 'ods.json', labels: ['feeds'] }, down.entry];
  await using sites = await startSites(folder, { a: BROKEN, b: {}, effelsberg: {} }, more);

  const whole = await fleet(folder, ['run', '--report-dir', 'whole'], sites.env);
  const one = await fleet(folder, ['run', '--shard', '1/2', '--report-dir', 'one'], sites.env);
  // Kubernetes counts from 0.
  const ofKubernetes = { JOB_COMPLETION_INDEX: '1', MRS_SHARD_TOTAL: '2' };
  const two = await fleet(folder, ['run', '--report-dir', 'two'], { ...sites.env, ...ofKubernetes });
  const merged = await fleet(folder, ['report', 'one', 'two', '--report-dir', 'merged']);

  expect(outcomesOf(readFleet(folder, 'whole'))).toEqual([
    'a nonconformant',
    'b conformant',
    'down incomplete',
    'effelsberg conformant', // Its secret begins with its name.
    'feed nonconformant',
  ]);
  expect([whole.code, one.code, two.code, merged.code]).toEqual([1, 1, 0, 1]);
  expect(outcomesOf(readFleet(folder, 'one')).concat(outcomesOf(readFleet(folder, 'two')))).toHaveLength(5);
  expect(verdictsOf(readFleet(folder, 'merged'))).toEqual(verdictsOf(readFleet(folder, 'whole')));
  expect(merged.stdout.trimEnd().split('\n').at(-1)).toBe(
    'outcome: nonconformant (2 conformant, 0 conformant-to-profile, 2 nonconformant, 0 error, 1 incomplete, 0 no-report)',
  );

  const seen = filesBelow(folder).concat(
    [whole, one, two, merged].map((run) => ['output', run.stdout + run.stderr]),
  );
  expect(seen.filter(([path]) => path.endsWith('report.json'))).toHaveLength(10);
  for (const secret of Object.values(sites.env))
    expect(seen.filter(([, content]) => content.includes(secret)).map(([path]) => path)).toEqual([]);
  const ids = Object.values(sites.deployments).map(({ traits }) => traits.clientId);
  for (const { calls, traits } of Object.values(sites.deployments)) {
    const asked = new Set(calls.map(({ form }) => form.get('client_id') ?? ''));
    expect(ids.filter((id) => asked.has(id))).toEqual([traits.clientId]);
  }
});

test('mistake in one entry ends with 2 before any deployment is asked', async () => {
  const folder = workplace();
  await using sites = await startSites(folder, { a: {}, b: {} });
  const { SECRET_B: _, ...env } = sites.env;
  const { code, stderr } = await fleet(folder, ['run'], env);
  expect(code).toBe(2);
  expect(stderr).toMatch(
    /^fleet\.yaml:\d+: deployment "b": clientSecret is in the variable SECRET_B, which is not set\. Set it in the environment\.\n$/,
  );
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
  [
    'a shard that does not exist',
    ['run', '--shard', '3/2'],
    '--shard (MRS_SHARD) is "3/2", and 3 is more than 2.',
  ],
  ['a history of a part', ['run', '--shard', '1/2', '--history', 'h'], '--history needs all shards'],
  ['a directory that is missing', ['report', 'nowhere'], '"nowhere" cannot be read (ENOENT).'],
  ['a directory without reports', ['report', '.'], 'There is no report of a deployment in ".".'],
] as const)
  test(`${what} ends with 2`, async () => {
    const folder = workplace();
    await using sites = await startSites(folder, { a: {}, b: {} });
    const { code, stderr } = await fleet(folder, [...args], sites.env);
    expect([code, stderr]).toEqual([2, expect.stringContaining(sentence)]);
  });

test('run that hangs comes out as no-report after the deadline, and the others are reported', async () => {
  const folder = workplace();
  await using sites = await startSites(folder, { a: {}, b: HANGS });
  const { code } = await fleet(folder, ['run', '--only', 'b', '--deadline', '2s'], sites.env);
  const { deployments, outcome } = readFleet(folder);
  expect(deployments).toEqual([
    expect.objectContaining({ outcome: 'no-report', reason: 'The run was ended after 2s (--deadline).' }),
  ]);
  expect([code, outcome]).toEqual([3, 'incomplete']);
});

test('folder that cannot be written to comes out as no-report with the reason, and the others are reported', async () => {
  const folder = workplace();
  await using sites = await startSites(folder, { b: {}, c: {} });
  const deployments = join(folder, 'reports/fleet/deployments');
  mkdirSync(deployments, { recursive: true });
  writeFileSync(join(deployments, 'b'), 'a file where a folder must be');
  const { code } = await fleet(folder, ['run'], sites.env);
  const all = readFleet(folder);
  expect(outcomesOf(all)).toEqual(['b no-report', 'c conformant']);
  expect(all.deployments[0]?.reason).toMatch(/^The run failed on this machine: No report can be written to /);
  expect(code).toBe(3);
});

test('interrupted fleet keeps what has ended, and --resume runs only the rest', async () => {
  const folder = workplace();
  let isUp = false;
  const hangs: Partial<Traits> = { send: (answer) => (isUp ? answer : endless(answer)) };
  await using sites = await startSites(folder, { a: {}, b: hangs });
  const { a, b } = sites.deployments;
  const { child, ended } = startFleet(folder, ['run', '--at-once', '2'], sites.env);
  for await (const line of createInterface(child.stderr as NodeJS.ReadableStream))
    if (line.includes(' a: ')) child.kill('SIGINT');
  const first = await ended;
  expect(outcomesOf(readFleet(folder))).toEqual(['a conformant', 'b no-report']);
  expect(readFleet(folder).deployments[1]?.reason).toBe('The run was interrupted.');
  expect(first.code).toBe(3);

  isUp = true;
  const [callsOfA, callsOfB] = [a?.calls.length, b?.calls.length];
  const second = await fleet(folder, ['run', '--resume'], sites.env);
  expect(second.stderr).toContain('1 deployment left out: the report is complete (--resume).');
  expect([outcomesOf(readFleet(folder)), second.code]).toEqual([['a conformant', 'b conformant'], 0]);
  expect(a?.calls).toHaveLength(callsOfA ?? 0);
  expect(b?.calls.length).toBeGreaterThan(callsOfB ?? 0);

  // Without --resume, a complete report is replaced.
  await fleet(folder, ['run', '--only', 'a'], sites.env);
  expect(a?.calls.length).toBeGreaterThan(callsOfA ?? 0);
});

test('deviation that a baseline accepts does not fail the fleet, and is shown', async () => {
  const folder = workplace();
  await using sites = await startSites(folder, { a: BROKEN });
  const [{ failed = [] } = {}] = await (async () => {
    await fleet(folder, ['run'], sites.env);
    return readFleet(folder).deployments.map(({ requirements }) => ({
      failed: requirements.filter(({ verdict }) => verdict === 'failed').map(({ id }) => id),
    }));
  })();
  const accepted = failed.map((requirement) => ({
    requirement,
    reason: 'known',
    owner: 'ops',
    until: '2999-01-01',
  }));
  writeFileSync(join(folder, 'known.json'), JSON.stringify(accepted));
  const file = join(folder, 'fleet.yaml');
  writeFileSync(file, `${readFileSync(file, 'utf8')}    baseline: known.json\n`);
  // A resumed run has other settings now, so it runs again.
  const { code, stdout } = await fleet(folder, ['run', '--resume'], sites.env);
  expect(failed.length).toBeGreaterThan(0);
  expect(readFleet(folder).deployments).toEqual([
    expect.objectContaining({ outcome: 'nonconformant', exitCode: 0 }),
  ]);
  expect([code, stdout]).toEqual([0, expect.stringContaining('outcome: nonconformant (')]);
});

test('history shows what changed since the last run, in a report of merged shards as well', async () => {
  const folder = workplace();
  copyFileSync(example, join(folder, 'ods.json'));
  const feeds = ['a', 'b'].map((name) => ({ name, feed: 'ods.json' }));
  writeFileSync(join(folder, 'fleet.yaml'), JSON.stringify({ deployments: feeds }));
  await fleet(folder, ['run', '--history', 'nights']);
  await fleet(folder, ['run']);
  rmSync(join(folder, 'reports/fleet/deployments/a'), { recursive: true });
  // A second report on the same run takes the place of the first.
  await fleet(folder, ['report', 'reports/fleet', '--history', 'nights']);
  const { code, stdout } = await fleet(folder, ['report', 'reports/fleet', '--history', 'nights']);
  const [a] = readFleet(folder).deployments;
  expect(a).toMatchObject({
    outcome: 'no-report',
    trend: [{ outcome: 'nonconformant' }, { outcome: 'no-report' }],
  });
  expect([code, stdout]).toEqual([1, expect.stringContaining('1 no-report)')]);
  expect(filesBelow(join(folder, 'nights'))).toHaveLength(2);
});
