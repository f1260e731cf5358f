/** Which answers of a run decide nothing, and what its report says of them. */
import { expect, test } from 'vitest';
import type { Report } from '../../report/report.ts';
import { type Clock, createVirtualClock } from '../../support/clock.ts';
import { ledger } from '../../support/requirements.ts';
import { judgeAll } from '../judge.ts';
import type { FailureCode } from '../probe/connection.ts';
import type { Target } from '../probe/target.ts';
import { profileIn } from '../profile.ts';
import { reportOf } from '../report/report.ts';
import { answer, answered, blankEvidence, exchange } from '../testing/evidence.ts';
import { isValid, play, type Script, type Sent, validForm } from '../testing/fake-api.ts';
import { assess } from './decisions.ts';
import type { Evidence, Exchange, Response } from './evidence.ts';
import { matchesContract } from './expectations.ts';
import type { Json } from './json.ts';

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
const page = (status: number) => answer(status, { mediaType: 'text/html', bodyBytes: 90, digest: 'b' });
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
    expect(assess(evidence).cause).toMatchObject({ reason, sentence: expect.stringMatching(sentence) });
    const report = reportOf({ evidence, profile: undefined, ...judgeAll(evidence) });
    expect([report.outcome, report.reason]).toEqual(['incomplete', reason]);
    expect(report.items.filter(({ verdict }) => verdict === 'failed')).toEqual([]);
    const others = report.items.filter(({ id }) => !id.startsWith('MRS-4.3'));
    expect(new Set(others.map((one) => one.reason))).toEqual(new Set([assess(evidence).cause?.sentence]));
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
    expect(assess(evidence).cause).toBeUndefined();
  });

// A whole run.

/** The report of a run against a deployment that answers correctly but for this, and its requirements by their verdict. */
async function judged(script: Script, to: Partial<Target> = {}, clock = createVirtualClock()) {
  const blank = blankEvidence();
  const observed = await play(script, { maxWaitSeconds: 15, ...to }, { clock });
  const { healthPaths = ['/health/'] } = to;
  const target = { ...blank.target, healthPaths, tokenLifetimeSeconds: 10 };
  const evidence: Evidence = { ...blank, ...observed, target, requests: observed.sent.length };
  const report = reportOf({ evidence, profile: undefined, ...judgeAll(evidence) });
  const those = (verdict: string) => report.items.filter((item) => item.verdict === verdict);
  const [failed, open] = [those('failed'), those('could-not-run')];
  const reasons = [...new Set(open.map(({ reason }) => reason))];
  return { report, failed: failed.map(({ id }) => id), open: open.map(({ id }) => id), reasons, observed };
}

const blocked = (status: number) => page(status).response;
const inJson = (status: number, ...fields: string[]) => {
  const json: Json = { wellFormed: true, type: 'object', empty: false, fields, filled: fields };
  return answer(status, { mediaType: 'application/json', bodyBytes: 20, digest: fields.join(), json })
    .response;
};
const error = (status: number) => inJson(status, 'error');
type Instead = NonNullable<Script['instead']>;
const from =
  (first: number, response: Response): Instead =>
  (nth) =>
    nth >= first ? response : undefined;

test('a correct deployment is conformant', async () => {
  const { report, open, failed } = await judged({});
  expect([report.outcome, open, failed]).toEqual(['conformant', [], []]);
  expect(report.headline).toBe('All 23 requirements are met');
});

const counts = (report: Report) =>
  [report.headline, ...report.remarks].filter((one) => one.includes('had no decision')).join();
const isLive = (token: string | undefined) => /^issued-token-\d$/.test(token ?? '');

for (const [what, script] of [
  ['answers every read with 500', { data: (token) => (isLive(token) ? 500 : 401) }],
  ['answers every read with 507', { data: (token) => (isLive(token) ? 507 : 401) }],
  ['answers forms with 501', { tokens: (form) => (isValid(form) ? 501 : 400) }],
] as [string, Script][])
  test(`a violation of a deployment that ${what} is not counted as an answer without a decision`, async () => {
    const { report, failed } = await judged(script);
    expect(failed.length).toBeGreaterThan(0);
    expect(counts(report)).toBe('');
  });

for (const [what, script, counted] of [
  ['refuses bad tokens by 500', { data: (token) => (isLive(token) ? 200 : 500) }, /: 500 \(\d+\), /],
  ['refuses bad forms by 500', { tokens: (form) => (isValid(form) ? 200 : 500) }, /: 500 \(\d+\), /],
  ['limits reads', { data: (token) => (isLive(token) ? 429 : 401) }, /: 429 \(\d+\), /],
] as [string, Script, RegExp][])
  test(`the answers of a deployment that ${what} are counted as no decision`, async () => {
    expect(counts((await judged(script)).report)).toMatch(counted);
  });

const expires = (token: string | undefined, uses: number, bad: number) =>
  /^issued-token-\d$/.test(token ?? '') ? (uses > 6 ? 403 : 200) : bad;

// A deployment that stops answering.

const down = answer(503).response;
for (const [what, script, said] of [
  ['answers with 503', { instead: from(31, down) }, /were answered with 503$/],
  ['answers with 521', { instead: from(5, answer(521).response) }, /were answered with 521$/],
  [
    'answers with 502 and 503',
    { instead: (nth) => (nth < 20 ? undefined : answer(502 + (nth % 2)).response) },
    / with 502 and 503$/,
  ],
  ['refuses connections', { down: (nth) => nth >= 31 }, /had no answer$/],
] as [string, Script, RegExp][])
  test(`a deployment that ${what} to the end has one headline, with the count of the remark, and one reason`, async () => {
    const { report, failed, reasons } = await judged(script);
    expect([report.outcome, report.reason, failed]).toEqual(['incomplete', 'out-of-order', []]);
    expect(report.headline).toMatch(
      /^The deployment stopped answering at 00:00:00 UTC: \d+ of \d+ requests /,
    );
    expect(report.headline).toMatch(said);
    const count = /\d+ of \d+ requests/.exec(report.headline)?.[0];
    expect(report.remarks).toContainEqual(expect.stringContaining(`${count} had no decision`));
    expect(reasons).toEqual([`${report.headline}. Run again when it is up.`]);
  });

for (const [what, script] of [
  ['recovers', { instead: (nth) => (nth > 30 && nth < 36 ? down : undefined) }],
  ['hangs up on OPTIONS and on odd paths', { down: (nth) => nth > 75 && nth < 80 }],
] as [string, Script][])
  test(`a deployment that ${what} is not one that stopped answering`, async () => {
    expect((await judged(script)).report.outcome).toBe('conformant');
  });

for (const after of [10, 20, 31, 45, 60])
  for (const status of [200, 302, 401, 403, 404, 406, 500])
    test(`a ban with ${status} after request ${after} makes a run incomplete, fails nothing, and is said once`, async () => {
      const { report, failed, reasons } = await judged({ instead: from(after + 1, blocked(status)) });
      expect([report.outcome, report.reason, failed]).toEqual(['incomplete', 'stopped-answering', []]);
      expect(report.headline).toBe(`The deployment stopped answering this client at request ${after + 1}`);
      expect(reasons).toEqual([
        expect.stringMatching(
          new RegExp(
            `^${report.headline}, (at|from) 00:00:00.* UTC: it answered \\d+ requests alike, with ${status}, text/html, also requests (for health and )?with valid `,
          ),
        ),
      ]);
    });

for (const [what, instead] of [
  ['that looks like each refusal of the service', from(31, error(401))],
  [
    'that looks otherwise at the token endpoint',
    (nth, { form }) => (nth > 30 ? blocked(form ? 401 : 403) : undefined),
  ],
  ['of the token endpoint only', (nth, { form }) => (nth > 21 && form ? blocked(403) : undefined)],
  ['of the data only', (nth, { form, path }) => (nth > 22 && !form && !path ? blocked(403) : undefined)],
  ['that begins where the token is renewed', from(14, blocked(401))],
  ['that begins at the first read', from(2, blocked(403))],
  ['that begins at a form with valid credentials', from(21, blocked(403))],
  [
    'of the data only, that looks like its refusals, from the third token on',
    (nth, { form, path }) => (nth > 19 && !form && !path ? error(401) : undefined),
  ],
  [
    'of the data only, that looks like its refusals, from the first new token on',
    (nth, { form, path }) => (nth > 13 && !form && !path ? error(401) : undefined),
  ],
  [
    'of the data only, with 200 and a message, around the expiry',
    (nth, { form, path }) =>
      nth > 11 && nth < 27 && !form && !path ? inJson(200, 'code', 'msg') : undefined,
  ],
  [
    'of the data only, with 200 and a message',
    (nth, { form, path }) => (nth > 30 && !form && !path ? inJson(200, 'code', 'msg') : undefined),
  ],
] as [string, Instead][])
  test(`a ban ${what} is not conformant, and fails nothing`, async () => {
    const { report, failed } = await judged({ instead });
    expect([report.outcome, report.reason, failed]).toEqual(['incomplete', 'stopped-answering', []]);
  });

for (const lostAt of [34, 50])
  test(`a deployment that loses its tokens at request ${lostAt}, and answers them with 401, fails nothing`, async () => {
    let lost = 0;
    let issued = 0;
    const { failed } = await judged({
      instead(nth, { form, token, path }) {
        if (nth === lostAt) lost = issued;
        if (form && isValid(form)) issued++;
        const number = Number(/^issued-token-(\d+)$/.exec(token ?? '')?.[1] ?? Number.POSITIVE_INFINITY);
        return !path && number <= lost ? error(401) : undefined;
      },
    });
    expect(failed).toEqual([]);
  });

const ofForms =
  (first: number, response: Response): Instead =>
  (nth, { form }) =>
    nth >= first && form ? response : undefined;
const ofReads =
  (first: number, response: Response): Instead =>
  (nth, { form, path }) =>
    nth >= first && !form && !path ? response : undefined;

for (const [what, instead] of [
  ['of forms from a form with valid credentials on', ofForms(14, blocked(403))],
  ['of forms, with 401, from the last of these on', ofForms(21, blocked(401))],
  ['of forms, with a page and 200,', ofForms(14, blocked(200))],
  ['of reads from the second on', ofReads(3, blocked(403))],
  ['of reads from that with a new token on', ofReads(15, blocked(403))],
  ['of reads, with the body of each other refusal,', ofReads(19, error(403))],
  ['of reads, with a page and 200,', ofReads(15, blocked(200))],
  ['of reads before the expiry, with a page and 200,', ofReads(12, blocked(200))],
] as [string, Instead][])
  test(`a ban ${what} is not a violation, and is said once`, async () => {
    const { report, failed, reasons } = await judged({ instead });
    expect([report.outcome, report.reason, failed]).toEqual(['incomplete', 'stopped-answering', []]);
    expect(reasons).toContainEqual(expect.stringMatching(/ UTC: it answered \d+ requests alike, with /));
    expect(report.remarks.join()).not.toContain('No token was seen to expire');
  });

for (const [what, script, failing] of [
  [
    'refuses each new token as each bad one',
    { data: (token, uses) => (/[2-9]$/.test(token ?? '') ? 403 : expires(token, uses, 403)) },
    ['MRS-5.6b'],
  ],
  [
    'refuses the third token as each bad one',
    { data: (token, uses) => (/3$/.test(token ?? '') ? 403 : expires(token, uses, 403)) },
    ['MRS-4.2a'],
  ],
  [
    'answers the expired token with a page and 200',
    { instead: (_, { what }) => (/with the expired token/.test(what) ? blocked(200) : undefined) },
    ['MRS-7a'],
  ],
  [
    'issues one token only, and refuses wrong forms otherwise',
    { instead: (nth, { form }) => (nth > 1 && form && isValid(form) ? error(401) : undefined) },
    ['MRS-4.1m', 'MRS-5.6b'],
  ],
] as [string, Script, string[]][])
  test(`a deployment that ${what} violates a requirement`, async () => {
    expect((await judged(script)).failed).toEqual(failing);
  });

test('a ban names the requests that it met', async () => {
  const { reasons } = await judged({ instead: ofForms(14, blocked(403)) });
  expect(reasons.join()).toContain('also requests with valid credentials. That looks like a ban');
});

/** For these seconds from this request on; `clock` shows them. */
const forSeconds = (first: number, seconds: number, clock: Clock): Instead => {
  let end: number | undefined;
  return (nth) => {
    if (nth < first) return undefined;
    end ??= clock.now() + seconds * 1000;
    return clock.now() < end ? blocked(403) : undefined;
  };
};
const anySecret: Script['tokens'] = (form) =>
  isValid({ ...form, ...(form.client_secret && { client_secret: validForm.client_secret }) }) ? 200 : 400;

test('a ban that is over is not the reason for what the tester leaves out', async () => {
  const clock = createVirtualClock();
  const script = { instead: forSeconds(31, 3, clock) };
  const { report, open } = await judged(script, { safe: true }, clock);
  expect([report.reason, open]).toEqual(['not-all-tested', ['MRS-4.1i', 'MRS-4.1j']]);
});

test('a ban of health checks and reads is over later, and leaves a correct deployment conformant', async () => {
  const instead: Instead = (nth) => (nth > 6 && nth < 13 ? blocked(403) : undefined);
  const { failed, open } = await judged({ instead });
  expect([failed, open]).toEqual([[], []]);
});

test('a ban that begins at a form with valid credentials, and is soon over, is not a violation', async () => {
  const { failed, open } = await judged({
    instead: (nth) => (nth > 20 && nth < 40 ? blocked(403) : undefined),
  });
  expect([failed, open]).toEqual([[], []]);
});

/** The answer to a request that must be refused: the form is read first, and a page answers where HTML is accepted. */
const inManyWays =
  (status: number): Instead =>
  (nth, { form, what }) => {
    if (nth < 31) return undefined;
    if (form) return form.client_secret ? inJson(status, 'locked') : error(400);
    return /as HTML/.test(what) ? blocked(status) : inJson(status, 'detail', `at${nth % 3}`);
  };

for (const status of [401, 403, 423])
  for (const [what, tokens] of [
    ['a correct service', undefined],
    ['a service that takes any secret', anySecret],
  ] as const)
    test(`a lock with ${status} that answers each kind of request in its own way hides ${what}, and is not conformant`, async () => {
      const { report, failed } = await judged({ ...(tokens && { tokens }), instead: inManyWays(status) });
      expect([report.outcome, failed]).toEqual(['incomplete', []]);
    });

test('a violation that was seen before a lock stays violated', async () => {
  const tokens: Script['tokens'] = (form) => (form.grant_type === undefined || isValid(form) ? 200 : 400);
  const { report, failed } = await judged({ tokens, instead: inManyWays(403) });
  expect([report.outcome, failed]).toEqual(['nonconformant', ['MRS-4.1e']]);
});

for (const seconds of [1, 3, 8])
  test(`what a ban of ${seconds} s hid is asked again after it`, async () => {
    const clock = createVirtualClock();
    const script = { tokens: anySecret, instead: forSeconds(31, seconds, clock) };
    const { failed, open } = await judged(script, {}, clock);
    expect([failed, open]).toEqual([['MRS-4.1j'], []]);
  });

test('a ban that is over leaves a correct deployment conformant, and the headline counts its answers', async () => {
  const clock = createVirtualClock();
  const { report } = await judged({ instead: forSeconds(31, 8, clock) }, {}, clock);
  expect(report.outcome).toBe('conformant');
  expect(report.headline).toMatch(
    /\. \d+ of \d+ requests had no decision: 403 \(\d+\), at 00:00:00 UTC, and sent again$/,
  );
});

test('what was violated before a ban stays violated', async () => {
  const data: Script['data'] = (token, uses) =>
    token === undefined ? 401 : token === 'issued-token-1' && uses > 6 ? 403 : 200;
  const { failed, report } = await judged({ data, instead: from(45, blocked(403)) });
  expect([failed, report.outcome]).toEqual([['MRS-5.5a', 'MRS-5.5b', 'MRS-1.3'].toSorted(), 'nonconformant']);
});

test('a client that is locked for wrong secrets is asked for no more of them', async () => {
  let wrong = 0;
  const tokens: Script['tokens'] = (form) => {
    if (form.client_id !== 'station' || form.grant_type !== 'client_credentials') return 400;
    if (form.client_secret !== validForm.client_secret) wrong++;
    return isValid(form) && wrong < 3 ? 200 : 401;
  };
  const { failed, open, observed } = await judged({ tokens });
  const forms = ['MRS-4.1e', 'MRS-4.1f', 'MRS-4.1g', 'MRS-4.1h', 'MRS-4.1i', 'MRS-4.1j'];
  expect([failed, open]).toEqual([[], forms]);
  const after = observed.sent.filter(({ what }) => /client_secret (and a space|in the other)/.test(what));
  expect(after).toHaveLength(2);
});

const isRight = ({ form, path, token = '', what }: Sent) =>
  form ? isValid(form) : path || (/^issued-token-\d$/.test(token) && !/expired|its end$/.test(what));
for (const [what, script, to] of [
  [
    'that answers all that it refuses with one page',
    { instead: (_, sent) => (isRight(sent) ? undefined : blocked(403)) },
  ],
  [
    'that answers a token that it never issued with 404',
    { data: (token, uses) => expires(token, uses, 404) },
  ],
  [
    'that refuses whatever it refuses with 403',
    { tokens: (form) => (isValid(form) ? 200 : 403), data: (token, uses) => expires(token, uses, 403) },
  ],
  ['without a health check', {}, { healthPaths: [] }],
] as [string, Script, Partial<Target>?][])
  test(`a deployment ${what} keeps its verdicts`, async () => {
    const { failed, open } = await judged(script, to);
    expect([failed, open]).toEqual([[], []]);
  });

// What is refused from the start.

const everything = (response: Response): Script => ({ instead: () => response });
for (const [what, script, to, reason, headline] of [
  [
    'a gateway without its key',
    everything(error(401)),
    {},
    'all-refused-alike',
    'The deployment refuses every request alike',
  ],
  ['a firewall that blocks the address', everything(blocked(403)), {}, 'all-refused-alike'],
  [
    'a firewall that blocks the user agent by 406, without a health check',
    everything(blocked(406)),
    { healthPaths: [] },
    'all-refused-alike',
  ],
  ['a bad request for each request', everything(inJson(400, 'message')), {}, 'all-refused-alike'],
  ['wrong credentials', { tokens: () => 401 }, {}, 'credentials-refused'],
  [
    'wrong credentials, without a health check',
    { tokens: () => 401 },
    { healthPaths: [] },
    'credentials-refused',
  ],
  [
    'a client without the scope',
    { data: () => 403 },
    {},
    'scope-refused',
    'The deployment refuses the data with every token',
  ],
  [
    'a client without the scope, by a page',
    { instead: (_, { form, path }) => (form || path ? undefined : blocked(403)) },
    {},
    'scope-refused',
  ],
  [
    'a client without the scope, with 401 for bad tokens',
    { data: (token) => (/^issued/.test(token ?? '') ? 403 : 401) },
    {},
    'scope-refused',
  ],
  [
    'a client without the scope, without a health check',
    { data: () => 403 },
    { healthPaths: [] },
    'scope-refused',
  ],
] as [string, Script, Partial<Target>, string, string?][])
  test(`${what} makes a run incomplete, and fails nothing`, async () => {
    const { report, failed } = await judged(script, to);
    expect([report.outcome, report.reason, failed]).toEqual(['incomplete', reason, []]);
    if (headline) expect(report.headline).toBe(headline);
  });

test('the sentences on what is refused from the start say what to ask or to set', async () => {
  const scope = await judged({ data: () => 403 });
  expect(scope.reasons).toEqual([
    expect.stringContaining('Has the client "station" the scope for the data?'),
  ]);
  const key = await judged(everything(error(401)));
  expect(key.reasons).toEqual([
    expect.stringContaining('may need a header (--header), or blocks this address or user agent.'),
  ]);
});

test('each token after the second that is refused as bad tokens are may be a ban', async () => {
  const data: Script['data'] = (token, uses) =>
    /[3-9]$/.test(token ?? '') ? 403 : expires(token, uses, 403);
  const { failed, open, reasons } = await judged({ data });
  expect([failed, open]).toEqual([[], expect.arrayContaining(['MRS-4.2a'])]);
  expect(reasons).toEqual([
    expect.stringContaining('The deployment stopped accepting valid tokens at request'),
  ]);
});

for (const [what, script, failing] of [
  ['data with 404 for each token', { data: (token) => (token ? 404 : 401) }, ['MRS-4.2a']],
  [
    'data with 403 for the fourth token',
    { data: (token, uses) => (/4$/.test(token ?? '') ? 403 : expires(token, uses, 401)) },
    ['MRS-4.2a'],
  ],
  ['a health check that asks for a token', { health: (token) => (token ? 200 : 401) }, ['MRS-4.3b']],
] as [string, Script, string[]][])
  test(`${what} is a violation`, async () => {
    expect((await judged(script)).failed).toEqual(failing);
  });

// Limits and restarts.

for (const status of [429, 408, 502, 521])
  test(`a health check that is answered with ${status} without a token decides nothing`, async () => {
    const { failed, open, reasons } = await judged({ health: (token) => (token ? 200 : status) });
    expect([failed, open]).toEqual([[], ['MRS-4.3a', 'MRS-4.3b']]);
    for (const reason of reasons) expect(reason).toMatch(/^The health check /);
  });

test('a health check that is limited once is asked again', async () => {
  let nth = 0;
  const { failed, open } = await judged({ health: () => (++nth === 1 ? 429 : 200) });
  expect([failed, open]).toEqual([[], []]);
});

/** Out of order from one request to another, and then without a token of before. */
const restarts = (start: number, end: number, status = 503): Script => {
  let sent = 0;
  let known = Number.POSITIVE_INFINITY;
  const numberOf = (token = '') => Number(/\d$/.exec(token));
  let newest = 0;
  return {
    instead: (nth) => {
      sent = nth;
      if (nth === end) known = newest;
      return nth >= start && nth < end ? answer(status).response : undefined;
    },
    data(token, uses) {
      const isLost = sent >= end && numberOf(token) <= known;
      newest = Math.max(newest, /^issued/.test(token ?? '') ? numberOf(token) : 0);
      return isLost ? 401 : expires(token, uses, 401);
    },
  };
};

for (const [what, script, open] of [
  ['before the token expires', restarts(12, 15), ['MRS-5.3b', 'MRS-5.6a', 'MRS-5.6b', 'MRS-7a']],
  [
    'behind a gateway that answers 521',
    restarts(12, 15, 521),
    ['MRS-5.3b', 'MRS-5.6a', 'MRS-5.6b', 'MRS-7a'],
  ],
  ['after the renewal', restarts(16, 17), []],
] as [string, Script, string[]][])
  test(`a restart ${what} is not a violation`, async () => {
    const judgement = await judged(script);
    expect([judgement.failed, judgement.open]).toEqual([[], open]);
  });

const firstEnds =
  (after: number, status: number): NonNullable<Script['data']> =>
  (token, uses) =>
    token === 'issued-token-1' && uses > after ? status : expires(token, uses, 401);

for (const [what, data] of [
  ['shortly before its end', firstEnds(5, 401)],
  ['at its third use', firstEnds(2, 401)],
  [
    'at its second use, when it is new',
    (token, uses) => (token === 'issued-token-2' && uses > 1 ? 401 : expires(token, uses, 401)),
  ],
] as [string, NonNullable<Script['data']>][])
  test(`a token that is refused with 401 ${what} may have ended early, or in a restart, and the report says so`, async () => {
    const { report, failed } = await judged({ data });
    expect(failed).toEqual(['MRS-5.3b']);
    expect(report.items.find(({ id }) => id === 'MRS-5.3b')?.expected).toMatch(
      /^a 2xx status; the token, .* seems to have ended when it was .* s old, .* s earlier than stated: ask .* in a restart$/,
    );
  });

test('a token that is answered with 500 before its end has not ended', async () => {
  const { report } = await judged({ data: firstEnds(5, 500) });
  expect(report.items.find(({ id }) => id === 'MRS-5.3b')?.expected).toBe('a 2xx status');
});

test('another status than 403 for an expired token is a violation, where the token was accepted after an outage', async () => {
  const data: Script['data'] = (token, uses) => (expires(token, uses, 401) === 200 ? 200 : 401);
  const { failed } = await judged({ data, instead: (nth) => (nth === 7 ? answer(503).response : undefined) });
  expect(failed).toEqual(['MRS-7a']);
});

test('one refusal of the newest token is not a violation, where a later read with that token was served', async () => {
  let reads = 0;
  const data: Script['data'] = (token, uses) =>
    token === 'issued-token-4' && ++reads === 1 ? 401 : expires(token, uses, 403);
  const { failed } = await judged({ data });
  expect([failed, reads > 1]).toEqual([[], true]);
});

/** Of a deployment that offers a file and no tokens. */
const openData = profileIn({
  'x-profile': {
    ...{ name: 'open', title: 'Open' },
    notOffered: ledger.filter(({ about }) => about === 'tokens').map(({ id }) => id),
  },
  paths: {
    '/requests.json': {
      get: { operationId: 'readData', 'x-declared': { answers: 'MRS-4.4', statement: 'It serves a file.' } },
    },
  },
});

test('a read without a token that has no decision makes a run incomplete, unless a later one has', async () => {
  const run = async (instead: Instead) => {
    const observed = await play({ data: () => 200, instead }, { healthPaths: [] }, { profile: openData });
    const { name = '', title = '', notOffered = [] } = openData ?? {};
    const more = { profile: { name, title, notOffered }, requests: observed.sent.length };
    const evidence: Evidence = { ...blankEvidence(), ...observed, ...more };
    return reportOf({ evidence, profile: openData, ...judgeAll(evidence, openData) });
  };
  expect(await run((nth) => (nth > 1 ? down : undefined))).toMatchObject({ outcome: 'incomplete' });
  const { outcome, headline } = await run((nth) => (nth === 2 ? down : undefined));
  expect(outcome).toBe('conformant-to-profile');
  expect(headline).toMatch(/\. 1 of 4 requests had no decision: 503 \(1\), at 00:00:00 UTC, and sent again$/);
});

// Data without records, of which the specification does not show the shape.

const json: Json = { wellFormed: true, type: 'array', empty: false, fields: ['id'], recordFields: ['id'] };
const list = answer(200, { mediaType: 'application/json', bodyBytes: 20, digest: 'l', json }).response;
/** These reads are answered with this. */
const reads =
  (response: Response, ...numbers: number[]): Instead =>
  (nth) =>
    numbers.includes(nth) ? response : undefined;

for (const [what, instead] of [
  ['a success', reads(inJson(200, 'success'), 3)],
  ['a message', reads(inJson(200, 'message'), 4, 5)],
  ['a status and a message', reads(inJson(200, 'status', 'message'), 5)],
  ['a detail', reads(inJson(200, 'detail'), 5)],
  ['a number of records', reads(inJson(200, 'count'), 5)],
  [
    'a message, before a list of records',
    (nth) => (nth === 2 ? inJson(200, 'message') : nth > 2 && nth < 7 ? list : undefined),
  ],
] as [string, Instead][])
  test(`${what} in the place of the data could not be judged`, async () => {
    const { failed, open } = await judged({ instead });
    expect([failed, open]).toEqual([[], ['MRS-5.3b']]);
  });

for (const [what, instead, failing] of [
  ['an error', reads(inJson(200, 'error', 'message'), 3), ['MRS-5.3b']],
  ['a page', reads(blocked(200), 3), ['MRS-4.2b', 'MRS-5.3b']],
] as [string, Instead, string[]][])
  test(`${what} in the place of the data is a violation`, async () => {
    expect((await judged({ instead })).failed).toEqual(failing);
  });

for (const [place, said] of [
  ['/access_token', /access_token: rename access_token to token$/],
  ['/data/token', /at \/data\/token$/],
] as const)
  test(`the expectation on a token at ${place} says where the token was found, and names only a field at the top`, () => {
    const mismatches = [
      { pointer: '', keyword: 'additionalProperties', expected: 'no further field, but there is x' },
    ];
    const tokenResponse = { issued: false, takenFrom: place, unclear: false, mismatches };
    const probe = answered(1, 200, { tokenResponse });
    const judged = matchesContract(() => true)({ when: 'valid-credentials', probe });
    expect(judged?.expected).toMatch(said);
  });
