/** The gate of a proof can go red: each way in which it must, on judgements made up for it; and what a proof selects. */
import { writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { wrongFeeds } from '../../tests/feed/corpus/feeds.ts';
import { RULES } from '../../tests/feed/findings.ts';
import { isBinding, ledger } from '../../tests/support/requirements.ts';
import { outputPath } from '../../tests/support/testing/output-path.ts';
import type { Verdict } from '../../tests/support/verdict.ts';
import { faultsIn, type Judged, lastingVerdictsOf, verdictsOf } from './judged.ts';
import { conclude, differences, readVerdicts } from './prove.ts';
import { pointOf, type Subject, sampleOfSubjects, subjects, subjectsNamed } from './subjects.ts';

const WRONG: Subject = {
  ...{ name: 'x', summary: 'is wrong', kind: 'client', isWrong: true },
  finds: { a: { says: /^seven$/ }, b: { says: /in \d/, verdict: 'warned' } },
};
const RIGHT: Subject = { name: 'y', summary: 'is unusual', kind: 'deployment', isWrong: false, finds: {} };
type Rows = Record<string, [Verdict, ...string[]]>;
const good: Rows = { a: ['failed', 'one', 'seven'], b: ['warned', 'in 3'] };
const judged = (rows: Rows, more: Partial<Judged> = {}): Judged => ({
  outcome: 'conformant',
  found: Object.entries(rows).map(([id, [verdict, ...said]]) => ({ id, verdict, said })),
  ...more,
});

for (const [what, rows, fault, subject = {}, more] of [
  ['all that is wanted', good, ''],
  ['what passes', { ...good, c: ['passed'] }, ''],
  ['nothing of one', { b: ['warned', 'in 3'] }, 'x: a is not failed for /^seven$/.'],
  ['one that passes', { ...good, a: ['passed', 'fine'] }, 'x: a is passed, and should be failed. fine'],
  [
    'one without a verdict',
    { ...good, a: ['could-not-run', 'no'] },
    'x: a is could-not-run, and should be failed. no',
  ],
  [
    'another reason',
    { ...good, a: ['failed', '8'] },
    'x: a is failed for another reason than /^seven$/. It said: 8',
  ],
  [
    'a failure for a warning',
    { ...good, b: ['failed', 'in 3'] },
    'x: b is failed, and should be warned. in 3',
  ],
  ['one more', { ...good, c: ['failed', 'odd'] }, 'x: c is failed, which nothing here explains. odd'],
  [
    'one that could not run',
    { ...good, c: ['could-not-run', 'why'] },
    'x: c is could-not-run, which nothing here explains. why',
  ],
  ['one more that may be found', { ...good, c: ['failed', 'odd'] }, '', { also: ['c'] }],
  [
    'what is not applicable',
    { ...good, c: ['not-applicable', 'why'] },
    'x: c is not-applicable, which nothing here explains. why',
  ],
  ['what the profile leaves out', { ...good, c: ['not-applicable'] }, '', {}, { leftOut: ['c'] }],
  ['a point of a profile that is not met', { ...good, 'c@p': ['not-applicable'] }, ''],
  ['what may not run', { ...good, c: ['could-not-run'] }, '', { mayNotRun: true }],
  [
    'what is wanted and did not run',
    { ...good, a: ['could-not-run', 'no'] },
    'x: a is could-not-run, and should be failed. no',
    { mayNotRun: true },
  ],
  [
    'a pass where it may not run',
    { ...good, a: ['passed', 'so'] },
    'x: a is passed, and should be failed. so',
    { mayNotRun: true },
  ],
  ['a variant as it should be', { c: ['not-applicable'] }, '', RIGHT],
  [
    'a variant that fails',
    {},
    'y, which is unusual, is permitted, and is nonconformant.',
    RIGHT,
    { outcome: 'nonconformant' },
  ],
  [
    'a variant of which that runs',
    { c: ['could-not-run', ''] },
    'y, which is unusual, is permitted, and is conformant.',
    { ...RIGHT, mayNotRun: true },
  ],
  [
    'a variant that may not run',
    { c: ['could-not-run'] },
    '',
    { ...RIGHT, mayNotRun: true },
    { outcome: 'incomplete' },
  ],
  [
    'another strategy',
    {},
    'y: its strategy is proactive, and both was seen.',
    { ...RIGHT, strategy: 'proactive' },
    { strategy: 'both' },
  ],
] as [string, Rows, string, Partial<Subject>?, Partial<Judged>?][])
  test(`${what}: ${fault === '' ? 'no fault' : 'a fault'}`, () => {
    expect(faultsIn({ ...WRONG, ...subject }, judged(rows, more))).toEqual(fault === '' ? [] : [fault]);
  });

/** A defect for each requirement, and a variant. */
const defects = ledger.filter(isBinding).map(
  ({ id }): Subject => ({
    ...RIGHT,
    name: `breaks ${id}`,
    isWrong: true,
    finds: { [id]: { says: /^so$/ } },
  }),
);
const all = [...defects, RIGHT];
const posted = all.map(({ name, finds }) => ({
  name,
  ...judged(Object.fromEntries(Object.keys(finds).map((id) => [id, ['failed', 'so']]))),
}));

test('a proof holds where each subject is as it should be, and each requirement has a defect', () => {
  const { text, exitCode } = conclude(all, posted, false);
  expect([text, exitCode]).toEqual([
    `proof: ${defects.length}/${defects.length} defects caught for the stated reason, 1/1 variants accepted`,
    0,
  ]);
  const without = conclude(all.slice(1), posted, false);
  expect(without.exitCode).toBe(1);
  expect(without.text).toContain(`${ledger.find(isBinding)?.id} has no defect`);
  expect(conclude(all.slice(1), posted, true).exitCode).toBe(0);
  const silent = posted.map((one, nth) => (nth === 0 ? { ...one, found: [] } : one));
  expect(conclude(all, silent, false)).toMatchObject({
    exitCode: 1,
    text: expect.stringContaining('is not failed'),
  });
});

test('a subject that was not judged makes the exit code 2, with the reason', () => {
  for (const [given, sentence] of [
    [posted.slice(0, -1), 'y: it was not judged.'],
    [[...posted.slice(0, -1), { name: 'y', problem: 'y: no.' }], 'y: no.'],
  ] as const)
    expect(conclude(all, given, false)).toMatchObject({
      exitCode: 2,
      text: expect.stringContaining(sentence),
    });
});

test('every defect violates known requirements, every rule on single reads has a wrong feed, and no name is there twice', () => {
  const known = new Set(ledger.filter(isBinding).map(({ id }) => id));
  const deployments = subjects.filter(({ kind }) => kind === 'deployment');
  for (const { name, isWrong, finds } of deployments)
    expect(Object.keys(finds).length > 0, name).toBe(isWrong);
  const named = deployments.flatMap(({ finds }) => Object.keys(finds));
  expect(named.filter((id) => !known.has(id) && !id.includes('@'))).toEqual([]);
  const proved = new Set(wrongFeeds.map(({ rule }) => rule));
  expect(RULES.map(({ id }) => id).filter((id) => !proved.has(id))).toEqual(['stale', 'unstable-order']);
  const names = subjects.map(({ name }) => name);
  expect(names.filter((name, at) => names.indexOf(name) !== at)).toEqual([]);
  expect(() => subjectsNamed(['json-bodi'])).toThrow('The nearest is "json-body"');
});

test('a sample fails each requirement that the whole proof fails, with few defects and some of each kind', () => {
  const points = (of: readonly Subject[]) =>
    [
      ...new Set(
        of
          .filter(({ kind }) => kind === 'deployment')
          .flatMap(({ finds }) => Object.keys(finds).map(pointOf)),
      ),
    ].toSorted();
  const sample = sampleOfSubjects();
  expect(points(sample)).toEqual(points(subjects));
  const count = (of: readonly Subject[], kind: string, isWrong: boolean) =>
    of.filter((one) => one.kind === kind && one.isWrong === isWrong).length;
  expect(count(sample, 'deployment', true)).toBeLessThan(count(subjects, 'deployment', true) / 3);
  expect(count(sample, 'deployment', false)).toBeGreaterThan(3);
  expect(
    ['client', 'reader', 'feed'].map((kind) => [count(sample, kind, true), count(sample, kind, false)]),
  ).toEqual([
    [3, 1],
    [1, 1],
    [4, 3],
  ]);
});

test('verdicts name each id that did not pass, but for what differs between runs of a wrong client', () => {
  const rows: Rows = { a: ['passed'], b: ['failed'], d: ['could-not-run'], e: ['failed'] };
  const { outcome, found } = judged(rows, { outcome: 'nonconformant' });
  expect(verdictsOf(outcome, found)).toBe('nonconformant: could-not-run d; failed b e');
  const lasting = (more: Partial<Subject>) =>
    lastingVerdictsOf({ ...WRONG, also: ['e'], ...more }, judged(rows));
  expect(lasting({})).toBe('conformant: could-not-run d; failed b');
  expect(lasting({ kind: 'feed' })).toBe('conformant: could-not-run d; failed b e');
});

test('a subject that violates a requirement in another way differs, and what is not violated says no more', () => {
  const by = (verdict: Verdict, what: string) =>
    verdictsOf('nonconformant', [{ id: 'a', verdict, by: what }]);
  expect(by('failed', 'data.withoutToken 200')).toBe('nonconformant: failed a (data.withoutToken 200)');
  for (const other of ['data.withoutToken 500', 'data.second 200', 'expires', '/ods_data/0/site_id'])
    expect(by('failed', other)).not.toBe(by('failed', 'data.withoutToken 200'));
  expect(by('warned', 'expires')).toBe('nonconformant: warned a (expires)');
  expect(by('could-not-run', 'data.second 503')).toBe('nonconformant: could-not-run a');
});

test('verdicts are compared with those of a file', () => {
  const file = outputPath('verdicts.json');
  expect(() => readVerdicts(file)).toThrow(`${file} cannot be read as verdicts`);
  writeFileSync(file, '{');
  expect(() => readVerdicts(file)).toThrow('Write it with --write-verdicts.');
  writeFileSync(file, JSON.stringify({ 'feed a': 'conformant', 'feed b': 'conformant' }));
  const stored = readVerdicts(file);
  expect(differences(stored, stored, true)).toEqual([]);
  const now = new Map(Object.entries({ 'feed b': 'nonconformant: failed x', 'feed d': 'conformant' }));
  const changed = [
    'feed b: the verdicts differ. Before: conformant. Now: nonconformant: failed x.',
    'feed d: the verdicts differ. Before: none. Now: conformant.',
  ];
  expect(differences(stored, now, false)).toEqual(changed);
  const missing = 'feed a: the verdicts differ. Before: conformant. Now: none.';
  expect(differences(stored, now, true)).toEqual([...changed, missing]);
});
