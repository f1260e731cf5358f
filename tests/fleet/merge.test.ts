import { expect, _baseTest as test } from '@playwright/test';
import { fleetExitCode, fleetOutcome } from './fleet-outcome.ts';
import type { Judged } from './judged.ts';
import { type Found, mergeReports } from './merge.ts';
import type { ExpectedDeployment } from './records.ts';
import { fleetOf } from './report/testing/sample-fleets.ts';
import { suiteGroups } from './suite-groups.ts';

const judged = (startedAt: string, outcome: Judged['outcome'] = 'conformant'): Judged => ({
  kind: 'service',
  outcome,
  address: 'https://a.example',
  startedAt,
  requirements: [
    { id: 'MRS-1.3', statement: 'A rule.', verdict: outcome === 'conformant' ? 'passed' : 'failed' },
  ],
});
const found = (name: string, startedAt: string, outcome?: Judged['outcome']): Found => ({
  name,
  judged: judged(startedAt, outcome),
});
const expected = (...names: string[]): ExpectedDeployment[] =>
  names.map((name) => ({ name, kind: 'service', address: `https://${name}.example`, labels: [], shard: 1 }));

const DIGEST = `sha256:${'0'.repeat(64)}`;
const [MONDAY, TUESDAY] = ['2030-01-07T00:00:00.000Z', '2030-01-08T00:00:00.000Z'];

for (const [outcomes, outcome] of [
  [['conformant', 'conformant'], 'conformant'],
  [['conformant', 'conformant-to-profile'], 'conformant-to-profile'],
  [['conformant', 'no-report'], 'incomplete'],
  [['conformant', 'incomplete'], 'incomplete'],
  [['no-report', 'nonconformant'], 'nonconformant'],
  [['nonconformant', 'error'], 'error'],
  [[], 'incomplete'],
] as const)
  test(`fleet of ${outcomes.join(' and ') || 'nothing'} is ${outcome}`, () => {
    expect(fleetOutcome(outcomes)).toBe(outcome);
  });

test('exit code of a fleet is the gravest, and not 0 without a run', () => {
  expect([[0, 0], [0, 3], [3, 1], [1, 2], []].map(fleetExitCode)).toEqual([0, 3, 1, 2, 3]);
});

test('deployment without a report comes out as no-report, and named in a problem', () => {
  const fleet = mergeReports([found('a', MONDAY)], expected('a', 'b', 'c'));
  expect(fleet.deployments.map(({ name, outcome }) => [name, outcome])).toEqual([
    ['a', 'conformant'],
    ['b', 'no-report'],
    ['c', 'no-report'],
  ]);
  expect(fleet.outcome).toBe('incomplete');
  expect(fleet.counts['no-report']).toBe(2);
  expect(fleet.problems).toEqual(['2 deployments have no report (b, c). Shard 1 left no report.']);
});

test('report that cannot be read comes out as no-report, with the reason', () => {
  const [a] = mergeReports([{ name: 'a', judged: 'report.json is not JSON.' }], expected('a')).deployments;
  expect(a).toMatchObject({ outcome: 'no-report', reason: 'report.json is not JSON.', exitCode: 3 });
});

test('report of a deployment that is not in the fleet is left out, and named', () => {
  const fleet = mergeReports([found('a', MONDAY), found('x', MONDAY, 'nonconformant')], expected('a'));
  expect(fleet.deployments.map(({ name }) => name)).toEqual(['a']);
  expect(fleet.outcome).toBe('conformant');
  expect(fleet.remarks).toEqual([expect.stringContaining('x is not in the fleet')]);
});

test('latest of two reports counts, and the other is named', () => {
  const reports = [found('a', TUESDAY, 'nonconformant'), found('a', MONDAY)];
  for (const order of [reports, reports.toReversed()]) {
    const fleet = mergeReports(order, expected('a'));
    expect(fleet.deployments).toEqual([
      expect.objectContaining({ outcome: 'nonconformant', startedAt: TUESDAY }),
    ]);
    expect(fleet.remarks).toEqual([expect.stringContaining('a is reported more than once')]);
  }
});

/** A report with the record of its run. */
const recorded = (name: string, startedAt: string, runId?: string): Found => ({
  ...found(name, startedAt),
  record: {
    schemaVersion: 1,
    ...(runId !== undefined && { runId }),
    name,
    kind: 'service',
    settings: DIGEST,
    suite: DIGEST,
    startedAt,
    durationMs: 1,
    exitCode: 0,
    report: DIGEST,
  },
});

test('report of another run comes out as no-report, and of a run that is not stated as well', () => {
  const reports = [recorded('a', TUESDAY, '42'), recorded('b', MONDAY, '41'), recorded('c', TUESDAY)];
  const fleet = mergeReports(reports, expected('a', 'b', 'c'), { runId: '42' });
  expect(fleet.deployments.map(({ outcome, reason = '' }) => [outcome, reason])).toEqual([
    ['conformant', ''],
    ['no-report', 'Shard 1 left no report. The one that was found is of another run: 41, not 42.'],
    [
      'no-report',
      expect.stringMatching(/^Shard 1 left no report\. The one that was found does not state its run/),
    ],
  ]);
  expect(fleet.deployments[1]).not.toHaveProperty('startedAt');
  expect([fleet.outcome, fleet.runId, fleet.startedAt]).toEqual(['incomplete', '42', TUESDAY]);
});

test('report of the run counts, although a later one of another run is there', () => {
  const reports = [recorded('a', MONDAY, '41'), { ...recorded('a', TUESDAY, '42'), judged: 'Broken.' }];
  const fleet = mergeReports(reports, expected('a'), { runId: '41' });
  expect(fleet.deployments).toEqual([expect.objectContaining({ outcome: 'conformant', startedAt: MONDAY })]);
  expect(fleet.remarks).toEqual([]);
});

test('report without a record counts in any run', () => {
  expect(mergeReports([found('a', MONDAY)], undefined, { runId: '42' }).outcome).toBe('conformant');
});

test('reports of several runs count and are named, where the run is not known', () => {
  const reports = [recorded('a', MONDAY, '41'), recorded('b', MONDAY, '42')];
  const { outcome, remarks } = mergeReports(reports, expected('a', 'b'));
  expect([outcome, ...remarks]).toEqual([
    'conformant',
    'The reports are of 2 runs (41, 42). Give --run-id to count those of one run only.',
  ]);
  expect(mergeReports(reports.slice(1), expected('b')).remarks).toEqual([]);
});

test('run that left no report does not date the fleet', () => {
  const ended: Found = { ...recorded('b', MONDAY), judged: 'Broken.' };
  const { startedAt, remarks } = mergeReports([found('a', TUESDAY), ended], expected('a', 'b'));
  expect([startedAt, remarks]).toEqual([TUESDAY, []]);
});

test('reports that are half a day older than the latest are named', () => {
  const reports = [found('a', TUESDAY), found('b', MONDAY), found('c', '2030-01-07T12:00:00.000Z')];
  expect(mergeReports(reports, expected('a', 'b', 'c')).remarks).toEqual([
    expect.stringMatching(/^b is from a run more than 12 hours before the latest\. Give .* --run-id/),
  ]);
});

test('run that could not write its reports is an error, whatever they say', () => {
  const { record, ...report } = recorded('a', MONDAY) as Required<Found>;
  const fleet = mergeReports([{ ...report, record: { ...record, exitCode: 2 } }], expected('a'));
  expect([fleet.outcome, fleet.deployments[0]?.exitCode]).toEqual(['error', 2]);
});

test('deployments of the suite of most reports come first, and others are named', () => {
  const other = { name: 'mrs-contract', version: '9', requirements: `sha256:${'9'.repeat(64)}` } as const;
  const fleet = fleetOf([{ name: 'a', suite: other }, { name: 'b' }, { name: 'c' }]);
  expect(suiteGroups(fleet.deployments).map((group) => group.deployments.map(({ name }) => name))).toEqual([
    ['b', 'c'],
    ['a'],
  ]);
  expect(fleet.remarks).toEqual([expect.stringContaining('1 deployment was judged by other statements')]);
});
