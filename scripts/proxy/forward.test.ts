/** What passes through the proxy, byte by byte. */
import { expect, test } from 'vitest';
import { answering, bodyOf, headOf, onHead, open, startProxied, startRaw, talk } from './testing/wire.ts';

const GET = 'GET /ods_data/ HTTP/1.1\r\nHost: proxy\r\nConnection: close\r\n\r\n';
const OK = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok';

/** The head that the service gets for this request. */
async function received(request: string, basePath = ''): Promise<string> {
  let head = '';
  await using service = await startRaw((socket) =>
    onHead(socket, (text) => {
      head = text;
      socket.write(OK);
    }),
  );
  await using proxy = await startProxied(service.url + basePath);
  expect((await talk(proxy.port, request)).text).toContain('200 OK');
  return head.replaceAll(service.url.replace('http://', ''), 'SERVICE');
}

test('a request passes with its target, and with the names, order and repetition of its headers', async () => {
  const head = await received(
    'GET /ods_data/../x?a=%2F&a=2 HTTP/1.1\r\nhOsT: proxy\r\nX-Two: 1\r\naccept:  application/json\r\nx-two: 2 é\r\nConnection: close\r\n\r\n',
    '/api',
  );
  expect(head.split('\r\n')).toEqual([
    'GET /api/ods_data/../x?a=%2F&a=2 HTTP/1.1',
    'hOsT: SERVICE',
    'X-Two: 1',
    'accept: application/json',
    'x-two: 2 é',
    'Connection: keep-alive',
  ]);
});

test('headers of one connection do not pass, and Connection removes neither the frame of the body nor the token', async () => {
  const head = await received(
    'POST /token/ HTTP/1.1\r\nHost: proxy\r\nConnection: close, X-Own, content-length, host, Authorization\r\nX-Own: 1\r\n' +
      'Authorization: Bearer t\r\n' +
      'Keep-Alive: timeout=5\r\nProxy-Connection: close\r\nTE: gzip\r\nUpgrade: h2c\r\nContent-Length: 2\r\n\r\nab',
  );
  expect(head.split('\r\n')).toEqual([
    'POST /token/ HTTP/1.1',
    'Host: SERVICE',
    'Authorization: Bearer t',
    'Content-Length: 2',
    'Connection: keep-alive',
  ]);
});

test('an absolute target passes as its path, and a request without a body keeps having none', async () => {
  const head = await received(
    'POST http://a.example?q HTTP/1.1\r\nHost: a.example\r\nConnection: close\r\n\r\n',
  );
  expect(head.split('\r\n')).toEqual([
    'POST /?q HTTP/1.1',
    'Host: SERVICE',
    'Content-Length: 0',
    'Connection: keep-alive',
  ]);
});

test('an answer passes with its reason, and with the names, order and repetition of its headers', async () => {
  await using service = await answering(
    'HTTP/1.1 299 Quite fine \xe9\r\nSet-Cookie: a=1\r\nset-cookie: b=2\r\nLocation: http://other/\r\n' +
      'Keep-Alive: timeout=1\r\nConnection: keep-alive, x-own\r\nX-Own: 1\r\nContent-Length: 3\r\n\r\n\x00\xff\x0a',
  );
  await using proxy = await startProxied(service.url);
  const { text } = await talk(proxy.port, GET);
  expect(headOf(text).split('\r\n')).toEqual([
    'HTTP/1.1 299 Quite fine \xe9',
    'Set-Cookie: a=1',
    'set-cookie: b=2',
    'Location: http://other/',
    'Content-Length: 3',
    'Connection: close',
  ]);
  expect(bodyOf(text)).toBe('\x00\xff\x0a');
});

test('a redirect passes and is not followed', async () => {
  let requests = 0;
  await using service = await startRaw((socket) =>
    onHead(socket, () => {
      requests++;
      socket.write('HTTP/1.1 302 Found\r\nLocation: /elsewhere\r\nContent-Length: 0\r\n\r\n');
    }),
  );
  await using proxy = await startProxied(service.url);
  expect((await talk(proxy.port, GET)).text).toContain('302 Found\r\nLocation: /elsewhere');
  expect(requests).toBe(1);
});

for (const [what, status, headers] of [
  ['HEAD', '200 OK', 'Content-Length: 5000'],
  ['HEAD', '200 OK', 'X-No: length'],
  ['GET', '304 Not Modified', 'Content-Length: 7\r\nETag: "1"'],
  ['GET', '204 No Content', 'X-No: length'],
])
  test(`a ${status} to ${what} with ${headers} has no body`, async () => {
    await using service = await answering(`HTTP/1.1 ${status}\r\n${headers}\r\n\r\n`);
    await using proxy = await startProxied(service.url);
    const request = `${what} / HTTP/1.1\r\nHost: a\r\n\r\n`;
    const { text } = await talk(
      proxy.port,
      request + request.replace('\r\nHost', '\r\nConnection: close\r\nHost'),
    );
    const answers = text.split('HTTP/1.1 ').slice(1);
    expect(answers).toHaveLength(2);
    for (const answer of answers) {
      expect(answer).toContain(`${status}\r\n${headers}\r\n`);
      expect(bodyOf(answer)).toBe('');
    }
  });

test('a client of HTTP/1.0 gets no interim answer, and a body that ends with the connection', async () => {
  await using service = await answering(
    'HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n',
  );
  await using proxy = await startProxied(service.url);
  const { text } = await talk(proxy.port, 'GET / HTTP/1.0\r\nExpect: 100-continue\r\n\r\n');
  expect(text).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
  expect(headOf(text)).not.toMatch(/transfer-encoding/i);
  expect(bodyOf(text)).toBe('ok');
});

test('a client that expects 100 Continue gets that of the service, and sends its body then', async () => {
  let request = '';
  await using service = await startRaw((socket) => {
    socket.setEncoding('latin1').on('data', (text: string) => {
      request += text;
      if (request.endsWith('\r\n\r\n')) socket.write('HTTP/1.1 100 Continue\r\n\r\n');
      if (request.endsWith('abc')) socket.write(OK);
    });
  });
  await using proxy = await startProxied(service.url);
  const client = open(proxy.port);
  client.socket.write(
    'POST / HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 3\r\nConnection: close\r\n\r\n',
  );
  await client.until('HTTP/1.1 100 Continue\r\n\r\n');
  expect(request).toContain('Expect: 100-continue');
  client.socket.write('abc');
  expect(bodyOf(bodyOf((await client.ended).text))).toBe('ok');
});

test('a client that expects 100 Continue and is refused gets the refusal, and its connection closes', async () => {
  await using service = await answering('HTTP/1.1 413 Too Large\r\nContent-Length: 0\r\n\r\n');
  await using proxy = await startProxied(service.url);
  const { text } = await talk(
    proxy.port,
    'POST / HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 3\r\n\r\n',
  );
  expect(text).toMatch(/^HTTP\/1\.1 413 Too Large\r\n/);
  expect(headOf(text)).toContain('Connection: close');
});

test('a request to upgrade is forwarded without it, and CONNECT is refused', async () => {
  expect(
    await received('GET / HTTP/1.1\r\nHost: a\r\nUpgrade: websocket\r\nConnection: Upgrade, close\r\n\r\n'),
  ).not.toMatch(/upgrade/i);
  await using proxy = await startProxied('http://127.0.0.1:9');
  const { text } = await talk(proxy.port, 'CONNECT a.example:443 HTTP/1.1\r\nHost: a.example\r\n\r\n');
  expect(text).toMatch(/^HTTP\/1\.1 501 /);
});

for (const [what, first, rest] of [
  ['the first bytes of an answer pass before the last ones are there', 'ab', 'cd'],
  ['the head of an answer passes before its body begins', '', 'abcd'],
] as const)
  test(what, async () => {
    await using service = await answering(`HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\n${first}`);
    await using proxy = await startProxied(service.url);
    const client = open(proxy.port);
    client.socket.write(GET);
    await client.until(`Connection: close\r\n\r\n${first}`);
    (await service.answered).write(rest);
    expect(bodyOf((await client.ended).text)).toBe('abcd');
  });

test('pipelined requests are answered in their order, over one connection to the service', async () => {
  let connections = 0;
  let number = 0;
  await using service = await startRaw((socket) => {
    connections++;
    onHead(socket, () => socket.write(`HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n${++number}`));
  });
  await using proxy = await startProxied(service.url);
  const one = 'GET / HTTP/1.1\r\nHost: a\r\n\r\n';
  const { text } = await talk(proxy.port, one + one + GET);
  expect(
    text
      .split('\r\n\r\n')
      .slice(1)
      .map((part) => part[0]),
  ).toEqual(['1', '2', '3']);
  expect(connections).toBe(1);
});

// In time that grows with the square of the length, each of these would take hours.
const MANY = 2_000_000;

for (const [what, value] of [
  ['spaces', `close${' '.repeat(MANY)}x`],
  ['tabs between commas', `close,${'\t'.repeat(MANY)},x`],
  ['names', `${'a,'.repeat(MANY / 2)}x`],
] as const)
  test(`a Connection header of many ${what} does not hold the traffic up`, async () => {
    await using service = await answering('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok');
    await using proxy = await startProxied(service.url, { headBytes: 4 * MANY });
    const client = open(proxy.port);
    client.socket.write(`GET /ods_data/ HTTP/1.1\r\nHost: a\r\nConnection: ${value}\r\n\r\n`);
    expect(await client.until('ok')).toMatch(/^HTTP\/1\.1 200 /);
    client.socket.destroy();
  });

test('names in a Connection header may have spaces around them', async () => {
  const seen: string[] = [];
  await using service = await startRaw((socket) =>
    onHead(socket, (head) => {
      seen.push(head);
      socket.end('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok');
    }),
  );
  await using proxy = await startProxied(service.url);
  const client = open(proxy.port);
  client.socket.write(
    'GET / HTTP/1.1\r\nHost: a\r\nConnection: X-A \t,, x-b\r\nX-A: 1\r\nX-B: 2\r\nX-C: 3\r\n\r\n',
  );
  await client.until('ok');
  client.socket.destroy();
  expect(seen[0]?.match(/^X-.*$/gm)?.map((line) => line.trim())).toEqual(['X-C: 3']);
});
