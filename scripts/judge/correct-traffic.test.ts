/** Right traffic of ten kinds: nothing is reported, and what it does not show is not passed. */
import { expect, test } from 'vitest';
import { plain } from '../../tests/report/report.ts';
import {
  asks,
  BEGAN,
  CLIENT_ID,
  entryOf,
  FORM,
  harOfCalls,
  type MadeCall,
  RECORDS,
  reactiveTraffic,
  reads,
  readsEvery,
  refused,
  tokenNamed,
} from '../../tests/traffic/testing/har.ts';
import {
  clientsIn,
  factOf,
  type Given,
  reportOn,
  reportOnCalls,
  verdictsIn,
  withoutAuthorization,
  withVerdict,
} from './testing/judged.ts';

/** The outcome, the traffic, and what is given with it. */
type Right = [outcome: 'conformant' | 'incomplete', calls: MadeCall[], given?: Given];

/** A client that renews ten seconds before the end of a lifetime of a minute, and never meets a 403. */
const proactive = [1, 2, 3, 4].flatMap((token) => [
  asks((token - 1) * 50, token),
  ...readsEvery(5, (token - 1) * 50 + 0.1, token * 50, token),
]);

const others: MadeCall[] = [
  { at: 3, url: 'https://cdn.example/app.js', type: 'text/javascript', body: 'let a;' },
  {
    at: 4,
    url: 'https://login.example/oauth2/token/',
    method: 'POST',
    sent: 'a=b',
    body: { access_token: 'other' },
  },
  { at: 5, method: 'OPTIONS', path: '/ods_data/', status: 204 },
  { at: 6, url: 'data:text/plain,hello' },
  { at: 7, path: '/health/', body: { status: 'ok' } },
];

const secondClient = { ...FORM, client_id: 'other-station', client_secret: 'another secret of it' };

/** The response to a call, of which the file has no body. */
const withoutBody = (call: MadeCall): object => {
  const { response } = entryOf(call);
  return { response: { ...response, content: { size: 80, mimeType: 'application/json' } } };
};

/** Before the next request for a token. */
const DATE = new Date(BEGAN - 2000).toUTCString();

const RIGHT: Record<string, Right> = {
  'a client that renews on a 403': ['conformant', reactiveTraffic()],
  'a client that renews by its clock': ['conformant', proactive, { lifetimeSeconds: 60 }],
  'a client that renews tokens of ten seconds by its clock': [
    'conformant',
    [1, 2, 3, 4].flatMap((token) => [
      asks(token * 8, token),
      ...readsEvery(2, token * 8 + 0.1, token * 8 + 8, token),
    ]),
    { lifetimeSeconds: 10 },
  ],
  'a client that replaces its tokens of ten seconds each three seconds': [
    'incomplete',
    Array.from({ length: 6 }, (_, nth) => [
      asks(nth * 3, nth),
      ...readsEvery(0.9, nth * 3 + 0.1, nth * 3 + 2.9, nth),
    ]).flat(),
    { lifetimeSeconds: 10 },
  ],
  'a client with the id of a scenario': [
    'conformant',
    reactiveTraffic().map((call) =>
      call.sent === undefined ? call : { ...call, sent: call.sent.replace(CLIENT_ID, 'steady') },
    ),
  ],
  'two processes with a token each, whose lifetime is not known': [
    'incomplete',
    [asks(0, 1), asks(0.5, 2), ...readsEvery(5, 1, 90, 1), ...readsEvery(5, 2, 90, 2)],
  ],
  'a client that renews by a clock that is not given': ['incomplete', proactive],
  'a read that is held up until its token has expired, while another one is served': [
    'conformant',
    [
      ...reactiveTraffic(),
      asks(200, 4),
      reads(201, 4),
      refused(259, 4, 403, { tookMs: 5000 }),
      reads(260, 4),
    ],
  ],
  'a client that may not read the data': [
    'incomplete',
    [1, 2, 3].flatMap((token) => [asks(token * 60, token), refused(token * 60 + 0.2, token)]),
  ],
  ...Object.fromEntries(
    [206, 412].map((status): [string, Right] => [
      `a read that is answered with ${status}, for what else it is`,
      ['conformant', [...reactiveTraffic(), reads(30.5, 1, { status, body: '{"part' })]],
    ]),
  ),
  'a service that refuses other spellings of the Authorization header': [
    'conformant',
    [
      ...reactiveTraffic(),
      ...['Bearer  ', 'bearer '].map((scheme, nth) =>
        refused(30.5 + nth, 1, 401, { headers: { authorization: `${scheme}${tokenNamed(1)}` } }),
      ),
    ],
  ],
  'other endpoints whose names end like those of the interface': [
    'conformant',
    [
      ...reactiveTraffic(),
      ...[
        ['POST', '/ods_data/', 201],
        ['HEAD', '/ods_data/', 200],
        ['GET', '/sites/gbt/ods_data/', 200],
        ['GET', '/admin/token', 200],
        ['DELETE', '/users/me/token/', 204],
      ].map(([method, path, status], nth) =>
        reads(30.5 + nth, 1, { method, path, status, body: '' } as Partial<MadeCall>),
      ),
    ],
  ],
  'a service that keeps the newest token only, and two renewals that cross': [
    'conformant',
    [
      ...reactiveTraffic(),
      refused(186, 3),
      asks(186.1, 4),
      asks(186.2, 5),
      refused(186.3, 4),
      reads(186.4, 5),
      ...readsEvery(5, 190, 200, 5),
    ],
    { processes: 2 },
  ],
  'a process that gets no decision on a token that another one has replaced': [
    'conformant',
    [
      ...reactiveTraffic(),
      refused(186, 3),
      asks(186.1, 4),
      reads(186.3, 4),
      reads(187, 3, { status: 503, body: '' }),
      refused(188, 3),
      asks(188.1, 5),
      ...readsEvery(5, 190, 200, 5),
    ],
    { processes: 2 },
  ],
  'a client that renews by a clock that is not given, and gets the same token again': [
    'incomplete',
    [0, 50, 100, 150].flatMap((from) => [asks(from, 1), ...readsEvery(5, from + 0.1, from + 50, 1)]),
  ],
  'a renewal without the body of its answer': [
    'incomplete',
    reactiveTraffic().map((call) => (call.at === 62 ? { ...call, more: withoutBody(call) } : call)),
  ],
  'reads that fail for other reasons after the lifetime of their token': [
    'conformant',
    [
      ...reactiveTraffic().filter(({ at }) => at !== 61.9 && at !== 123.9),
      reads(61.9, 1, { status: 503, body: '' }),
      reads(123.9, 2, { status: 429, body: '' }),
    ],
    { lifetimeSeconds: 60 },
  ],
  'entries out of order': ['conformant', reactiveTraffic().reverse()],
  'entries of other hosts, preflights and health checks': ['conformant', [...others, ...reactiveTraffic()]],
  'one read': ['incomplete', [asks(0, 1), reads(1, 1)]],
  'a recording that begins with a token of before': [
    'conformant',
    [reads(-20, 'old'), reads(-10, 'old'), refused(-1, 'old'), ...reactiveTraffic()],
  ],
  'two clients': [
    'conformant',
    [
      ...reactiveTraffic(),
      ...[5, 6].flatMap((token) => [
        asks((token - 5) * 62 + 1, token, { form: secondClient }),
        ...readsEvery(7, (token - 5) * 62 + 1.1, (token - 5) * 62 + 61, token),
        ...(token === 5 ? [refused(62.9, token)] : []),
      ]),
    ],
  ],
  'a service that is overloaded for a moment': [
    'conformant',
    [
      ...reactiveTraffic(),
      reads(170, 3, { status: 503, body: '', answerHeaders: { 'Retry-After': '1' } }),
      reads(174, 3),
      asks(-9, 0, { status: 503, body: '', answerHeaders: { 'Retry-After': DATE } }),
    ],
  ],
  'data that changes, is empty, or has not changed': [
    'conformant',
    [
      ...reactiveTraffic(),
      reads(170, 3, { body: { ods_data: [] } }),
      reads(171, 3, { status: 304, body: '' }),
      reads(172, 3, { body: { ods_data: [{ ...RECORDS.ods_data[0], id: 'obs-5000' }] } }),
    ],
  ],
  'a token that serves only as long as it is the newest': [
    'incomplete',
    [asks(0, 1), reads(1, 1), reads(2, 1), asks(3, 2), refused(4, 1), reads(5, 2), reads(6, 2)],
    { lifetimeSeconds: 600, processes: 2 },
  ],
};

const NOT_FOR_YOU = { status: 403, body: { detail: 'not for you' } };
const AS_CSV = { type: 'text/csv', body: 'id,site' };
const accepting = (accept: string) => ({ headers: { accept } });

/** A read with this query and the first token. */
const asked = (at: number, query: string, more: Partial<MadeCall>): MadeCall =>
  reads(at, 1, { path: `/ods_data/${query}`, ...more });

/** Requests other than those of clauses 4.1 and 4.2: what a service answers to them is open. */
const OPEN: Record<string, [reported: string, ...calls: MadeCall[]]> = {
  'a query that is refused with 400': ['', asked(50.2, '?since=rubbish', { status: 400, body: '' })],
  'a query that is answered with an error and 200': [
    '',
    asked(50.2, '?since=rubbish', { body: { error: 'since is not a time' } }),
  ],
  'a query that needs another right': ['', asked(50.2, '?scope=all', NOT_FOR_YOU)],
  'a query for another format, twice': ['', ...[50.2, 50.4].map((at) => asked(at, '?format=csv', AS_CSV))],
  'a read of text/csv that is served': [
    'data-accept',
    asked(50.2, '', { ...accepting('text/csv'), ...AS_CSV }),
  ],
  'a read that forbids JSON and is answered with 406': [
    'data-accept',
    asked(50.2, '', { ...accepting('application/json;q=0, */*'), status: 406, body: '' }),
  ],
  'a 404 between two refusals of an expired token': [
    'MRS-4.2a renewal',
    ...[refused(187, 3), refused(190, 3, 404), refused(192, 3), asks(193, 4), reads(194, 4)],
  ],
  // A client that follows a redirect does so rightly.
  'a redirect of a read, which is followed': [
    'MRS-4.2a',
    reads(170, 3, { status: 301, answerHeaders: { location: '/api/ods_data' } }),
    reads(170.1, 3, { path: '/ods_data', status: 404 }),
  ],
  'a redirect of a token request, which is followed': [
    '',
    asks(170, 9, { status: 307, answerHeaders: { location: '../token' } }),
    asks(170.1, 9, { path: '/token', status: 404 }),
  ],
  'the path without the slash, without a redirect': [
    'data-path',
    reads(170.1, 3, { path: '/ods_data', status: 404 }),
  ],
};

/** Refusals that have another cause than an expired token, or none that the traffic shows. */
const REFUSALS: Record<string, [reported: string, calls: MadeCall[], given?: Given]> = {
  'a client that loses its right': [
    '',
    [
      asks(0, 1),
      ...readsEvery(5, 0.1, 60, 1),
      refused(61.9, 1),
      ...[2, 3, 4].flatMap((token) => [asks(token * 60 - 58, token), refused(token * 60 - 57.9, token)]),
    ],
  ],
  'a client that gets its right later': [
    '',
    [
      ...[1, 2].flatMap((token) => [asks(token * 60 - 60, token), refused(token * 60 - 59.9, token)]),
      asks(120, 3),
      ...readsEvery(5, 120.1, 150, 3),
    ],
  ],
  'a client that is refused for good and tries again each 15 seconds': [
    '',
    [
      ...reactiveTraffic().filter(({ at }) => at < 170),
      ...Array.from({ length: 12 }, (_, nth) => [
        refused(170 + nth * 15, nth + 3),
        asks(170.1 + nth * 15, nth + 4),
        refused(170.2 + nth * 15, nth + 4),
      ]).flat(),
    ],
  ],
  'a 404 for a query that no later token opens': [
    '',
    [...reactiveTraffic(), asked(20, '?site=2', {}), asked(61.95, '?site=2', { status: 404, body: '' })],
    { lifetimeSeconds: 60 },
  ],
  ...Object.fromEntries(
    [404, 302].map((status): [string, [string, MadeCall[], Given]] => [
      `an expired token that is answered with 403 after a stray ${status}`,
      [
        '',
        [
          asks(0, 1),
          ...readsEvery(5, 0.1, 60, 1),
          ...[refused(60.5, 1, status), refused(61.5, 1), asks(61.6, 2)],
          ...readsEvery(5, 61.8, 90, 2),
        ],
        { lifetimeSeconds: 60 },
      ],
    ]),
  ),
};

for (const [what, [outcome, calls, given]] of Object.entries(RIGHT))
  test(`${what}: nothing is reported, and the outcome is ${outcome}`, async () => {
    const report = await reportOnCalls(calls, given);
    expect(withVerdict(report, 'failed', 'warned')).toEqual([]);
    expect(report.outcome).toBe(outcome);
  });

for (const [what, [reported, calls, given]] of Object.entries({
  ...REFUSALS,
  ...Object.fromEntries(
    Object.entries(OPEN).map(([what, [reported, ...calls]]): [string, (typeof REFUSALS)[string]] => [
      what,
      [reported, [...reactiveTraffic(), ...calls]],
    ]),
  ),
}))
  test(`${what}: what is reported is ${reported || 'nothing'}`, async () => {
    const report = await reportOnCalls(calls, given);
    expect(withVerdict(report, 'failed').join(' ')).toBe(reported);
    expect(report.server.outcome === 'nonconformant').toBe(reported.includes('MRS-'));
  });

for (const time of ['1e400', 'null'])
  test(`a call that took ${time} milliseconds by the file is judged as one without an end`, async () => {
    const har = harOfCalls(...reactiveTraffic(), reads(179, 3, { tookMs: 4711 }));
    const report = await reportOn(har.replaceAll('4711', time));
    expect(withVerdict(report, 'failed', 'warned')).toEqual([]);
    expect(factOf(report, 'Recorded')).toMatch(/, for 1\d\d(\.\d)? s$/);
  });

test('each verdict on this traffic is the stored one', async () => {
  const lines = Object.entries(RIGHT).map(async ([what, [, calls, given]]) =>
    verdictsIn(what, await reportOnCalls(calls, given)),
  );
  await expect(`${(await Promise.all(lines)).join('\n')}\n`).toMatchFileSnapshot('testing/right-traffic.txt');
});

test('what may be the data in another form, without a token, is not taken for a refusal', async () => {
  const table = { at: 170, path: '/ods_data/', headers: { accept: 'application/json' }, ...AS_CSV };
  const { server } = await reportOnCalls([...reactiveTraffic(), table]);
  const access = server.items.find(({ id }) => id === 'MRS-1.3');
  expect([access?.verdict, access?.reason]).toEqual(['not-seen', expect.stringContaining('another form')]);
});

test('where an option is enough, it is asked for', async () => {
  const { remarks } = await reportOnCalls(proactive);
  expect(remarks).toEqual([
    expect.stringMatching(/^Not seen of the client: token-reuse .*, renewal .*\. Give --token-lifetime\.$/),
  ]);
});

test('each client of a file is judged by itself, and its findings name it', async () => {
  const wasteful = Array.from({ length: 6 }, (_, nth) => [
    asks(nth * 5 + 1, `w${nth}`, { form: secondClient }),
    reads(nth * 5 + 1.1, `w${nth}`),
  ]).flat();
  const report = await reportOnCalls([...reactiveTraffic(), ...wasteful], { lifetimeSeconds: 60 });
  expect(clientsIn(report)).toEqual([
    ['acme-station-7', 'conformant'],
    ['other-station', 'nonconformant'],
  ]);
  const findings = report.client.items.flatMap((rule) =>
    rule.findings.map(({ where }) => [rule.id, plain(where)]),
  );
  expect(findings).toEqual([['token-reuse', 'other-station']]);
});

test('a file of a browser without sensitive data says nothing about tokens, and reports nothing', async () => {
  const report = await reportOnCalls(withoutAuthorization(reactiveTraffic()));
  expect(withVerdict(report, 'failed', 'warned')).toEqual([]);
  expect(report.outcome).toBe('incomplete');
  const bearer = report.client.items.find(({ id }) => id === 'bearer-header');
  expect(bearer).toMatchObject({
    verdict: 'not-seen',
    reason: expect.stringContaining('no Authorization header at all'),
  });
});
