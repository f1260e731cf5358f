import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { type Call, type Mock, startMock } from './index.ts';

const ID = 'acme';
// What a form, a path and a header could each take for something else.
const SECRET = 's3 cr/t+%41&x';
const CLOSE = 'connection: close';
const FORM = 'application/x-www-form-urlencoded';

/** Sends requests over one connection, and resolves with all that came back. */
async function send(mock: Mock, ...requests: string[]): Promise<string> {
  const { hostname, port } = new URL(mock.url);
  const socket = connect(Number(port), hostname);
  socket.end(requests.join(''));
  return text(socket);
}
const head = (line: string, ...headers: string[]) =>
  `${[`${line} HTTP/1.1`, 'host: mock', 'accept: application/json', ...headers].join('\r\n')}\r\n\r\n`;
const withBody = (line: string, body: string, ...headers: string[]) =>
  head(line, ...headers, `content-length: ${Buffer.byteLength(body)}`) + body;

const form = new URLSearchParams({
  grant_type: 'client_credentials',
  client_id: ID,
  client_secret: SECRET,
}).toString();

async function withToken(more = {}) {
  const mock = await startMock({ clients: [{ id: ID, secret: SECRET }], ...more });
  const answer = await send(mock, ask(''));
  const token = /"token": ?"([^"]+)"/.exec(answer)?.[1] ?? '';
  return { mock, token, bearer: `authorization: Bearer ${token}`, [Symbol.asyncDispose]: mock.close };
}
const basic = (user: string, password: string) =>
  `authorization: Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`;
const last = (mock: Mock): Call | undefined => mock.traffic(ID).calls.at(-1);

test("a client's own proper requests have nothing in a wrong place", async () => {
  await using one = await withToken();
  const { mock, bearer } = one;
  await send(mock, head('GET /ods_data/', bearer, CLOSE));
  await send(mock, head('GET /health/', CLOSE));
  const seen = mock.traffic(ID).calls.map(({ kind, misplaced }) => `${kind} ${misplaced.length}`);
  expect(seen).toEqual(['token 0', 'data 0', 'health 0']);
});

for (const variant of ['token-jwt', 'token-1500', 'token-special-characters', 'token-hexadecimal'])
  test(`a token of the variant ${variant} is found in a wrong place, and in the header it is not in one`, async () => {
    await using one = await withToken({ variant });
    const { mock, token, bearer } = one;
    await send(mock, read(`?access_token=${token}`, bearer));
    await send(mock, read('?page=2', bearer));
    const seen = mock
      .traffic(ID)
      .calls.slice(1)
      .map(({ misplaced }) => misplaced);
    expect(seen).toEqual([[{ what: 'token', where: 'query' }], []]);
  });

type Sent = (one: { token: string; bearer: string }) => string;
const secret = encodeURIComponent(SECRET);
const read = (more: string, ...headers: string[]) => head(`GET /ods_data/${more}`, ...headers, CLOSE);
const readWith = (body: string, ...headers: string[]) => withBody('GET /ods_data/', body, ...headers, CLOSE);
const ask = (query: string, ...headers: string[]) =>
  withBody(`POST /token/${query}`, form, `content-type: ${FORM}`, ...headers, CLOSE);
const encoded = (text: string, encoding: BufferEncoding) => Buffer.from(text).toString(encoding);
const MISPLACED: Record<string, [misplaced: string, sent: Sent]> = {
  'a token in a query': ['token in query', ({ token }) => read(`?access_token=${token}`)],
  'a token in a path': ['token in path', ({ token, bearer }) => read(token, bearer)],
  'a token in a cookie': ['token in header', ({ token, bearer }) => read('', bearer, `cookie: t=${token}`)],
  'a token as the password of Basic': ['token in header', ({ token }) => read('', basic(ID, token))],
  'a token in the body of a read': ['token in body', ({ token, bearer }) => readWith(`t=${token}`, bearer)],
  'a token in a chunked body': [
    'token in body',
    ({ token }) => read('', 'transfer-encoding: chunked') + chunks(`t=${token}`),
  ],
  'a token that is encoded letter by letter': ['token in query', ({ token }) => read(`?t=${percent(token)}`)],
  'a secret in a query': ['client_secret in query', () => read(`?client_secret=${secret}`)],
  'a secret in a path': ['client_secret in path', () => head(`GET /clients/${secret}`, CLOSE)],
  'a secret with the client id in base64': [
    'client_secret in header',
    () => read('', `x-api: ${encoded(`${ID}:${SECRET}`, 'base64')}`),
  ],
  'a secret as the password of Basic': ['client_secret in header', () => read('', basic(ID, SECRET))],
  'a secret in the body of a read': ['client_secret in body', () => readWith(form)],
};
for (const name of ['user-agent', 'accept-language', 'cache-control', 'content-type'])
  MISPLACED[`a secret in ${name}`] = ['client_secret in header', () => read('', `${name}: a; b=${SECRET}`)];

for (const [name, [misplaced, sent]] of Object.entries(MISPLACED))
  test(`${name} is in a wrong place`, async () => {
    await using one = await withToken();
    await send(one.mock, sent(one));
    expect(
      last(one.mock)
        ?.misplaced.map(({ what, where }) => `${what} in ${where}`)
        .join(', '),
    ).toBe(misplaced);
  });

for (const [name, sent] of [
  ['a word that is no secret', ({ bearer }) => read('?page=2&client_secret=', bearer)],
  ['a part of a token', ({ token, bearer }) => read(`?t=${token.slice(0, -1)}`, bearer)],
  ['a token in another scheme', ({ token }) => read('', `authorization: Token ${token}`)],
  ['the id of the client', ({ bearer }) => read(`?client_id=${ID}`, bearer)],
  ['what cannot be decoded', ({ bearer }) => read('?a=%E0%A4%A', bearer)],
] as [string, Sent][])
  test(`${name} is in no wrong place`, async () => {
    await using one = await withToken();
    await send(one.mock, sent(one));
    expect(last(one.mock)).toMatchObject({ misplaced: [] });
  });

test('a secret of three characters is not looked for, since it may stand anywhere by chance', async () => {
  const clients = [
    { id: 'short', secret: 'abc' },
    { id: 'long', secret: 'abcd' },
  ];
  await using mock = await startMock({ clients });
  await send(mock, head('GET /ods_data/?a=abc'), head('GET /ods_data/?a=abcd', CLOSE));
  expect(mock.traffic('long').calls.map(({ misplaced }) => misplaced.length)).toEqual([0, 1]);
});

test('after a read with a body its connection goes on, whatever the length of the body', async () => {
  await using one = await withToken();
  const { mock, bearer } = one;
  const long = 'x'.repeat(3_000_000);
  for (const body of ['a=b', long]) {
    const answers = await send(mock, withBody('GET /ods_data/', body, bearer), head('GET /health/', CLOSE));
    expect(answers.match(/HTTP\/1\.1 \d+/g), `${body.length}`).toEqual(['HTTP/1.1 200', 'HTTP/1.1 200']);
  }
  const sent = `${head('GET /ods_data/', bearer, 'transfer-encoding: chunked')}${chunks(long)}`;
  expect((await send(mock, sent, head('GET /health/', CLOSE))).match(/HTTP\/1\.1 200/g)).toHaveLength(2);
});

test('a body that is too long is not looked into', async () => {
  await using one = await withToken();
  const { mock, bearer } = one;
  await send(mock, withBody('GET /ods_data/', `${'x'.repeat(3_000_000)}&${form}`, bearer, CLOSE));
  expect(last(mock)).toMatchObject({ kind: 'data', status: 200, misplaced: [] });
});

const OLD = 'an-Older+secret';
for (const [name, written] of [
  ['as it is', OLD],
  ['in other letters', OLD.toUpperCase()],
  ['in base64', encoded(OLD, 'base64url')],
  ['in base64 with the client id', encoded(`${ID}:${OLD}`, 'base64url').slice(0, 23)],
  ['in hexadecimal', encoded('4-Bytes!!', 'hex')],
  ['in lower-case percent-encoding', OLD.replace('+', '%2b')],
  ['in percent-encoding, twice', OLD.replace('+', '%252B')],
  ['in part', OLD.slice(0, 9)],
] as const)
  test(`the journal shows no secret that a client has or had, ${name}`, async () => {
    await using one = await withToken();
    const { mock } = one;
    mock.addClient({ id: 'older', secret: OLD });
    mock.addClient({ id: 'hex', secret: '4-Bytes!!' });
    await send(mock, head(`GET /a/${written}`, CLOSE));
    mock.client('older').change({ secret: 'a newer one' });
    await send(mock, head(`GET /a/${written}`), head(`GET /ods_data/?page=1&${written}=1`, CLOSE));
    const shown = mock.journal().slice(1);
    expect(shown.map(({ query }) => query)).toEqual([[], [], ['page', expect.any(String)]]);
    const found = [written, written.toLowerCase(), decodeURIComponent(written)];
    expect(found.filter((text) => JSON.stringify(shown).includes(text))).toEqual([]);
  });

test(`the journal of the control API shows no secret and no token`, async () => {
  await using one = await withToken({ controlKey: 'a-key-of-the-test' });
  const { mock, token, bearer } = one;
  for (const sent of [read(`?t=${token}&s=${secret}`, bearer), ask(`?s=${secret}`, basic(ID, SECRET))])
    await send(mock, sent);
  await send(
    mock,
    read(`${token}/${secret}`, `cookie: t=${token}`, `x-key: ${SECRET}`),
    readWith(form, bearer),
  );
  const headers = { authorization: `Bearer ${mock.controlKey}` };
  const answer = await fetch(`${new URL(mock.url).origin}/__mock/journal`, { headers });
  const shown = await answer.text();
  expect([answer.status, shown.split('/ods_data/').length > 2]).toEqual([200, true]);
  const found = [token, SECRET, secret, encoded(`${ID}:${SECRET}`, 'base64'), 'a-key-of-the-test'];
  expect(found.filter((text) => shown.includes(text))).toEqual([]);
});

for (const [target, path, query] of [
  ['/health/?a=hush&b=&a=2&c', '/health/', ['a', 'b', 'a', 'c']],
  [`/health/?${'n'.repeat(30)}=1`, '/health/', ['‹30 characters›']],
  [`/a/${'x'.repeat(24)}/${'y'.repeat(30)}`, '/a/‹24 characters›/‹30 characters›', []],
  [`/${'a/'.repeat(150)}`, `/${'a/'.repeat(150)}`.slice(0, 200), []],
  ['http://acme:hush@elsewhere.example/health/?a=hush', '/health/', ['a']],
  ['/health/?a=1#b=hush', '/health/', ['a']],
  ['*', '*', []],
  ['/a/b-c%20d', '/a/b-c%20d', []],
  ['/token/acme/hush-hush', '/token/acme/‹secret›', []],
  ['/ods_data/?ahush-hush=b', '/ods_data/', ['a‹secret›']],
] as const)
  test(`of the target ${target.slice(0, 40)} the path and the names in the query are kept`, async () => {
    await using mock = await startMock({ clients: [{ id: ID, secret: 'hush-hush' }] });
    await send(mock, head(`GET ${target}`, CLOSE));
    expect(mock.journal()).toMatchObject([{ path, query }]);
    expect(JSON.stringify(mock.journal())).not.toContain('hush');
  });

test('the journal shows the names of headers, and only values that can be no secret', async () => {
  await using mock = await startMock({ clients: [{ id: ID, secret: 'hush-hush' }] });
  const own = ['user-agent: curl/8.5.0', 'x-key: hush-hush', 'accept-encoding: gzip, deflate, hush'];
  await send(mock, head('GET /health/', ...own, 'x-a1b2c3: 1', 'cache-control: hush-hush', CLOSE));
  await send(mock, head('GET /health/', 'user-agent: hush-hush/1.0', CLOSE));
  const [first, second] = mock.journal().map(({ request }) => request.headers ?? {});
  expect(first).toMatchObject({
    ...{ connection: 'close', 'user-agent': 'curl/8.5.0', 'x-key': '‹not kept›' },
    ...{ 'accept-encoding': '‹not kept›', 'cache-control': '‹not kept›', host: '‹not kept›' },
  });
  expect(first).not.toHaveProperty('x-a1b2c3');
  expect(second).toMatchObject({ 'user-agent': '‹not kept›' });
  const many = Array.from(
    { length: 26 * 2 },
    (_, nth) => `x-${String.fromCharCode(97 + (nth % 26)).repeat(1 + nth)}: 1`,
  );
  await send(mock, head('GET /health/', ...many, CLOSE));
  expect(Object.keys(mock.journal().at(-1)?.request.headers ?? {})).toHaveLength(20);
  expect(JSON.stringify(mock.journal())).not.toContain('hush');
});

test('the journal shows no media type that holds a secret', async () => {
  await using mock = await startMock({ clients: [{ id: ID, secret: 'hush-hush' }] });
  await send(mock, head('GET /health/', 'accept: text/hush-hush', CLOSE));
  expect(mock.journal()).toMatchObject([{ request: { accept: 'application/json, text/‹secret›' } }]);
});

const percent = (text: string): string =>
  [...text].map((letter) => `%${letter.charCodeAt(0).toString(16).padStart(2, '0')}`).join('');
const chunks = (text: string): string =>
  `${(text.match(/.{1,65536}/gs) ?? []).map((part) => `${part.length.toString(16)}\r\n${part}\r\n`).join('')}0\r\n\r\n`;
