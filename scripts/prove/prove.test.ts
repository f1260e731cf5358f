/** The gate of a proof can go red: each way in which it must, on reports made up for it. */
import { expect, _baseTest as test } from '@playwright/test';
import type { Defect, Variant } from '../../mocks/deployments/deployment.ts';
import type { Item, Report } from '../../tests/report/report.ts';
import { isBinding, ledger, type Requirement } from '../../tests/support/requirements.ts';
import type { Verdict } from '../../tests/support/verdict.ts';
import { deploymentResults } from './deployments.ts';
import { renderMatrix } from './matrix.ts';
import { concludeKind } from './prove.ts';
import { pointOf, type Selection, selectNamed, selectSample, subjectsIn } from './selection.ts';

const requirements = ['MRS-1', 'MRS-2', 'MRS-3'].map(
  (id): Requirement => ({ id, clause: '1', kind: 'server', statement: 'It must.' }),
);
const override = () => ({});
const defect: Defect = {
  name: 'broken',
  summary: 'breaks 1, so that 2 cannot be judged',
  fails: { 'MRS-1': /^expected status 200; seen: .* 201$/ },
  cannotRun: ['MRS-2'],
  override,
};
const breaks2: Defect = { name: 'breaks-2', summary: 'breaks 2', fails: { 'MRS-2': /./ }, override };
const breaks3: Defect = { name: 'breaks-3', summary: 'breaks 3', fails: { 'MRS-3': /./ }, override };
const variant: Variant = { name: 'other', summary: 'does it differently', override };

/** A letter for the verdict of each requirement: `F?.` */
const VERDICTS: Record<string, Verdict> = {
  F: 'failed',
  '?': 'could-not-run',
  '.': 'passed',
  '-': 'not-applicable',
};
const good = { broken: 'F?.', 'breaks-2': '.F.', 'breaks-3': '..F', other: '.-.' };

test('the proof holds where every defect is caught and every variant accepted', () => {
  const { counts, exitCode, text } = conclude({});
  expect([counts, exitCode]).toEqual([
    [
      { good: 3, total: 3 },
      { good: 1, total: 1 },
    ],
    0,
  ]);
  const lines = text.split('\n');
  expect(lines.at(-1)).toBe('proof: 3/3 defects caught for the stated reason, 1/1 variants accepted');
  expect(lines).toContain('broken   ✗ ? ·');
});

for (const [what, seen, sentence, given = {}] of [
  ['a silent defect', { broken: '.?.' }, 'broken: MRS-1 passed and should have failed. seen: the form: 201'],
  [
    'a defect that cannot be judged',
    { broken: '??.' },
    'broken: MRS-1 could not be run and should have failed. no token',
  ],
  [
    'a wrong reason',
    { broken: 'F?.' },
    'broken: MRS-1 failed for another reason than /^expected status 200; seen: .* 201$/. It said: expected no field; seen: the form: 201',
    { expected: 'no field' },
  ],
  [
    'an extra failure',
    { broken: 'F?F' },
    'broken: MRS-3 failed, which this defect does not explain. expected status 200; seen: the form: 201',
  ],
  [
    'an extra requirement that could not be run',
    { broken: 'F??' },
    'broken: MRS-3 could not be run, which this defect does not explain. no token',
  ],
  [
    'a verdict where none can be given',
    { broken: 'F..' },
    'broken: MRS-2 passed, which this defect does not explain. seen: the form: 201',
  ],
  [
    'a variant that fails',
    { other: 'F..' },
    'other, which does it differently, is permitted, and came out nonconformant. MRS-1 failed: expected status 200; seen: the form: 201.',
  ],
  [
    'a variant that cannot be judged',
    { other: '.?.' },
    'other, which does it differently, is permitted, and came out incomplete. MRS-2 could not be run: no token.',
  ],
  ['a deployment that was not judged', { other: undefined }, 'other: it was not judged.'],
  ['a fault of the run', { other: '...' }, 'other: It was interrupted.', { problem: 'It was interrupted.' }],
] as [string, Partial<Record<keyof typeof good, string>>, string, Special?][])
  test(`${what} is reported, and the proof does not hold`, () => {
    const { counts, exitCode, text } = conclude(seen, given);
    expect(text.replace(/\s+/g, ' ')).toContain(sentence);
    expect(text.replace(/\s+/g, ' ').split(sentence)[1]).toMatch(/^ suite /); // and nothing else
    expect(counts[0].good + counts[1].good).toBe(3);
    expect(exitCode).toBe(given.problem ? 2 : 1);
  });

test('a deployment that could not be judged makes the exit code 2', () => {
  const results = deploymentResults(
    { wrong: [], permitted: [variant] },
    [{ name: 'other', problem: 'other: no.' }],
    [],
  );
  const selection = of([], [variant]);
  expect(concludeKind('deployments', selection, results, [])).toMatchObject({
    exitCode: 2,
    counts: [{ total: 0 }, { good: 0 }],
  });
});

for (const [what, more, verdicts, isGood] of [
  ['variant of which exactly what is stated could not be run', { cannotRun: ['MRS-2'] }, '.?.', true],
  ['variant of which what is stated could be run', { cannotRun: ['MRS-2'] }, '...', false],
  ['variant of which something else could not be run', { cannotRun: ['MRS-2'] }, '?..', false],
  ['variant of which anything may not run, and did not', { mayNotRun: true }, '?..', true],
  ['variant of which anything may not run, and all ran', { mayNotRun: true }, '...', true],
  ['variant of which anything may not run, and one failed', { mayNotRun: true }, '?F.', false],
  ['defect that may not be seen, and fails', { mayNotRun: true }, 'F?.', true],
  ['defect that may not be seen, and is not', { mayNotRun: true }, '??.', true],
  ['defect that may not be seen, and passes', { mayNotRun: true }, '.?.', false],
  ['defect that breaks nothing', { fails: {}, cannotRun: [] }, '...', false],
  ['defect with an unknown requirement', { fails: { ...defect.fails, 'MRS-9': /./ } }, 'F?.', false],
] as const)
  test(`${what} is ${isGood ? 'as it should be' : 'reported'}`, () => {
    const isDefect = what.startsWith('defect');
    const subject = { ...(isDefect ? defect : variant), ...more } as Defect;
    const selection = isDefect ? of([subject], []) : of([], [subject]);
    const { counts, exitCode } = conclude({ [subject.name]: verdicts }, {}, selection);
    expect(counts[isDefect ? 0 : 1].good).toBe(isGood ? 1 : 0);
    expect(exitCode).toBe(isGood ? 0 : 1);
  });

test('a requirement without a defect is reported, unless only a few deployments were tried', () => {
  const selection = of([defect, breaks3], [variant]);
  const scopes = (['whole', 'sample', 'named'] as const).map((scope) => ({ ...selection, scope }));
  const [whole, ...others] = scopes.map((one) => conclude({}, {}, one));
  expect(whole?.text.replace(/\s+/g, ' ')).toContain('MRS-2 has no defect, so nothing shows');
  expect([whole, ...others].map((one) => one?.exitCode)).toEqual([1, 1, 0]);
});

test('ids stand upright above their columns, and what is not as stated is marked', () => {
  const cells = [
    { id: 'MRS-4.1a', verdict: 'failed' },
    { id: 'MRS-5.6b', verdict: 'failed', fault: 'no' },
    { id: 'MRS-7a', verdict: 'could-not-run' },
    { id: 'MRS-2a', verdict: 'passed' },
  ] as const;
  expect(renderMatrix([{ name: 'broken', cells }]).split('\n')).toEqual([
    'MRS-   4 5 7 2',
    '       . . a a',
    '       1 6',
    '       a b',
    'broken ✗ ! ? ·',
  ]);
  expect(renderMatrix([])).toBe('');
});

test('the matrix of all defects fits 80 columns', () => {
  const cells = ledger.filter(isBinding).map(({ id }) => ({ id, verdict: 'passed' as const }));
  const { wrong } = selectNamed([]).deployments;
  const lines = renderMatrix(wrong.map(({ name }) => ({ name, cells }))).split('\n');
  expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(80);
});

test('a sample fails each requirement that the whole proof fails, with few defects and some of each kind', () => {
  const points = ({ deployments }: Selection) =>
    [...new Set(deployments.wrong.flatMap(({ fails }) => Object.keys(fails).map(pointOf)))].toSorted();
  const [whole, sample] = [selectNamed([]), selectSample()];
  expect(points(sample)).toEqual(points(whole));
  expect(points(sample)).toEqual(expect.arrayContaining(ledger.filter(isBinding).map(({ id }) => id)));
  expect(sample.deployments.wrong.length).toBeLessThan(whole.deployments.wrong.length / 3);
  expect(sample.deployments.permitted.length).toBeGreaterThan(3);
  const { clients, readers, feeds } = sample;
  const counts = [clients, readers, feeds].map(({ wrong, permitted }) => [wrong.length, permitted.length]);
  expect(counts).toEqual([
    [3, 1],
    [1, 1],
    [4, 3],
  ]);
});

test('no two subjects of the proof have the same name', () => {
  const { deployments, clients, readers, feeds } = selectNamed([]);
  const names = [deployments, clients, readers, feeds].flatMap(subjectsIn).map(({ name }) => name);
  expect(names.filter((name, at) => names.indexOf(name) !== at)).toEqual([]);
});

interface Special {
  /** What the reports say that they expected. */
  expected?: string;
  /** A fault of the run of each variant. */
  problem?: string;
}

function of(wrong: readonly Defect[], permitted: readonly Variant[]): Selection {
  const none = { wrong: [], permitted: [] };
  return { deployments: { wrong, permitted }, clients: none, readers: none, feeds: none, scope: 'named' };
}

function conclude(
  changed: Record<string, string | undefined>,
  { expected, problem }: Special = {},
  selection: Selection = { ...of([defect, breaks2, breaks3], [variant]), scope: 'whole' },
) {
  const { wrong, permitted } = selection.deployments;
  const posted = [...wrong, ...permitted].flatMap(({ name }) => {
    const verdicts = name in changed ? changed[name] : good[name as keyof typeof good];
    if (verdicts === undefined) return [];
    const problems = problem && name === 'other' ? [problem] : [];
    return { name, report: report(verdicts, expected, problems) };
  });
  const results = deploymentResults({ wrong, permitted }, posted, requirements);
  return concludeKind('deployments', selection, results, requirements);
}

function report(letters: string, expected = 'status 200', problems: string[] = []): Report {
  const items = [...letters].map((letter, at): Item => {
    const verdict = VERDICTS[letter] ?? 'passed';
    return {
      ...{ id: `MRS-${at + 1}`, group: '1', statement: 'It must.', verdict },
      ...{ seen: 'the form: 201', facts: [], findings: [], exchanges: ['x1'] },
      ...(verdict === 'failed' && { expected }),
      ...(verdict === 'could-not-run' && { reason: 'no token' }),
    };
  });
  const outcome = letters.includes('F')
    ? 'nonconformant'
    : letters.includes('?')
      ? 'incomplete'
      : 'conformant';
  return { outcome, items, problems, properties: {} } as unknown as Report;
}
