import { expect, _baseTest as test } from '@playwright/test';
import { readVerdictFile, verdictFile, withHistory } from './history.ts';
import type { Judged } from './judged.ts';
import { mergeReports } from './merge.ts';
import { momentIn } from './moment.ts';
import { fleetOf, largeFleet, type SamplePart, withPast } from './report/testing/sample-fleets.ts';
import type { Fleet } from './report/wording.ts';

const OTHER = { name: 'mrs-contract', version: '0.0.9', requirements: `sha256:${'9'.repeat(64)}` } as const;

const JUDGED: Judged = { kind: 'service', outcome: 'conformant', address: '', requirements: [] };

/** The fleet with the days at which deployments began. */
function at(fleet: Fleet, days: Readonly<Record<string, number>>): Fleet {
  const startOf = (day: number) => new Date(Date.UTC(2030, 0, 1, 2) + day * 86_400_000).toISOString();
  const deployments = fleet.deployments.map((one) => {
    const day = days[one.name];
    return day === undefined ? one : { ...one, startedAt: startOf(day) };
  });
  return { ...fleet, deployments };
}

/** What the last of several nights shows of one deployment. */
const lastOf = (...nights: Omit<SamplePart, 'name'>[]) =>
  withPast(nights.map((night, day) => fleetOf([{ name: 'a', ...night }], day))).deployments[0];

test('verdict file holds all verdicts, and can be read again', () => {
  const fleet = fleetOf([
    { name: 'a', failed: ['MRS-2a'], open: ['MRS-1.3'] },
    { name: 'b', missing: '' },
  ]);
  const { name, text } = verdictFile(fleet);
  const file = readVerdictFile(text);
  expect(name).toMatch(/^2030-01-01T02-00-00\.000Z-[0-9a-f]{12}\.json$/);
  expect(file?.deployments.a?.verdicts).toMatch(/^cf?p*f?p*$/);
  expect(file?.deployments.a?.verdicts).toHaveLength(file?.ids.length ?? 0);
  expect(file?.deployments.b).toEqual({ outcome: 'no-report', verdicts: '.'.repeat(file?.ids.length ?? 0) });
});

test('verdict file of 200 deployments is smaller than 50 kB', () => {
  expect(verdictFile(largeFleet()).text.length).toBeLessThan(50_000);
});

test('what is not a verdict file is left out', () => {
  for (const text of [
    '{',
    '{}',
    '[]',
    '{"schemaVersion":1,"at":"never","run":"1","ids":[],"deployments":{}}',
  ])
    expect(readVerdictFile(text)).toBeUndefined();
});

test('clause that was kept and is violated now is a regression', () => {
  expect(lastOf({}, { failed: ['MRS-2a'] })).toMatchObject({
    comparedWith: '2030-01-01T02:00:00.000Z',
    changes: [{ id: 'MRS-2a', before: 'passed', after: 'failed', isRegression: true }],
    since: '2030-01-02T02:00:00.000Z',
  });
});

test('clause that is kept again is a change, and not a regression', () => {
  expect(lastOf({ failed: ['MRS-2a'] }, {})?.changes).toEqual([
    { id: 'MRS-2a', before: 'failed', after: 'passed', isRegression: false },
  ]);
});

test('rule that a feed violates for the first time is a regression', () => {
  expect(lastOf({ feed: true }, { feed: true, failed: ['overlap'] })?.changes).toEqual([
    { id: 'overlap', before: 'passed', after: 'failed', isRegression: true },
  ]);
});

test('rule that a feed violates before and after a run that was cut short is not a regression', () => {
  const nights = [{ failed: ['overlap'] }, { open: ['feed-complete'] }, { failed: ['overlap'] }];
  const changesUntil = (night: number) =>
    lastOf(...nights.slice(0, night).map((one) => ({ feed: true as const, ...one })))?.changes;
  expect(changesUntil(2)).toEqual([
    { id: 'feed-complete', before: 'passed', after: 'could-not-run', isRegression: true },
  ]);
  expect(changesUntil(3)).toEqual([
    { id: 'feed-complete', before: 'could-not-run', after: 'passed', isRegression: false },
  ]);
});

test('run by other statements of the specification is shown and not compared', () => {
  const last = lastOf({ suite: OTHER, failed: ['MRS-2a'] }, {});
  expect(last).not.toHaveProperty('comparedWith');
  expect(last?.changes).toEqual([]);
  expect(last?.trend.map(({ isComparable }) => isComparable)).toEqual([false, true]);
});

test('run is compared with the latest report, over nights without one', () => {
  const last = lastOf({}, { missing: '' }, { failed: ['MRS-2a'] });
  expect(last?.comparedWith).toBe('2030-01-01T02:00:00.000Z');
  expect(last?.trend.map(({ outcome }) => outcome)).toEqual(['conformant', 'no-report', 'nonconformant']);
});

/** Files of the nights, as they would be written, in the order of their names. */
const filesOf = (...fleets: Fleet[]) =>
  [...new Map(fleets.map((fleet) => [verdictFile(fleet).name, verdictFile(fleet).text]))]
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(([, text]) => JSON.parse(text));
const trendOf = (fleet: Fleet, past: Fleet[], name = 'b') =>
  withHistory(fleet, filesOf(...past))
    .deployments.find((one) => one.name === name)
    ?.trend.map(({ at, outcome }) => `${at.slice(8, 16)} ${outcome}`);

test('run that is resumed has one place in the history, at the time of what ran last', () => {
  const whole = (day: number, a: number, b: number) =>
    at(fleetOf([{ name: 'a' }, { name: 'b' }], day), { a, b });
  const interrupted = at(fleetOf([{ name: 'a' }, { name: 'b', missing: 'Interrupted.' }], 1), { a: 1 });
  const past = [whole(0, 0, 0), interrupted];
  const resumed = whole(1, 1, 1.5);
  expect(trendOf(resumed, past)).toEqual(['01T02:00 conformant', '02T14:00 conformant']);
  for (const order of [
    [...past, resumed],
    [resumed, ...past],
  ])
    expect(trendOf(whole(2, 2, 2), order)).toEqual([
      '01T02:00 conformant',
      '02T14:00 conformant',
      '03T02:00 conformant',
    ]);
});

test('report that arrives later replaces the verdict file on its run', () => {
  const missing = { ...fleetOf([{ name: 'a' }, { name: 'b', missing: '' }]), runId: '42' };
  const complete = { ...fleetOf([{ name: 'a' }, { name: 'b' }]), runId: '42' };
  expect(verdictFile(complete).name).toBe(verdictFile(missing).name);
  expect(verdictFile({ ...complete, runId: '43' }).name).not.toBe(verdictFile(missing).name);
  expect(verdictFile({ ...fleetOf([{ name: 'a' }]), runId: '42' }).name).not.toBe(verdictFile(missing).name);
});

test('attempts of one run count once, although what began it ran again', () => {
  const attempt = (day: number, outcome: Partial<SamplePart>) => ({
    ...fleetOf([{ name: 'b', ...outcome }], day),
    runId: '42',
  });
  const next = { ...fleetOf([{ name: 'b' }], 3), runId: '43' };
  expect(trendOf(next, [attempt(1, { outcome: 'error' }), attempt(2, {})])).toEqual([
    '03T02:00 conformant',
    '04T02:00 conformant',
  ]);
});

test('each deployment has its own place in time, where only some ran again', () => {
  const night = (runId: string, a: number, b: number) => ({
    ...at(fleetOf([{ name: 'a' }, { name: 'b' }], a), { a, b }),
    runId,
  });
  const past = [night('42', 0, 0), night('43', 1, 1), night('42', 0, 2)];
  const next = night('44', 3, 3.5);
  expect(trendOf(next, past, 'a')).toEqual([
    '01T02:00 conformant',
    '02T02:00 conformant',
    '04T02:00 conformant',
  ]);
  expect(trendOf(next, past, 'b')).toEqual([
    '02T02:00 conformant',
    '03T02:00 conformant',
    '04T14:00 conformant',
  ]);
});

test('an outcome that all known runs have has no first day', () => {
  expect(lastOf({}, {}, {})).not.toHaveProperty('since');
  expect(lastOf({ failed: ['MRS-2a'] }, {}, {})?.since).toBe('2030-01-02T02:00:00.000Z');
});

test('trend has the last 12 runs, in the order of time whatever that of the files', () => {
  const nights = Array.from({ length: 20 }, (_, day) =>
    fleetOf([{ name: 'a', failed: day < 19 ? [] : ['MRS-2a'] }], day),
  );
  const past = nights.slice(0, -1).map((fleet) => JSON.parse(verdictFile(fleet).text));
  const [a] = withHistory(nights[19] as (typeof nights)[number], past.toReversed()).deployments;
  expect(a?.trend).toHaveLength(12);
  expect(a?.trend.at(-1)).toMatchObject({ at: '2030-01-20T02:00:00.000Z', outcome: 'nonconformant' });
  expect(a?.trend[0]?.at).toBe('2030-01-09T02:00:00.000Z');
});

test('report that a run long ago left does not hide what changed', () => {
  const night = (day: number, failed: string[]) => fleetOf([{ name: 'a', failed }, { name: 'stale' }], day);
  const nights = [0, 1].map((day) => at(night(day + 10, day === 0 ? [] : ['MRS-2a']), { stale: 0 }));
  const merged = nights.map((fleet) => ({
    ...fleet,
    startedAt: mergeReports(
      fleet.deployments.map(({ name, startedAt = '' }) => ({ name, judged: { ...JUDGED, startedAt } })),
      undefined,
    ).startedAt as string,
  }));
  expect(withPast(merged).deployments[0]?.changes).toHaveLength(1);
});

for (const [what, written] of [
  ['with an offset', '2030-01-01T04:00:00+02:00'],
  ['with a line break', '2030-01-01\n02:00:00Z'],
  ['with many digits', `2030-01-01T02:00:00.${'0'.repeat(400)}Z`],
])
  test(`moment ${what} in a verdict file is read as one of UTC`, () => {
    const file = JSON.parse(verdictFile(fleetOf([{ name: 'a' }])).text);
    const text = JSON.stringify({
      ...file,
      at: written,
      deployments: { a: { ...file.deployments.a, at: written } },
    });
    const read = readVerdictFile(text);
    expect([read?.at, read?.deployments.a?.at]).toEqual([
      '2030-01-01T02:00:00.000Z',
      '2030-01-01T02:00:00.000Z',
    ]);
  });

for (const moment of ['1970-01-01T00:00:00Z', '9999-12-31T23:59:59Z', '2030-06-30T23:59:60Z'])
  test(`verdict file of ${moment} is not read, and neither is a report`, () => {
    const file = JSON.parse(verdictFile(fleetOf([{ name: 'a' }])).text);
    expect(readVerdictFile(JSON.stringify({ ...file, at: moment }))).toBeUndefined();
    expect(momentIn(moment)).toBeUndefined();
  });
