import { createHash } from 'node:crypto';
import { mkdirSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, _baseTest as test } from '@playwright/test';
import { SAMPLES as FEEDS } from '../../tests/feed/report/testing/sample-reports.ts';
import type { Judged } from '../../tests/fleet/judged.ts';
import { SAMPLES } from '../../tests/server/report/testing/sample-reports.ts';
import { collectReports } from './collect-reports.ts';

const DIGEST = `sha256:${'0'.repeat(64)}`;
const report = JSON.stringify(SAMPLES.unproved);

/** A folder of the test with these files; objects are written as JSON. */
function folderOf(files: Readonly<Record<string, string | object>>): string {
  const folder = test.info().outputPath('reports');
  mkdirSync(folder, { recursive: true });
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(join(folder, path, '..'), { recursive: true });
    writeFileSync(join(folder, path), typeof content === 'string' ? content : JSON.stringify(content));
  }
  return folder;
}

const recordOf = (name: string, text: string | undefined, more: object = {}) => ({
  schemaVersion: 1,
  name,
  kind: 'service',
  settings: DIGEST,
  suite: DIGEST,
  startedAt: '2030-01-01T00:00:00.000Z',
  durationMs: 1,
  ...(text !== undefined && {
    exitCode: 0,
    report: `sha256:${createHash('sha256').update(text).digest('hex')}`,
  }),
  ...more,
});

const inventoryOf = (...names: string[]) => ({
  schemaVersion: 1,
  writtenAt: '2030-01-01T00:00:00.000Z',
  deployments: names.map((name) => ({ name, kind: 'service', address: 'https://a.example', labels: [] })),
});

/** Each name with its outcome, or with why it has no report. */
function foundIn(folder: string): [name: string, what: string | undefined][] {
  return collectReports([folder], folder).found.map(({ name, judged, record }) => [
    name,
    typeof judged === 'object' ? judged.outcome : (judged ?? record?.reason),
  ]);
}

test('reports are found at any depth, by their records or by their folders', () => {
  const folder = folderOf({
    'artifact-1/reports/fleet/deployments/a/run.json': recordOf('a', report),
    'artifact-1/reports/fleet/deployments/a/report.json': report,
    'plain/report.json': FEEDS.broken,
  });
  expect(foundIn(folder)).toEqual([
    ['a', SAMPLES.unproved.outcome],
    ['plain', 'nonconformant'],
  ]);
});

test('report of a feed has the rules that are violated', () => {
  const [one] = collectReports([folderOf({ 'feed/report.json': FEEDS.broken })], 'x').found;
  const judged = one?.judged as Judged;
  expect(judged.requirements.map(({ id, verdict }) => `${id} ${verdict}`)).toEqual([
    'range failed',
    'unknown-field warned',
    'feed-complete passed',
  ]);
});

test('expected deployments are those of all shards, the latest of two that differ', () => {
  const folder = folderOf({
    'one/inventory-1-of-2.json': inventoryOf('a', 'b'),
    'two/inventory-2-of-2.json': { ...inventoryOf('b', 'c'), writtenAt: '2030-01-02T00:00:00.000Z' },
  });
  expect(collectReports([folder], folder).expected?.map(({ name }) => name)).toEqual(['a', 'b', 'c']);
  expect(collectReports([folder], folder).at).toBe('2030-01-02T00:00:00.000Z');
});

test('expected deployments are those of the run, or else those of earlier runs', () => {
  const folder = folderOf({
    'one/inventory-1-of-2.json': { ...inventoryOf('a', 'b'), runId: '41' },
    'two/inventory-2-of-2.json': {
      ...inventoryOf('b', 'c'),
      runId: '42',
      writtenAt: '2030-01-02T00:00:00.000Z',
    },
  });
  const expectedIn = (runId: string) => {
    const { expected, at } = collectReports([folder], folder, runId);
    return [expected?.map(({ name }) => name).join(), at];
  };
  expect(expectedIn('41')).toEqual(['a,b', '2030-01-01T00:00:00.000Z']);
  expect(expectedIn('43')).toEqual(['a,b,c', undefined]);
});

for (const [what, files, reason] of [
  ['not JSON', { 'a/report.json': '{' }, 'report.json is not JSON.'],
  [
    'of another form',
    { 'a/report.json': { outcome: 'conformant' } },
    'report.json does not have the form of a report: it must have',
  ],
  [
    'another than that of the run',
    { 'a/report.json': report, 'a/run.json': recordOf('a', 'other') },
    'report.json is not the one that the run wrote.',
  ],
  ['missing', { 'a/run.json': recordOf('a', report) }, 'report.json cannot be read (ENOENT).'],
  [
    'without a record that is valid',
    { 'a/report.json': report, 'a/run.json': { name: 'a' } },
    'run.json is not one that mrs fleet run wrote.',
  ],
  [
    'of a run that did not end',
    { 'a/report.json': report, 'a/run.json': recordOf('a', undefined, { reason: 'It was interrupted.' }) },
    'It was interrupted.',
  ],
] as const)
  test(`report that is ${what} is not read as one`, () => {
    expect(foundIn(folderOf(files))).toEqual([['a', expect.stringContaining(reason)]]);
  });

test('report that is too large, or a link, is not read', () => {
  const folder = folderOf({
    'a/run.json': recordOf('a', report),
    'a/report.json': '',
    'b/run.json': recordOf('b', report),
    'outside.json': report,
  });
  truncateSync(join(folder, 'a/report.json'), 33 * 1024 * 1024);
  symlinkSync('../outside.json', join(folder, 'b/report.json'));
  expect(foundIn(folder)).toEqual([
    ['a', 'report.json is larger than 32 MiB.'],
    ['b', 'report.json is a link, which is not followed.'],
  ]);
});

test('folder that is a link is not entered', () => {
  const folder = folderOf({ 'a/report.json': report });
  symlinkSync('.', join(folder, 'again'));
  expect(foundIn(folder)).toHaveLength(1);
});

test('record with a name that leads out of its folder is not taken', () => {
  const [one] = foundIn(folderOf({ 'a/run.json': recordOf('../../etc', report), 'a/report.json': report }));
  expect(one).toEqual(['a', 'run.json is not one that mrs fleet run wrote.']);
});

test('page of a deployment is linked only where it is below the report on the fleet', () => {
  const folder = folderOf({ 'deployments/a/report.json': report, 'deployments/a/report.html': '' });
  expect(collectReports([folder], folder).found[0]?.page).toBe('deployments/a/report.html');
  expect(collectReports([folder], join(folder, 'merged')).found[0]).not.toHaveProperty('page');
});

test('inventory that is not valid is left out, and named', () => {
  const { expected, remarks } = collectReports([folderOf({ 'inventory.json': { deployments: [{}] } })], 'x');
  expect([expected, remarks]).toEqual([
    undefined,
    [expect.stringContaining('is not one that mrs fleet run wrote')],
  ]);
});
