import { expect, _baseTest as test } from '@playwright/test';
import { judgeAll } from '../judge.ts';
import { reportOf } from '../report/report.ts';
import { answer, blankEvidence, exchange } from '../testing/evidence.ts';
import { causeOf } from './cause.ts';
import type { Evidence, Exchange } from './evidence.ts';

const at = (id: number, path: string, outcome: Partial<Exchange>): Exchange =>
  exchange(id, `request ${id}`, {
    request: { method: path === '/token/' ? 'POST' : 'GET', path, headers: [] },
    ...outcome,
  });

/** Evidence in which the form with valid credentials and the data without a token came to this. */
function evidenceOf(form: Partial<Exchange>, data: Partial<Exchange>): Evidence {
  const blank = blankEvidence();
  return {
    ...blank,
    target: { ...blank.target, healthPaths: ['/health/'] },
    token: { ...blank.token, valid: at(1, '/token/', form) },
    data: { ...blank.data, withoutToken: at(2, '/ods_data/', data) },
    health: [{ plain: at(3, '/health/', data.response?.status === 401 ? answer(200) : data) }],
  };
}

const failing = (failure: string) => evidenceOf({ failure }, { failure });

const CAUSES: [what: string, evidence: Evidence, reason: string, sentence: RegExp][] = [
  [
    'an unknown host',
    failing('has a host name that does not resolve'),
    'unknown-host',
    /^Cannot reach https:\/\/mrs\.example: unknown host\. Correct the host name in MRS_BASE_URL\.$/,
  ],
  ['a refused connection', failing('refused the connection'), 'unreachable', /and that the service is up\.$/],
  [
    'a certificate that is not trusted',
    failing('has a self-signed certificate: give --ca (MRS_CA) the PEM file of that certificate'),
    'tls',
    /give --ca \(MRS_CA\) the PEM file of that certificate\.$/,
  ],
  [
    'a proxy that does not help',
    failing('cannot be reached: the proxy p:1 refused the connection'),
    'proxy',
    /or name the host in NO_PROXY\.$/,
  ],
  ['a gateway without a service', evidenceOf(answer(503), answer(503)), 'unavailable', /with 503: /],
  [
    'a wrong path prefix',
    evidenceOf(answer(404), answer(404)),
    'wrong-base-url',
    /POST \/token\/ was answered with 404, GET \/ods_data\/ with 404\. Correct MRS_BASE_URL/,
  ],
  [
    'a base URL with the path of the data',
    {
      ...evidenceOf(answer(404), answer(404)),
      target: { baseUrl: 'https://mrs.example/ods_data/', clientId: 'station', healthPaths: [] },
    },
    'wrong-base-url',
    /Leave \/ods_data\/ out of MRS_BASE_URL: the suite adds it\.$/,
  ],
  ['another service', evidenceOf(answer(501), answer(404)), 'wrong-base-url', /There is no such service/],
  [
    'a redirect of every request',
    evidenceOf(answer(301), answer(301, { headers: [['location', 'https://www.mrs.example/ods_data/']] })),
    'wrong-base-url',
    /redirects every request to https:\/\/www\.mrs\.example\. Set --base-url \(MRS_BASE_URL\)/,
  ],
  [
    'a web site',
    evidenceOf(answer(200, { mediaType: 'text/html' }), answer(200, { mediaType: 'text/html' })),
    'wrong-base-url',
    /answers with web pages/,
  ],
  [
    'a wrong secret',
    evidenceOf(answer(401), answer(401)),
    'credentials-refused',
    /refused the credentials of client station with 401\. Check MRS_CLIENT_ID and MRS_CLIENT_SECRET; a gateway may require a header \(--header\)\.$/,
  ],
  [
    'a refusal by a web page',
    evidenceOf(answer(403, { mediaType: 'text/html' }), answer(401)),
    'credentials-refused',
    /a proxy or gateway may have sent it\.$/,
  ],
];

for (const [what, evidence, reason, sentence] of CAUSES)
  test(`${what} makes a run incomplete, with its reason and no failure`, () => {
    expect(causeOf(evidence)).toMatchObject({ reason, sentence: expect.stringMatching(sentence) });
    const {
      outcome,
      reason: why,
      cause,
      items,
    } = reportOf({
      ...{ evidence, profile: undefined },
      ...judgeAll(evidence),
    });
    expect([outcome, why]).toEqual(['incomplete', reason]);
    expect(items.filter(({ verdict }) => verdict === 'failed')).toEqual([]);
    const reasons = items.filter(({ id }) => !id.startsWith('MRS-4.3')).map((one) => one.reason);
    expect(new Set(reasons)).toEqual(new Set([cause]));
  });

const issued = { issued: true, unclear: false, mismatches: [] };

for (const [what, evidence] of [
  ['a token endpoint that is missing next to data that is there', evidenceOf(answer(404), answer(401))],
  ['a token endpoint that does not read forms', evidenceOf(answer(415), answer(401))],
  ['a token', evidenceOf(answer(200, { tokenResponse: issued }), answer(404))],
  ['one request without an answer', evidenceOf({ failure: 'reset the connection' }, answer(401))],
] as const)
  test(`${what} is not a mistake of the tester`, () => {
    expect(causeOf(evidence)).toBeUndefined();
  });

test('credentials that open the token endpoint by a header are right', () => {
  const evidence = evidenceOf(answer(401), answer(401));
  const { token } = evidence;
  const withAuthorization = at(4, '/token/', answer(200, { tokenResponse: issued }));
  expect(causeOf({ ...evidence, token: { ...token, withAuthorization } })).toBeUndefined();
});
