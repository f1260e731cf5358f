import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { expect, test } from 'vitest';
import { SAMPLES as certificates } from '../../tests/client/testing/sample-certificates.ts';
import { SAMPLES as feeds } from '../../tests/feed/testing/sample-reports.ts';
import { renderJunit } from '../../tests/report/junit.ts';
import { type Item, itemWith, reportWith as made, plain, type Report } from '../../tests/report/report.ts';
import { createSecrets } from '../../tests/support/secrets.ts';
import { outputPath } from '../../tests/support/testing/output-path.ts';
import { suite } from '../../tests/support/version.ts';
import { SAMPLES as traffic } from '../judge/testing/sample-traffic.ts';
import { collectReports, fleetReportOf, publishFleet, reportFleet } from './fleet-report.ts';
import { compareRuns, type Found, keepRun, readHistory } from './history.ts';
import { entriesOfShard } from './run-fleet.ts';

const itemOf = (id: string, verdict: Item['verdict']): Item =>
  itemWith({
    ...{ id, group: '1', statement: `Statement of ${id}.`, verdict },
    ...{ severity: 'security', violation: `${id} is violated.` },
  });

/** Of another ledger, of which the requirements of the samples are all. */
const OTHER = { ...suite, requirements: `sha256:${'1'.repeat(64)}` };

/** A report of mrs verify in which each of these requirements has this verdict. */
const reportWith = (verdicts: Record<string, Item['verdict']>, more: Partial<Report> = {}): Report =>
  made({
    judge: 'verify',
    suite: OTHER,
    subject: { name: 'Deployment', text: 'https://a.example', isCode: true },
    outcome: Object.values(verdicts).includes('failed') ? 'nonconformant' : 'conformant',
    headline: 'It was judged',
    tally: '1 passed',
    properties: { target: 'https://a.example' },
    startedAt: '2026-11-01T00:00:00.000Z',
    items: Object.entries(verdicts).map(([id, verdict]) => itemOf(id, verdict)),
    ...more,
  });

const foundAs = (name: string, report: Report | string): Found => ({ name, labels: [], report });

const good = reportWith({ 'MRS-1': 'passed', 'MRS-2': 'passed' });
const bad = reportWith({ 'MRS-1': 'passed', 'MRS-2': 'failed' });
const incomplete = reportWith({ 'MRS-1': 'passed', 'MRS-2': 'could-not-run' }, { outcome: 'incomplete' });

const feedOf = (outcome: Report['outcome'], verdicts: readonly Item['verdict'][]): Report => ({
  ...good,
  ...{ judge: 'feed', outcome, items: verdicts.map((verdict) => itemOf('past', verdict)) },
});

/** A folder with the text as report.json, below the folder of the test. */
function leave(path: string, content: unknown): string {
  const folder = join(outputPath('reports'), path);
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'report.json'), typeof content === 'string' ? content : JSON.stringify(content));
  return outputPath('reports');
}

for (const [what, found, outcome, tally] of [
  ['all are conformant', [good], 'conformant', '1 conformant, 0 conformant-to-profile, 0 accepted'],
  ['one violates a requirement', [good, bad], 'nonconformant', '1 nonconformant'],
  ['one left no report', [good, 'No run left a report.'], 'incomplete', '1 no-report'],
  [
    'one violates, and one left no report',
    [bad, 'No run left a report.'],
    'nonconformant',
    '1 no-report, 1 nonconformant',
  ],
  ['a run failed', [bad, reportWith({}, { outcome: 'error', problems: ['x'] })], 'error', '1 error'],
] as const)
  test(`fleet of which ${what} is ${outcome}`, () => {
    const report = fleetReportOf(
      found.map((one, at) => foundAs(`site-${at}`, one)),
      '.',
    );
    expect([report.outcome, report.tally]).toEqual([outcome, expect.stringContaining(tally)]);
  });

test('a deployment that a baseline accepts is no error in JUnit, and a requirement that could not run is skipped', () => {
  const accepted: Report = { ...bad, baseline: { outcome: 'accepted', accepted: [], faults: [] } };
  expect(renderJunit(fleetReportOf([foundAs('a', accepted)], '.'))).toContain('errors="0" skipped="0"');
  expect(renderJunit(incomplete)).toMatch(/errors="1" skipped="1"/);
});

test('matrix has a row for each deployment, the worst first, and one column for what profiles declare', () => {
  const found = [
    foundAs('good', good),
    foundAs(
      'bad',
      reportWith({ 'MRS-1': 'failed', 'MRS-7a@site': 'could-not-run', 'MRS-7b@site': 'passed' }),
    ),
    foundAs('gone', 'No run left a report.'),
  ];
  const { sections } = fleetReportOf(found, '.');
  const table = sections[0]?.blocks[0]?.table;
  expect(table?.columns).toEqual(['Deployment', 'Outcome', '1', '2', 'declared']);
  expect(table?.rows.map(({ cells }) => cells.map(plain))).toEqual([
    ['bad', 'nonconformant', '✗', '', '?'],
    ['gone', 'no report', '', '', ''],
    ['good', 'conformant', '✓', '✓', ''],
  ]);
});

test('matrix has the reports of every judge that were left in folders', () => {
  const all = { deployment: good, client: certificates.broken, feed: feeds.broken, traffic: traffic.right };
  for (const [name, report] of Object.entries(all)) leave(name, report);
  const folder = leave('live', { ...traffic.right, judge: 'proxy' });
  const table = fleetReportOf(collectReports([folder]), '.').sections[0]?.blocks[0]?.table;
  const rows = table?.rows.map(({ cells }) => cells.map(plain)) ?? [];
  const marksOf = (column: string) => {
    const at = table?.columns.indexOf(column) ?? -1;
    return Object.fromEntries(rows.map((cells) => [cells[0], cells[at]]).filter(([, mark]) => mark !== ''));
  };
  expect(rows.map(([name]) => name).toSorted()).toEqual(['client', 'deployment', 'feed', 'live', 'traffic']);
  expect(marksOf('1')).toEqual({ deployment: '✓' });
  expect(marksOf('1.3')).toEqual({ live: '·', traffic: '·' });
  expect(marksOf('token-reuse')).toEqual({ client: '✗', live: '✓', traffic: '✓' });
  expect(marksOf('digit-string')).toEqual({ feed: '✗' });
});

const acceptedUntil = (until: string): Report => {
  const entry = { requirement: 'MRS-2', verdict: 'failed', reason: 'x', owner: 'ops', until } as const;
  return { ...bad, baseline: { outcome: 'accepted', accepted: [entry], faults: [] } };
};

for (const [what, content, why] of [
  ['is not JSON', '{', 'it is not JSON'],
  ['is no report', {}, 'is not a report'],
  ['has a time that is none', { ...good, startedAt: 'yesterday' }, '/startedAt must match format'],
] as const)
  test(`report that ${what} counts as none, with the reason`, () => {
    const [one] = collectReports([leave('a', content)]);
    expect(one).toMatchObject({ name: 'a', report: expect.stringContaining(why) });
  });

test('of several reports with one name the latest counts, the report on a fleet is none, and links are not followed', () => {
  leave('one/a', good);
  leave('two/a', { ...bad, startedAt: '2026-11-02T00:00:00.000Z' });
  leave('one/deployments/b', good);
  const root = leave('one', { ...good, judge: 'fleet' });
  symlinkSync(join(root, 'one', 'a'), join(root, 'link'));
  expect(collectReports([root]).map(({ name, report }) => [name, (report as Report).outcome])).toEqual([
    ['a', 'nonconformant'],
    ['b', 'conformant'],
  ]);
});

test('directories without a report are refused', () => {
  const folder = outputPath('.');
  mkdirSync(folder, { recursive: true });
  expect(() => collectReports([join(folder, 'nowhere')])).toThrow('cannot be read (ENOENT)');
  expect(() => collectReports([folder])).toThrow('There is no report in');
});

/** The history after a run with these reports. */
function historyAfter(found: readonly Found[], secrets = createSecrets()) {
  const file = outputPath('history.jsonl');
  keepRun(readHistory(file), found, secrets);
  return readHistory(file);
}

test('history keeps verdicts and no secret, and shows what changed by the same requirements', () => {
  const secrets = createSecrets();
  secrets.register('observatory-Kx81-qwertz', 'secret of a');
  const { file, runs } = historyAfter(
    [foundAs('a', good), foundAs('observatory-Kx81-qwertz', bad), foundAs('c', 'No report.')],
    secrets,
  );
  expect(readFileSync(file, 'utf8')).not.toContain('Kx81');
  const then = { before: 'conformant', broken: [], fixed: [] } as const;
  expect(compareRuns([foundAs('a', bad), foundAs('c', good)], runs)).toEqual({
    changes: [{ ...then, name: 'a', now: 'nonconformant', broken: ['MRS-2'] }],
    regressed: [{ name: 'a', since: expect.stringMatching(/^\d{4}-\d\d-\d\d$/), runs: 1, wasAccepted: true }],
  });
  expect(compareRuns([foundAs('a', 'No report.')], runs)).toEqual({
    changes: [{ ...then, name: 'a', now: 'no-report' }],
    regressed: [],
  });
  expect(compareRuns([foundAs('a', good)], historyAfter([foundAs('a', bad)]).runs).changes).toEqual([
    { name: 'a', before: 'nonconformant', now: 'conformant', broken: [], fixed: ['MRS-2'] },
  ]);
  const other = { ...bad.suite, requirements: `sha256:${'0'.repeat(64)}` };
  expect(compareRuns([foundAs('a', { ...bad, suite: other })], runs)).toEqual({
    changes: [],
    regressed: [
      { name: 'a', since: expect.stringMatching(/^\d{4}-\d\d-\d\d$/), runs: 1, wasAccepted: false },
    ],
  });
});

test('headline counts what got worse, better and down since the last run, and a remark says since when', () => {
  const { runs } = historyAfter([
    foundAs('worse', good),
    foundAs('better', bad),
    foundAs('mended', worse),
    foundAs('down', good),
    foundAs('same', bad),
  ]);
  const found = [
    foundAs('worse', bad),
    foundAs('better', good),
    foundAs('mended', bad),
    foundAs('down', 'No report.'),
    foundAs('same', bad),
    foundAs('new', bad),
  ];
  const { headline, remarks } = fleetReportOf(found, '.', { runs, ...compareRuns(found, runs) });
  expect(headline).toMatch(/^1 got worse, 2 got better, 1 is down, 1 is new; 1 as before$/);
  expect(remarks).toEqual([
    expect.stringMatching(/^Worse than when last accepted: worse since \d{4}-\d\d-\d\d \(1 run\)\.$/),
  ]);
});

test('headline says that nothing changed, and what is', () => {
  const { runs } = historyAfter([foundAs('a', bad)]);
  const found = [foundAs('a', bad)];
  expect(fleetReportOf(found, '.', { runs, ...compareRuns(found, runs) }).headline).toBe(
    'Nothing changed. Of 1 deployment: 1 nonconformant',
  );
});

test('reports that are merged are copied to where the page links to them, without links and those of before', () => {
  const root = leave('shard/a', good);
  const folder = join(root, 'shard', 'a');
  writeFileSync(join(folder, 'report.html'), 'the page of a');
  writeFileSync(join(outputPath('.'), 'secret'), 'of this machine');
  symlinkSync(join(outputPath('.'), 'secret'), join(folder, 'junit.xml'));
  const directory = outputPath('merged');
  const gone = join(directory, 'deployments', 'gone');
  mkdirSync(gone, { recursive: true });
  writeFileSync(join(gone, 'report.json'), '{}');
  linesOf(() => reportFleet([root], { directory, failsOn: 'nonconformance', print: 'quiet' }));
  expect(readdirSync(join(directory, 'deployments', 'a')).toSorted()).toEqual(['report.html', 'report.json']);
  expect(readdirSync(gone)).toEqual([]);
  expect(readFileSync(join(directory, 'report.html'), 'utf8')).toContain(
    'href="./deployments/a/report.html"',
  );
});

for (const written of ['', '{', '{"at":"2026-11-', '{"at":1}\n'])
  test(`run that was cut off while it was written is ignored with a remark: ${written}`, () => {
    const { file, runs } = historyAfter([foundAs('a', good)]);
    writeFileSync(file, readFileSync(file, 'utf8').trimEnd() + (written && `\n${written}`));
    const before = readHistory(file);
    expect(before.remarks).toEqual(
      written ? [`${file}:2 is not a whole run of a fleet: it is ignored.`] : [],
    );
    keepRun(before, [foundAs('a', bad)], createSecrets());
    const after = readHistory(file);
    expect([before.runs, after.runs[0], after.runs.length]).toEqual([runs, runs[0], 2]);
  });

test('file that is not a history is refused with its line', () => {
  const file = outputPath('history.jsonl');
  writeFileSync(file, 'a note');
  expect(() => readHistory(file)).toThrow(`${file}:1 is not a run of a fleet.`);
});

/** What is printed meanwhile. */
function linesOf(print: () => void): string[] {
  const { log } = console;
  const lines: string[] = [];
  try {
    console.log = (text: string) => lines.push(...stripVTControlCharacters(text).split('\n'));
    print();
  } finally {
    console.log = log;
  }
  return lines;
}

const REGRESSED =
  /\. Exit code 1: site-\d has violations that it did not have when it was last accepted \(since \d{4}-\d\d-\d\d, 1 run\)\.$/;
for (const [what, before, now, failsOn, code, end] of [
  ['violation fails', [good], [bad], 'nonconformance', 1, ''],
  ['new violation fails a run that fails on regressions', [good], [bad], 'regression', 1, REGRESSED],
  [
    'old violation does not, and a deployment without a report still does',
    [bad],
    [bad, 'No run left a report.'],
    'regression',
    3,
    /Exit code 3: no regression, but no report\.$/,
  ],
  [
    'violation after a run by other requirements fails',
    [{ ...bad, suite }],
    [bad, bad],
    'regression',
    1,
    /site-0 has violations, and was never accepted \(since .*, 1 run\); so have site-1\.$/,
  ],
] as const)
  test(what, () => {
    const named = (reports: readonly (Report | string)[]) =>
      reports.map((report, at) => foundAs(`site-${at}`, report));
    const history = historyAfter(named(before));
    const directory = outputPath('out');
    const lines = linesOf(() =>
      expect(publishFleet(named(now), history, { directory, failsOn, print: 'quiet' })).toBe(code),
    );
    expect(lines.at(-1)).toMatch(end || /^outcome: \S+ \([^)]*\)$/);
  });

test('what the first run of a history finds is accepted', () => {
  const empty = { ...historyAfter([]), runs: [] };
  const lines = linesOf(() =>
    publishFleet([foundAs('a', bad)], empty, {
      directory: outputPath('out'),
      failsOn: 'regression',
      print: 'quiet',
    }),
  );
  expect(lines.at(-1)).toMatch(/Exit code 0: no regression\.$/);
});

const RUN = /\(since (\S+), (\d+) runs?\)/;
const worse = reportWith({ 'MRS-1': 'failed', 'MRS-2': 'failed' });
const other = reportWith({ 'MRS-1': 'failed', 'MRS-2': 'passed' });
const accepted = acceptedUntil('2999-01-01');
for (const [what, before, now, red] of [
  ['a violation stays red', [good, bad], bad, '2026-11-02 2'],
  ['a violation stays red for a week', [good, bad, bad, bad, bad, bad, bad], bad, '2026-11-02 7'],
  ['a violation stays red after a run that could not judge it', [good, bad, incomplete], bad, '2026-11-02 2'],
  ['a violation stays red after a night without a report', [good, bad, 'No report.'], bad, '2026-11-02 2'],
  ['a violation stays red next to an old one', [bad, worse], worse, '2026-11-02 2'],
  [
    'a violation that took the place of another is red since the first of them',
    [good, bad, other],
    other,
    '2026-11-02 3',
  ],
  ['a violation of a deployment that was added stays red', [undefined, bad], bad, '2026-11-02 2'],
  ['a violation that came back is red since then', [good, bad, good, bad], bad, '2026-11-04 2'],
  [
    'a feed that --strict fails stays red',
    [feedOf('conformant', []), feedOf('nonconformant', ['warned'])],
    feedOf('nonconformant', ['warned']),
    '2026-11-02 2',
  ],
  ['a violation that the history begins with is not a regression', [bad, bad], bad, ''],
  ['what is left of the violations that the history begins with is not a regression', [worse, bad], bad, ''],
  ['a violation that was accepted is not a regression', [good, bad, accepted], bad, ''],
  ['a deployment that is well again is not a regression', [good, bad], good, ''],
] as const)
  test(`${what}, where only regressions fail`, () => {
    const file = outputPath('history.jsonl');
    before.forEach((report, nth) => {
      keepRun(readHistory(file), report === undefined ? [] : [foundAs('a', report)], createSecrets());
      const text = readFileSync(file, 'utf8').replace(
        /"at":"[^"]*"(?=.*\n$)/,
        `"at":"2026-11-0${nth + 1}T03:00:00.000Z"`,
      );
      writeFileSync(file, text);
    });
    const directory = outputPath('out');
    let code: number | undefined;
    const to = { directory, failsOn: 'regression', print: 'quiet' } as const;
    const lines = linesOf(() => {
      code = publishFleet([foundAs('a', now)], readHistory(file), to);
    });
    const [, since = '', runs = ''] = RUN.exec(lines.at(-1) ?? '') ?? [];
    expect([code, `${since} ${runs}`.trim()]).toEqual([red === '' ? 0 : 1, red]);
  });

test('where the history cannot be written, no report is left that says that all is well', () => {
  const history = historyAfter([foundAs('a', good)]);
  const directory = outputPath('out');
  mkdirSync(directory, { recursive: true });
  writeFileSync(join(directory, 'junit.xml'), 'of an earlier run');
  const to = { directory, failsOn: 'nonconformance', print: 'quiet' } as const;
  const lines = linesOf(() =>
    expect(() => publishFleet([foundAs('a', good)], { ...history, file: directory }, to)).toThrow(
      'cannot be written (EISDIR)',
    ),
  );
  expect([lines, readdirSync(directory)]).toEqual([[], []]);
});

test('history in a folder that is missing is refused before a run', () => {
  const file = join(outputPath('nowhere'), 'history.jsonl');
  expect(() => readHistory(file)).toThrow('does not exist. Create it, or name another file by --history.');
});

test('shards share the deployments, and those of one host are in one shard', () => {
  const entries = ['a', 'b', 'c', 'a'].map((host, at) => ({
    name: `site-${at}`,
    baseUrl: `https://${host}.example/${at}`,
    line: at,
  }));
  const shards = [1, 2].map((index) => entriesOfShard(entries, { index, total: 2 }).map(({ name }) => name));
  expect(shards).toEqual([['site-0', 'site-2', 'site-3'], ['site-1']]);
  expect(() => entriesOfShard(entries, { index: 4, total: 4 })).toThrow('use at most 3 shards');
});
