import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { expect, _baseTest as test } from '@playwright/test';
import { answers } from '../contract/answers.ts';
import type { Mock } from '../index.ts';
import { ask, KEY, obtainToken, reasons, startFrozen as start, statusOf } from '../testing/described.ts';

const SECRET = 'hush-hush';
const put = (mock: Mock, path: string, body: unknown) => ask(mock, path, { method: 'PUT', body });
const post = (mock: Mock, path: string, body?: unknown) =>
  ask(mock, path, { method: 'POST', ...(body !== undefined && { body }) });
const remove = (mock: Mock, path: string) => ask(mock, path, { method: 'DELETE' });

test('a client is made, reported, changed and removed, and its secret is never reported', async () => {
  await using mock = await start();
  const path = '/__mock/clients/acme%2Fone';
  const made = await put(mock, path, {
    secret: SECRET,
    tokenLifetime: ['15m', '10s'],
    jitter: 0,
    skew: '-1s',
  });
  expect(made).toMatchObject({
    status: 201,
    body: { id: 'acme/one', tokenLifetimesSeconds: [900, 10], skewSeconds: -1, tokensIssued: 0 },
  });
  const token = await obtainToken(mock, 'acme/one', SECRET);
  expect(await ask(mock, path)).toMatchObject({
    status: 200,
    body: {
      tokensIssued: 1,
      tokens: [{ name: 'acme/one#1', standing: 'valid', expiresAt: '2030-01-01T00:15:01.000Z' }],
    },
  });
  expect(await put(mock, path, { tokenLifetime: 5 })).toMatchObject({
    status: 200,
    body: { tokenLifetimesSeconds: [5], skewSeconds: -1 },
  });
  const list = await ask(mock, '/__mock/clients');
  expect(list).toMatchObject({ status: 200, body: { clients: [{ id: 'demo' }, { id: 'acme/one' }] } });
  expect(JSON.stringify(list)).not.toMatch(new RegExp(`${SECRET}|demo-secret|${token}`));
  expect(await remove(mock, path)).toMatchObject({ status: 204 });
  expect(await ask(mock, path)).toMatchObject({ status: 404 });
  expect(await statusOf(mock, token)).toBe(401);
});

test('a new client needs a secret, and terms that cannot be are refused whole', async () => {
  await using mock = await start();
  for (const [terms, sentence] of [
    [{}, /there is no client "new", and a new client requires a secret/],
    [{ secret: '' }, /\/secret must NOT have fewer than 1 characters/],
    [{ secret: 'x', jitter: 1 }, /\/jitter must be < 1/],
    [
      { secret: 'x', tokenLifetime: -1 },
      /"-1" is not a valid value for the token lifetime of the client "new"/,
    ],
    [{ secret: 'x', tokenLifetime: [] }, /\/tokenLifetime must NOT have fewer than 1 items/],
    [{ secret: 'x', script: [{ do: { answer: { status: 500 } } }] }, /does not answer readData with 500/],
    [{ secret: 'x', lifetime: 3 }, /additional properties \(lifetime\)/],
  ] as const) {
    const answer = await put(mock, '/__mock/clients/new', terms);
    expect(answer.status, JSON.stringify(terms)).toBe(400);
    expect(answer.body).toMatchObject({ error_description: expect.stringMatching(sentence) });
    expect(await ask(mock, '/__mock/clients/new')).toMatchObject({ status: 404 });
  }
});

test('of a change that is refused nothing is done', async () => {
  await using mock = await start();
  const script = [{ do: { delay: '1ms' } }];
  expect(await put(mock, '/__mock/clients/demo', { script, tokenLifetime: -1 })).toMatchObject({
    status: 400,
  });
  expect(await ask(mock, '/__mock/clients/demo')).toMatchObject({
    body: { script: [], tokenLifetimesSeconds: [900] },
  });
});

test('a script is given, reported, played and taken away', async () => {
  await using mock = await start();
  const path = '/__mock/clients/demo/script';
  const script = [{ nth: 2, do: { expire: 'token' } }];
  expect(await ask(mock, path)).toMatchObject({ status: 200, body: { script: [] } });
  expect(await put(mock, path, script)).toMatchObject({ status: 200, body: { script } });
  const token = await obtainToken(mock);
  expect([await statusOf(mock, token), await statusOf(mock, token)]).toEqual([200, 403]);
  expect(await remove(mock, path)).toMatchObject({ status: 204 });
  expect(await ask(mock, path)).toMatchObject({ body: { script: [] } });
  expect(await ask(mock, '/__mock/clients/nobody/script')).toMatchObject({ status: 404 });
});

for (const [what, script, sentence] of [
  ['no list', {}, /the body must be array/],
  ['a step without do', [{}], /\/0 must have required property 'do'/],
  ['an action that is none', [{ do: { explode: true } }], /\/0\/do must NOT have additional properties/],
  [
    'a delay afterwards',
    [{ when: 'after', do: { delay: 1 } }],
    /\/0\/do must be equal to one of the allowed/,
  ],
  [
    'a header with a line break',
    [{ do: { answer: { status: 200, headers: { a: 'b\r\nc: d' } } } }],
    /pattern/,
  ],
  [
    'a header that frames',
    [{ do: { answer: { status: 200, headers: { Trailer: 'x' } } } }],
    /header Trailer frames/,
  ],
  [
    'a status that the contract lacks',
    [{ do: { answer: { status: 418 } } }],
    /step 1: the contract does not/,
  ],
  ['an example that it lacks', [{ do: { answer: { status: 403, example: 'x' } } }], /has no example "x"/],
  ['a member that it lacks', [{ on: 'obtainToken', do: { add: { scope: 'x' } } }], /additional properties/],
] as const)
  test(`a script with ${what} is refused, and the last one stays`, async () => {
    await using mock = await start();
    const last = [{ do: { delay: 0 } }];
    await put(mock, '/__mock/clients/demo/script', last);
    const answer = await put(mock, '/__mock/clients/demo/script', script);
    expect(answer).toMatchObject({
      status: 400,
      body: { error_description: expect.stringMatching(sentence) },
    });
    expect(await ask(mock, '/__mock/clients/demo/script')).toMatchObject({ body: { script: last } });
  });

test('a token, those of a client, or all are ended, softly or for good', async () => {
  await using mock = await start({
    clients: [
      { id: 'a', secret: 'x' },
      { id: 'b', secret: 'y' },
    ],
  });
  const tokens = [
    await obtainToken(mock, 'a', 'x'),
    await obtainToken(mock, 'a', 'x'),
    await obtainToken(mock, 'b', 'y'),
  ];
  const statuses = async () => [
    await statusOf(mock, tokens[0] ?? ''),
    await statusOf(mock, tokens[1] ?? ''),
    await statusOf(mock, tokens[2] ?? ''),
  ];
  expect(await post(mock, '/__mock/expire', { token: 'a#1' })).toMatchObject({
    status: 200,
    body: { ended: 1 },
  });
  expect(await statuses()).toEqual([403, 200, 200]);
  expect(await post(mock, '/__mock/expire', { client: 'a', revoke: true })).toMatchObject({
    body: { ended: 1 },
  });
  expect(await statuses()).toEqual([401, 401, 200]);
  expect(await post(mock, '/__mock/expire', { all: true })).toMatchObject({ body: { ended: 1 } });
  expect(await statuses()).toEqual([401, 401, 403]);
  for (const unknown of [{ client: 'c' }, { token: 'c#1' }, { token: 'a#9' }, { token: 'a' }])
    expect((await post(mock, '/__mock/expire', unknown)).status, JSON.stringify(unknown)).toBe(404);
  for (const unclear of [{}, { client: 'a', all: true }])
    expect((await post(mock, '/__mock/expire', unclear)).status, JSON.stringify(unclear)).toBe(400);
});

test('the journal is reported, filtered, exported and cleared', async () => {
  await using mock = await start();
  const token = await obtainToken(mock);
  await statusOf(mock, token);
  await statusOf(mock, token, '/ods_data');
  expect(await ask(mock, '/__mock/journal')).toMatchObject({
    status: 200,
    body: {
      lost: 0,
      entries: [
        {
          seq: 1,
          operation: 'obtainToken',
          reason: 'issued',
          token: { name: 'demo#1', remainingSeconds: 900 },
        },
        { seq: 2, operation: 'readData', reason: 'served', client: 'demo', at: '2030-01-01T00:00:00.000Z' },
        { seq: 3, status: 404, reason: 'no-path', path: '/ods_data' },
      ],
    },
  });
  const seqs = async (query: string) => {
    const { body } = await ask(mock, `/__mock/journal?${query}`);
    return (body as { entries: { seq: number }[] }).entries.map(({ seq }) => seq);
  };
  expect(await seqs('client=demo')).toEqual([1, 2]);
  expect(await seqs('operation=readData')).toEqual([2]);
  expect(await seqs('status=404')).toEqual([3]);
  expect(await seqs('reason=issued')).toEqual([1]);
  expect(await seqs('token=demo%231&since=1')).toEqual([2]);
  expect(await seqs('limit=2')).toEqual([2, 3]);
  for (const query of ['client=demmo', 'token=demmo%231', 'token=demo', 'status=4030'])
    expect((await ask(mock, `/__mock/journal?${query}`)).status, query).toBeGreaterThanOrEqual(400);
  for (const query of ['limit=x', 'status=', 'colour=red', 'format=xml'])
    expect((await ask(mock, `/__mock/journal?${query}`)).status, query).toBe(400);
  expect(await remove(mock, '/__mock/journal')).toMatchObject({ status: 204 });
  expect(await seqs('')).toEqual([]);
  await statusOf(mock, token);
  expect(await seqs('')).toEqual([4]);
});

test('neither the journal nor its export holds a secret or a token', async () => {
  await using mock = await start({ clients: [{ id: 'a', secret: SECRET }] });
  const token = await obtainToken(mock, 'a', SECRET);
  await statusOf(mock, token);
  await statusOf(mock, `${token}x`);
  await statusOf(mock, token, `/ods_data/?access_token=${token}`);
  await statusOf(mock, token, `/ods_data/${token}`);
  for (const format of ['json', 'har']) {
    const { body, status } = await ask(mock, `/__mock/journal?format=${format}`);
    expect([format, status, JSON.stringify(body).includes('access_token')]).toEqual([format, 200, true]);
    expect(JSON.stringify(body)).not.toMatch(new RegExp(`${token}|${SECRET}|${KEY}`));
  }
});

test('calls are verified by their number', async () => {
  await using mock = await start();
  const token = await obtainToken(mock);
  await statusOf(mock, token);
  await statusOf(mock, token);
  for (const [expected, passed, count] of [
    [{ client: 'demo', operation: 'obtainToken', atMost: 1 }, true, 1],
    [{ client: 'demo', operation: 'obtainToken', atLeast: 2 }, false, 1],
    [{ operation: 'readData', atLeast: 2, atMost: 2 }, true, 2],
    [{ operation: 'readData', atMost: 1 }, false, 2],
    [{ status: 403 }, false, 0],
    [{ status: 403, atMost: 0 }, true, 0],
  ] as const)
    expect(await post(mock, '/__mock/verify', expected), JSON.stringify(expected)).toMatchObject({
      status: 200,
      body: { passed, count },
    });
});

test('a reset brings back the start', async () => {
  await using mock = await start();
  const [first, path] = [await obtainToken(mock), '/__mock/clients/demo/script'];
  await put(mock, path, [{ nth: 2, do: { answer: { status: 403 } } }]);
  await put(mock, '/__mock/clients/other', { secret: 'x' });
  expect(await post(mock, '/__mock/reset')).toMatchObject({ status: 204 });
  expect(mock.clients.map(({ id }) => id)).toEqual(['demo']);
  expect(await statusOf(mock, first)).toBe(401);
  expect(await ask(mock, path)).toMatchObject({ body: { script: [] } });
});

test('what is served and assumed is reported', async () => {
  await using mock = await start({ basePath: '/api' });
  const { body } = await ask(mock, '/__mock/contract');
  expect(body).toMatchObject({
    basePath: '/api',
    operations: [{ id: 'obtainToken', path: '/token/' }, {}, {}],
  });
  expect((body as { assumptions: unknown[] }).assumptions).toEqual(mock.assumptions);
});

test('exchanges are reported as they end, and what was missed comes first to who asks for it', async () => {
  await using mock = await start();
  const token = await obtainToken(mock);
  await using stream = await listenTo(mock);
  await statusOf(mock, token);
  expect(await stream.next()).toMatchObject({
    id: '2',
    event: 'exchange',
    data: { seq: 2, reason: 'served' },
  });
  await using late = await listenTo(mock, { 'last-event-id': '1' });
  expect(await late.next()).toMatchObject({ id: '2' });
  await using other = await listenTo(mock, {}, '?client=nobody');
  await statusOf(mock, token);
  mock.addClient({ id: 'nobody', secret: 'x' });
  await obtainToken(mock, 'nobody', 'x');
  expect([await stream.next(), await late.next()]).toMatchObject([{ id: '3' }, { id: '3' }]);
  expect(await other.next()).toMatchObject({ id: '4', data: { client: 'nobody' } });
});

test('a listener that missed two thousand exchanges gets all of them, in order', async () => {
  await using mock = await start();
  const token = await obtainToken(mock);
  const agents = Array.from({ length: 100 }, () => statusOf(mock, token));
  await Promise.all(agents);
  for (let round = 1; round < 20; round++) await Promise.all(agents.map(() => statusOf(mock, token)));
  await using stream = await listenTo(mock, { 'last-event-id': '0' });
  const seqs = [];
  for (let nth = 1; nth <= 2_001; nth++) seqs.push(Number((await stream.next()).id));
  expect(seqs).toEqual(Array.from({ length: 2_001 }, (_, nth) => nth + 1));
  await statusOf(mock, token);
  expect(await stream.next()).toMatchObject({ id: '2002' });
});

test('what began before a reset has no say after it', async () => {
  await using mock = await start();
  await put(mock, '/__mock/clients/demo/script', [
    { nth: 1, do: { delay: '300ms' } },
    { nth: 1, when: 'after', do: { advance: '8h', expire: 'client' } },
  ]);
  const slow = statusOf(mock, await obtainToken(mock));
  await expect.poll(async () => (await ask(mock, '/__mock/clients/demo')).status).toBe(200);
  expect(await post(mock, '/__mock/reset')).toMatchObject({ status: 204 });
  const token = await obtainToken(mock);
  expect(await slow).toBe(200);
  expect(await statusOf(mock, token)).toBe(200);
  expect(mock.journal().map(({ reason }) => reason)).toEqual(['issued', 'served']);
  expect(await ask(mock, '/__mock/clients/demo')).toMatchObject({ body: { aheadSeconds: 0 } });
});

test('an unknown client and an unknown reason are not verified', async () => {
  await using mock = await start();
  for (const [expected, status] of [
    [{ client: 'nobody', atMost: 2 }, 404],
    [{ reason: 'expierd', atMost: 0 }, 400],
  ] as const) {
    expect((await post(mock, '/__mock/verify', expected)).status).toBe(status);
    expect(() => mock.verify(expected as object)).toThrow(/nobody|reason/);
  }
  expect((await ask(mock, '/__mock/journal?reason=expierd')).status).toBe(400);
  expect((await ask(mock, '/__mock/journal?operation=getData')).status).toBe(400);
});

test('the reasons that are described are those that there are', async () => {
  const examples = Object.values(answers).map(({ example }) => example);
  const others = ['expired-on-order', 'revoked', 'script', 'preflight', 'no-path', 'no-method'];
  expect(new Set(reasons)).toEqual(new Set([...examples, ...others]));
});

test('a script that is nested without measure is refused, and nothing has changed', async () => {
  await using mock = await start();
  const body = `[{"do":{"answer":{"status":403,"body":${'['.repeat(8_000)}${']'.repeat(8_000)}}}}]`;
  const terms = `{"secret":"changed","script":${body}}`;
  for (const path of ['/__mock/clients/demo', '/__mock/clients/new'])
    expect(await ask(mock, path, { method: 'PUT', body: terms })).toMatchObject({ status: 400 });
  expect(mock.clients.map(({ id, secret }) => [id, secret])).toEqual([['demo', 'demo-secret']]);
});

test('events need the key', async () => {
  await using mock = await start();
  expect(await ask(mock, '/__mock/events', { headers: { authorization: 'Bearer x' } })).toMatchObject({
    status: 401,
  });
});

test('a hundred listeners are let in, and another one once one of them has gone', async () => {
  await using mock = await start();
  const streams = [];
  for (let count = 1; count <= 100; count++) streams.push(await listenTo(mock));
  expect(await ask(mock, '/__mock/events')).toMatchObject({ status: 503 });
  await streams[0]?.[Symbol.asyncDispose]();
  await expect.poll(async () => (await listenTo(mock)).status).toBe(200);
});

/** A listener that has heard the first words of the stream. */
async function listenTo(mock: Mock, headers: Record<string, string> = {}, query = '') {
  const asked = get(`${mock.url}/__mock/events${query}`, {
    headers: { authorization: `Bearer ${KEY}`, ...headers },
  });
  const [stream] = (await once(asked, 'response')) as [IncomingMessage];
  const blocks = blocksOf(stream.setEncoding('utf8'));
  await blocks.next();
  return {
    status: stream.statusCode,
    async next() {
      const { value = '' } = await blocks.next();
      const fields = Object.fromEntries(value.split('\n').map((line) => line.split(/: (.*)/s).slice(0, 2)));
      return { ...fields, data: JSON.parse(fields.data) };
    },
    async [Symbol.asyncDispose]() {
      const closed = once(asked, 'close');
      asked.destroy();
      await closed;
    },
  };
}

async function* blocksOf(stream: IncomingMessage): AsyncGenerator<string, undefined> {
  let text = '';
  for await (const part of stream) {
    text += part;
    for (let end = text.indexOf('\n\n'); end !== -1; end = text.indexOf('\n\n')) {
      yield text.slice(0, end);
      text = text.slice(end + 2);
    }
  }
  return undefined;
}
