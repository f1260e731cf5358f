import { execFileSync } from 'node:child_process';
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
  return collectReports([folder], { output: folder }).found.map(({ name, judged, record }) => [
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
  const [one] = collectReports([folderOf({ 'feed/report.json': FEEDS.broken })], { output: 'x' }).found;
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
  expect(collectReports([folder], { output: folder }).expected?.map(({ name }) => name)).toEqual([
    'a',
    'b',
    'c',
  ]);
  expect(collectReports([folder], { output: folder }).at).toBe('2030-01-02T00:00:00.000Z');
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
    const { expected, at } = collectReports([folder], { output: folder, runId });
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

test('folder that is a link is not entered, and is named', () => {
  const folder = folderOf({ 'a/report.json': report });
  symlinkSync('.', join(folder, 'again'));
  expect(foundIn(folder)).toHaveLength(1);
  expect(collectReports([folder], { output: folder }).remarks).toEqual([
    expect.stringMatching(/again is a link, which is not followed/),
  ]);
});

test('record with a name that leads out of its folder is not taken', () => {
  const [one] = foundIn(folderOf({ 'a/run.json': recordOf('../../etc', report), 'a/report.json': report }));
  expect(one).toEqual(['a', 'run.json is not one that mrs fleet run wrote.']);
});

test('page of a deployment is linked, and its folder named where it is not below the report on the fleet', () => {
  const folder = folderOf({ 'deployments/a/report.json': report, 'deployments/a/report.html': '' });
  const placeFrom = (output: string) => {
    const [{ page, folder: named } = {}] = collectReports([folder], { output }).found;
    return [page, named];
  };
  expect(placeFrom(folder)).toEqual(['deployments/a/report.html', undefined]);
  const directory = process.cwd();
  process.chdir(folder);
  try {
    expect(placeFrom(join(folder, '../elsewhere'))).toEqual([undefined, join(folder, 'deployments/a')]);
    const [one] = collectReports(['deployments'], { output: 'reports/fleet' }).found;
    expect([one?.page, one?.folder]).toEqual(['../../deployments/a/report.html', 'deployments/a']);
  } finally {
    process.chdir(directory);
  }
});

const inventory = JSON.stringify(inventoryOf('a', 'b'));

for (const [what, text, reason] of [
  ['not valid', '{"deployments":[{}]}', /inventory\.json is not one that mrs fleet run wrote, so/],
  [
    'a link',
    undefined,
    /inventory\.json is a link, which is not followed, so .* Give the fleet file by --fleet\./,
  ],
] as const)
  test(`inventory that is ${what} ends with an error, unless another or the fleet file names the deployments`, () => {
    const folder = folderOf({ 'x/outside': inventory, 'a/report.json': report });
    if (text === undefined) symlinkSync('x/outside', join(folder, 'inventory.json'));
    else writeFileSync(join(folder, 'inventory.json'), text);
    expect(() => collectReports([folder], { output: 'x' })).toThrow(reason);
    const left = [expect.stringMatching(/inventory\.json is .*, and was left out\.$/)];
    expect(collectReports([folder], { output: 'x', isComplete: true }).remarks).toEqual(left);
    writeFileSync(join(folder, 'inventory-1-of-2.json'), inventory);
    expect(collectReports([folder], { output: 'x' })).toMatchObject({
      expected: [{ name: 'a' }, { name: 'b' }],
      remarks: left,
    });
  });

for (const file of ['report.json', 'run.json'])
  for (const [what, make, reason] of [
    ['a link', (path: string) => symlinkSync('../outside.json', path), 'is a link, which is not followed.'],
    ['a folder', (path: string) => mkdirSync(path), 'is a directory.'],
    ['a pipe', (path: string) => execFileSync('mkfifo', [path]), 'is not a regular file.'],
  ] as const)
    test(`deployment whose ${file} is ${what} has no report`, () => {
      const folder = folderOf({ 'outside.json': report, 'a/report.html': '' });
      make(join(folder, 'a', file));
      expect(foundIn(folder)).toEqual([['a', `${file} ${reason}`]]);
    });

test('deployment whose folder is a link or a file has no report', () => {
  const folder = folderOf({ 'elsewhere/report.json': report, 'deployments/c': '' });
  symlinkSync('../nowhere', join(folder, 'deployments/a'));
  symlinkSync('elsewhere', join(folder, 'b'));
  expect(foundIn(folder)).toEqual([
    ['b', expect.stringMatching(/^The folder .*b is a link, which is not followed\.$/)],
    ['a', expect.stringMatching(/^The folder .*a is a link, which is not followed\.$/)],
    ['c', expect.stringMatching(/c is not a folder\.$/)],
    ['elsewhere', SAMPLES.unproved.outcome],
  ]);
});

for (const [exitCode, outcome] of [
  [0, 'error'],
  [3, 'conformant'],
] as const)
  test(`exit code ${exitCode} contradicts a report that is ${outcome}`, () => {
    const text = JSON.stringify(
      outcome === 'error' ? { ...SAMPLES.unproved, problems: ['Broken.'], outcome } : FEEDS.conformant,
    );
    const folder = folderOf({ 'a/report.json': text, 'a/run.json': recordOf('a', text, { exitCode }) });
    expect(foundIn(folder)).toEqual([
      [
        'a',
        `run.json states the exit code ${exitCode}, which contradicts the outcome of report.json, ${outcome}.`,
      ],
    ]);
  });

test('reason in a report of a fleet names settings, and not the variables of its processes', () => {
  const sentence = 'The service refused MRS_CLIENT_ID and MRS_CLIENT_SECRET.';
  const text = JSON.stringify({ ...SAMPLES.unproved, cause: { headline: 'Refused', sentence } });
  const folder = folderOf({ 'a/report.json': text, 'a/run.json': recordOf('a', text) });
  const [one] = collectReports([folder], { output: folder }).found;
  expect(one?.judged).toMatchObject({ cause: 'The service refused clientId and clientSecret.' });
});
