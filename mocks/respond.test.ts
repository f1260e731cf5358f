import { request } from 'undici';
import { expect, test } from 'vitest';
import type { Step } from './contract/control-contract.ts';
import { schemaProblem } from './contract/control-contract.ts';
import { type Mock, type MockOptions, startMock } from './index.ts';
import { createRandom } from './testing/chance.ts';

const FORM = 'application/x-www-form-urlencoded';
const SECRET = 'hush-hush';
const FIELDS = { grant_type: 'client_credentials', client_id: 'acme', client_secret: SECRET };
const WHOLE = new URLSearchParams(FIELDS).toString();
const options = { clients: [{ id: 'acme', secret: SECRET }], clock: 'frozen', seed: 'a seed' } as const;
const start = (more: MockOptions = {}) => startMock({ ...options, ...more });

interface Sent {
  method?: string;
  headers?: Record<string, string>;
  body?: string | AsyncIterable<Buffer> | undefined;
}

/** Sends a request to a target as it is written: a URL would be normalized. */
async function send(mock: Mock, target: string, { method = 'GET', headers = {}, body }: Sent = {}) {
  const { origin } = new URL(mock.url);
  const call = {
    path: target,
    method: method as 'GET',
    headers,
    ...(body !== undefined && { body: body as string }),
  };
  const answer = await request(origin, call);
  return { status: answer.statusCode, headers: answer.headers, text: await answer.body.text() };
}

async function obtain(
  mock: Mock,
  body: Sent['body'] = WHOLE,
  headers: Record<string, string> = { 'content-type': FORM },
) {
  const answer = await send(mock, '/token/', { method: 'POST', headers, body });
  return { ...answer, token: (JSON.parse(answer.text || '{}') as { token?: string }).token ?? '' };
}

const read = (mock: Mock, token: string, more: Record<string, string> = {}, method = 'GET') =>
  send(mock, '/ods_data/', { method, headers: { authorization: `Bearer ${token}`, ...more } });
const last = (mock: Mock) => mock.journal().at(-1);
const form = (more: Record<string, string>) => new URLSearchParams({ ...FIELDS, ...more }).toString();
const without = (name: string) => WHOLE.replace(new RegExp(`${name}=[^&]*&?`), '');

async function* chunked(body: string) {
  yield Buffer.from(body);
}

const asForm = (body: NonNullable<Sent['body']>, more: Record<string, string> = {}): Sent => ({
  ...{ method: 'POST', body },
  headers: { 'content-type': FORM, ...more },
});
const asking = (authorization: string, accept?: string): Sent => ({
  headers: { authorization, ...(accept && { accept }) },
});

/** What is asked for, the status and the reason, and what the body says. `TOKEN` is a valid token. */
for (const [what, target, sent, status, reason, said = ''] of [
  ['a valid form', '/token/', asForm(WHOLE), 200, 'issued'],
  ['a chunked form', '/token/', asForm(chunked(WHOLE)), 200, 'issued'],
  ['a wrong secret', '/token/', asForm(form({ client_secret: 'x' })), 401, 'wrong-credentials'],
  [
    ...['a mistyped scenario', '/token/', asForm(form({ client_id: 'demo-stedy.alice' })), 401],
    ...['wrong-credentials', 'client_secret. The nearest client id is demo-steady.'],
  ],
  [
    ...['a client id like no other', '/token/', asForm(form({ client_id: 'alice' })), 401],
    ...['wrong-credentials', 'No client has this client_id and client_secret."'],
  ],
  [
    ...['a scenario with a wrong secret', '/token/', asForm(form({ client_id: 'demo-steady' })), 401],
    ...['wrong-credentials', 'No client has this client_id and client_secret."'],
  ],
  ['another grant', '/token/', asForm(form({ grant_type: 'password' })), 400, 'unsupported-grant-type'],
  ...Object.keys(FIELDS).map((name) => [
    ...[`no ${name}`, '/token/', asForm(without(name)), 400, 'invalid-request'],
  ]),
  ['an empty secret', '/token/', asForm(form({ client_secret: '' })), 400, 'invalid-request'],
  ['a repeated field', '/token/', asForm(`${WHOLE}&client_id=acme`), 400, 'invalid-request'],
  ...['application/json', 'text/plain', 'garbage', ''].map((type) => [
    ...[
      `a form as "${type}"`,
      '/token/',
      asForm(WHOLE, { 'content-type': type }),
      415,
      'unsupported-media-type',
    ],
  ]),
  ['a body above the limit', '/token/', asForm('x'.repeat(65_537)), 413, 'too-large'],
  ['a valid token', '/ods_data/', asking('bEARER TOKEN'), 200, 'served'],
  ['a valid token without JSON accepted', '/ods_data/', asking('Bearer TOKEN', 'a/b'), 406, 'not-acceptable'],
  ['no token', '/ods_data/', {}, 401, 'missing-token', 'Send the header Authorization'],
  ['a malformed Authorization', '/ods_data/', asking('Basic eDp5'), 401, 'malformed-token', 'is not of'],
  ['an unknown token', '/ods_data/', asking('Bearer x'), 401, 'unknown-token', 'did not issue'],
  ['health', '/health/?page=2&page=%zz', asking('Bearer x'), 200, 'healthy'],
  ['health without JSON accepted', '/health/', { headers: { accept: 'a/b' } }, 406, 'not-acceptable'],
  ['a wrong path', '/ods_data', {}, 404, 'no-path', 'The nearest path is /ods_data/.'],
  ['a path like no other', '/v1/mitigations', {}, 404, 'no-path', 'The paths are /token/, /ods_data/, '],
  ['a wrong method', '/health/', { method: 'POST' }, 405, 'no-method', 'Use GET, HEAD.'],
] as [string, string, Sent, number, string, string?][])
  test(`${what} is answered with ${status} ${reason}, and gives no token or data otherwise`, async () => {
    await using mock = await start();
    const { token } = await obtain(mock);
    const given = Object.entries(sent.headers ?? {}).filter(([, value]) => value !== '');
    const headers = Object.fromEntries(given.map(([name, value]) => [name, value.replace('TOKEN', token)]));
    const answer = await send(mock, target, { ...sent, headers });
    expect([answer.status, last(mock)?.reason]).toEqual([status, reason]);
    expect(answer.headers['content-type']).toBe('application/json');
    expect(answer.text).toContain(said);
    expect('token' in JSON.parse(answer.text)).toBe(reason === 'issued');
    expect('ods_data' in JSON.parse(answer.text)).toBe(reason === 'served');
    if (status === 401 && target === '/ods_data/') expect(answer.headers['www-authenticate']).toBe('Bearer');
    if (reason === 'issued') expect(answer.headers['cache-control']).toBe('no-store');
    const named = reason === 'issued' || (headers.authorization ?? '').includes(token);
    expect(last(mock)?.token !== undefined).toBe(named);
  });

test('an internal exception is answered with 500 and a sentence, and reported to the operator', async () => {
  const faults: unknown[] = [];
  let fails = false;
  const now = () => {
    if (fails) throw new Error('the clock failed');
    return 0;
  };
  await using mock = await startMock({ now, onFault: (error) => faults.push(error) });
  fails = true;
  const answer = await read(mock, 'x');
  expect(answer).toMatchObject({ status: 500, text: expect.stringContaining('server_error') });
  expect(answer.text).not.toMatch(/clock|\.ts|at /);
  expect(faults).toEqual([expect.objectContaining({ message: 'the clock failed' })]);
  fails = false;
  expect(await read(mock, 'x')).toMatchObject({ status: 401 });
});

test('without a search for secrets, no path or name in a query is kept that could hold one', async () => {
  await using mock = await start();
  await send(mock, '/a/hush?b=1');
  expect(last(mock)).toMatchObject({ path: '/‹…›', query: ['‹…›'] });
});

test('of media types the types are kept, and nothing that could be a secret', async () => {
  await using mock = await start();
  const { token } = await obtain(mock);
  for (const [given, shown] of [
    ['application/json', 'application/json'],
    ['text/*;q=0.5, */*; charset=utf-8', 'text/*; q=0.5, */*; charset=utf-8'],
    [`Bearer ${token}`, '‹…›'],
    [`application/json; secret=${SECRET}`, 'application/json; ‹…›'],
    [`text/${'a'.repeat(61)}`, '‹…›'],
    ['a'.repeat(300), '‹…›'],
  ] as const) {
    await send(mock, '/health/', { headers: { accept: given, 'content-type': given } });
    const headers = { connection: 'keep-alive', host: '‹not kept›' };
    expect(last(mock)?.request).toEqual({ headers, accept: shown, contentType: shown });
  }
});

test('no secret, no token and no value of a query is ever in an entry, which is as described', async () => {
  const { share } = createRandom('one');
  let draws = 0;
  const one = <Item>(items: readonly Item[]) => items[Math.floor(items.length * share(`${++draws}`))] as Item;
  await using mock = await start();
  const tokens = [(await obtain(mock)).token];
  const steps: Step[][] = [
    [],
    [{ do: { expire: 'token' } }],
    [{ on: 'obtainToken', do: { delay: 0 } }],
    [
      { every: 2, do: { answer: { status: 403 } } },
      { when: 'after', do: { revoke: 'client' } },
    ],
  ];
  for (let nth = 0; nth < 60; nth++) {
    const token = one(tokens);
    const value = one([token, 'a-value-of-a-query', encodeURIComponent(SECRET)]);
    const target = one(['/ods_data/', '/token/', '/health/', `/${token}/`, `/x/${token}`]);
    const basic = `Basic ${btoa(`acme:${SECRET}`)}`;
    const authorization = one([`Bearer ${token}`, token, basic, `bearer  ${token}`]);
    const path = one([target, `${target}?token=${value}`, `${target}?${token}`, `${target}#${value}`]);
    if (share(`${++draws}`) < 0.2) mock.client('acme').script(one(steps));
    if (share(`${++draws}`) < 0.3) tokens.push((await obtain(mock)).token || token);
    else await send(mock, path, { method: one(['GET', 'POST', 'HEAD']), headers: { authorization } });
  }
  const journal = JSON.stringify(mock.journal());
  for (const secret of [SECRET, 'a-value-of-a-query', btoa(`acme:${SECRET}`), ...tokens])
    expect(journal).not.toContain(secret);
  for (const entry of mock.journal()) expect(schemaProblem('Entry', entry)).toBeUndefined();
});

test('a reader of a static feed gets the file once, 304 until it changes, and any media type', async () => {
  await using mock = await startMock({ profile: 'static-feed', records: 3, clock: 'frozen' });
  const get = async (headers: Record<string, string> = {}) => await send(mock, '/ods.json', { headers });
  const first = await get({ accept: 'nonsense' });
  const { ods_data: list } = JSON.parse(first.text) as { ods_data: { site_id: string }[] };
  expect(list.map((one) => one.site_id)).toEqual(['ATA', 'ATA', 'ATA']);
  const tagged = { 'if-none-match': String(first.headers.etag) };
  expect(await get(tagged)).toMatchObject({ status: 304, headers: { etag: first.headers.etag }, text: '' });
  expect((await get({ 'if-none-match': '*' })).status).toBe(304);
  const later = new Date(Date.parse(String(first.headers.date)) + 60_000).toUTCString();
  expect((await get({ 'if-modified-since': later })).status).toBe(200); // No time of the server: RFC 9110 section 13.1.3.
  mock.clock.advance('1d');
  const second = await get(tagged);
  expect([second.status, second.text === first.text]).toEqual([200, false]);
  const conditional = mock.traffic('demo').calls.map(({ isConditional }) => isConditional);
  expect(conditional).toEqual([undefined, true, true, true, true]);
  // Its readers share the script of the first client.
  mock.client('demo').script([{ nth: 2, do: { answer: { status: 500, body: '' } } }]);
  expect([(await get()).status, (await get()).status, (await get()).status]).toEqual([200, 500, 200]);
  mock.reset();
  expect((await get()).headers['last-modified']).toBe(first.headers['last-modified']);
});

test('HEAD is answered like GET, without a body', async () => {
  await using mock = await start();
  const { token } = await obtain(mock);
  for (const [path, authorization] of [
    ['/ods_data/', `Bearer ${token}`],
    ['/ods_data/', 'Bearer no-token-of-mine'],
    ['/health/', ''],
    ['/nowhere', ''],
  ] as const) {
    const headers = { authorization };
    const get = await send(mock, path, { headers });
    const head = await send(mock, path, { headers, method: 'HEAD' });
    const { 'content-type': type, 'content-length': length } = get.headers;
    const same = { status: get.status, headers: { 'content-type': type, 'content-length': length } };
    expect(head, path).toMatchObject({ ...same, text: '' });
  }
});
