import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { expect, _baseTest as test } from '@playwright/test';
import { type Item, itemWith, reportWith as made, type Report } from '../../tests/report/report.ts';
import { ledger } from '../../tests/support/requirements.ts';
import { createSecrets } from '../../tests/support/secrets.ts';
import { suite } from '../../tests/support/version.ts';
import { collectReports, expecting } from './collect.ts';
import { fleetReportOf, publishFleet } from './fleet-report.ts';
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

/** A folder with the text as report.json, below the folder of the test. */
function leave(path: string, content: unknown): string {
  const folder = join(test.info().outputPath('reports'), path);
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'report.json'), typeof content === 'string' ? content : JSON.stringify(content));
  return test.info().outputPath('reports');
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

test('a fleet of which one is accepted by its baseline is not told to fix what failed', () => {
  const accepted: Report = { ...bad, baseline: { outcome: 'accepted', accepted: [], faults: [] } };
  const nextOf = (...found: Report[]) =>
    fleetReportOf(
      found.map((one, at) => foundAs(`site-${at}`, one)),
      '.',
    ).next;
  expect(nextOf(good, accepted)).toMatch(/^Nothing has to change before the baselines end/);
  expect(nextOf(bad, accepted)).toMatch(/^Send each nonconformant deployment/);
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
  expect(table?.columns).toEqual(['Deployment', 'Outcome', '1', '2', 'profile']);
  const marks = table?.rows.map(({ cells }) =>
    cells.map((cell) =>
      typeof cell === 'string'
        ? cell
        : cell.map((part) => (typeof part === 'string' ? part : part.text)).join(''),
    ),
  );
  expect(marks).toEqual([
    ['bad', 'nonconformant', '✗', '', '?'],
    ['gone', 'no report', '', '', ''],
    ['good', 'conformant', '✓', '✓', ''],
  ]);
});

const NEEDED = ledger.find(({ passive }) => passive === 'usual')?.id ?? '';
const acceptedUntil = (until: string): Report => {
  const entry = { requirement: 'MRS-2', verdict: 'failed', reason: 'x', owner: 'ops', until } as const;
  return { ...bad, baseline: { outcome: 'accepted', accepted: [entry], faults: [] } };
};

for (const [what, report] of [
  ['of a client that was not seen to its end', { ...good, judge: 'certify', outcome: 'incomplete' }],
  ['of traffic that shows too little', { ...good, judge: 'judge', outcome: 'incomplete' }],
  [
    'of a client that warnings fail',
    { ...reportWith({ A: 'passed', B: 'warned' }), judge: 'certify', outcome: 'nonconformant' },
  ],
  ['with a violation that a baseline accepts', acceptedUntil('2999-01-01')],
] as const)
  test(`report ${what} is believed`, () => {
    expect(collectReports([leave('a', report)])).toMatchObject([{ report: { outcome: report.outcome } }]);
  });

for (const [what, content, why] of [
  ['is not JSON', '{', 'it is not JSON'],
  ['lacks requirements of this suite', { ...good, suite }, 'report.json lacks MRS-1.3'],
  [
    'has a verdict of another judge',
    reportWith({ 'MRS-1': 'passed', 'MRS-2': 'warned' }),
    'that mrs verify does not give',
  ],
  [
    'is of a client, and conformant without a rule',
    { ...good, judge: 'certify', items: [] },
    'come to incomplete',
  ],
  ...(['certify', 'judge', 'proxy'] as const).flatMap((judge) => [
    ...(['conformant', 'conformant-to-profile', 'incomplete'] as const).map(
      (outcome) =>
        [
          `is of mrs ${judge}, and ${outcome} with a failed rule`,
          { ...bad, judge, outcome },
          'come to nonconformant',
        ] as const,
    ),
    [
      `is of mrs ${judge}, and conformant with nothing that applies`,
      { ...reportWith({ 'MRS-1': 'not-applicable' }), judge },
      'come to incomplete',
    ] as const,
  ]),
  [
    'is of mrs judge, and conformant without what has to be seen',
    { ...reportWith({ 'MRS-1': 'passed', [NEEDED]: 'not-seen' }), suite, judge: 'judge' },
    'come to incomplete',
  ],
  [
    'has a baseline of a judge that applies none',
    { ...good, judge: 'certify', baseline: { outcome: 'conformant', accepted: [], faults: [] } },
    'mrs certify applies none',
  ],
  [
    'has a baseline that makes a violation conformant',
    { ...bad, baseline: { outcome: 'conformant', accepted: [], faults: [] } },
    'the entries come to nonconformant',
  ],
  [
    'has a baseline that no longer accepts its violation',
    acceptedUntil('2026-11-01'),
    'The baseline accepted MRS-2 until 2026-11-01. Run it again.',
  ],
  ['has another form', {}, 'is not a report'],
  [
    'states another outcome than its verdicts',
    { ...bad, outcome: 'conformant' },
    'and its verdicts come to nonconformant',
  ],
  [
    'says that a baseline accepts it, and not what',
    { ...bad, baseline: { outcome: 'accepted', accepted: [], faults: [] } },
    'the entries come to nonconformant',
  ],
  [
    'was made at an implausible time',
    { ...good, startedAt: '1970-01-01T00:00:00Z' },
    'Set the clock of the machine',
  ],
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

test('expected deployment without a report, or with that of another, is incomplete', () => {
  const found = expecting(
    [foundAs('a', good), foundAs('c', good), foundAs('d', { ...good, judge: 'feed' })],
    [
      { name: 'a', baseUrl: 'https://a.example/' },
      { name: 'b', contact: 'ops' },
      { name: 'c', baseUrl: 'https://c.example' },
      { name: 'd', baseUrl: 'https://a.example' },
    ],
  );
  expect(found.map(({ name, report }) => [name, typeof report])).toEqual([
    ['a', 'object'],
    ['b', 'string'],
    ['c', 'string'],
    ['d', 'string'],
  ]);
});

for (const [directories, why] of [
  [['nowhere'], 'is not a directory that can be read'],
  [['.'], 'There is no report of a deployment'],
] as const)
  test(`reports in "${directories}" are refused`, () => {
    const folder = test.info().outputPath('.');
    expect(() => collectReports(directories.map((one) => join(folder, one)))).toThrow(why);
  });

/** The history after a run with these reports. */
function historyAfter(found: readonly Found[], secrets = createSecrets()) {
  const file = test.info().outputPath('history.jsonl');
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
  const since = runs[0]?.at ?? '';
  expect(compareRuns([foundAs('a', bad), foundAs('c', good)], runs)).toEqual({
    changes: [{ name: 'a', id: 'MRS-2', before: 'passed', after: 'failed', since }],
    since: [since],
    ...{ isRegression: true, uncompared: 0 },
  });
  const suite = { ...bad.suite, requirements: `sha256:${'0'.repeat(64)}` };
  const none = { changes: [], since: [], isRegression: true, uncompared: 1 };
  expect(compareRuns([foundAs('a', { ...bad, suite })], runs)).toEqual(none);
});

test('history is read once, and a last line without an end is ended first', () => {
  const { file } = historyAfter([foundAs('a', good)]);
  writeFileSync(file, readFileSync(file, 'utf8').trimEnd());
  const before = readHistory(file);
  keepRun(before, [foundAs('a', bad)], createSecrets());
  expect([before.isOpen, readHistory(file).runs.length]).toEqual([true, 2]);
});

for (const written of ['{', '{"at":"2026-11-', 'all but the last character'])
  test(`a run that was cut off while it was written is ignored with a remark: ${written}`, () => {
    const { file, runs } = historyAfter([foundAs('a', good)]);
    const line = readFileSync(file, 'utf8').trimEnd();
    writeFileSync(file, `${line}\n${written.startsWith('{') ? written : line.slice(0, -1)}`);
    for (const count of [1, 2]) {
      const before = readHistory(file);
      expect(before.runs.length).toBe(count);
      const compared = { ...before, ...compareRuns([foundAs('a', bad)], before.runs) };
      expect(fleetReportOf([foundAs('a', bad)], '.', compared).remarks).toEqual([
        `${file}:2 holds only the beginning of a run, as a full disk leaves it: it is ignored.`,
      ]);
      keepRun(before, [foundAs('a', bad)], createSecrets());
    }
    expect(readHistory(file).runs[0]).toEqual(runs[0]);
  });

test('file that is not a history is refused with its line', () => {
  const file = test.info().outputPath('history.jsonl');
  writeFileSync(file, '{"at":"2026-11-01T00:00:00Z","deployments":{}}\n{"at":1}\n');
  expect(() => readHistory(file)).toThrow(`${file}:2 is not a run of a fleet.`);
  writeFileSync(file, 'a note');
  expect(() => readHistory(file)).toThrow(`${file}:1 is not a run of a fleet.`);
});

for (const [what, runs, text] of [
  ['a first run', [], 'This is the first run in the history.'],
  ['deployments that no run had', [foundAs('b', good)], 'No earlier run judged one of these'],
  ['what is as before', [foundAs('a', good)], 'Nothing changed.'],
] as const)
  test(`changes of ${what} are a sentence`, () => {
    const history = runs.length === 0 ? readHistory('nowhere') : historyAfter(runs);
    const found = [foundAs('a', good)];
    const compared = { ...history, ...compareRuns(found, history.runs) };
    const changes = fleetReportOf(found, '.', compared).sections.find(({ id }) => id === 'changes');
    expect(changes?.blocks).toEqual([{ text: expect.stringContaining(text) }]);
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

const UNCOMPARED =
  /\. Exit code 1: 1 nonconformant deployment has no earlier run by the same requirements, so that each violation counts as new\.$/;
const feedOf = (outcome: Report['outcome'], verdicts: readonly Item['verdict'][]): Report => ({
  ...good,
  ...{ judge: 'feed', outcome, items: verdicts.map((verdict) => itemOf('past', verdict)) },
});
for (const [what, before, now, failsOn, code, end] of [
  ['violation fails', [good], [bad], 'nonconformance', 1, ''],
  ['new violation fails a run that fails on regressions', [good], [bad], 'regression', 1, ''],
  [
    'old violation does not, with the reason',
    [bad],
    [bad],
    'regression',
    0,
    /\. Exit code 0: no regression since \d{4}-\d\d-\d\d\.$/,
  ],
  [
    'old violation does not, and a deployment without a report still does',
    [bad],
    [bad, 'No run left a report.'],
    'regression',
    3,
    /Exit code 3: no regression since .*, but a deployment left no report\.$/,
  ],
  ['violation in a first run of a deployment fails', [bad], [bad, bad], 'regression', 1, UNCOMPARED],
  ['violation after no report fails', ['No run left a report.'], [bad], 'regression', 1, UNCOMPARED],
  [
    'violation after a run by other requirements fails',
    [{ ...bad, suite }],
    [bad],
    'regression',
    1,
    UNCOMPARED,
  ],
  [
    'feed that --strict fails now, and did not before, fails',
    [feedOf('conformant', [])],
    [feedOf('nonconformant', ['warned'])],
    'regression',
    1,
    '',
  ],
] as const)
  test(what, () => {
    const named = (reports: readonly (Report | string)[]) =>
      reports.map((report, at) => foundAs(`site-${at}`, report));
    const history = historyAfter(named(before));
    const directory = test.info().outputPath('out');
    const lines = linesOf(() =>
      expect(publishFleet({ found: named(now), directory, history, failsOn, print: 'quiet' })).toBe(code),
    );
    expect(lines.at(-1)).toMatch(end || /^outcome: \S+ \([^)]*\)$/);
  });

test('without a regression, the last line has the days of the first and the last run that were compared', () => {
  const { file, runs } = historyAfter([foundAs('a', bad)]);
  const entry = runs[0]?.deployments.a;
  const run = (at: string, name: string) => `${JSON.stringify({ at, deployments: { [name]: entry } })}\n`;
  writeFileSync(file, run('2026-11-01T00:00:00Z', 'a') + run('2026-11-02T00:00:00Z', 'b'));
  const found = [foundAs('a', bad), foundAs('b', bad)];
  const rest = { failsOn: 'regression', print: 'quiet', directory: test.info().outputPath('out') } as const;
  const lines = linesOf(() => publishFleet({ found, history: readHistory(file), ...rest }));
  expect(lines.at(-1)).toContain('Exit code 0: no regression since the last runs, 2026-11-01 to 2026-11-02.');
});

test('shards share the deployments, and those of one host are in one shard', () => {
  const entries = ['a', 'b', 'c', 'a'].map((host, at) => ({
    name: `site-${at}`,
    baseUrl: `https://${host}.example/${at}`,
    line: at,
  }));
  const shards = [1, 2].map((index) => entriesOfShard(entries, { index, total: 2 }).map(({ name }) => name));
  expect(shards).toEqual([['site-0', 'site-2', 'site-3'], ['site-1']]);
  expect(() => entriesOfShard(entries, { index: 4, total: 4 })).toThrow(
    'the fleet has 3 hosts. Use at most 3 shards.',
  );
});
