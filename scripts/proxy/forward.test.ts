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
    'Host: SERVICE',
    'X-Two: 1',
    'accept: application/json',
    'x-two: 2 é',
    'Connection: keep-alive',
  ]);
});

test('headers of one connection do not pass, and Connection does not remove the frame of the body', async () => {
  const head = await received(
    'POST /token/ HTTP/1.1\r\nHost: proxy\r\nConnection: close, X-Own \t,, content-length, host\r\nX-Own: 1\r\n' +
      'Authorization: Bearer t\r\nExpect: 100-continue\r\n' +
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

for (const [method, frame] of [
  ['GET', []],
  ['POST', ['Content-Length: 0']],
] as const)
  test(`a ${method} without a body passes without a body`, async () => {
    const head = await received(`${method} /?q HTTP/1.1\r\nHost: a.example\r\nConnection: close\r\n\r\n`);
    expect(head.split('\r\n')).toEqual([
      `${method} /?q HTTP/1.1`,
      'Host: SERVICE',
      ...frame,
      'Connection: keep-alive',
    ]);
  });

test('a chunked body passes chunked, without its trailers', async () => {
  let text = '';
  await using service = await startRaw((socket) => {
    socket.setEncoding('latin1').on('data', (more: string) => {
      text += more;
      if (text.endsWith('0\r\n\r\n')) socket.write(OK);
    });
  });
  await using proxy = await startProxied(service.url);
  const head = 'POST / HTTP/1.1\r\nHost: a\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n';
  await talk(proxy.port, `${head}2\r\nab\r\n1\r\nc\r\n0\r\nX-Trailer: 1\r\n\r\n`);
  expect(headOf(text)).toContain('Transfer-Encoding: chunked');
  expect(text).not.toContain('Trailer');
  const chunks = bodyOf(text).split('\r\n');
  expect(chunks.filter((_, at) => at % 2 === 1).join('')).toBe('abc');
});

test('an answer passes with the names, order and repetition of its headers', async () => {
  await using service = await answering(
    'HTTP/1.1 201 Quite fine\r\nSet-Cookie: a=\xe9\r\nset-cookie: b=2\r\nLocation: http://other/\r\n' +
      'Keep-Alive: timeout=1\r\nConnection: keep-alive, x-own\r\nX-Own: 1\r\nContent-Length: 3\r\n\r\n\x00\xff\x0a',
  );
  await using proxy = await startProxied(service.url);
  const { text } = await talk(proxy.port, GET);
  expect(headOf(text).split('\r\n')).toEqual([
    'HTTP/1.1 201 Created',
    'Set-Cookie: a=\xe9',
    'set-cookie: b=2',
    'Location: http://other/',
    'Content-Length: 3',
    'Connection: close',
  ]);
  expect(bodyOf(text)).toBe('\x00\xff\x0a');
});

for (const [what, status, headers] of [
  ['HEAD', '200 OK', 'Content-Length: 5000'],
  ['GET', '304 Not Modified', 'Content-Length: 7\r\nETag: "1"'],
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

test('a client of HTTP/1.0 gets a body that ends with the connection', async () => {
  await using service = await answering(
    'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n',
  );
  await using proxy = await startProxied(service.url);
  const { text } = await talk(proxy.port, 'GET / HTTP/1.0\r\n\r\n');
  expect(text).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
  expect(headOf(text)).not.toMatch(/transfer-encoding/i);
  expect(bodyOf(text)).toBe('ok');
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

test('pipelined requests are answered in their order', async () => {
  await using service = await startRaw((socket) =>
    onHead(socket, (head) => socket.write(`HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n${head[5]}`)),
  );
  await using proxy = await startProxied(service.url);
  const ask = (name: number) => `GET /${name} HTTP/1.1\r\nHost: a\r\n\r\n`;
  const client = open(proxy.port);
  client.socket.write(ask(1) + ask(2) + ask(3));
  const text = await client.until('\r\n\r\n3');
  client.socket.destroy();
  expect(text.match(/(?<=\r\n\r\n)\d/g)).toEqual(['1', '2', '3']);
});
