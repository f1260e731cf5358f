/** Injected scenarios where an answer has to be decoded first, and where a client leaves in the middle of its request. */
import { gzipSync } from 'node:zlib';
import { expect, _baseTest as test } from '@playwright/test';
import { injectableNamed } from './inject.ts';
import type { RunningProxy } from './proxy.ts';
import { proxyTo } from './testing/proxy-to.ts';
import { onHead, open, startRaw, startWeb } from './testing/wire.ts';

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
