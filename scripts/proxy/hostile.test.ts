/** Services and clients that misbehave: each exchange ends, as it would have without the proxy, and memory stays bounded. */
import { expect, test } from 'vitest';
import { answering, bodyOf, headOf, onHead, open, startProxied, startRaw, startWeb } from './testing/wire.ts';

const GET = 'GET /ods_data/ HTTP/1.1\r\nHost: proxy\r\n\r\n';
const MEBIBYTE = 1024 * 1024;

for (const [what, bytes, seen] of [
  ['does not speak HTTP', 'SSH-2.0-OpenSSH_9.6\r\n', 'is not HTTP'],
  ['has a head without end', `HTTP/1.1 200 OK\r\nX-Long: ${'a'.repeat(200_000)}`, 'HPE_HEADER_OVERFLOW'],
  ['floods with headers', `HTTP/1.1 200 OK\r\n${'X-A: 1\r\n'.repeat(20_000)}`, 'HPE_HEADER_OVERFLOW'],
  [
    'has two lengths',
    'HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 4\r\n\r\nokok',
    'HPE_UNEXPECTED_CONTENT_LENGTH',
  ],
  [
    'is chunked and has a length',
    'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nContent-Length: 4\r\n\r\n2\r\nok\r\n0\r\n\r\n',
    'HPE_',
  ],
  ['has a status below 100', 'HTTP/1.1 099 Odd\r\nContent-Length: 0\r\n\r\n', 'cannot be passed on'],
  [
    'has a control character in a header',
    'HTTP/1.1 200 OK\r\nX-A: \x01\r\nContent-Length: 0\r\n\r\n',
    'HPE_INVALID_HEADER_TOKEN',
  ],
  [
    'switches protocols',
    'HTTP/1.1 101 Switching\r\nUpgrade: h2c\r\nConnection: upgrade\r\n\r\n',
    'without an answer',
  ],
] as const)
  test(`an answer that ${what} becomes a 502 of the proxy`, async () => {
    await using service = await answering(bytes);
    await using proxy = await startProxied(service.url);
    const client = open(proxy.port);
    client.socket.write(GET);
    const text = await client.until('}\n');
    client.socket.destroy();
    expect(headOf(text)).toMatch(/^HTTP\/1\.1 502 Bad Gateway\r\n/);
    expect(headOf(text)).toContain('proxy-status: mrs-proxy\r\n');
    expect(JSON.parse(bodyOf(text)).error_description).toContain(seen);
    const [passed] = await proxy.over(1);
    expect(passed).toMatchObject({ proxyAnswer: 'no answer from the service', answer: { status: 502 } });
    expect(passed?.failure).toContain(seen);
  });

test('a service that is not reachable becomes a 502 that says so', async () => {
  const service = await startWeb(() => {});
  await service[Symbol.asyncDispose]();
  await using proxy = await startProxied(`${service.url}/api`);
  const answer = await fetch(`${proxy.url}/ods_data/`);
  expect(answer.status).toBe(502);
  expect(answer.headers.get('proxy-status')).toBe('mrs-proxy');
  expect(await answer.json()).toEqual({
    error: 'proxy_error',
    error_description: `The proxy got no answer that it could pass on: the service at ${service.url}/api refused the connection.`,
  });
});

for (const [what, bytes] of [
  ['before its answer', ''],
  ['in the head of its answer', 'HTTP/1.1 200 OK\r\nContent-'],
  ['in the body of its answer', 'HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc'],
  ['in a chunk of its answer', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nab'],
] as const)
  for (const [how, end] of [
    ['resets', 'resetAndDestroy'],
    ['closes', 'end'],
  ] as const)
    test(`a service that ${how} the connection ${what} has that of the client reset`, async () => {
      await using service = await answering(bytes);
      await using proxy = await startProxied(service.url);
      const client = open(proxy.port);
      client.socket.write(GET);
      const connection = await service.answered;
      if (bytes.includes('\r\n\r\n')) await client.until('ab'); // A reset may overtake what came before it.
      connection[end]();
      expect((await client.ended).error).toBe('ECONNRESET');
      const [passed] = await proxy.over(1);
      expect(passed).toMatchObject({ ended: 'reset', failure: expect.stringContaining('connection') });
      expect(passed?.proxyAnswer).toBeUndefined();
    });

test('a body that ends with its connection passes whole', async () => {
  await using service = await answering('HTTP/1.1 200 OK\r\n\r\nabc');
  await using proxy = await startProxied(service.url);
  const answer = await fetch(proxy.url);
  (await service.answered).end();
  expect(await answer.text()).toBe('abc');
});

test('a client that disconnects ends the request to the service', async () => {
  let gone = () => {};
  const wasEnded = new Promise<void>((resolve) => {
    gone = resolve;
  });
  await using service = await startRaw((socket) => {
    onHead(socket, () => socket.write('HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nab'));
    socket.once('close', gone);
  });
  await using proxy = await startProxied(service.url);
  const client = open(proxy.port);
  client.socket.write(GET);
  await client.until('ab');
  client.socket.destroy();
  await wasEnded;
  expect(await proxy.over(1)).toMatchObject([
    // Once: the connection and the answer both close.
    { ended: 'gone', answer: { status: 200, content: undefined } },
  ]);
});

/** More than the buffers of the system hold. */
const LEAKS = 64 * MEBIBYTE;

test('an endless body passes as fast as the client reads, and takes no memory', async () => {
  let sent = 0;
  const chunk = Buffer.alloc(64 * 1024, 'a');
  await using service = await startWeb((_, response) => {
    const more = () => {
      while (!response.destroyed) {
        sent += chunk.length;
        if (!response.write(chunk)) return void response.once('drain', more);
      }
    };
    more();
  });
  await using proxy = await startProxied(service.url);
  const client = open(proxy.port);
  client.socket.write(GET);
  await client.until('aaa');
  client.socket.pause();
  // Service, proxy and client share this process: where nothing moves in many turns of it, the buffers of the system are full.
  for (let turns = 0, before = 0; turns < 2000 && sent < LEAKS; turns = sent === before ? turns + 1 : 0) {
    before = sent;
    await new Promise((resolve) => setImmediate(resolve));
  }
  expect(sent).toBeLessThan(LEAKS);
  client.socket.destroy();
  const [passed] = await proxy.over(1);
  expect(passed?.answer?.content).toBeUndefined();
});

test('a body that is too large to keep passes whole, and so does one that exceeds what all may take', async () => {
  const large = 'a'.repeat(300_000);
  await using service = await startWeb((_, response) => response.end(large));
  await using proxy = await startProxied(service.url, { copies: { each: 100_000, total: 500_000 } });
  expect(await (await fetch(proxy.url)).text()).toBe(large);
  expect((await proxy.over(1))[0]?.answer).toEqual({ status: 200, content: undefined });
  await using narrow = await startProxied(service.url, { copies: { each: 400_000, total: 100_000 } });
  expect(await (await fetch(narrow.url)).text()).toBe(large);
  expect((await narrow.over(1))[0]?.answer).toEqual({ status: 200, content: undefined });
});

test('memory for copies is given back when an exchange is over', async () => {
  await using service = await startWeb((_, response) => response.end('a'.repeat(60_000)));
  await using proxy = await startProxied(service.url, { copies: { each: 64_000, total: 64_000 } });
  for (let nth = 0; nth < 3; nth++) await (await fetch(proxy.url)).text();
  expect((await proxy.over(3)).map(({ answer }) => answer?.content?.length)).toEqual([
    60_000, 60_000, 60_000,
  ]);
});

for (const [what, request, status] of [
  ['two lengths', 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab', 400],
  [
    'a length and chunks',
    'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
    400,
  ],
  ['a head without end', `GET / HTTP/1.1\r\nHost: a\r\nX: ${'a'.repeat(200_000)}`, 431],
  ['a target that is not a path', 'GET x HTTP/1.1\r\nHost: a\r\n\r\n', 400],
  ['a target of another host', 'GET http://b.example/ HTTP/1.1\r\nHost: a\r\n\r\n', 400],
] as const)
  test(`a request with ${what} does not reach the service`, async () => {
    let connections = 0;
    // It answers, so that a request that passes is seen at once.
    await using service = await startRaw((socket) => {
      connections++;
      onHead(socket, () => socket.write('HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n'));
    });
    await using proxy = await startProxied(service.url);
    const client = open(proxy.port);
    client.socket.write(request, 'latin1');
    expect(await client.until('\r\n\r\n')).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
    client.socket.destroy();
    expect(connections).toBe(0);
  });

test('an answer to a request whose body still arrives is passed on', async () => {
  await using service = await answering('HTTP/1.1 413 Too Large\r\nContent-Length: 2\r\n\r\nno');
  await using proxy = await startProxied(service.url);
  const client = open(proxy.port);
  client.socket.write('POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 100000\r\n\r\nabc');
  expect(await client.until('\r\n\r\nno')).toContain('413 Payload Too Large');
  (await service.answered).end();
  client.socket.destroy();
});
