/** A report with every verdict, for tests. */
import { suite } from '../../../support/version.ts';
import type { Exchange } from '../../support/evidence.ts';
import type { JudgedRequirement, Report } from '../report.ts';

const DIGEST = 'ac6065a97b55866b3184f1ba9cd925ccf4d525f7115c056dfceae9e7173b96cd';

const tokenRequest: Exchange = {
  id: 'x1',
  what: 'a form with a wrong client_secret',
  request: {
    method: 'POST',
    path: '/token/',
    headers: [
      ['accept', 'application/json'],
      ['user-agent', 'mrs-contract/0.1.0 (run 1)'],
      ['content-type', 'application/x-www-form-urlencoded'],
    ],
    form: { grant_type: 'client_credentials', client_id: 'acme', client_secret: '‹client secret›' },
  },
  sentAtMs: 0,
  durationMs: 40,
  response: {
    status: 200,
    mediaType: 'application/json',
    headers: [['content-type', 'application/json']],
    bodyBytes: 35,
    digest: DIGEST,
    excerpt: '{"token":"‹token 1›"}',
    json: { wellFormed: true, type: 'object', empty: false, fields: ['token'], filled: ['token'] },
  },
};

const dataRequest: Exchange = {
  id: 'x2',
  what: 'the data with the token',
  request: { method: 'GET', path: '/ods_data/', headers: [['authorization', 'Bearer ‹token 1›']] },
  sentAtMs: 40,
  durationMs: 2010,
  failure: 'reset the connection',
};

function requirement(
  id: string,
  clause: string,
  verdict: JudgedRequirement['verdict'],
  evidence: JudgedRequirement['evidence'],
): JudgedRequirement {
  return {
    id,
    clause,
    kind: 'interpretation',
    verdict,
    evidence,
    statement: `What ${id} states.`,
    reading: 'How it is read.',
  };
}

/** A violation with all that the ledger says of it. */
const grave: Partial<JudgedRequirement> = {
  severity: 'security',
  violation: 'A token is issued for a wrong client_secret.',
  advice: 'Compare the whole secret.',
};

export const sample: Report = {
  $schema: './report.schema.json',
  schemaVersion: 1,
  suite,
  runId: '0b2c7a9e-5b1d-4f0e-9a64-0d7a6c1f2e3b',
  outcome: 'nonconformant',
  target: {
    baseUrl: 'https://mrs.example.org/api',
    clientId: 'acme',
    tokenLifetimeSeconds: 60,
    healthPaths: ['/health/'],
  },
  startedAt: '2026-11-20T16:31:08.656Z',
  durationMs: 2050,
  requests: 3,
  counts: { passed: 1, failed: 1, 'could-not-run': 1, 'not-applicable': 1 },
  requirements: [
    requirement('MRS-2a', '2', 'passed', {
      seen: 'a form with valid credentials: 200, application/json',
      exchanges: ['x1'],
    }),
    {
      ...requirement('MRS-4.1j', '4.1', 'failed', {
        seen: 'a form with a wrong client_secret: 200, application/json',
        expected: 'no token',
        exchanges: ['x1', 'x2'],
        evidenceStrength: 'waited for the agreed lifetime',
      }),
      ...grave,
    },
    requirement('MRS-4.2a', '4.2', 'could-not-run', {
      seen: '',
      reason: 'No answer came.',
      exchanges: ['x2'],
    }),
    requirement('MRS-4.3a', '4.3', 'not-applicable', {
      seen: '',
      reason: 'The paths are not shown.',
      exchanges: [],
    }),
  ],
  openPoints: [
    {
      id: 'MRS-7d',
      verdict: 'observed',
      statement: 'The codes of errors.',
      observed: '400, 401',
    },
    { id: 'MRS-9', verdict: 'observed', statement: 'The versioning scheme.', observed: null },
  ],
  notJudged: [
    { id: 'MRS-1.1', clause: '1', kind: 'not-observable', statement: 'It is an API.', reason: 'A summary.' },
    { id: 'MRS-5.2', clause: '5.2', kind: 'client', statement: 'The client posts a form.' },
  ],
  problems: [],
  exchanges: [tokenRequest, dataRequest],
};

export const proof = {
  defects: { caught: 31, total: 31 },
  variants: { accepted: 12, total: 12 },
  digest: DIGEST,
};

/** Of each kind: without and with a proof, with a fault of the run, and one of a run that saw nothing. */
export const SAMPLES = {
  unproved: sample,
  proved: { ...sample, proof },
  faulty: { ...sample, proof, problems: ['It broke.'] },
  accepted: {
    ...sample,
    baseline: {
      outcome: 'accepted',
      accepted: [
        {
          requirement: 'MRS-4.1j',
          verdict: 'failed',
          reason: 'A fix is due.',
          owner: 'ops',
          until: '2030-01-31',
        },
        {
          requirement: 'MRS-4.2a',
          verdict: 'could-not-run',
          reason: 'The data is down.',
          owner: 'ops',
          until: '2030-02-28',
        },
      ],
      faults: [],
    },
  },
  outlived: {
    ...sample,
    baseline: {
      outcome: 'nonconformant',
      accepted: [],
      faults: ['The baseline accepted MRS-2a for too long.'],
    },
  },
  again: {
    ...sample,
    target: { ...sample.target, bundledMock: true },
    judgedAgain: { evidence: `sha256:${DIGEST}` },
  },
  empty: { ...sample, requirements: [], openPoints: [], notJudged: [], exchanges: [] },
} satisfies Record<string, Report>;
