/** `mrs judge` finds in the HAR file of the proxy what the proxy found while the traffic passed. */
import type { RequestListener } from 'node:http';
import { expect, _baseTest as test } from '@playwright/test';
import { bytesOf } from '../../tests/traffic/testing/har.ts';
import { type JudgedRecording, judgeRecording } from '../judge/judge-recording.ts';
import { readRecording } from '../judge/read-recording.ts';
import { recorded } from './testing/proxied.ts';
import { talk } from './testing/wire.ts';

interface Call {
  method?: string;
  /** Without a form, that of the data. */
  path?: string;
  /** The body of the request. */
  sent?: string;
  answerHeaders?: Record<string, string>;
  form?: Record<string, string>;
  query?: string;
  headers?: Record<string, string>;
  status?: number;
  type?: string;
  /** Of the answer. */
  body: unknown;
}

const JSON_TYPE = 'application/json';
const TOKEN = 'a-token-of-the-service-0815';
const FORM = { grant_type: 'client_credentials', client_id: 'acme', client_secret: 'hush-hush-hush-4711' };
const DATA = { ods_data: [{ id: 'obs-1' }, { id: 'obs-2' }] };

const asks = (body: unknown = { token: TOKEN }, more: Partial<Call> = {}): Call => ({
  form: FORM,
  body,
  ...more,
});
const reads = (token: string, more: Partial<Call> = {}): Call => ({
  headers: { authorization: `Bearer ${token}` },
  body: DATA,
  ...more,
});
const right = [asks(), reads(TOKEN), reads(TOKEN)];

/** The verdicts, live and from the file as `change` leaves it. */
async function both(
  calls: readonly Call[],
  { healthPaths = [], change = (text) => text }: Given = {},
): Promise<[live: Verdicts, fromFile: Verdicts]> {
  const answers = [...calls];
  const answer: RequestListener = (_, response) => {
    const { status = 200, type = JSON_TYPE, body, answerHeaders } = answers.shift() ?? { body: '' };
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    response.writeHead(status, { 'content-type': type, ...answerHeaders }).end(text);
  };
  const send = async (url: string) => {
    for (const { form, query = '', headers, sent, ...call } of calls) {
      const { method = form ? 'POST' : 'GET', path = form ? '/token/' : '/ods_data/' } = call;
      const received = await fetch(`${url}${path}${query}`, {
        method,
        redirect: 'manual',
        headers: { accept: JSON_TYPE, ...headers },
        ...(form && { body: new URLSearchParams(form) }),
        ...(sent !== undefined && { body: sent }),
      });
      await received.arrayBuffer();
    }
  };
  const { text, judged } = await recorded(answer, send, { healthPaths });
  const recording = await readRecording(bytesOf(change(text)), 'traffic.har', undefined, healthPaths);
  const [live, fromFile] = [judged, judgeRecording(recording, { processes: 1 })].map(verdictsOf);
  return [live ?? new Map(), fromFile ?? new Map()];
}

interface Given {
  healthPaths?: string[];
  change?: (text: string) => string;
}

/** By the id of a requirement or a rule, with the reason of what is not seen. */
type Verdicts = ReadonlyMap<string, Seen>;

interface Seen {
  verdict: string;
  reason?: string;
}

const verdictsOf = ({ server, clients }: JudgedRecording): Verdicts =>
  new Map<string, Seen>([
    ...server.map((one): [string, Seen] => [one.requirement.id, one]),
    ...clients.flatMap(({ certificate }) => certificate.rules.map((rule): [string, Seen] => [rule.id, rule])),
  ]);

const failing = (verdicts: Verdicts): string[] =>
  [...verdicts].flatMap(([id, { verdict }]) => (verdict === 'failed' || verdict === 'warned' ? id : []));

/** What the file alone makes pass. */
const onlyFromFile = (live: Verdicts, fromFile: Verdicts): string[] =>
  [...fromFile].flatMap(([id, { verdict }]) =>
    verdict === 'passed' && live.get(id)?.verdict !== 'passed' ? id : [],
  );

for (const [what, calls, expected] of [
  ['right traffic', right, []],
  ['a token in the member access_token', [asks({ access_token: TOKEN })], ['MRS-2a', 'MRS-4.1l']],
  ['a token with a further member', [asks({ token: TOKEN, expires_in: 60 }), reads(TOKEN)], ['MRS-4.1l']],
  ['a token deep in the answer', [asks({ data: { token: TOKEN } })], ['MRS-2a', 'MRS-4.1l']],
  ['a token as plain text', [asks(TOKEN, { type: 'text/plain' })], ['MRS-4.1k']],
  [
    'a token for a form with an empty secret',
    [...right, asks({ token: 'another-token-of-it' }, { form: { ...FORM, client_secret: '' } })],
    ['MRS-4.1i', 'form-fields'],
  ],
  [
    'a token for another grant type',
    [...right, asks({ token: 'another-token-of-it' }, { form: { ...FORM, grant_type: 'password' } })],
    ['MRS-4.1f', 'form-fields'],
  ],
  ['data for an unset variable', [...right, reads('undefined')], ['MRS-5.5a', 'bearer-header']],
  [
    'data for a cookie',
    [...right, { headers: { cookie: 'session=abcdefgh' }, body: DATA }],
    ['bearer-header'],
  ],
  ['requests without Authorization only', [asks(), { body: DATA }], ['token-member', 'bearer-header']],
  [
    'a query that is served for one value and refused for another',
    [...right, reads(TOKEN, { query: '?id=1' }), reads(TOKEN, { query: '?id=x', status: 400, body: {} })],
    [],
  ],
  [
    'a wrong secret between two requests with the right one',
    [
      ...right,
      asks({ error: 'invalid_client' }, { form: { ...FORM, client_secret: 'mistyped-secret' }, status: 401 }),
      asks({ token: 'another-token-of-it' }),
    ],
    [],
  ],
  [
    'a client whose id has spaces',
    [asks({ token: TOKEN }, { form: { ...FORM, client_id: 'acme of the north' } }), reads(TOKEN)],
    [],
  ],
] as [string, Call[], string[]][])
  test(`the file of ${what} is judged as the traffic`, async () => {
    const [live, fromFile] = await both(calls);
    expect(failing(live)).toEqual(expected);
    expect(failing(fromFile)).toEqual(expected);
    expect(onlyFromFile(live, fromFile)).toEqual([]);
  });

/** Longer than a body that is kept. */
const LONG = 'long '.repeat(220_000);
const REFUSAL = { error: 'no token' };
const withoutToken = (body: unknown): Call => ({ status: 401, body });
const NAMED = { ods_data: [{ token: 'obs-alpha-4711' }, { token: 'obs-beta-4712' }] };
const OTHER_TOKEN = 'another-token-of-it-0816';
/** More secrets than are searched for: the file then has neither paths nor bodies. */
/** Five thousand are searched for. */
const manySecrets = [0, 1].map((half) =>
  reads(TOKEN, { query: `?${Array.from({ length: 2600 }, (_, nth) => `token=x${half}-${nth}`).join('&')}` }),
);

for (const [what, id, calls, live, fromFile, given] of [
  [
    'an error in the place of data, of another type',
    'MRS-4.2a',
    [...right, reads(TOKEN, { type: 'application/octet-stream', body: { error: 'down' } })],
    'failed',
    'not-seen',
  ],
  [
    'a long error in the place of data',
    'MRS-4.2a',
    [...right, reads(TOKEN, { body: { error: LONG } })],
    'failed',
    'not-seen',
  ],
  [
    'a token answer with two members of one name',
    'MRS-4.1l',
    [asks(`{"token":"${TOKEN}","token":"${TOKEN}"}`), reads(TOKEN)],
    'failed',
    'not-seen',
  ],
  [
    'a long answer with a token to a form without grant_type',
    'MRS-4.1e',
    [
      ...right,
      asks(
        { token: OTHER_TOKEN, note: LONG },
        { form: { client_id: 'acme', client_secret: FORM.client_secret } },
      ),
    ],
    'failed',
    'not-seen',
  ],
  [
    'a refusal that holds some of the data, which are long',
    'MRS-1.3',
    [asks(), reads(TOKEN, { body: { ...DATA, note: LONG } }), withoutToken({ ...REFUSAL, preview: DATA })],
    'failed',
    'not-seen',
  ],
  [
    'a refusal after long data',
    'MRS-1.3',
    [asks(), reads(TOKEN, { body: { ...DATA, note: LONG } }), withoutToken(REFUSAL)],
    'passed',
    'not-seen',
  ],
  [
    'a refusal that holds values of the data which are taken for credentials',
    'MRS-1.3',
    [asks(), reads(TOKEN, { body: NAMED }), withoutToken({ ...REFUSAL, of: 'obs-alpha-4711 obs-beta-4712' })],
    'failed',
    'not-seen',
  ],
  ['a refusal after data', 'MRS-1.3', [...right, withoutToken(REFUSAL)], 'passed', 'passed'],
  [
    'a token without its last character that opens the data',
    'MRS-5.5b',
    [...right, reads(TOKEN.slice(0, -1))],
    'failed',
    'not-seen',
  ],
  [
    'a grant type that is mistyped',
    'form-fields',
    [asks({ error: 'no' }, { form: { ...FORM, grant_type: 'client-credential' }, status: 400 }), ...right],
    'failed',
    'failed',
  ],
  [
    'a secret in a header',
    'credentials-place',
    [asks(), reads(TOKEN, { headers: { authorization: `Bearer ${TOKEN}`, 'x-own': FORM.client_secret } })],
    'failed',
    'failed',
  ],
  [
    'a secret in a query',
    'credentials-place',
    [asks(), reads(TOKEN, { query: `?since=${FORM.client_secret}` })],
    'failed',
    'failed',
  ],
  [
    'a secret in HTTP Basic beside the form',
    'credentials-place',
    [
      asks({ token: TOKEN }, { headers: { authorization: `Basic ${btoa(`acme:${FORM.client_secret}`)}` } }),
      reads(TOKEN),
    ],
    'failed',
    'failed',
  ],
  ['a token in a path', 'token-place', [...right, reads(TOKEN, { path: `/x/${TOKEN}` })], 'failed', 'failed'],
  [
    'a token in a cookie',
    'token-place',
    [...right, reads(TOKEN, { headers: { authorization: `Bearer ${TOKEN}`, cookie: `session=${TOKEN}` } })],
    'failed',
    'failed',
  ],
  [
    'a token in the body of another request',
    'token-place',
    [...right, reads(TOKEN, { method: 'POST', path: '/x/', sent: JSON.stringify({ value: TOKEN }) })],
    'failed',
    'failed',
  ],
  [
    'a token in the query',
    'token-place',
    [asks(), reads(TOKEN, { query: `?access_token=${OTHER_TOKEN}` })],
    'failed',
    'failed',
  ],
  [
    'requests, by a file that does not say where secrets were',
    'credentials-place',
    right,
    'passed',
    'not-seen',
    { change: (text) => text.replaceAll('_misplaced', '_other') },
  ],
  [
    'requests, by a file that does not say where tokens were',
    'token-place',
    right,
    'passed',
    'not-seen',
    { change: (text) => text.replaceAll('_misplaced', '_other') },
  ],
  [
    'a path that is almost right, after many secrets',
    'data-path',
    [...right, ...manySecrets, reads(TOKEN, { path: '/ods_data' })],
    'failed',
    'not-seen',
  ],
  [
    'a health check with another body for a token',
    'MRS-4.3b',
    [
      ...right,
      { path: '/health/', body: { error: 'no' } },
      reads(TOKEN, { path: '/health/', body: { state: 'well' } }),
    ],
    'not-seen',
    'not-seen',
    { healthPaths: ['/health/'] },
  ],
  [
    'a redirect to the path of the data',
    'data-path',
    [
      asks(),
      {
        path: '/ods_data/',
        headers: { authorization: `Bearer ${TOKEN}` },
        status: 307,
        answerHeaders: { location: '/v2/ods_data/' },
        body: '',
      },
      reads(TOKEN, { path: '/v2/ods_data/' }),
      reads(TOKEN),
    ],
    'passed',
    'passed',
  ],
  [
    'data of a long type',
    'MRS-4.2b',
    [asks(), reads(TOKEN, { type: 'application/vnd.of-mitigation-requests.v1+json' })],
    'passed',
    'passed',
  ],
] as [string, string, Call[], string, string, Given?][])
  test(`${id} is ${fromFile} from the file of ${what}`, async () => {
    const [before, after] = await both(calls, given);
    expect(before.get(id)).toMatchObject({ verdict: live });
    expect(after.get(id)).toMatchObject({ verdict: fromFile });
    if (live !== 'not-seen' && fromFile === 'not-seen')
      expect(after.get(id)?.reason).toMatch(/^The recording leaves it out/);
    expect(onlyFromFile(before, after)).toEqual([]);
  });

test('a path that a client did not normalize is the same from the file', async () => {
  const paths = [
    '/x/../ods_data/',
    '/%2E/ods_data/',
    '/x\\..\\ods_data/',
    '/ods_data/#',
    '/token/?',
    '/./?/ods_data/',
  ];
  const { text } = await recorded(
    (_, response) => void response.end('{"token":"of-it"}'),
    async (url) => {
      for (const path of paths)
        await talk(Number(new URL(url).port), `GET ${path} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`);
    },
  );
  const baseUrl = /http:\/\/127\.0\.0\.1:\d+/.exec(text)?.[0];
  const { exchanges } = await readRecording(bytesOf(text), 'traffic.har', baseUrl);
  expect(exchanges.map(({ kind, exchange }) => `${kind} ${exchange.path}`)).toEqual(
    ['/x/../ods_data/', '/%2E/ods_data/', '/x\\..\\ods_data/', '/ods_data/%23', '/token/', '/./'].map(
      (path) => `other ${path}`,
    ),
  );
});
