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

const OTHER_TOKEN = 'another-token-of-it-0816';
const REFUSAL = { error: 'no token' };
/** Five thousand are searched for. */
const manySecrets = [0, 1].map((half) =>
  reads(TOKEN, { query: `?${Array.from({ length: 2600 }, (_, nth) => `token=x${half}-${nth}`).join('&')}` }),
);
/** With a header or a query next to the token. */
const carrying = (headers: Record<string, string>, query = '') =>
  reads(TOKEN, { headers: { authorization: `Bearer ${TOKEN}`, ...headers }, query });
const wrongForm = (form: Record<string, string>) =>
  asks({ error: 'no' }, { form: { ...FORM, ...form }, status: 400 });

for (const [what, calls, expected] of [
  ['right traffic', right, []],
  ['a form with an empty secret', [wrongForm({ client_secret: '' }), ...right], ['form-fields']],
  ['a form with another grant type', [wrongForm({ grant_type: 'password' }), ...right], ['form-fields']],
  ['a mistyped grant type', [wrongForm({ grant_type: 'client-credential' }), ...right], ['form-fields']],
  ['an unset variable', [...right, reads('undefined', { status: 401, body: REFUSAL })], ['bearer-header']],
  [
    'a cookie in the place of a token',
    [...right, { headers: { cookie: 'session=abcdefgh' }, body: DATA }],
    ['bearer-header'],
  ],
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
      asks({ token: OTHER_TOKEN }),
    ],
    [],
  ],
  [
    'a client whose id has spaces',
    [asks({ token: TOKEN }, { form: { ...FORM, client_id: 'acme of the north' } }), reads(TOKEN)],
    [],
  ],
  ['a secret in a header', [asks(), carrying({ 'x-own': FORM.client_secret })], ['credentials-place']],
  ['a secret in a query', [asks(), carrying({}, `?since=${FORM.client_secret}`)], ['credentials-place']],
  ['a token in a path', [...right, reads(TOKEN, { path: `/x/${TOKEN}` })], ['token-place']],
  ['a token in a cookie', [...right, carrying({ cookie: `session=${TOKEN}` })], ['token-place']],
  ['a token in a query', [asks(), carrying({}, `?access_token=${OTHER_TOKEN}`)], ['token-place']],
  [
    'a token in the body of another request',
    [...right, reads(TOKEN, { method: 'POST', path: '/x/', sent: JSON.stringify({ value: TOKEN }) })],
    ['token-place'],
  ],
  ['a path that is almost right', [...right, reads(TOKEN, { path: '/ods_data' })], ['data-path']],
] as [string, Call[], string[]][])
  test(`the client is judged by the file of ${what} as by the traffic`, async () => {
    const [live, fromFile] = await both(calls);
    expect(failing(live)).toEqual(expected);
    expect(failing(fromFile)).toEqual(expected);
    expect(onlyFromFile(live, fromFile)).toEqual([]);
  });

const noPlaces: Given = { change: (text) => text.replaceAll('_misplaced', '_other') };
for (const [what, id, calls, live, given] of [
  ['data without a token', 'MRS-1.3', [...right, { body: DATA }], 'failed'],
  ['a refusal', 'MRS-1.3', [...right, { status: 401, body: REFUSAL }], 'passed'],
  ['a further member of a token answer', 'MRS-4.1l', [asks({ token: TOKEN, of: 1 }), reads(TOKEN)], 'failed'],
  ['a token under another name', 'MRS-2a', [asks({ access_token: TOKEN })], 'failed'],
  [
    'an error in the place of data',
    'MRS-4.2a',
    [...right, reads(TOKEN, { body: { error: 'no' } })],
    'failed',
  ],
  ['a token without its last character', 'MRS-5.5b', [...right, reads(TOKEN.slice(0, -1))], 'failed'],
  ['requests, without the places of secrets', 'credentials-place', right, 'passed', noPlaces],
  ['requests, without the places of tokens', 'token-place', right, 'passed', noPlaces],
  [
    'a path that is almost right, after many secrets',
    'data-path',
    [...right, ...manySecrets, reads(TOKEN, { path: '/ods_data' })],
    'failed',
  ],
] as [string, string, Call[], string, Given?][])
  test(`${id} is not seen from the file of ${what}`, async () => {
    const [before, after] = await both(calls, given);
    expect(before.get(id)).toMatchObject({ verdict: live });
    expect(after.get(id)?.verdict).toBe('not-seen');
    expect(onlyFromFile(before, after)).toEqual([]);
  });

test('a client that is redirected to the path of the data is not at a wrong path', async () => {
  const redirect = reads(TOKEN, { status: 307, answerHeaders: { location: '/v2/ods_data/' }, body: '' });
  const calls = [asks(), redirect, reads(TOKEN, { path: '/v2/ods_data/' }), reads(TOKEN)];
  expect((await both(calls)).map((verdicts) => verdicts.get('data-path')?.verdict)).toEqual([
    'passed',
    'passed',
  ]);
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
