/** Reports on a deployment, of evidence that was made up. */
import { judgedAgain, type Report } from '../../../report/report.ts';
import { isBinding, ledger } from '../../../support/requirements.ts';
import type { TestVerdict } from '../../judge.ts';
import { assess } from '../../support/decisions.ts';
import type { Evidence } from '../../support/evidence.ts';
import { answer, blankEvidence, exchange } from '../../testing/evidence.ts';
import { applyBaseline } from '../baseline.ts';
import { type RunEnd, reportOf } from '../report.ts';

const tokenRequest = exchange(1, 'a form with a wrong client_secret', {
  request: {
    method: 'POST',
    path: '/token/',
    headers: [
      ['accept', 'application/json'],
      ['user-agent', 'mrs-contract/0.1.0 (run 0b2c7a9e-5b1d-4f0e-9a64-0d7a6c1f2e3b)'],
      ['content-type', 'application/x-www-form-urlencoded'],
    ],
    form: { grant_type: 'client_credentials', client_id: 'acme', client_secret: '‹client secret›' },
  },
  ...answer(200, {
    mediaType: 'application/json',
    headers: [['content-type', 'application/json']],
    bodyBytes: 35,
    excerpt: '{"token":"‹token 1›"}',
    json: { wellFormed: true, type: 'object', empty: false, fields: ['token'], filled: ['token'] },
  }),
});
const dataRequest = exchange(2, 'the data with the token', {
  request: { method: 'GET', path: '/ods_data/', headers: [['authorization', 'Bearer ‹token 1›']] },
  durationMs: 2010,
  failure: 'reset the connection',
});

const blank = blankEvidence();

/** A wrong secret gets a token, some requests have no decision, and one is sent again after a wait. */
export const evidence: Evidence = {
  ...blank,
  target: {
    baseUrl: 'https://mrs.example.org/api',
    clientId: 'acme',
    tokenLifetimeSeconds: 60,
    healthPaths: ['/live'],
  },
  startedAt: '2026-11-20T16:31:08.656Z',
  durationMs: 2050,
  requests: 9,
  probes: {
    ...blank.probes,
    'token.cutClientSecret': tokenRequest,
    'data.first': dataRequest,
    'data.withoutToken': exchange(3, 'the data without a token', answer(401)),
    'data.unknownToken': exchange(4, 'the data with a token that was never issued', {
      ...answer(401),
      again: true,
      waitedSeconds: 3,
    }),
    'data.newestToken': exchange(8, 'the data with the newest token', answer(503)),
    'data.lastToken': exchange(9, 'the data with the last token', { ...answer(503), again: true }),
  },
  repeated: [
    exchange(5, 'the data', { failure: 'gave no complete answer within 10 s', failureCode: 'timeout' }),
    exchange(6, 'the data', { failure: 'closed the connection', failureCode: 'hang-up' }),
  ],
  health: [
    {
      plain: exchange(7, 'the health check /live', {
        request: { method: 'GET', path: '/live', headers: [] },
        ...answer(204),
      }),
    },
  ],
};

export const FAILED: TestVerdict = {
  id: 'MRS-4.1j',
  verdict: 'failed',
  expected: 'no token',
  exchanges: ['x1', 'x2'],
};
const JUDGED: readonly TestVerdict[] = [
  FAILED,
  { id: 'MRS-7a', verdict: 'failed', expected: 'status 403', exchanges: ['x3', 'x4'] },
  { id: 'MRS-4.2a', verdict: 'could-not-run', reason: 'No answer came.', exchanges: ['x2'] },
  { id: 'MRS-4.3a', verdict: 'not-applicable', reason: 'No health check is named.', exchanges: [] },
];

/** What every test that is not in `judged` ends with. */
export const verdictsWith = (
  judged: readonly TestVerdict[],
  others: Partial<TestVerdict> = {},
): TestVerdict[] =>
  ledger
    .filter(isBinding)
    .map(
      ({ id }) =>
        judged.find((one) => one.id === id) ?? { id, verdict: 'passed', exchanges: ['x3'], ...others },
    );

export const runOf = (changes: Partial<RunEnd> = {}): RunEnd => ({
  evidence,
  profile: undefined,
  verdicts: verdictsWith(JUDGED),
  problems: [],
  ...changes,
});

/** With every verdict. */
export const sample: Report = reportOf(runOf());

const refused = { failure: 'refused the connection' };
const down: Evidence = {
  ...blank,
  requests: 2,
  probes: {
    ...blank.probes,
    'token.valid': exchange(1, 'a form', refused),
    'data.withoutToken': exchange(2, 'the data without a token', refused),
  },
};

const accepting = { reason: 'A fix is due.', owner: 'ops', until: '2030-01-31' };

/** The other kinds of ends that a run can have. */
export const SAMPLES = {
  accepted: applyBaseline(
    sample,
    [
      { ...accepting, requirement: 'MRS-4.1j' },
      { ...accepting, requirement: 'MRS-7a' },
      { ...accepting, requirement: 'MRS-4.2a', verdict: 'could-not-run' },
    ],
    '2029-01-01',
  ),
  unreachable: reportOf(
    runOf({
      evidence: down,
      verdicts: verdictsWith([], { verdict: 'could-not-run', reason: assess(down).cause?.sentence ?? '' }),
    }),
  ),
  broken: judgedAgain(reportOf(runOf({ problems: ['It broke.', 'Twice.'] })), 'sha256:1'),
} satisfies Record<string, Report>;
