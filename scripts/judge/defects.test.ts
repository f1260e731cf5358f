/** Traffic with one defect each: it is reported under its clause, and under those that follow from it, and no other. */
import { expect, test } from 'vitest';
import { rules } from '../../tests/client/judge.ts';
import { ledger } from '../../tests/support/requirements.ts';
import {
  asks,
  BEGAN,
  CLIENT_ID,
  CLIENT_SECRET,
  FORM,
  type MadeCall,
  RECORDS,
  reactiveTraffic,
  reads,
  readsEvery,
  refused,
  tokenNamed,
} from '../../tests/traffic/testing/har.ts';
import { type Given, type Judged, reportOnCalls, verdictsIn, withVerdict } from './testing/judged.ts';

/** By what is wrong: what fails or warns, the traffic, and what is given with it. */
type Defects = Record<string, [expected: string, calls: MadeCall[], given?: Given]>;

/** Right traffic, with more calls or with some replaced. */
const plus = (...calls: MadeCall[]): MadeCall[] => [...reactiveTraffic(), ...calls];
const changed = (at: number, more: Partial<MadeCall>): MadeCall[] =>
  reactiveTraffic().map((call) => (call.at === at ? { ...call, ...more } : call));
const without = (...names: string[]): Record<string, string> =>
  Object.fromEntries(Object.entries(FORM).filter(([name]) => !names.includes(name)));
const half = { grant_type: 'client_credentials', client_id: CLIENT_ID };
/** A read is at this second. */
const READ = 10.1;

const MINUTE = { lifetimeSeconds: 60 };
const ACCEPT = { accept: 'application/json' };
/** The headers of a read with the first token, and others. */
const sending = (more: Record<string, string>) => ({
  headers: { ...ACCEPT, authorization: `Bearer ${tokenNamed(1)}`, ...more },
});
const tokenless = (more: Partial<MadeCall>): MadeCall => ({
  at: 170,
  path: '/ods_data/',
  headers: ACCEPT,
  ...more,
});
/** A token is obtained by another form, and opens the data. */
const extra = (form: Record<string, string>) => plus(asks(190, 'extra', { form }), reads(191, 'extra'));
const until = (end: number) => reactiveTraffic().filter(({ at }) => at < end);
const times = <T>(count: number, make: (nth: number) => T) =>
  Array.from({ length: count }, (_, nth) => make(nth));
/** A read of a part of the data. */
const page = (at: number, token: number, nth: number): MadeCall =>
  reads(at, token, { path: `/ods_data/?page=${nth}` });

const OF_SERVICE: Defects = {
  'the data is served without a token': ['MRS-1.3 bearer-header', plus(tokenless({ body: RECORDS }))],
  'a query that was served fails with 500': [
    'MRS-4.2a',
    plus(
      page(170, 3, 1),
      page(172, 3, 1),
      { ...page(174, 3, 1), status: 500, body: { error: 'internal' } },
      page(176, 3, 1),
    ),
  ],
  'the token is in the member access_token': [
    'MRS-2a MRS-4.1l',
    changed(0, { body: { access_token: tokenNamed(1) } }),
  ],
  'the token response has the status 201': ['MRS-4.1a', changed(0, { status: 201 })],
  'the token response is sent as text': ['MRS-4.1k', changed(0, { type: 'text/plain' })],
  'the token response has a further member': [
    'MRS-4.1l',
    changed(62, { body: { token: tokenNamed(2), expires_in: 60 } }),
  ],
  'valid credentials are refused for once': [
    'MRS-4.1m MRS-5.6b',
    [...reactiveTraffic(), asks(61.95, 0, { tookMs: 5, status: 401, body: { error: 'invalid_client' } })],
  ],
  'the credentials are only accepted in a header as well': [
    'MRS-4.1a MRS-4.1b credentials-place',
    [
      asks(-5, 0, { status: 401, body: { error: 'invalid_client' } }),
      ...[1, 2, 3].flatMap((token) => [
        asks(token * 30, token, {
          headers: {
            authorization: `Basic ${Buffer.from(`${CLIENT_ID}:${CLIENT_SECRET}`).toString('base64')}`,
          },
        }),
        ...readsEvery(5, token * 30 + 1, token * 30 + 29, token),
      ]),
    ],
    { lifetimeSeconds: 30 },
  ],
  'a form without grant_type obtains a token': ['MRS-4.1e form-fields', extra(without('grant_type'))],
  'a form with the grant_type password obtains a token': [
    'MRS-4.1f form-fields',
    extra({ ...FORM, grant_type: 'password' }),
  ],
  'a form without client_id obtains a token': ['MRS-4.1g form-fields', extra(without('client_id'))],
  'a form without client_secret obtains a token': ['MRS-4.1i form-fields', extra(half)],
  'the data endpoint fails with 500': [
    'MRS-4.2a',
    changed(READ, { status: 500, body: { error: 'internal' } }),
  ],
  'a new token is refused, although others of the client opened the data': [
    'MRS-4.2a',
    plus(asks(190, 4), refused(190.5, 4), asks(191, 5), reads(192, 5)),
  ],
  'an error is sent with the status 200': [
    'MRS-4.2a',
    changed(READ, { body: { error: 'database is down' } }),
  ],
  'the data is sent as a web page': ['MRS-4.2b', changed(READ, { type: 'text/html', body: RECORDS })],
  'the data is cut off': [
    'MRS-4.2a MRS-4.2b',
    changed(READ, { body: JSON.stringify(RECORDS).slice(0, -20) }),
  ],
  'a token is refused and accepted again': [
    'MRS-5.3b',
    changed(READ, { status: 403, body: { detail: 'no' } }),
  ],
  'a token is refused long before the agreed lifetime is over': [
    'MRS-5.3b',
    [...reactiveTraffic(), ...readsEvery(20, 180, 400, 3)],
    { lifetimeSeconds: 600 },
  ],
  'the text undefined opens the data': [
    'MRS-5.5a bearer-header',
    plus(reads(170, 1, { headers: { authorization: 'Bearer undefined' } })),
  ],
  'a token is accepted long after the agreed lifetime': [
    'MRS-5.6a MRS-7a',
    [asks(0, 1), ...readsEvery(5, 0.1, 60, 1)],
    { lifetimeSeconds: 10 },
  ],
  'the renewal brings the expired token again': [
    'MRS-5.6b',
    plus(refused(186.9, 3), asks(187, 3), refused(188, 3)),
    MINUTE,
  ],
  ...Object.fromEntries(
    [401, 302].map((status) => [
      `a token is answered with ${status} as soon as its lifetime is over`,
      ['MRS-7a', reactiveTraffic().map((call) => (call.status === 403 ? { ...call, status } : call)), MINUTE],
    ]),
  ),
  'an expired token is answered with 401 where another one showed how long tokens live': [
    'MRS-7a',
    reactiveTraffic().map((call) => (call.at > 100 && call.status === 403 ? { ...call, status: 401 } : call)),
  ],
  'the renewal brings the expired token, which opens the data again': [
    'MRS-5.6b',
    [1, 2, 3].flatMap((nth) => [
      asks((nth - 1) * 62, 1),
      ...readsEvery(5, (nth - 1) * 62 + 0.1, nth * 62 - 2, 1),
      ...(nth < 3 ? [refused(nth * 62 - 0.1, 1)] : []),
    ]),
  ],
  'the expired token is answered with 401': [
    'MRS-7a',
    reactiveTraffic().map((call) => (call.status === 403 ? { ...call, status: 401 } : call)),
    { lifetimeSeconds: 50 },
  ],
};

/** Replaces the headers of each read. */
const withHeaders = (headers: Record<string, string>, of: (call: MadeCall) => boolean): MadeCall[] =>
  reactiveTraffic().map((call) => (of(call) ? { ...call, headers } : call));
const isToken = ({ path }: MadeCall) => path === '/token/';
const FORM_TYPE = 'application/x-www-form-urlencoded';

const OF_CLIENT: Defects = {
  'all reads carry the text "undefined" as their token, and are served': [
    'token-member bearer-header',
    reactiveTraffic()
      .filter(({ status }) => status !== 403)
      .map((call) =>
        isToken(call) ? call : { ...call, headers: { ...call.headers, authorization: 'Bearer undefined' } },
      ),
  ],
  'each read sends its token without the word Bearer': [
    'bearer-header',
    reactiveTraffic()
      .filter(({ status }) => status !== 403)
      .map((call) =>
        isToken(call) ? call : { ...call, headers: { ...call.headers, authorization: tokenNamed(1) } },
      ),
  ],
  'the credentials are posted to /token without the slash first': [
    'token-path',
    plus(asks(190, 'extra', { path: '/token', status: 307, body: '' })),
  ],
  'the data is read at /ods_data without the slash': [
    'data-path',
    plus(reads(170, 3, { path: '/ods_data', status: 301, body: '' })),
  ],
  'the form is sent as plain text': [
    'form-content-type',
    withHeaders({ accept: 'application/json', 'content-type': 'text/plain' }, isToken),
  ],
  'the token request accepts anything': [
    'token-accept',
    withHeaders({ accept: '*/*', 'content-type': FORM_TYPE }, isToken),
  ],
  'a read has no accept header': [
    'data-accept',
    changed(READ, { headers: { authorization: `Bearer ${tokenNamed(1)}` } }),
  ],
  'a form lacks grant_type': [
    'form-fields',
    plus(asks(190, 'none', { form: without('grant_type'), status: 400, body: { error: 'invalid_request' } })),
  ],
  'the secret is in the query of the token request': [
    'credentials-place',
    changed(0, { path: `/token/?client_secret=${encodeURIComponent(CLIENT_SECRET)}` }),
  ],
  'the secret is in a header of a read': [
    'credentials-place',
    changed(READ, sending({ 'x-client-key': CLIENT_SECRET })),
  ],
  'a read is sent without its token': [
    'bearer-header',
    plus(tokenless({ status: 401, body: { error: 'no token' } })),
  ],
  'a read carries the text undefined': [
    'bearer-header',
    plus(refused(170, 1, 401, { headers: { authorization: 'Bearer undefined' } })),
  ],
  'the token is in the query as well': [
    'token-place',
    changed(READ, { path: `/ods_data/?t=${tokenNamed(1)}` }),
  ],
  'the token is in the query only': [
    'token-place',
    reactiveTraffic().map((call) => {
      const token = call.headers?.authorization?.slice('Bearer '.length);
      return isToken(call) ? call : { ...call, path: `/ods_data/?access_token=${token}`, headers: ACCEPT };
    }),
  ],
  'the token is in a cookie as well': [
    'token-place',
    changed(READ, sending({ cookie: `t=${tokenNamed(1)}` })),
  ],
  'a token is requested for each read': [
    'token-reuse',
    times(8, (nth) => [asks(nth * 5, nth), reads(nth * 5 + 0.1, nth)]).flat(),
    { lifetimeSeconds: 600 },
  ],
  'a token is requested for each read although the first is accepted after a minute, at an unknown lifetime':
    [
      'token-reuse',
      [...times(8, (nth) => [asks(nth * 5, nth), reads(nth * 5 + 0.1, nth)]).flat(), reads(100, 0)],
    ],
  'none of the tokens is sent': [
    'token-member bearer-header',
    [1, 2, 3].flatMap((token) => [
      asks(token * 10, token),
      {
        at: token * 10 + 1,
        path: '/ods_data/',
        headers: { accept: 'application/json', authorization: 'Bearer null' },
        status: 401,
        body: '',
      },
    ]),
  ],
  'the client goes on with its token after the 403': [
    'renewal',
    [
      ...until(61.95),
      refused(65, 1),
      refused(70, 1),
      refused(75, 1),
      asks(80, 2),
      ...readsEvery(5, 80.1, 120, 2),
    ],
    MINUTE,
  ],
  'the client goes on with its token after the 403, at an unknown lifetime': [
    'renewal',
    [
      ...until(61.95),
      refused(65, 1),
      refused(70, 1),
      refused(75, 1),
      asks(80, 2),
      ...readsEvery(5, 80.1, 120, 2),
    ],
  ],
  'the client does not repeat the read that was refused': [
    'retry',
    [
      ...times(12, (nth) => page(nth * 5 + 0.1, 1, nth % 4)),
      { ...page(61.9, 1, 0), status: 403, body: '' },
      ...times(8, (nth) => page(62.1 + nth * 5, 2, (nth + 1) % 4)),
      asks(0, 1),
      asks(62, 2),
    ],
  ],
  'a lasting 403 is met by a loop': [
    'no-loop',
    [...until(170), ...times(9, (nth) => refused(170 + nth * 0.05, 3, 403, { tookMs: 5 }))],
  ],
  'a renewal has another client_secret, which obtains a token': [
    'renewal',
    changed(62, { sent: new URLSearchParams({ ...FORM, client_secret: 'another one' }).toString() }),
  ],
  'a renewal has another client_secret, which is refused': [
    'renewal',
    [
      ...reactiveTraffic(),
      asks(61.95, 0, {
        tookMs: 5,
        form: { ...FORM, client_secret: 'another one' },
        status: 401,
        body: { error: 'invalid_client' },
      }),
    ],
  ],
  'the expired token is sent after the new one has come': [
    'dead-token',
    plus(refused(63, 1), refused(64, 1)),
  ],
  'the token endpoint is asked without a pause while it is down': [
    'back-off',
    [
      ...until(61.95),
      ...times(8, (nth) => asks(61.95 + nth * 0.03, 'none', { status: 503, body: '' })),
      asks(62.5, 2),
      ...readsEvery(5, 62.6, 120, 2),
    ],
  ],
  ...Object.fromEntries(
    ['30', new Date(BEGAN + 92_000).toUTCString()].map((wait, nth) => [
      `the client does not wait as long as Retry-After says${nth === 1 ? ', as a date' : ''}`,
      [
        'retry-after',
        [
          ...until(61.95),
          asks(61.95, 'none', { status: 429, body: '', answerHeaders: { 'Retry-After': wait } }),
          asks(64, 2),
          ...readsEvery(5, 64.1, 120, 2),
        ],
      ] as const,
    ]),
  ),
};

const all = Object.entries({ ...OF_SERVICE, ...OF_CLIENT });
const reports = new Map<string, Promise<Judged>>();
/** Each is judged once. */
function reportOn(what: string, [, calls, given]: Defects[string]): Promise<Judged> {
  const report = reports.get(what) ?? reportOnCalls(calls, given);
  reports.set(what, report);
  return report;
}
const reportsOnAll = () => Promise.all(all.map(([what, defect]) => reportOn(what, defect)));

for (const [what, defect] of all)
  test(`where ${what}, what is reported is ${defect[0]}`, async () => {
    const report = await reportOn(what, defect);
    expect(withVerdict(report, 'failed', 'warned').join(' ')).toBe(defect[0]);
    const isOfService = what in OF_SERVICE;
    expect(report.server.outcome === 'nonconformant').toBe(isOfService);
    if (isOfService) expect(report.outcome).toBe('nonconformant');
  });

test('each verdict on this traffic is the stored one', async () => {
  const lines = (await reportsOnAll()).map((report, at) => verdictsIn(all[at]?.[0] ?? '', report));
  await expect(`${lines.join('\n')}\n`).toMatchFileSnapshot('testing/wrong-traffic.txt');
});

test('each clause that recorded traffic can show has a defect that violates it', () => {
  const caught = new Set(all.flatMap(([, [expected]]) => expected.split(' ')));
  const shown = [
    ...ledger.filter(({ passive }) => passive !== undefined),
    ...rules.filter(({ passive, clause }) => passive !== undefined && clause !== undefined),
  ];
  expect(shown.map(({ id }) => id).filter((id) => !caught.has(id))).toEqual([]);
});

test('no requirement is judged that the ledger does not state to be shown by traffic', async () => {
  const reports = await reportsOnAll();
  const judged = new Set(reports.flatMap((report) => withVerdict(report, 'passed', 'failed', 'warned')));
  const hidden = ledger.filter(({ passive }) => passive === undefined).map(({ id }) => id);
  expect(hidden.filter((id) => judged.has(id))).toEqual([]);
});
