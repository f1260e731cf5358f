/** Traffic with one defect each: it is reported under its clause, and under those that follow from it, and no other. */
import { expect, _baseTest as test } from '@playwright/test';
import { rules } from '../../tests/client/rules.ts';
import { ledger } from '../../tests/support/requirements.ts';
import {
  asks,
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
import { type Given, reportOnCalls, verdictsIn, withVerdict } from './testing/judged.ts';

interface Defect {
  what: string;
  calls: MadeCall[];
  given?: Given;
  /** Failed or warned. */
  expected: string[];
}

/** Right traffic, with more calls or with some replaced. */
const plus = (...calls: MadeCall[]): MadeCall[] => [...reactiveTraffic(), ...calls];
const changed = (at: number, more: Partial<MadeCall>): MadeCall[] =>
  reactiveTraffic().map((call) => (call.at === at ? { ...call, ...more } : call));
const without = (...names: string[]): Record<string, string> =>
  Object.fromEntries(Object.entries(FORM).filter(([name]) => !names.includes(name)));
const half = { grant_type: 'client_credentials', client_id: CLIENT_ID };
/** A read is at this second. */
const READ = 10.1;

/** A read of a part of the data. */
const page = (at: number, token: number, nth: number): MadeCall =>
  reads(at, token, { path: `/ods_data/?page=${nth}` });

const OF_SERVICE: Defect[] = [
  {
    what: 'the data is served without a token',
    calls: plus({ at: 170, path: '/ods_data/', headers: { accept: 'application/json' }, body: RECORDS }),
    expected: ['MRS-1.3', 'bearer-header'],
  },
  {
    what: 'the data is served without a token to a request with a query that accepts a table',
    calls: plus({ at: 170, path: '/ods_data/?since=1', headers: { accept: 'text/csv' }, body: RECORDS }),
    expected: ['MRS-1.3', 'data-accept', 'bearer-header'],
  },
  {
    what: 'a health check asks for a token',
    calls: plus({ at: 20, path: '/health/', status: 401 }),
    given: { healthPaths: ['/health/'] },
    expected: ['MRS-4.3b'],
  },
  {
    what: 'a health check does not exist',
    calls: plus({ at: 20, path: '/health/', status: 404 }),
    given: { healthPaths: ['/health/'] },
    expected: ['MRS-4.3a'],
  },
  {
    what: 'an expired token opens the data of a query',
    calls: [
      ...reactiveTraffic(),
      asks(200, 4),
      reads(201, 4),
      reads(330, 4, { path: '/ods_data/?since=1', headers: { accept: '*/*' } }),
    ],
    given: { lifetimeSeconds: 60 },
    expected: ['MRS-5.6a', 'MRS-7a', 'data-accept'],
  },
  {
    what: 'a query that was served fails with 500',
    calls: plus(
      page(170, 3, 1),
      page(172, 3, 1),
      { ...page(174, 3, 1), status: 500, body: { error: 'internal' } },
      page(176, 3, 1),
    ),
    expected: ['MRS-4.2a'],
  },
  {
    what: 'a token is accepted a little late after it was refused',
    calls: plus(refused(190, 3), reads(194, 3), asks(195, 4), reads(196, 4)),
    given: { lifetimeSeconds: 60 },
    expected: ['MRS-5.6a', 'MRS-7a', 'renewal'],
  },
  {
    what: 'a refusal without a token holds the records',
    calls: plus({
      at: 170,
      path: '/ods_data/',
      headers: { accept: 'application/json' },
      status: 401,
      body: { error: 'no token', preview: RECORDS.ods_data },
    }),
    expected: ['MRS-1.3', 'bearer-header'],
  },
  {
    what: 'the token is in the member access_token',
    calls: changed(0, { body: { access_token: tokenNamed(1) } }),
    expected: ['MRS-2a', 'MRS-4.1l'],
  },
  {
    what: 'the token response has the status 201',
    calls: changed(0, { status: 201 }),
    expected: ['MRS-4.1a'],
  },
  {
    what: 'the token response is sent as text',
    calls: changed(0, { type: 'text/plain' }),
    expected: ['MRS-4.1k'],
  },
  {
    what: 'the token response has a further member',
    calls: changed(62, { body: { token: tokenNamed(2), expires_in: 60 } }),
    expected: ['MRS-4.1l'],
  },
  {
    what: 'valid credentials are refused for once',
    calls: [
      ...reactiveTraffic(),
      asks(61.95, 0, { tookMs: 5, status: 401, body: { error: 'invalid_client' } }),
    ],
    expected: ['MRS-4.1m', 'MRS-5.6b'],
  },
  {
    what: 'the credentials are only accepted in a header as well',
    calls: [
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
    given: { lifetimeSeconds: 30 },
    expected: ['MRS-4.1a', 'MRS-4.1b', 'credentials-place', 'token-request-without-token'],
  },
  {
    what: 'a form without grant_type obtains a token',
    calls: plus(asks(190, 'extra', { form: without('grant_type') }), reads(191, 'extra')),
    expected: ['MRS-4.1e', 'form-fields'],
  },
  {
    what: 'a form with the grant_type password obtains a token',
    calls: plus(asks(190, 'extra', { form: { ...FORM, grant_type: 'password' } }), reads(191, 'extra')),
    expected: ['MRS-4.1f', 'form-fields'],
  },
  {
    what: 'a form without client_id obtains a token',
    calls: plus(asks(190, 'extra', { form: without('client_id') }), reads(191, 'extra')),
    expected: ['MRS-4.1g', 'form-fields'],
  },
  {
    what: 'a form without client_secret obtains a token',
    calls: plus(asks(190, 'extra', { form: half }), reads(191, 'extra')),
    expected: ['MRS-4.1i', 'form-fields'],
  },
  {
    what: 'the data endpoint fails with 500',
    calls: changed(READ, { status: 500, body: { error: 'internal' } }),
    expected: ['MRS-4.2a'],
  },
  {
    what: 'a new token is refused, although others of the client opened the data',
    calls: plus(asks(190, 4), refused(190.5, 4), asks(191, 5), reads(192, 5)),
    expected: ['MRS-4.2a'],
  },
  {
    what: 'an error is sent with the status 200',
    calls: changed(READ, { body: { error: 'database is down' } }),
    expected: ['MRS-4.2a'],
  },
  {
    what: 'the data is sent as a web page',
    calls: changed(READ, { type: 'text/html', body: RECORDS }),
    expected: ['MRS-4.2b'],
  },
  {
    what: 'the data is cut off',
    calls: changed(READ, { body: JSON.stringify(RECORDS).slice(0, -20) }),
    expected: ['MRS-4.2a', 'MRS-4.2b'],
  },
  {
    what: 'a token is refused and accepted again',
    calls: changed(READ, { status: 403, body: { detail: 'no' } }),
    expected: ['MRS-5.3b'],
  },
  {
    what: 'a token is refused long before the agreed lifetime is over',
    calls: [...reactiveTraffic(), ...readsEvery(20, 180, 400, 3)],
    given: { lifetimeSeconds: 600 },
    expected: ['MRS-5.3b'],
  },
  {
    what: 'the text undefined opens the data',
    calls: plus(reads(170, 1, { headers: { authorization: 'Bearer undefined' } })),
    expected: ['MRS-5.5a', 'bearer-header'],
  },
  {
    what: 'a token without its last character opens the data',
    calls: plus(reads(170, 1, { headers: { authorization: `Bearer ${tokenNamed(3).slice(0, -1)}` } })),
    expected: ['MRS-5.5b'],
  },
  {
    what: 'a token is accepted long after the agreed lifetime',
    calls: [asks(0, 1), ...readsEvery(5, 0.1, 60, 1)],
    given: { lifetimeSeconds: 10 },
    expected: ['MRS-5.6a', 'MRS-7a'],
  },
  {
    what: 'the renewal brings the expired token again',
    calls: plus(refused(186.9, 3), asks(187, 3), refused(188, 3)),
    given: { lifetimeSeconds: 60 },
    expected: ['MRS-5.6b'],
  },
  ...[401, 400, 404, 302].map((status) => ({
    what: `a token is answered with ${status} as soon as its lifetime is over`,
    calls: reactiveTraffic().map((call) => (call.status === 403 ? { ...call, status } : call)),
    given: { lifetimeSeconds: 60 },
    expected: ['MRS-7a'],
  })),
  ...[401, 404].map((status) => ({
    what: `an expired token is answered with ${status} where another one showed how long tokens live`,
    calls: reactiveTraffic().map((call) =>
      call.at > 100 && call.status === 403 ? { ...call, status } : call,
    ),
    expected: ['MRS-7a'],
  })),
  {
    what: 'an expired token is answered with 403 first and with 404 then',
    calls: plus(refused(187, 3), refused(192, 3, 404), asks(193, 4), reads(194, 4)),
    given: { lifetimeSeconds: 60 },
    expected: ['MRS-7a', 'renewal'],
  },
  {
    what: 'the renewal brings the expired token, which opens the data again',
    calls: [1, 2, 3].flatMap((nth) => [
      asks((nth - 1) * 62, 1),
      ...readsEvery(5, (nth - 1) * 62 + 0.1, nth * 62 - 2, 1),
      ...(nth < 3 ? [refused(nth * 62 - 0.1, 1)] : []),
    ]),
    expected: ['MRS-5.6b'],
  },
  {
    what: 'the expired token is answered with 401',
    calls: reactiveTraffic().map((call) => (call.status === 403 ? { ...call, status: 401 } : call)),
    given: { lifetimeSeconds: 50 },
    expected: ['MRS-7a'],
  },
];

/** Replaces the headers of each read. */
const withHeaders = (headers: Record<string, string>, of: (call: MadeCall) => boolean): MadeCall[] =>
  reactiveTraffic().map((call) => (of(call) ? { ...call, headers } : call));
const isToken = ({ path }: MadeCall) => path === '/token/';
const FORM_TYPE = 'application/x-www-form-urlencoded';

const OF_CLIENT: Defect[] = [
  {
    what: 'all reads carry the text "undefined" as their token, and are served',
    calls: reactiveTraffic()
      .filter(({ status }) => status !== 403)
      .map((call) =>
        isToken(call) ? call : { ...call, headers: { ...call.headers, authorization: 'Bearer undefined' } },
      ),
    expected: ['token-member', 'bearer-header'],
  },
  {
    what: 'each read sends its token without the word Bearer',
    calls: reactiveTraffic()
      .filter(({ status }) => status !== 403)
      .map((call) =>
        isToken(call) ? call : { ...call, headers: { ...call.headers, authorization: tokenNamed(1) } },
      ),
    expected: ['bearer-header'],
  },
  {
    what: 'the credentials are posted to /token without the slash first',
    calls: plus(asks(190, 'extra', { path: '/token', status: 307, body: '' })),
    expected: ['token-path'],
  },
  {
    what: 'the data is read at /ods_data without the slash',
    calls: plus(reads(170, 3, { path: '/ods_data', status: 301, body: '' })),
    expected: ['data-path'],
  },
  {
    what: 'the form is sent as plain text',
    calls: withHeaders({ accept: 'application/json', 'content-type': 'text/plain' }, isToken),
    expected: ['form-content-type'],
  },
  {
    what: 'the token request accepts anything',
    calls: withHeaders({ accept: '*/*', 'content-type': FORM_TYPE }, isToken),
    expected: ['token-accept'],
  },
  {
    what: 'a read has no accept header',
    calls: changed(READ, { headers: { authorization: `Bearer ${tokenNamed(1)}` } }),
    expected: ['data-accept'],
  },
  {
    what: 'a form lacks grant_type',
    calls: plus(
      asks(190, 'none', { form: without('grant_type'), status: 400, body: { error: 'invalid_request' } }),
    ),
    expected: ['form-fields'],
  },
  {
    what: 'the secret is in the query of the token request',
    calls: changed(0, { path: `/token/?client_secret=${encodeURIComponent(CLIENT_SECRET)}` }),
    expected: ['credentials-place'],
  },
  {
    what: 'the secret is in a header of a read',
    calls: changed(READ, {
      headers: {
        accept: 'application/json',
        authorization: `Bearer ${tokenNamed(1)}`,
        'x-client-key': CLIENT_SECRET,
      },
    }),
    expected: ['credentials-place'],
  },
  {
    what: 'a read is sent without its token',
    calls: plus({
      at: 170,
      path: '/ods_data/',
      headers: { accept: 'application/json' },
      status: 401,
      body: { error: 'no token' },
    }),
    expected: ['bearer-header'],
  },
  {
    what: 'a read carries the text undefined',
    calls: plus(refused(170, 1, 401, { headers: { authorization: 'Bearer undefined' } })),
    expected: ['bearer-header'],
  },
  {
    what: 'the token is in the query as well',
    calls: changed(READ, { path: `/ods_data/?t=${tokenNamed(1)}` }),
    expected: ['token-place'],
  },
  ...['access_token', 't'].map((name) => ({
    what: `the token is in the query only, as ${name}`,
    calls: reactiveTraffic().map((call) =>
      isToken(call)
        ? call
        : {
            ...call,
            path: `/ods_data/?${name}=${call.headers?.authorization?.slice('Bearer '.length)}`,
            headers: { accept: 'application/json' },
          },
    ),
    expected: ['token-place'],
  })),
  {
    what: 'the token is in the query of one read, and in no header of it',
    calls: changed(READ, {
      path: `/ods_data/?t=${tokenNamed(1)}`,
      headers: { accept: 'application/json' },
    }),
    expected: ['bearer-header', 'token-place'],
  },
  {
    what: 'the token is in a cookie as well',
    calls: changed(READ, {
      headers: {
        accept: 'application/json',
        authorization: `Bearer ${tokenNamed(1)}`,
        cookie: `t=${tokenNamed(1)}`,
      },
    }),
    expected: ['token-place'],
  },
  {
    what: 'a token is requested for each read',
    calls: Array.from({ length: 8 }, (_, nth) => [asks(nth * 5, nth), reads(nth * 5 + 0.1, nth)]).flat(),
    given: { lifetimeSeconds: 600 },
    expected: ['token-reuse'],
  },
  {
    what: 'a token is requested for each read although the first is accepted after a minute, at an unknown lifetime',
    calls: [
      ...Array.from({ length: 8 }, (_, nth) => [asks(nth * 5, nth), reads(nth * 5 + 0.1, nth)]).flat(),
      reads(100, 0),
    ],
    expected: ['token-reuse'],
  },
  {
    what: 'none of the tokens is sent',
    calls: [1, 2, 3].flatMap((token) => [
      asks(token * 10, token),
      {
        at: token * 10 + 1,
        path: '/ods_data/',
        headers: { accept: 'application/json', authorization: 'Bearer null' },
        status: 401,
        body: '',
      },
    ]),
    expected: ['token-member', 'bearer-header'],
  },
  {
    what: 'the client goes on with its token after the 403',
    calls: [
      ...reactiveTraffic().filter(({ at }) => at < 61.95),
      refused(65, 1),
      refused(70, 1),
      refused(75, 1),
      asks(80, 2),
      ...readsEvery(5, 80.1, 120, 2),
    ],
    expected: ['renewal'],
  },
  {
    what: 'the client does not repeat the read that was refused',
    calls: [
      ...Array.from({ length: 12 }, (_, nth) => page(nth * 5 + 0.1, 1, nth % 4)),
      { ...page(61.9, 1, 0), status: 403, body: '' },
      ...Array.from({ length: 8 }, (_, nth) => page(62.1 + nth * 5, 2, (nth + 1) % 4)),
      asks(0, 1),
      asks(62, 2),
    ],
    expected: ['retry'],
  },
  {
    what: 'a lasting 403 is met by a loop',
    calls: [
      ...reactiveTraffic().filter(({ at }) => at < 170),
      ...Array.from({ length: 9 }, (_, nth) => refused(170 + nth * 0.05, 3, 403, { tookMs: 5 })),
    ],
    expected: ['no-loop', 'refresh-once'],
  },
  {
    what: 'a lasting 403 is met by a loop of a client with the name of a scenario',
    calls: [
      ...reactiveTraffic().filter(({ at }) => at < 170),
      ...Array.from({ length: 9 }, (_, nth) => reads(167 + nth * 0.05, 3, { tookMs: 5 })),
      ...Array.from({ length: 9 }, (_, nth) => refused(170 + nth * 0.05, 3, 403, { tookMs: 5 })),
    ].map((call) =>
      call.sent === undefined ? call : { ...call, sent: call.sent.replace(CLIENT_ID, 'steady') },
    ),
    expected: ['no-loop', 'refresh-once'],
  },
  {
    what: 'a renewal has another client_secret, which obtains a token',
    calls: changed(62, { sent: new URLSearchParams({ ...FORM, client_secret: 'another one' }).toString() }),
    expected: ['renewal'],
  },
  {
    what: 'a renewal has another client_secret, which is refused',
    calls: [
      ...reactiveTraffic(),
      asks(61.95, 0, {
        tookMs: 5,
        form: { ...FORM, client_secret: 'another one' },
        status: 401,
        body: { error: 'invalid_client' },
      }),
    ],
    expected: ['renewal'],
  },
  {
    what: 'the expired token is sent after the new one has come',
    calls: plus(refused(63, 1), refused(64, 1)),
    expected: ['dead-token'],
  },
  {
    what: 'the token endpoint is asked without a pause while it is down',
    calls: [
      ...reactiveTraffic().filter(({ at }) => at < 61.95),
      ...Array.from({ length: 8 }, (_, nth) => asks(61.95 + nth * 0.03, 'none', { status: 503, body: '' })),
      asks(62.5, 2),
      ...readsEvery(5, 62.6, 120, 2),
    ],
    expected: ['back-off'],
  },
  {
    what: 'the client does not wait as long as Retry-After says',
    calls: [
      ...reactiveTraffic().filter(({ at }) => at < 61.95),
      asks(61.95, 'none', { status: 429, body: '', answerHeaders: { 'Retry-After': '30' } }),
      asks(64, 2),
      ...readsEvery(5, 64.1, 120, 2),
    ],
    expected: ['retry-after'],
  },
  {
    what: 'the token request carries the old token',
    calls: changed(62, {
      headers: {
        accept: 'application/json',
        'content-type': FORM_TYPE,
        authorization: `Bearer ${tokenNamed(1)}`,
      },
    }),
    expected: ['token-request-without-token'],
  },
];

for (const { what, calls, given = {}, expected } of OF_SERVICE)
  test(`where ${what}, ${expected[0]} fails`, async () => {
    const report = await reportOnCalls(calls, given);
    expect(withVerdict(report, 'failed', 'warned')).toEqual(expected);
    expect(report.outcome).toBe('nonconformant');
    expect(report.server.outcome).toBe('nonconformant');
  });

for (const { what, calls, given = {}, expected } of OF_CLIENT)
  test(`where ${what}, ${expected[0]} is reported`, async () => {
    const report = await reportOnCalls(calls, given);
    expect(withVerdict(report, 'failed', 'warned')).toEqual(expected);
    expect(report.server.counts.failed).toBe(0);
  });

test('each verdict on this traffic is the stored one', async () => {
  const lines = [...OF_SERVICE, ...OF_CLIENT].map(async ({ what, calls, given }) =>
    verdictsIn(what, await reportOnCalls(calls, given)),
  );
  expect(`${(await Promise.all(lines)).join('\n')}\n`).toMatchSnapshot('wrong-traffic.txt');
});

test('each clause that recorded traffic can show has a defect that violates it', () => {
  const caught = new Set([...OF_SERVICE, ...OF_CLIENT].flatMap(({ expected }) => expected));
  const shown = [
    ...ledger.filter(({ passive }) => passive !== undefined),
    ...rules.filter(({ passive, clause }) => passive !== undefined && clause !== undefined),
  ];
  expect(shown.map(({ id }) => id).filter((id) => !caught.has(id))).toEqual([]);
});

test('no requirement is judged that the ledger does not state to be shown by traffic', async () => {
  const reports = await Promise.all(
    [...OF_SERVICE, ...OF_CLIENT].map(({ calls, given }) => reportOnCalls(calls, given)),
  );
  const judged = new Set(reports.flatMap((report) => withVerdict(report, 'passed', 'failed', 'warned')));
  const hidden = ledger.filter(({ passive }) => passive === undefined).map(({ id }) => id);
  expect(hidden.filter((id) => judged.has(id))).toEqual([]);
});
