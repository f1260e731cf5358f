/** The whole of `mrs fleet`, against deployments of its own. */
import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { stringify } from 'yaml';
import type { Report } from '../../tests/report/report.ts';
import { type Deployment, json, startDeployment, type Traits, untimed } from './testing/deployment.ts';
import { expectNowhere, type Left, leftIn, newFolder, run, startMrs } from './testing/mrs.ts';

/** A deployment whose health check wants a token. */
const BROKEN: Partial<Traits> = { health: ({ token }) => json(token ? 200 : 403, {}) };
/** A deployment whose bodies never end. */
const HANGS: Partial<Traits> = {
  send: (answer) => ({ ...answer, stream: new Readable({ read() {} }) }),
};
/** The entry of a deployment that does not listen: the port of RFC 863. */
const DOWN = {
  ...{ name: 'down', baseUrl: 'http://127.0.0.1:9', clientId: 'x' },
  ...{ clientSecret: { env: 'SECRET_A' }, tokenLifetime: 60 },
};
const secretOf = (name: string) => `${name}-Kx81-${'qwertz'.repeat(2)}-${name}`;

interface Sites {
  folder: string;
  deployments: Record<string, Deployment>;
  /** The secrets, by the variables that the fleet file names. */
  env: Record<string, string>;
  /** Runs `mrs fleet` there; the report is the one of this directory. */
  fleet(args: readonly string[], directory?: string): Promise<Left>;
  [Symbol.asyncDispose](): Promise<void>;
}

/**
 * Starts a deployment of its own for each name, with a secret of its own, and writes fleet.yaml; `settings` are those of
 * each, and `more` further entries. No exchange times out.
 */
async function startSites(
  traits: Readonly<Record<string, Partial<Traits>>>,
  { more = [], settings = {} }: { more?: readonly object[]; settings?: object } = {},
): Promise<Sites> {
  const folder = newFolder();
  const deployments: Record<string, Deployment> = {};
  const env: Record<string, string> = { EXPIRED: untimed.expiredToken ?? '' };
  for (const [name, own] of Object.entries(traits)) {
    const client = { clientId: `client-of-${name}`, clientSecret: secretOf(name) };
    deployments[name] = await startDeployment({ ...untimed, ...own, ...client });
    env[`SECRET_${name.toUpperCase()}`] = client.clientSecret;
  }
  const entries = Object.entries(deployments).map(([name, { url, traits: known }]) => ({
    ...{ name, baseUrl: url, clientId: known.clientId, healthPaths: known.healthPaths },
    ...{ clientSecret: { env: `SECRET_${name.toUpperCase()}` }, tokenLifetime: `${known.tokenLifetimeMs}ms` },
    expiredToken: { env: 'EXPIRED' }, // No run waits for an expiry, however busy the machine is.
    ...settings,
  }));
  const file = { defaults: { timeout: '1h' }, deployments: [...entries, ...more] };
  writeFileSync(join(folder, 'fleet.yaml'), stringify(file));
  return {
    ...{ folder, deployments, env },
    fleet: async (args, directory = 'reports/fleet') =>
      withReport(await run(['fleet', ...args], { cwd: folder, env }), directory),
    async [Symbol.asyncDispose]() {
      for (const one of Object.values(deployments)) await one[Symbol.asyncDispose]();
    },
  };
}

const withReport = (left: Left, directory = 'reports/fleet'): Left => ({
  ...left,
  report: JSON.parse(left.files[`${directory}/report.json`] ?? ''),
});

/** Names and outcomes, as `a conformant`, in the order of names. */
const outcomesOf = ({ report }: Left): string[] =>
  (report as Report).items
    .map(({ id, facts }) => `${id} ${facts.find(({ name }) => name === 'Outcome')?.text}`)
    .toSorted();

/** Why a deployment has no verdict. */
const reasonOf = ({ report }: Left, name: string): string | undefined =>
  report?.items.find(({ id }) => id === name)?.reason;

test('shards merge to what a single run reports, and no report has the secret of another', async () => {
  const more = [{ name: 'feed', feed: 'ods.json', labels: ['feeds'] }, DOWN];
  await using sites = await startSites({ a: BROKEN, b: {}, effelsberg: {} }, { more });
  const example = fileURLToPath(new URL('../../tests/feed/examples/ods.json', import.meta.url));
  copyFileSync(example, join(sites.folder, 'ods.json'));
  const shard = (nth: number) =>
    sites.fleet(['run', '--shard', `${nth}/2`, '--report-dir', `${nth}`], `${nth}`);

  const whole = await sites.fleet(['run', '--report-dir', 'whole'], 'whole');
  const [one, two] = [await shard(1), await shard(2)];
  const merge = ['report', '1', '2', '--fleet', 'fleet.yaml', '--report-dir', 'merged'];
  const merged = await sites.fleet(merge, 'merged');

  expect(outcomesOf(whole)).toEqual([
    'a nonconformant',
    'b conformant',
    'down incomplete',
    'effelsberg conformant', // Its secret begins with its name.
    'feed nonconformant',
  ]);
  expect([...outcomesOf(one), ...outcomesOf(two)].toSorted()).toEqual(outcomesOf(whole));
  expect([whole.code, merged.code, outcomesOf(merged)]).toEqual([1, 1, outcomesOf(whole)]);
  expect(merged.lastLine).toBe(
    'outcome: nonconformant (2 conformant, 0 conformant-to-profile, 0 accepted, 1 incomplete, 0 no-report, 2 nonconformant, 0 error)',
  );
  for (const left of [whole, one, two, merged]) expectNowhere(left, Object.values(sites.env));
  const ids = Object.values(sites.deployments).map(({ traits }) => traits.clientId);
  for (const { calls, traits } of Object.values(sites.deployments)) {
    const asked = new Set(calls.map(({ form }) => form.get('client_id') ?? ''));
    expect(ids.filter((id) => asked.has(id))).toEqual([traits.clientId]);
  }
});

test('secret that another deployment sends, and a key in the URL of a feed, are in no report', async () => {
  const stolen = secretOf('b');
  const key = 'hunter2hunter2';
  const more = [{ name: 'f', feed: `http://127.0.0.1:9/ods.json?key=${key}` }];
  const refusedToken = () => json(403, { stolen, key });
  await using sites = await startSites({ a: { refusedToken }, b: {} }, { more });
  const { files, ...left } = await sites.fleet(['run']);
  const { 'fleet.yaml': _, ...reports } = files;
  expectNowhere({ ...left, files: reports }, [stolen, 'hunter2']);
  expect(files['reports/fleet/deployments/a/report.json'], left.stderr).toContain('‹secret of b›');
});

test('run that hangs is ended by the deadline or an interruption, and the rest is reported', async () => {
  await using sites = await startSites({ a: {}, b: HANGS });
  // An earlier run must leave no report to what this one does not get to, or leaves out.
  for (const name of ['b', 'gone']) {
    const old = join(sites.folder, 'reports/fleet/deployments', name);
    mkdirSync(old, { recursive: true });
    writeFileSync(join(old, 'report.json'), '{}');
  }
  const place = { cwd: sites.folder, env: sites.env };
  const late = await sites.fleet(['run', '--only', 'b', '--deadline', '1s']);
  expect([late.code, reasonOf(late, 'b')]).toEqual([
    3,
    expect.stringMatching(/^Ended by --deadline after \d+ s, at request 1\.$/),
  ]);

  const { child, ended } = startMrs(['fleet', 'run'], place);
  for await (const line of createInterface(child.stderr as NodeJS.ReadableStream))
    if (line.includes(' a: ')) child.kill('SIGINT');
  const left = withReport(leftIn(sites.folder, await ended));
  expect([left.code, outcomesOf(left)]).toEqual([3, ['a conformant', 'b incomplete']]);
  expect(reasonOf(left, 'b')).toMatch(/^Interrupted after \d+ s, at request \d+\.$/);
  expect(left.files['reports/fleet/deployments/b/junit.xml']).toContain('Interrupted after ');
  expect(Object.keys(left.files).filter((path) => /deployments\/gone/.test(path))).toEqual([]);
});

test('deviation that a baseline accepts does not fail the fleet, and is shown', async () => {
  await using sites = await startSites({ a: BROKEN }, { settings: { baseline: 'known.json' } });
  const entry = { requirement: 'MRS-4.3b', reason: 'x', owner: 'ops', until: '2999-01-01' };
  writeFileSync(join(sites.folder, 'known.json'), JSON.stringify([entry]));
  const left = await sites.fleet(['run']);
  expect(outcomesOf(left)).toEqual(['a accepted by its baseline']);
  expect([left.code, left.lastLine]).toEqual([0, expect.stringContaining('outcome: accepted (')]);
});
