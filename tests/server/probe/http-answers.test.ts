/** Answers that are unusual and correct. */
import { deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import { expect, _baseTest as test } from '@playwright/test';
import { endless, head, limits, listen, says, type Talk } from './testing/raw-server.ts';

const OK = 'HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nhello';
const chunked = (body: string, header = 'transfer-encoding: chunked') =>
  says(`HTTP/1.1 200 OK\r\n${header}\r\n\r\n${body}`);

const answers: Record<string, Talk> = {
  'after 100 Continue': says(`HTTP/1.1 100 Continue\r\n\r\n${OK}`),
  'after 102 Processing': says(`HTTP/1.1 102 Processing\r\n\r\n${OK}`),
  'after 103 Early Hints': says(`HTTP/1.1 103 Early Hints\r\nlink: </a>; rel=preload\r\n\r\n${OK}`),
  'after several interim responses': says(
    'HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\n\r\n',
    `HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 199 Other\r\n\r\n${OK}`,
  ),
  'of HTTP/1.0 with Content-Length': says('HTTP/1.0 200 OK\r\ncontent-length: 5\r\n\r\nhello'),
  'of HTTP/1.0 that ends with its connection': (socket) => socket.end('HTTP/1.0 200 OK\r\n\r\nhello'),
  'of HTTP/1.1 that ends with its connection': (socket) => socket.end('HTTP/1.1 200 OK\r\n\r\nhello'),
  'with an offer of h2c': says(
    `HTTP/1.1 200 OK\r\nupgrade: h2,h2c\r\nconnection: upgrade\r\ncontent-length: 5\r\n\r\nhello`,
  ),
  'in several chunks': chunked('1\r\nh\r\n4\r\nello\r\n0\r\n\r\n'),
  'in chunks with extensions': chunked('5;a;b="c\\"d"\r\nhello\r\n0;e=f\r\n\r\n'),
  'in chunks with leading zeros': chunked('0005\r\nhello\r\n000\r\n\r\n'),
  'in chunks whose coding is in capitals': chunked('5\r\nhello\r\n0\r\n\r\n', 'Transfer-Encoding: CHUNKED'),
  'with trailers': chunked(
    '5\r\nhello\r\n0\r\nx-sum: 1\r\n\r\n',
    'trailer: x-sum\r\ntransfer-encoding: chunked',
  ),
  'without a reason phrase': says('HTTP/1.1 200 \r\ncontent-length: 5\r\n\r\nhello'),
  'with 3000 headers': says(
    `HTTP/1.1 200 OK\r\n${'a:\r\n'.repeat(3000)}content-encoding: gzip\r\nconnection: close\r\n\r\n`,
    gzipSync('hello'),
  ),
  'with bytes after its end': (socket) =>
    socket.end(`${OK.replace('\r\n', '\r\nconnection: close\r\n')}\r\n`),
  'as raw deflate': says(head('deflate'), deflateRawSync('hello')),
  'as stored raw deflate': says(head('deflate'), deflateRawSync('hello', { level: 0 })),
  'as raw deflate within gzip': says(head('deflate, gzip'), gzipSync(deflateRawSync('hello'))),
  'as deflate in two lines of Content-Encoding': says(
    'HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\ncontent-encoding: deflate\r\nconnection: close\r\n\r\n',
    deflateSync(gzipSync('hello')),
  ),
  'as two members of gzip': says(head('gzip'), gzipSync('he'), gzipSync('llo')),
};

for (const [what, talk] of Object.entries(answers))
  test(`an answer ${what} is read`, async () => {
    await using server = await listen(talk);
    expect(await server.get()).toMatchObject({ status: 200, body: Buffer.from('hello') });
  });

test('headers of interim responses, the reason phrase and trailers are kept, as far as there is room', async () => {
  await using server = await listen(
    says(
      'HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n',
      'HTTP/1.1 200 Fine\r\ntransfer-encoding: chunked\r\n\r\n0\r\nx-sum: 1\r\n\r\n',
    ),
  );
  expect(await server.get()).toMatchObject({ asides: ['link', '</a>', 'Fine', 'x-sum', '1'] });
  await using many = await listen(says('HTTP/1.1 103 Early Hints\r\na: b\r\nc: d\r\n\r\n'.repeat(100), OK));
  expect(await many.get()).toMatchObject({ asides: { length: 200 } });
});

for (const status of [204, 205, 304])
  test(`an answer ${status} without a length has no content, on an open connection`, async () => {
    await using server = await listen(says(`HTTP/1.1 ${status} Done\r\n\r\n`));
    expect(await server.get()).toMatchObject({ status, body: Buffer.alloc(0) });
  });

for (const length of ['content-length: 0\r\n\r\n', 'transfer-encoding: chunked\r\n\r\n0\r\n\r\n'])
  test(`a 205 with ${length.split('\r\n')[0]} has no content`, async () => {
    await using server = await listen(says(`HTTP/1.1 205 Reset Content\r\n${length}`));
    expect(await server.get()).toMatchObject({ status: 205, body: Buffer.alloc(0) });
  });

for (const [what, answer] of [
  ['also with content that it must not have', OK],
  ['whatever coding it names', 'HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\ncontent-length: 9\r\n\r\n'],
] as const)
  test(`an answer to HEAD is complete after its head, ${what}`, async () => {
    await using server = await listen(says(answer));
    const seen = await server.http().exchange({ method: 'HEAD', url: server.url, headers: {} });
    expect(seen).toMatchObject({ status: 200, body: Buffer.alloc(0) });
  });

test('a server that sends interim responses without an end fails by the deadline', async () => {
  await using server = await listen(
    endless('', Buffer.from('HTTP/1.1 103 Early Hints\r\n\r\n'.repeat(1000))),
  );
  expect(await server.get({ ...limits, deadlineSeconds: 0.5 })).toEqual({
    failure: 'gave no complete answer within 0.5 s',
  });
});

test('a switch of protocols that was not requested is a failure', async () => {
  await using server = await listen(
    says('HTTP/1.1 101 Switching Protocols\r\nupgrade: h2c\r\nconnection: upgrade\r\n\r\n'),
  );
  expect(await server.get()).toEqual({
    failure: 'switched to another protocol, which was not requested (101)',
  });
});

test('headers keep their order, and repeated ones stay apart', async () => {
  await using server = await listen(
    says('HTTP/1.1 200 OK\r\nset-cookie: a=1\r\nX-B: 1\r\nSet-Cookie: b=2, c\r\ncontent-length: 0\r\n\r\n'),
  );
  const headers = [
    ['set-cookie', 'a=1'],
    ['x-b', '1'],
    ['set-cookie', 'b=2, c'],
    ['content-length', '0'],
  ];
  expect(await server.get()).toMatchObject({ headers });
});

test('each exchange has a connection of its own, which it closes', async () => {
  await using server = await listen(says(OK));
  const http = server.http();
  for (const _ of [1, 2, 3]) await http.exchange({ method: 'GET', url: server.url, headers: {} });
  expect(server.connections()).toBe(3);
  for (const request of server.requests) expect(request).toContain('\r\nconnection: close\r\n');
});

test('a request has the headers that are given, in their order', async () => {
  await using server = await listen(says(OK));
  const headers = { accept: 'application/json', 'user-agent': 'x/1' };
  await server.http().exchange({ method: 'POST', url: `${server.url}/a`, headers, body: 'b=c' });
  const { host } = new URL(server.url);
  expect(server.requests.join('').split('\r\n')).toEqual([
    'POST /a HTTP/1.1',
    `host: ${host}`,
    'connection: close',
    'accept: application/json',
    'user-agent: x/1',
    'content-length: 3',
    '',
    'b=c',
  ]);
});

test('a POST without a body says that its length is 0', async () => {
  await using server = await listen(says(OK));
  await server.http().exchange({ method: 'POST', url: server.url, headers: {} });
  expect(server.requests[0]).toContain('\r\ncontent-length: 0\r\n');
});
