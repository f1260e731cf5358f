import { expect, test } from 'vitest';
import { judgedAgain, troublesOf } from '../../report/report.ts';
import { isBinding, ledger } from '../../support/requirements.ts';
import type { Verdict } from '../../support/verdict.ts';
import type { Evidence } from '../support/evidence.ts';
import { answer, answered, blankEvidence, exchange } from '../testing/evidence.ts';
import { outcomeOfRun, type RunEnd, reportOf } from './report.ts';
import { evidence, FAILED, runOf, sample, verdictsWith } from './testing/sample-reports.ts';

const itemWith = (changes: Partial<RunEnd>, id = FAILED.id) =>
  reportOf(runOf(changes)).items.find((item) => item.id === id);

for (const [verdicts, outcome, underProfile = outcome] of [
  ['passed', 'conformant'],
  ['passed not-applicable', 'conformant'],
  ['passed could-not-run', 'incomplete'],
  ['passed failed', 'nonconformant'],
  ['failed could-not-run', 'nonconformant'],
  ['could-not-run not-applicable', 'incomplete'],
  ['not-applicable', 'incomplete'],
  ['', 'incomplete'],
] as const)
  test(`${verdicts || 'no verdict'}, in either order, makes a run ${outcome}`, () => {
    const items = verdicts
      .split(' ')
      .filter(Boolean)
      .map((verdict) => ({ id: 'MRS-1', verdict: verdict as Verdict }));
    for (const one of [items, items.toReversed()]) {
      expect(outcomeOfRun(one, [], undefined)).toBe(outcome);
      expect(outcomeOfRun(one, ['It broke.'], undefined)).toBe('error');
      // Of a profile, nothing was judged.
      expect(outcomeOfRun(one, [], {})).toBe(underProfile === 'conformant' ? 'incomplete' : underProfile);
    }
  });

for (const [declared, notOffered, outcome] of [
  ['passed', ['MRS-4.3a'], 'conformant-to-profile'],
  ['failed', [], 'nonconformant'],
] as const)
  test(`a profile that leaves out ${notOffered.length}, and of which one ${declared}, makes a run ${outcome}`, () => {
    const items = [
      { id: 'MRS-1', verdict: 'passed' as const },
      { id: 'MRS-2b@mine', verdict: declared },
    ];
    expect(outcomeOfRun(items, [], { notOffered })).toBe(outcome);
  });

test('a requirement without a test could not be run, and a run without any is incomplete', () => {
  const { outcome, items } = reportOf(runOf({ verdicts: [] }));
  expect(outcome).toBe('incomplete');
  expect(items.map(({ id }) => id)).toEqual(ledger.filter(isBinding).map(({ id }) => id));
  for (const item of items)
    expect(item).toMatchObject({ verdict: 'could-not-run', reason: 'No test of it ran.', exchanges: [] });
});

test('what was seen begins with the deciding answer, once each, and counts the others that were alike', () => {
  const form = answer(200, { mediaType: 'application/json', bodyBytes: 9 });
  const more = {
    ...evidence,
    probes: {
      ...evidence.probes,
      'token.again': exchange(10, 'the form again', form),
      'data.expiredToken': exchange(11, 'the data with the expired token', answer(401)),
    },
  };
  const exchanges = ['x3', 'x1', 'x3', 'x11', 'x10'];
  expect(itemWith({ evidence: more, verdicts: [{ ...FAILED, exchanges }] })).toMatchObject({
    expected: 'no token',
    seen:
      'the data without a token: 401, no body; a form with a wrong client_secret and 1 more request: 200, application/json; ' +
      'the data with the expired token: 401, no body',
    exchanges: ['x3', 'x1', 'x11', 'x10'],
  });
});

test('each statement that binds a deployment or is open is judged or observed, once', () => {
  const rows = sample.sections.flatMap(({ blocks }) => blocks.flatMap(({ table }) => table?.rows ?? []));
  const listed = [...sample.items.map(({ id }) => id), ...rows.map(({ cells }) => cells[0])];
  const rowsOf = ledger.filter((row) => isBinding(row) || row.kind === 'open');
  expect(listed.toSorted()).toEqual(rowsOf.map(({ id }) => id).toSorted());
});

test('requests that had no decision are counted by their answers, and none is hidden by a second try', () => {
  expect(sample.remarks).toEqual([
    '5 of 9 requests had no decision: failure (1), timeout (1), hang-up (1), 503 (2), at 16:31:08 UTC.',
  ]);
  expect(reportOf(runOf({ evidence: blankEvidence() })).remarks).toEqual([]);
});

const blank = blankEvidence();
const remarksOn = (changes: object) => reportOf(runOf({ evidence: { ...blank, ...changes } })).remarks;

test('a health check that has the records is remarked on, since it needs no token', () => {
  const plain = answered(1, 200);
  const remarksWith = (found: number) =>
    remarksOn({
      health: [{ plain: { ...plain, response: { ...plain.response, values: { found, of: 20 } } } }],
    });
  expect(remarksWith(11).join()).toMatch(/^Records of the data are in the answer to /);
  expect(remarksWith(10)).toEqual([]);
});

test('run that verified no certificates, or judged the mock, says so', () => {
  const { target } = evidence;
  const unverified = { ...evidence, certificatesVerified: false as const };
  expect(reportOf(runOf({ evidence: unverified })).remarks[0]).toMatch(
    /^This run did not verify certificates/,
  );
  const ofMock = { ...evidence, target: { ...target, bundledMock: true as const } };
  const mock = judgedAgain(reportOf(runOf({ evidence: ofMock })), 'sha256:1');
  expect(mock.tally).toMatch(/not applicable; bundled mock; judged again$/);
  expect(mock.properties).toMatchObject({ bundledMock: 'true', judgedAgain: 'sha256:1' });
  expect(mock.remarks).toEqual(
    expect.arrayContaining([
      expect.stringMatching(/says nothing about a deployment/),
      expect.stringMatching(/nothing vouches for that/),
    ]),
  );
});

test('a token in a field of another name is one mistake, and its advice says what to rename and drop', () => {
  const fields = ['access_token', 'token_type', 'expires_in'];
  const renamed = answered(1, 200, {
    json: { wellFormed: true, type: 'object', empty: false, fields, filled: fields },
    tokenResponse: { issued: false, takenFrom: '/access_token', unclear: false, mismatches: [] },
  });
  const ids = ['MRS-2a', 'MRS-4.1l', 'MRS-7a'];
  const judged = ids.map((id) => ({ id, verdict: 'failed' as const, exchanges: ['x1'] }));
  const verdicts = verdictsWith(judged);
  const run = runOf({ evidence: { ...blank, probes: { 'token.valid': renamed } }, verdicts });
  expect(troublesOf(reportOf(run)).map(({ short, name }) => [name, short])).toEqual([
    [
      'MRS-2a, MRS-4.1l',
      'The token is in the field access_token, and not in token. Rename access_token to token, and drop token_type and expires_in.',
    ],
    ['MRS-7a', 'An expired token is not answered with 403.'],
  ]);
});

const early: Partial<Evidence> = {
  expiry: { kind: 'waited', lifetimeSeconds: 60, ageSeconds: 68 },
  probes: {
    'token.valid': answered(1, 200, { tokenResponse: { issued: true, unclear: false, mismatches: [] } }),
    'data.late': answered(2, 403),
  },
};
for (const [left, reason, seen] of [
  [['MRS-5.6a', 'MRS-5.6b', 'MRS-7a'], 'expiry-not-tested', {}],
  [['MRS-5.6a', 'MRS-2a'], 'not-all-tested', {}],
  [['MRS-5.3b'], 'token-lifetime-differs', early],
  [['MRS-5.3b', 'MRS-2a'], 'not-all-tested', early],
] as const)
  test(`run that lacks ${left.join(', ')} is incomplete: ${reason}`, () => {
    const judged = left.map((id) => ({ id, verdict: 'could-not-run' as const, exchanges: [] }));
    const evidence = { ...blankEvidence(), ...seen };
    expect(reportOf(runOf({ evidence, verdicts: verdictsWith(judged) }))).toMatchObject({
      outcome: 'incomplete',
      reason,
    });
  });
