/** `mrs judge` finds in the HAR file of the proxy what the proxy found while the traffic passed. */
import type { RequestListener } from 'node:http';
import { expect, test } from 'vitest';
import { bytesOf } from '../../tests/traffic/testing/har.ts';
import { type JudgedRecording, judgeRecording } from '../judge/judge-recording.ts';
import { readRecording } from '../judge/read-recording.ts';
import { startMock } from '../mock/index.ts';
import { ask, read, recorded, recordedBefore, SECRET } from './testing/proxied.ts';

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

/** The verdicts, live and from the file. */
async function both(calls: readonly Call[]): Promise<[Verdicts, Verdicts]> {
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
  return bothOf(await recorded(answer, send));
}

async function bothOf({
  text,
  early,
  judged,
}: {
  text: string;
  early: string;
  judged: JudgedRecording;
}): Promise<[Verdicts, Verdicts]> {
  const verdictsBy = async (har: string) => {
    const recording = readRecording(bytesOf(har), 'traffic.har', undefined);
    return verdictsOf(judgeRecording(recording, { processes: 1 }));
  };
  const fromFile = await verdictsBy(text);
  expect({ ...(await verdictsBy(early)), ...REFUSED_FIRST }).toEqual({ ...fromFile, ...REFUSED_FIRST });
  return [verdictsOf(judged), fromFile];
}

/** Until a client has a token, its calls are those of another client in a file that the proxy did not finish. */
const REFUSED_FIRST = { 'form-fields': '' };

/** By the id of a requirement or a rule. */
type Verdicts = Record<string, string>;

const verdictsOf = ({ server, clients }: JudgedRecording): Verdicts =>
  Object.fromEntries([
    ...server.map(({ requirement, verdict }) => [requirement.id, verdict]),
    ...clients.flatMap(({ certificate }) => certificate.rules.map(({ id, verdict }) => [id, verdict])),
  ]);

const failing = (verdicts: Verdicts): string =>
  Object.keys(verdicts)
    .filter((id) => verdicts[id] === 'failed' || verdicts[id] === 'warned')
    .join(' ');

const OTHER_TOKEN = 'another-token-of-it-0816';
const REFUSAL = { error: 'no token' };
const BASIC = { authorization: `Basic ${Buffer.from('acme:hush-hush-hush-4711').toString('base64')}` };
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
  ['data without a token', [...right, { body: DATA }], ['MRS-1.3', 'bearer-header']],
  ['a further member of a token answer', [asks({ token: TOKEN, of: 1 }), reads(TOKEN)], ['MRS-4.1l']],
  ['a token under another name', [asks({ access_token: TOKEN })], ['MRS-2a', 'MRS-4.1l']],
  ['an error in the place of data', [...right, reads(TOKEN, { body: { error: 'no' } })], ['MRS-4.2a']],
  ['text in the place of data', [asks(), reads(TOKEN, { body: 'obs-1', type: 'text/plain' })], ['MRS-4.2b']],
  [
    'credentials in HTTP Basic',
    [asks({ token: TOKEN }, { form: { grant_type: 'client_credentials' }, headers: BASIC }), reads(TOKEN)],
    ['form-fields', 'credentials-place'],
  ],
] as [string, Call[], string[]][])
  test(`the verdicts by the file of ${what} are those by the traffic`, async () => {
    const [live, fromFile] = await both(calls);
    expect(fromFile).toEqual(live);
    expect(failing(live)).toBe(expected.join(' '));
  });

/** A client of the mock, which meets all that it serves without a fault of its own, and asks without a token too. */
async function useMock(url: string, expire: () => void): Promise<void> {
  const {
    body: { token: first = '' },
  } = await ask(url);
  for (const token of [first, first, first.slice(0, -1), 'a-token-of-no-one']) await read(url, token);
  await (await fetch(`${url}/ods_data/`, { headers: { accept: JSON_TYPE } })).arrayBuffer();
  await ask(url, 'acme', '');
  expire();
  await read(url, first);
  const { body } = await ask(url);
  if (body.token !== undefined) await read(url, body.token);
  await (await fetch(`${url}/health/`)).arrayBuffer();
}

const DEFECTS = [
  ...['token-twice', 'token-with-expires-in', 'any-client-secret', 'data-without-token', 'any-token'],
  ...['leak-csv', 'leak-base64', 'leak-one-record-403', 'data-beside-refusal'],
  ...['expired-401', 'expired-always-500', 'expired-token-again', 'health-401'],
];
for (const defect of [undefined, ...DEFECTS])
  test(`the verdicts by the file of the mock ${defect ? `with ${defect}` : 'without a defect'} are those by the traffic`, async () => {
    await using mock = await startMock({
      clients: [{ id: 'acme', secret: SECRET }],
      tokenLifetime: '60s',
      ...(defect !== undefined && { defect }),
    });
    const use = (url: string) => useMock(url, () => mock.client('acme').expire());
    const seen = await recordedBefore(mock.url, use);
    const [live, fromFile] = await bothOf(seen);
    expect(fromFile).toEqual(live);
  });

test('a file whose description of a body has another member is refused', async () => {
  const { text } = await recorded((_, response) => void response.end('{"token":"a-token-0815"}'), ask);
  const forged = text.replace('"_mrs":{', '"_mrs":{"more":1,');
  expect(() => readRecording(bytesOf(forged), 'traffic.har', undefined)).toThrow(
    'traffic.har: entry 1 has a member _mrs that mrs proxy did not write.',
  );
});

test('a client that is redirected to the path of the data is not at a wrong path', async () => {
  const redirect = reads(TOKEN, { status: 307, answerHeaders: { location: '/v2/ods_data/' }, body: '' });
  const calls = [asks(), redirect, reads(TOKEN, { path: '/v2/ods_data/' }), reads(TOKEN)];
  const verdicts = await both(calls);
  expect(verdicts.map((one) => one['data-path'])).toEqual(['passed', 'passed']);
});
