/** The gate of a proof can go red: each way in which it must, on reports made up for it. */

import { expect, _baseTest as test } from '@playwright/test';
import type { Defect, Variant } from '../../mocks/deployments/deployment.ts';
import type { Report } from '../../tests/report/report.ts';
import { itemOf, reportWith } from '../../tests/report/testing/made-report.ts';
import type { Requirement } from '../../tests/support/requirements.ts';
import type { Verdict } from '../../tests/support/verdict.ts';
import { judgeProof, renderProof } from './result.ts';

const ledger = ['MRS-1', 'MRS-2', 'MRS-3'].map(
  (id): Requirement => ({ id, clause: '1', kind: 'server', statement: 'It must.' }),
);
const defect: Defect = {
  name: 'broken',
  summary: 'breaks 1, so that 2 cannot be told',
  fails: { 'MRS-1': /^expected status 200; seen: .* 201$/ },
  cannotRun: ['MRS-2'],
  override: () => ({}),
};
const others: Defect[] = ['MRS-2', 'MRS-3'].map((id) => ({
  name: `breaks-${id}`,
  summary: `breaks ${id}`,
  fails: { [id]: /./ },
  override: () => ({}),
}));
const variant: Variant = { name: 'other', summary: 'does it otherwise', override: () => ({}) };

const caught: Record<string, Verdict> = { 'MRS-1': 'failed', 'MRS-2': 'could-not-run', 'MRS-3': 'passed' };
const good = new Map([
  ['broken', report(caught)],
  ['breaks-MRS-2', report({ 'MRS-1': 'passed', 'MRS-2': 'failed', 'MRS-3': 'passed' })],
  ['breaks-MRS-3', report({ 'MRS-1': 'passed', 'MRS-2': 'passed', 'MRS-3': 'failed' })],
  ['other', report({ 'MRS-1': 'passed', 'MRS-2': 'not-applicable', 'MRS-3': 'passed' })],
]);

test('the proof holds where every defect is caught and every variant accepted', () => {
  const result = judge(good);
  expect(result).toMatchObject({
    faults: [],
    exitCode: 0,
    proof: { defects: { caught: 3, total: 3 }, variants: { accepted: 1, total: 1 } },
  });
  const lines = renderProof(result, 'sha256:0').split('\n');
  expect(lines.at(-1)).toBe('proof: 3/3 defects caught for the stated reason, 1/1 variants accepted');
  expect(lines).toContain('broken       ✗ ? ·');
});

for (const [what, name, judged, sentence] of [
  [
    'a silent defect',
    'broken',
    report({ 'MRS-1': 'passed', 'MRS-2': 'could-not-run', 'MRS-3': 'passed' }),
    'broken: MRS-1 passed and should have failed. seen: the form: 201',
  ],
  [
    'a defect that cannot be judged',
    'broken',
    report({ ...caught, 'MRS-1': 'could-not-run' }),
    'broken: MRS-1 could not be run and should have failed. no token',
  ],
  [
    'a wrong reason',
    'broken',
    report(caught, 'no field'),
    'broken: MRS-1 failed for another reason than /^expected status 200; seen: .* 201$/. It said: expected no field; seen: the form: 201',
  ],
  [
    'an extra failure',
    'broken',
    report({ ...caught, 'MRS-3': 'failed' }),
    'broken: MRS-3 failed, which this defect does not explain. expected status 200; seen: the form: 201',
  ],
  [
    'an extra requirement that could not be run',
    'broken',
    report({ ...caught, 'MRS-3': 'could-not-run' }),
    'broken: MRS-3 could not be run, which this defect does not explain. no token',
  ],
  [
    'a verdict where none can be given',
    'broken',
    report({ ...caught, 'MRS-2': 'passed' }),
    'broken: MRS-2 passed, which this defect does not explain. seen: the form: 201',
  ],
  [
    'a variant that fails',
    'other',
    report({ 'MRS-1': 'failed', 'MRS-2': 'passed', 'MRS-3': 'passed' }),
    'other, which does it otherwise, is permitted, and came out nonconformant. MRS-1 failed: expected status 200; seen: the form: 201.',
  ],
  [
    'a variant that cannot be judged',
    'other',
    report({ 'MRS-1': 'passed', 'MRS-2': 'could-not-run', 'MRS-3': 'passed' }),
    'other, which does it otherwise, is permitted, and came out incomplete. MRS-2 could not be run: no token.',
  ],
] as const)
  test(`${what} is reported, and the proof does not hold`, () => {
    const result = judge(new Map([...good, [name, judged]]));
    expect(result).toMatchObject({ faults: [sentence], exitCode: 1 });
    const { defects, variants } = result.proof;
    expect(defects.caught + variants.accepted).toBe(3);
  });

for (const [what, more, verdicts, accepted] of [
  ['exactly what is stated could not be run', { cannotRun: ['MRS-2'] }, ['passed', 'could-not-run'], true],
  ['what is stated could be run', { cannotRun: ['MRS-2'] }, ['passed', 'passed'], false],
  ['something else could not be run', { cannotRun: ['MRS-2'] }, ['could-not-run', 'passed'], false],
  ['anything may not run, and did not', { mayNotRun: true }, ['could-not-run', 'passed'], true],
  ['anything may not run, and all ran', { mayNotRun: true }, ['passed', 'passed'], true],
  ['anything may not run, and one failed', { mayNotRun: true }, ['could-not-run', 'failed'], false],
] as const)
  test(`a variant of which ${what} is ${accepted ? 'accepted' : 'reported'}`, () => {
    const silent: Variant = { ...variant, ...more };
    const [first, second] = verdicts;
    const reports = new Map([['other', report({ 'MRS-1': first, 'MRS-2': second, 'MRS-3': 'passed' })]]);
    const { proof, faults } = judgeProof(
      ledger,
      { defects: [], variants: [silent], scope: 'named' },
      reports,
      [],
    );
    expect(proof.variants.accepted).toBe(accepted ? 1 : 0);
    expect(faults).toHaveLength(accepted ? 0 : 1);
  });

for (const [verdict, isCaught] of [
  ['failed', true],
  ['could-not-run', true],
  ['passed', false],
] as const)
  test(`a defect that may not be seen is ${isCaught ? 'no fault' : 'reported'} where its requirement is ${verdict}`, () => {
    const silent: Defect = { ...defect, mayNotRun: true };
    const reports = new Map([
      ['broken', report({ 'MRS-1': verdict, 'MRS-2': 'could-not-run', 'MRS-3': 'passed' })],
    ]);
    const { proof } = judgeProof(ledger, { defects: [silent], variants: [], scope: 'named' }, reports, []);
    expect(proof.defects.caught).toBe(isCaught ? 1 : 0);
  });

test('a requirement without a defect is reported, unless only a few deployments were tried', () => {
  const selection = { defects: [defect, ...others.slice(1)], variants: [variant] };
  expect(judgeProof(ledger, { ...selection, scope: 'whole' as const }, good, [])).toMatchObject({
    faults: [
      'MRS-2 has no defect, so nothing shows that its test can fail. Add one to mocks/deployments/defects/.',
    ],
    exitCode: 1,
  });
  expect(judgeProof(ledger, { ...selection, scope: 'sample' as const }, good, []).exitCode).toBe(1);
  expect(judgeProof(ledger, { ...selection, scope: 'named' as const }, good, []).exitCode).toBe(0);
});

test('a deployment that was not judged is reported', () => {
  const reports = new Map([...good].filter(([name]) => name !== 'other'));
  expect(judge(reports)).toMatchObject({
    faults: ['other: it was not judged.'],
    exitCode: 1,
    proof: { variants: { accepted: 0, total: 1 } },
  });
});

test('a defect that breaks nothing, or something that is not a requirement, is reported', () => {
  const empty = { ...defect, fails: {}, cannotRun: ['MRS-9'] };
  const selection = { defects: [empty], variants: [], scope: 'named' as const };
  const passed = report({ 'MRS-1': 'passed', 'MRS-2': 'passed', 'MRS-3': 'passed' });
  expect(judgeProof(ledger, selection, new Map([['broken', passed]]), []).faults).toEqual([
    'broken: it breaks nothing.',
    'broken: MRS-9 is not a requirement that binds a deployment.',
  ]);
});

test('a fault of the run is neither a catch nor a miss: the exit code is 2', () => {
  const problem = 'The test "MRS-1 …" timedOut: unknown';
  const reports = new Map([
    ...good,
    ['other', { ...report({}), outcome: 'error' as const, problems: [problem] }],
  ]);
  expect(judge(reports)).toMatchObject({
    exitCode: 2,
    faults: expect.arrayContaining([`other: ${problem}`]),
  });
  expect(judgeProof(ledger, whole(), good, ['The run was interrupted.']).exitCode).toBe(2);
});

function whole() {
  return { defects: [defect, ...others], variants: [variant], scope: 'whole' as const };
}

function judge(reports: ReadonlyMap<string, Report>) {
  return judgeProof(ledger, whole(), reports, []);
}

function report(verdicts: Record<string, Verdict>, expected = 'status 200'): Report {
  const items = Object.entries(verdicts).map(([id, verdict]) =>
    itemOf({
      ...{ id, verdict, seen: 'the form: 201', exchanges: ['x1'] },
      ...(verdict === 'failed' && { expected }),
      ...(verdict === 'could-not-run' && { reason: 'no token' }),
    }),
  );
  const has = (verdict: Verdict) => items.some((item) => item.verdict === verdict);
  const incomplete = has('could-not-run') ? 'incomplete' : 'conformant';
  return reportWith(items, { outcome: has('failed') ? 'nonconformant' : incomplete });
}
