import { expect, _baseTest as test } from '@playwright/test';
import { judgeAll } from '../judge.ts';
import type { FailureCode } from '../probe/connection.ts';
import { reportOf } from '../report/report.ts';
import { answer, blankEvidence, exchange } from '../testing/evidence.ts';
import { causeOf } from './cause.ts';
import type { Evidence, Exchange } from './evidence.ts';

const at = (id: number, path: string, outcome: Partial<Exchange>): Exchange =>
  exchange(id, `request ${id}`, {
    request: { method: path === '/token/' ? 'POST' : 'GET', path, headers: [] },
    ...outcome,
  });

/** Evidence in which the form with valid credentials and the data without a token came to this: a status, or as given. */
function evidenceOf(form: number | Partial<Exchange>, data: number | Partial<Exchange>): Evidence {
  const blank = blankEvidence();
  const [ofForm, ofData] = [form, data].map((one) => (typeof one === 'number' ? answer(one) : one)) as [
    Partial<Exchange>,
    Partial<Exchange>,
  ];
  return {
    ...blank,
    target: { ...blank.target, healthPaths: ['/health/'] },
    probes: {
      ...blank.probes,
      'token.valid': at(1, '/token/', ofForm),
      'data.withoutToken': at(2, '/ods_data/', ofData),
    },
    health: [{ plain: at(3, '/health/', ofData.response?.status === 401 ? answer(200) : ofData) }],
  };
}

/** Evidence in which valid credentials, an unknown client_id and a form without grant_type were answered with these. */
function refusing(valid: number, unknown: number, faulty: number): Evidence {
  const evidence = evidenceOf(valid, 401);
  evidence.probes['token.unknownClientId'] = at(4, '/token/', answer(unknown));
  evidence.probes['token.withoutGrantType'] = at(5, '/token/', answer(faulty));
  return evidence;
}

const failing = (failureCode: FailureCode, failure: string) =>
  evidenceOf({ failure, failureCode }, { failure, failureCode });
const page = (status: number) => answer(status, { mediaType: 'text/html', bodyBytes: 9 });
const moved = answer(301, { headers: [['location', 'https://www.mrs.example/ods_data/']] });

for (const [what, evidence, reason, sentence] of [
  [
    'an unknown host',
    failing('unknown-host', 'has a host name that does not resolve'),
    'unknown-host',
    /^No answer from https:\/\/mrs\.example: it has a host name that does not resolve\. Correct the host name/,
  ],
  [
    'a refused connection',
    failing('unreachable', 'refused the connection'),
    'unreachable',
    /and that the service is up\.$/,
  ],
  [
    'a certificate that is not trusted',
    failing('tls', 'has a self-signed certificate: give --ca (MRS_CA) the PEM file of that certificate'),
    'tls',
    /give --ca \(MRS_CA\) the PEM file of that certificate\.$/,
  ],
  [
    'bytes that are not HTTP',
    failing('not-http', 'sent something that is not HTTP (HPE_INVALID_CONSTANT)'),
    'not-http',
    /: it sent .* Check the scheme, host and port of the base URL/,
  ],
  [
    'a proxy that does not help',
    failing('proxy', 'cannot be reached: the proxy p:1 refused the connection'),
    'proxy',
    /or name the host in NO_PROXY\.$/,
  ],
  ['a gateway without a service', evidenceOf(503, 503), 'unavailable', /with 503: /],
  [
    'a wrong path prefix',
    evidenceOf(404, 404),
    'wrong-base-url',
    /POST \/token\/ was answered with 404, GET \/ods_data\/ with 404\. Correct the base URL/,
  ],
  ['another service', evidenceOf(501, 404), 'wrong-base-url', /There is no such service/],
  [
    'a redirect of every request',
    evidenceOf(301, moved),
    'wrong-base-url',
    / with 301 to https:\/\/www\.mrs\.example\. Correct the base URL/,
  ],
  ['a web site', evidenceOf(page(200), page(200)), 'wrong-base-url', /There is no such service/],
  [
    'a wrong secret',
    evidenceOf(401, 401),
    'credentials-refused',
    /refused the credentials of the client "station" with 401, no body\. Check MRS_CLIENT_ID and MRS_CLIENT_SECRET; a gateway may require a header \(--header\)\.$/,
  ],
  [
    'a refusal by a web page',
    evidenceOf(page(403), 401),
    'credentials-refused',
    /with 403, text\/html\. Check/,
  ],
  ['a wrong secret that is answered with 404', refusing(404, 404, 400), 'credentials-refused', / with 404, /],
] as [string, Evidence, string, RegExp][])
  test(`${what} makes a run incomplete, with its reason and no failure`, () => {
    expect(causeOf(evidence)).toMatchObject({ reason, sentence: expect.stringMatching(sentence) });
    const report = reportOf({ evidence, profile: undefined, ...judgeAll(evidence) });
    expect([report.outcome, report.reason]).toEqual(['incomplete', reason]);
    expect(report.items.filter(({ verdict }) => verdict === 'failed')).toEqual([]);
    const others = report.items.filter(({ id }) => !id.startsWith('MRS-4.3'));
    expect(new Set(others.map((one) => one.reason))).toEqual(new Set([causeOf(evidence)?.sentence]));
  });

const issued = answer(200, { tokenResponse: { issued: true, unclear: false, mismatches: [] } });
const byHeader = evidenceOf(401, 401);
byHeader.probes['token.withAuthorization'] = at(4, '/token/', issued);

for (const [what, evidence] of [
  ['a token endpoint that is missing next to data that is there', evidenceOf(404, 401)],
  ['a token endpoint that does not read forms', evidenceOf(415, 401)],
  ['a token endpoint that is at another path', refusing(404, 404, 404)],
  ['an answer that only valid credentials get', refusing(404, 401, 400)],
  ['a fault of the service', refusing(500, 500, 400)],
  ['a limit of requests', refusing(429, 429, 400)],
  ['a token', evidenceOf(issued, 404)],
  ['one request without an answer', evidenceOf({ failure: 'reset the connection' }, 401)],
  ['a token that credentials obtain by a header', byHeader],
] as const)
  test(`${what} is not a mistake of the tester`, () => {
    expect(causeOf(evidence)).toBeUndefined();
  });
