/** Scenarios of the mock on a service: what the client meets, what the service gets, and how both are judged. */
import { gzipSync } from 'node:zlib';
import { expect, _baseTest as test } from '@playwright/test';
import { type Mock, startMock } from '../index.ts';
import type { Call } from './call.ts';
import { injectableAt, injectableNamed } from './inject.ts';
import type { RunningProxy } from './proxy.ts';
import { ask, proxyTo, read, SECRET, tokenFrom } from './testing/proxied.ts';
import { onHead, open, startRaw, startWeb } from './testing/wire.ts';

interface Stage extends AsyncDisposable {
  service: Mock;
  proxy: RunningProxy;
  calls: Call[];
  /** What the service was asked. */
  asked(): string[];
}

async function stage(scenario: string): Promise<Stage> {
  const service = await startMock({
    clients: ['acme', 'other'].map((id) => ({ id, secret: SECRET })),
    controlKey: false,
  });
  const calls: Call[] = [];
  const proxy = await injecting(service.url, scenario, (call) => calls.push(call));
  return {
    service,
    proxy,
    calls,
    asked: () => service.journal().map(({ method, path, status }) => `${method} ${path} ${status}`),
    async [Symbol.asyncDispose]() {
      await proxy.close();
      await service.close();
    },
  };
}

/** T asks for a token, R reads with the latest, F with the first; and what each meets. What begins with ! the service was not asked. */
for (const [scenario, calls, met] of [
  ['expires-every-3', 'T R R R R T R', '200 200 200 !403 !403 200 200'],
  ['403-for-ever', 'T R R', '200 !403 !403'],
  ['403-stays', 'T R R R R', '200 200 200 !403 !403'],
  ['token-429', 'T T', '200 !429'],
  ['token-500', 'T T T', '200 !500 200'],
  ['revoked-early', 'T R R R', '200 200 200 !401'],
  ['ended-early', 'T R R R', '200 200 200 !403'],
  ['newest-token-only', 'T T F R', '200 200 !403 200'],
  ['token-reset', 'T R T', '200 200 !reset'],
] as const)
  test(`${scenario} on ${calls} makes it ${met}, and the proxy answers in place of the service`, async () => {
    await using one = await stage(scenario);
    const { url } = one.proxy;
    const tokens: string[] = [];
    const seen: string[] = [];
    for (const call of calls.split(' ')) {
      const before = one.asked().length;
      const asking = call === 'T' ? ask(url) : read(url, call === 'F' ? tokens[0] : tokens.at(-1));
      const answer = await asking.catch(() => undefined);
      if (answer?.body.token !== undefined) tokens.push(answer.body.token);
      const isOwn = one.asked().length === before;
      seen.push(`${isOwn ? '!' : ''}${answer?.status ?? 'reset'}`);
      const mark = isOwn && answer ? 'mrs-proxy; error=proxy_internal_response' : null;
      expect(answer?.headers.get('proxy-status') ?? null).toBe(mark);
      if (answer?.status === 429) expect(answer.headers.get('retry-after')).toBe('2');
    }
    expect(seen.join(' ')).toBe(met);
  });

test('another client of the same service meets nothing', async () => {
  await using one = await stage('403-for-ever');
  const { url } = one.proxy;
  expect((await read(url, await tokenFrom(url))).status).toBe(403);
  expect((await read(url, await tokenFrom(url, 'other'))).status).toBe(200);
  expect((await read(url, 'unknown')).status).toBe(401);
  expect(one.calls.map(({ status, reason }) => `${status} ${reason}`)).toEqual([
    ...['200 issued', '403 injected: 403-for-ever', '200 issued', '200 served', '401 refused'],
  ]);
});

test('the service ends the tokens that the scenario does not', async () => {
  const service = await startMock({ clients: [{ id: 'acme', secret: SECRET }], controlKey: false });
  const inject = { scenario: injectableNamed('data-500'), client: 'acme' };
  // Where the agreed lifetime was enforced by the proxy, a token was over at once.
  const tokenLifetime = { others: 0.001, byClient: new Map() };
  await using proxy = await proxyTo(service.url, { inject, tokenLifetime });
  const token = await tokenFrom(proxy.url);
  for (let nth = 0; nth < 3; nth++) expect((await read(proxy.url, token)).status).not.toBe(403);
  await service.close();
});

test('a token request that is looked at reaches the service with its body', async () => {
  await using one = await stage('token-429');
  expect((await ask(one.proxy.url, 'other')).status).toBe(200);
  expect((await ask(one.proxy.url, 'other', 'wrong')).status).toBe(401);
  const large = new URLSearchParams({ client_id: 'x'.repeat(100_000) });
  const answer = await fetch(`${one.proxy.url}/token/`, { method: 'POST', body: large });
  expect(answer.status).toBe(413); // of the service
});

test('injected answers are judged as met by the client, and never as given by the service', async () => {
  await using one = await stage('revoked-early');
  const { url } = one.proxy;
  const token = await tokenFrom(url);
  // An unexpired token that a service refuses with 401 violates MRS-5.3b; the client breaks rules by its repetition.
  for (let nth = 0; nth < 6; nth++) await read(url, token);
  await one.proxy.close();
  const { judged, proxy } = await one.proxy.result();
  expect(proxy).toEqual({ unanswered: 0, injected: 4, scenario: 'revoked-early', client: 'acme' });
  expect(
    judged.server.filter(({ verdict }) => verdict === 'failed').map(({ requirement }) => requirement.id),
  ).toEqual([]);
  const [client] = judged.clients;
  const calls = client?.certificate.scenario.calls ?? [];
  expect(calls.map(({ status, proxyAnswer }) => [status, proxyAnswer])).toEqual([
    [200, undefined],
    [200, undefined],
    [200, undefined],
    ...Array.from({ length: 4 }, () => [401, 'injected: revoked-early']),
  ]);
});

test('a client that keeps sending an expired token breaks the rule on renewal', async () => {
  await using one = await stage('ended-early');
  const { url } = one.proxy;
  const token = await tokenFrom(url);
  for (let nth = 0; nth < 5; nth++) await read(url, token);
  await read(url, await tokenFrom(url));
  await one.proxy.close();
  const { judged } = await one.proxy.result();
  const broken = judged.clients[0]?.certificate.rules.filter(({ verdict }) => verdict === 'failed');
  expect(broken?.map(({ id }) => id)).toContain('renewal');
  expect(judged.history.lives.map(({ hasExpired }) => hasExpired)).toEqual([false, false]); // by the service
});

test('only scenarios that refuse, delay or reset can be injected', () => {
  const names = injectableAt(0).map(({ name }) => name);
  expect(names).toEqual(
    expect.arrayContaining([
      'expires',
      '403-for-ever',
      'token-500',
      'token-down',
      'rate-limited',
      'secret-rotated',
    ]),
  );
  for (const name of ['steady', 'odd-secret', 'data-empty', 'extra-fields', 'skew-ahead', 'same-token-again'])
    expect(names).not.toContain(name);
  expect(() => injectableNamed('data-empty')).toThrow(
    /^--inject is "data-empty", which is not a scenario that the proxy can play\. It can play expires, /,
  );
});

const TOKEN = 'a-token-of-it-0815';
const FORM = 'Content-Type: application/x-www-form-urlencoded\r\n';

const injecting = (target: string, scenario: string, onCall?: (call: Call) => void): Promise<RunningProxy> =>
  proxyTo(target, { inject: { scenario: injectableNamed(scenario), client: 'acme' }, onCall });

test('a token whose answer takes long to decode is known at the next read', async () => {
  // Of 16 MiB, sent as 16 KiB.
  const token = gzipSync(JSON.stringify({ token: TOKEN }).padEnd(16 * 1024 * 1024));
  let reads = 0;
  await using service = await startWeb((request, response) => {
    response.setHeader('content-type', 'application/json');
    if (request.url === '/token/') response.setHeader('content-encoding', 'gzip').end(token);
    else {
      reads++;
      request.socket.end('HTTP/1.1 500 Read\r\nConnection: close\r\nContent-Length: 0\r\n\r\n');
    }
  });
  await using proxy = await injecting(service.url, '403-for-ever');
  const client = open(Number(new URL(proxy.url).port));
  client.socket.write(`POST /token/ HTTP/1.1\r\nHost: a\r\n${FORM}Content-Length: 14\r\n\r\nclient_id=acme`);
  await client.until(token.subarray(-8).toString('latin1')); // This client need not decode it.
  client.socket.write(`GET /ods_data/ HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${TOKEN}\r\n\r\n`);
  await client.until('HTTP/1.1 403 ');
  client.socket.destroy();
  expect(reads).toBe(0);
});

test('a client that leaves in the middle of the body of its token request leaves no connection', async () => {
  let connections = 0;
  await using service = await startRaw((socket) => {
    connections++;
    onHead(socket, () => socket.write('HTTP/1.1 204 No Content\r\n\r\n'));
  });
  let resolveOver = () => {};
  const isOver = new Promise<void>((resolve) => {
    resolveOver = resolve;
  });
  await using proxy = await injecting(service.url, 'token-500', () => resolveOver());
  const client = open(Number(new URL(proxy.url).port));
  client.socket.write(
    'POST /token/ HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 100\r\n\r\nclient_id=acme',
  );
  await client.until('100 Continue');
  client.socket.destroy();
  await isOver;
  expect((await fetch(`${proxy.url}/x`)).status).toBe(204);
  expect(connections).toBe(1);
});
