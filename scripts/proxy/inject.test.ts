/** Scenarios of the mock on a service: what the client meets, what the service gets, and how both are judged. */
import { gzipSync } from 'node:zlib';
import { expect, _baseTest as test } from '@playwright/test';
import { type Mock, startMock } from '../index.ts';
import { injectableAt, injectableNamed } from './inject.ts';
import type { RunningProxy } from './proxy.ts';
import { ask, proxyTo, read, SECRET, tokenFrom } from './testing/proxied.ts';
import { onHead, open, startRaw, startWeb } from './testing/wire.ts';

interface Stage extends AsyncDisposable {
  service: Mock;
  proxy: RunningProxy;
  /** What the service was asked. */
  asked(): string[];
}

async function stage(scenario: string): Promise<Stage> {
  const service = await startMock({
    clients: ['acme', 'other'].map((id) => ({ id, secret: SECRET })),
    controlKey: false,
  });
  const proxy = await injecting(service.url, scenario);
  return {
    service,
    proxy,
    asked: () => service.journal().map(({ method, path, status }) => `${method} ${path} ${status}`),
    async [Symbol.asyncDispose]() {
      await proxy.close();
      await service.close();
    },
  };
}

test('a token that a scenario expires is refused with 403 by the proxy, and the service is not asked', async () => {
  await using one = await stage('expires-every-3');
  const { url } = one.proxy;
  const first = await tokenFrom(url);
  const statuses: number[] = [];
  for (let nth = 0; nth < 4; nth++) statuses.push((await read(url, first)).status);
  expect(statuses).toEqual([200, 200, 403, 403]);
  const refused = await read(url, first);
  expect(refused.headers.get('proxy-status')).toBe('mrs-proxy; error=proxy_internal_response');
  expect((await read(url, await tokenFrom(url))).status).toBe(403); // the sixth read
  expect(one.asked()).toEqual([
    'POST /token/ 200',
    'GET /ods_data/ 200',
    'GET /ods_data/ 200',
    'POST /token/ 200',
  ]);
});

test('another client of the same service meets nothing', async () => {
  await using one = await stage('403-for-ever');
  const { url } = one.proxy;
  expect((await read(url, await tokenFrom(url))).status).toBe(403);
  expect((await read(url, await tokenFrom(url, 'other'))).status).toBe(200);
  expect((await read(url, 'unknown')).status).toBe(401);
  expect(one.proxy.journal.list({ status: 403 }).map(({ reason }) => reason)).toEqual([
    'injected: 403-for-ever',
  ]);
});

test('a token request is answered by the scenario, with the headers that it names', async () => {
  await using slow = await stage('token-429');
  await tokenFrom(slow.proxy.url);
  const refused = await ask(slow.proxy.url);
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '2']);
  await using one = await stage('token-500');
  await tokenFrom(one.proxy.url);
  expect((await ask(one.proxy.url)).status).toBe(500);
  expect((await ask(one.proxy.url)).status).toBe(200);
  expect(one.asked()).toEqual(['POST /token/ 200', 'POST /token/ 200']);
});

test('a token request that is looked at reaches the service with its body', async () => {
  await using one = await stage('token-429');
  expect((await ask(one.proxy.url, 'other')).status).toBe(200);
  expect((await ask(one.proxy.url, 'other', 'wrong')).status).toBe(401);
  const large = new URLSearchParams({ client_id: 'x'.repeat(100_000) });
  const answer = await fetch(`${one.proxy.url}/token/`, { method: 'POST', body: large });
  expect(answer.status).toBe(413); // of the service
});

test('a revoked token is refused with 401, and a reset resets the connection', async () => {
  await using revoked = await stage('revoked-early');
  const token = await tokenFrom(revoked.proxy.url);
  const statuses: number[] = [];
  for (let nth = 0; nth < 3; nth++) statuses.push((await read(revoked.proxy.url, token)).status);
  expect(statuses).toEqual([200, 200, 401]);
  await using reset = await stage('token-reset');
  await read(reset.proxy.url, await tokenFrom(reset.proxy.url));
  await expect(ask(reset.proxy.url)).rejects.toThrow();
  expect(reset.asked()).toEqual(['POST /token/ 200', 'GET /ods_data/ 200']);
});

test('a token that ends after a call is refused at the next, and one that others replace is too', async () => {
  await using early = await stage('ended-early');
  const token = await tokenFrom(early.proxy.url);
  const statuses: number[] = [];
  for (let nth = 0; nth < 3; nth++) statuses.push((await read(early.proxy.url, token)).status);
  expect(statuses).toEqual([200, 200, 403]);
  await using newest = await stage('newest-token-only');
  const [first, second] = [await tokenFrom(newest.proxy.url), await tokenFrom(newest.proxy.url)];
  expect((await read(newest.proxy.url, first)).status).toBe(403);
  expect((await read(newest.proxy.url, second)).status).toBe(200);
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

const injecting = (target: string, scenario: string): Promise<RunningProxy> =>
  proxyTo(target, { inject: { scenario: injectableNamed(scenario), client: 'acme' } });

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
  await using proxy = await injecting(service.url, 'token-500');
  const isOver = new Promise<void>((resolve) => proxy.journal.listen(() => resolve()));
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
