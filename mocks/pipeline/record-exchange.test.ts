import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect, _baseTest as test } from '@playwright/test';
import { request } from 'undici';
import { loadControlContract } from '../contract/control-contract.ts';
import type { Step } from '../contract/control-types.ts';
import { type Mock, type MockOptions, startMock } from '../index.ts';
import { createRandom } from '../random.ts';

const FORM = 'application/x-www-form-urlencoded';
const SECRET = 'hush-hush';
const options = { clients: [{ id: 'acme', secret: SECRET }], clock: 'frozen', seed: 'a seed' } as const;
const start = (more: MockOptions = {}) => startMock({ ...options, explain: true, ...more });

async function send(mock: Mock, target: string, method = 'GET', headers = {}, body?: string) {
  const { origin } = new URL(mock.url);
  const call = {
    path: target, // As it is written: a URL would be normalized.
    method: method as 'GET',
    headers,
    ...(body !== undefined && { body }),
  };
  const answer = await request(origin, call);
  return { status: answer.statusCode, headers: answer.headers, text: await answer.body.text() };
}
async function obtain(mock: Mock, more: Record<string, string> = {}, headers: Record<string, string> = {}) {
  const fields = { grant_type: 'client_credentials', client_id: 'acme', client_secret: SECRET, ...more };
  const body = new URLSearchParams(fields).toString();
  const answer = await send(mock, '/token/', 'POST', { 'content-type': FORM, ...headers }, body);
  return { ...answer, token: (JSON.parse(answer.text || '{}') as { token?: string }).token ?? '' };
}
const read = (mock: Mock, token: string) =>
  send(mock, '/ods_data/', 'GET', { authorization: `Bearer ${token}` });
const last = (mock: Mock) => mock.journal().at(-1);

test('an exchange has its request, client, token and answer', async () => {
  await using mock = await start();
  const { token } = await obtain(mock);
  mock.clock.advance(60);
  await read(mock, token);
  const [issued, served] = mock.journal();
  expect(issued).toEqual({
    seq: 1,
    at: '2030-01-01T00:00:00.000Z',
    client: 'acme',
    operation: 'obtainToken',
    method: 'POST',
    path: '/token/',
    query: [],
    status: 200,
    reason: 'issued',
    wallAt: expect.stringMatching(/^\d{4}-.*Z$/),
    durationMs: expect.any(Number),
    token: { name: 'acme#1', standing: 'valid', ageSeconds: 0, remainingSeconds: 900 },
    request: { contentType: FORM, fields: ['grant_type', 'client_id', 'client_secret'] },
    response: { contentType: 'application/json', bytes: 76 },
  });
  expect(served).toMatchObject({
    seq: 2,
    at: '2030-01-01T00:01:00.000Z',
    client: 'acme',
    operation: 'readData',
    method: 'GET',
    path: '/ods_data/',
    status: 200,
    reason: 'served',
    request: { authorization: 'bearer' },
    token: { name: 'acme#1', standing: 'valid', ageSeconds: 60, remainingSeconds: 840 },
  });
  expect(served).not.toHaveProperty('script');
  expect(served).not.toHaveProperty('ended');
});

for (const [what, then, status, reason, tokenStatus] of [
  ['lives', () => {}, 200, 'served', 'valid'],
  ['has expired', (mock) => mock.clock.advance('15m'), 403, 'expired', 'expired'],
  ['was ended', (mock) => mock.client('acme').expire(), 403, 'expired-on-order', 'expired'],
  ['was revoked', (mock) => mock.client('acme').revoke(), 401, 'revoked', 'unknown'],
] as [string, (mock: Mock) => void, number, string, string][])
  test(`a token that ${what} has that status in the journal and in the headers`, async () => {
    await using mock = await start();
    const { token } = await obtain(mock);
    then(mock);
    const { headers } = await read(mock, token);
    expect(last(mock)).toMatchObject({
      status,
      reason,
      client: 'acme',
      token: { name: 'acme#1', standing: tokenStatus },
    });
    expect(headers).toMatchObject({
      'x-mock-reason': reason,
      'x-mock-exchange': '2',
      'x-mock-token': 'acme#1',
      'x-mock-token-remaining': reason === 'expired' ? '0' : '900',
    });
    expect(headers).not.toHaveProperty('x-mock-script');
  });

for (const [what, ask, reason] of [
  ['a wrong path', (mock) => send(mock, '/nowhere/'), 'no-path'],
  ['a wrong method', (mock) => send(mock, '/token/'), 'no-method'],
  ['no token', (mock) => send(mock, '/ods_data/'), 'missing-token'],
  [
    'a malformed one',
    (mock) => send(mock, '/ods_data/', 'GET', { authorization: 'Basic x' }),
    'malformed-token',
  ],
  ['an unknown one', (mock) => read(mock, 'nobody'), 'unknown-token'],
  ['a health check', (mock) => send(mock, '/health/'), 'healthy'],
  ['a wrong secret', (mock) => obtain(mock, { client_secret: 'wrong' }), 'wrong-credentials'],
  ['a wrong grant', (mock) => obtain(mock, { grant_type: 'password' }), 'unsupported-grant-type'],
  ['another accept header', (mock) => obtain(mock, {}, { accept: 'text/html' }), 'not-acceptable'],
] as [string, (mock: Mock) => Promise<{ headers: object }>, string][])
  test(`for ${what} the reason is ${reason}, and there is no token that was sent or issued`, async () => {
    await using mock = await start();
    await obtain(mock);
    const { headers } = await ask(mock);
    expect(last(mock)).toMatchObject({ seq: 2, reason });
    expect(last(mock)).not.toHaveProperty('token');
    expect(headers).toMatchObject({ 'x-mock-reason': reason, 'x-mock-exchange': '2' });
    expect(headers).not.toHaveProperty('x-mock-token');
  });

test('a scripted answer is recorded with its steps, and a scripted refusal of a token has none', async () => {
  await using mock = await start();
  const { token } = await obtain(mock);
  const answer = { status: 503 };
  mock
    .client('acme')
    .script([
      { outsideContract: true, nth: 1, do: { answer } },
      { outsideContract: true, on: 'obtainToken', do: { answer } },
      { do: { delay: 0 } },
    ]);
  expect((await read(mock, token)).headers).toMatchObject({ 'x-mock-script': '1, 3' });
  expect(last(mock)).toMatchObject({
    status: 503,
    reason: 'script',
    script: [1, 3],
    token: { name: 'acme#1' },
  });
  await obtain(mock);
  expect(last(mock)).toMatchObject({ status: 503, reason: 'script', script: [2], client: 'acme' });
  expect(last(mock)).not.toHaveProperty('token');
});

for (const move of [{ expire: 'token' }, { advance: '8h' }] as const)
  test(`a move after an answer is not recorded with it: ${Object.keys(move)}`, async () => {
    await using mock = await start();
    const { token } = await obtain(mock);
    mock.client('acme').script([{ nth: 1, when: 'after', do: move }]);
    await read(mock, token);
    expect(last(mock)).toMatchObject({ status: 200, token: { standing: 'valid', remainingSeconds: 900 } });
    expect((await read(mock, token)).status).toBe(403);
  });

for (const [target, path, query] of [
  ['/health/?a=hush&b=&a=2&c', '/health/', ['a', 'b', 'a', 'c']],
  ['/health/?a%20b=hush', '/health/', ['a b']],
  [`/health/?${'n'.repeat(30)}=1`, '/health/', ['‹30 characters›']],
  [`/a/${'x'.repeat(23)}/b`, `/a/${'x'.repeat(23)}/b`, []],
  [`/a/${'x'.repeat(24)}/${'y'.repeat(30)}`, '/a/‹24 characters›/‹30 characters›', []],
  [`/${'a/'.repeat(150)}`, `/${'a/'.repeat(150)}`.slice(0, 200), []],
] as const)
  test(`of ${target.slice(0, 40)} the path and the names in the query are kept`, async () => {
    await using mock = await start();
    await send(mock, target);
    expect(last(mock)).toMatchObject({ path, query });
    expect(JSON.stringify(mock.journal())).not.toContain('hush');
  });

for (const [url, path, query] of [
  ['http://acme:hush@elsewhere.example/health/?a=hush', '/health/', ['a']],
  ['/health/#hush', '/health/', []],
  ['/health/?a=1#b=hush', '/health/', ['a']],
  ['/health/?#hush', '/health/', []],
  ['/health/?', '/health/', []],
  ['*', '*', []],
] as const)
  test(`of the target ${url} nothing but the path and the names in the query is kept`, async () => {
    await using mock = await start();
    const socket = connect(Number(new URL(mock.url).port), '127.0.0.1');
    socket.end(`GET ${url} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n`);
    await text(socket);
    expect(last(mock)).toMatchObject({ path, query });
    expect(JSON.stringify(mock.journal())).not.toContain('hush');
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
    await send(mock, '/health/', 'GET', { accept: given, 'content-type': given });
    expect(last(mock)?.request).toEqual({ accept: shown, contentType: shown });
  }
});

test('a secret in a path or in the name of a query is left out, however short', async () => {
  await using mock = await start();
  for (const target of [`/token/acme/${SECRET}`, `/ods_data/?${SECRET}`, `/ods_data/?a${SECRET}=b`]) {
    await send(mock, target);
    expect(JSON.stringify(last(mock)), target).toContain('‹secret›');
    expect(JSON.stringify(last(mock)), target).not.toContain(SECRET);
  }
});

for (const seed of ['one', 'two'])
  test(`no secret, no token and no value of a query is ever in an entry, which is as described: ${seed}`, async () => {
    const { share } = createRandom(seed);
    let draws = 0;
    const one = <Item>(items: readonly Item[]) =>
      items[Math.floor(items.length * share(`${++draws}`))] as Item;
    await using mock = await start();
    const tokens = [(await obtain(mock)).token];
    const steps: Step[][] = [
      ...([[], [{ do: { expire: 'token' } }], [{ on: 'obtainToken', do: { sameToken: true } }]] as Step[][]),
      [
        { every: 2, do: { answer: { status: 403 } } },
        { when: 'after', do: { revoke: 'client' } },
      ],
    ];
    for (let nth = 0; nth < 60; nth++) {
      const token = one(tokens);
      const value = one([token, 'a-value-of-a-query', encodeURIComponent(SECRET)]);
      const target = one(['/ods_data/', '/token/', '/health/', `/${token}/`, `/x/${token}`]);
      const authorization = one([
        `Bearer ${token}`,
        token,
        `Basic ${btoa(`acme:${SECRET}`)}`,
        `bearer  ${token}`,
      ]);
      const path = one([target, `${target}?token=${value}`, `${target}?${token}`, `${target}#${value}`]);
      if (share(`${++draws}`) < 0.2) mock.client('acme').script(one(steps));
      if (share(`${++draws}`) < 0.3) tokens.push((await obtain(mock)).token || token);
      else await send(mock, path, one(['GET', 'POST', 'HEAD']), { authorization });
    }
    const told = JSON.stringify(mock.journal());
    for (const secret of [SECRET, 'a-value-of-a-query', btoa(`acme:${SECRET}`), ...tokens])
      expect(told).not.toContain(secret);
    for (const entry of mock.journal())
      expect(loadControlContract().schemaProblem('Entry', entry)).toBeUndefined();
  });
