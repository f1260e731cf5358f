/** Peers that mean no good, or have a bad day: raw sockets of 127.0.0.1 that answer as no server should. */
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { expect, _baseTest as test } from '@playwright/test';
import { isLoopback } from '../../support/loopback.ts';
import { createHttp, defaultLimits, failureOf, type HttpLimits, INCOMPLETE, isHangUp } from './http.ts';
import { dripping, endless, head, limits, listen, says, type Talk } from './testing/raw-server.ts';

const short: HttpLimits = { ...limits, deadlineSeconds: 0.2 };

test('an answer is given as status, headers and body', async () => {
  await using peer = await listen(says('HTTP/1.1 203 Fine\r\nX-One: 1\r\ncontent-length: 2\r\n\r\nhi'));
  expect(await peer.get()).toEqual({
    status: 203,
    asides: ['Fine'],
    headers: [
      ['x-one', '1'],
      ['content-length', '2'],
    ],
    body: Buffer.from('hi'),
  });
});

test('a request carries the method, the path with its query, the headers and the body as they were given', async () => {
  await using peer = await listen(says('HTTP/1.1 204 Done\r\n\r\n'));
  const request = {
    method: 'POST',
    url: `${peer.url}/a%20b/?c=d`,
    headers: { 'x-a': 'b' },
    body: 'e=f',
  } as const;
  await peer.http().exchange(request);
  expect(peer.requests[0]).toMatch(/^POST \/a%20b\/\?c=d HTTP\/1.1\r\n/);
  expect(peer.requests[0]).toContain('\r\nx-a: b\r\n');
  expect(peer.requests[0]).toMatch(/\r\n\r\ne=f$/);
});

for (const status of [301, 302, 303, 307, 308])
  test(`a redirect with ${status} is not followed`, async () => {
    await using other = await listen(says('HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n'));
    await using peer = await listen(
      says(`HTTP/1.1 ${status} Elsewhere\r\nlocation: ${other.url}/\r\ncontent-length: 0\r\n\r\n`),
    );
    const request = { method: 'POST', url: peer.url, headers: {}, body: 'client_secret=x' } as const;
    expect(await peer.http().exchange(request)).toMatchObject({ status });
    expect(peer.requests).toHaveLength(1);
    expect(other.requests).toEqual([]);
  });

for (const [coding, encode] of [
  ['gzip', gzipSync],
  ['x-gzip', gzipSync],
  ['GZIP', gzipSync],
  ['deflate', deflateSync],
  ['br', brotliCompressSync],
  ['identity', (body: Buffer) => body],
  ['', (body: Buffer) => body],
  ['gzip, br', (body: Buffer) => brotliCompressSync(gzipSync(body))],
] as const)
  test(`the content coding "${coding}" is undone`, async () => {
    await using peer = await listen(says(head(coding), encode(Buffer.from('hello'))));
    expect(await peer.get()).toMatchObject({ status: 200, body: Buffer.from('hello') });
  });

for (const [what, answer] of [
  ['a redirect', 'HTTP/1.1 302 Found\r\nlocation: /\r\ncontent-encoding: gzip\r\ncontent-length: 0\r\n\r\n'],
  ['a 204', 'HTTP/1.1 204 No Content\r\ncontent-encoding: gzip\r\n\r\n'],
  ['a 403', 'HTTP/1.1 403 Forbidden\r\ncontent-encoding: br\r\ncontent-length: 0\r\n\r\n'],
] as const)
  test(`${what} without content is an answer, whatever coding it names`, async () => {
    await using peer = await listen(says(answer));
    expect(await peer.get()).toMatchObject({ body: Buffer.alloc(0) });
  });

const SLOW = 'gave no complete answer within 0.2 s';
const TOO_LARGE = 'sent a body of more than 1024 KiB';
const HEAD_TOO_LARGE = 'sent a head of more than 16 KiB';
const UNDECODABLE = 'sent a body that does not decode by its content coding';
const LONG = 'HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nhello';
const CHUNKED = 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n';

// Functions: who only lists the tests need not wait for the bombs.
const hostile: Record<string, [talk: () => Talk, failure: string | RegExp, within?: HttpLimits]> = {
  'does not answer': [() => () => {}, SLOW, short],
  'answers half a head': [() => says('HTTP/1.1 200 OK\r\nx-a: b'), SLOW, short],
  'drips a head': [() => dripping('HTTP/1.1 200 OK\r\n', 'a: b\r\n'), SLOW, short],
  'drips a body': [() => dripping('HTTP/1.1 200 OK\r\ncontent-length: 1000000\r\n\r\n', 'x'), SLOW, short],
  'drips a compressed body': [
    () => dripping(Buffer.concat([head('gzip'), gzipSync('hello').subarray(0, 12)]), ''),
    SLOW,
    short,
  ],
  'goes on with 100 Continue': [() => dripping('', 'HTTP/1.1 103 Early Hints\r\n\r\n'), SLOW, short],
  'sends a body without an end': [
    () => endless('HTTP/1.1 200 OK\r\n\r\n', Buffer.alloc(64 * 1024)),
    TOO_LARGE,
  ],
  'sends chunks without an end': [
    () => endless(CHUNKED, Buffer.from(`1000\r\n${'x'.repeat(4096)}\r\n`)),
    TOO_LARGE,
  ],
  'sends a gzip bomb': [() => says(head('gzip'), gzipSync(Buffer.alloc(64 * 1024 * 1024))), TOO_LARGE],
  'sends a gzip bomb in a gzip bomb': [
    () => says(head('gzip, gzip'), gzipSync(gzipSync(Buffer.alloc(64 * 1024 * 1024)))),
    TOO_LARGE,
  ],
  'sends broken gzip': [() => says(head('gzip'), Buffer.from('no gzip at all')), UNDECODABLE],
  'sends broken deflate': [() => says(head('deflate'), Buffer.from('no deflate at all')), UNDECODABLE],
  'sends broken brotli': [() => says(head('br'), Buffer.from('no brotli at all')), UNDECODABLE],
  'sends gzip that is cut off': [
    () => says(head('gzip'), gzipSync('hello'.repeat(100)).subarray(0, 20)),
    'sent a body that ends before its content coding does',
  ],
  'names a coding that is not known': [
    () => says(head('zstd'), Buffer.from('x')),
    'sent a content coding that is not accepted: zstd',
  ],
  'names three codings': [
    () => says(head('gzip, gzip, gzip'), gzipSync(gzipSync(gzipSync('hello')))),
    'sent a content coding that is not accepted: gzip, gzip, gzip',
  ],
  'sends a flood of headers': [
    () => endless('HTTP/1.1 200 OK\r\n', Buffer.from(`x-${'a'.repeat(100)}: ${'b'.repeat(1000)}\r\n`)),
    HEAD_TOO_LARGE,
  ],
  'sends one header without an end': [
    () => endless('HTTP/1.1 200 OK\r\nx-a: ', Buffer.alloc(4096, 'b')),
    HEAD_TOO_LARGE,
  ],
  'greets like a mail server': [() => says('220 mail.example ESMTP\r\n'), /^sent something that is not HTTP/],
  'gives its length in words': [
    () => says('HTTP/1.1 200 OK\r\ncontent-length: nine\r\n\r\n'),
    /^sent something that is not HTTP/,
  ],
  'resets the connection': [() => (socket) => socket.resetAndDestroy(), 'reset the connection'],
  'closes before it answers': [() => (socket) => socket.end(), 'closed the connection without an answer'],
  'closes in the middle of a body': [() => (socket) => socket.end(LONG), INCOMPLETE],
  'resets the connection in the middle of a body': [
    () => (socket) => socket.write(LONG, () => socket.resetAndDestroy()),
    INCOMPLETE,
  ],
  'closes in the middle of a chunk': [() => (socket) => socket.end(`${CHUNKED}64\r\nhello`), INCOMPLETE],
  'closes between two chunks': [() => (socket) => socket.end(`${CHUNKED}5\r\nhello\r\n`), INCOMPLETE],
  'closes after the last chunk, but before the end of its trailers': [
    () => (socket) => socket.end(`${CHUNKED}5\r\nhello\r\n0\r\n`),
    INCOMPLETE,
  ],
  'resets the connection in the middle of a chunk': [
    () => (socket) => socket.write(`${CHUNKED}64\r\nhello`, () => socket.resetAndDestroy()),
    /^(reset the connection|closed the connection before its answer was complete)$/,
  ],
};

for (const [what, [talk, failure, within = limits]] of Object.entries(hostile))
  test(`a peer that ${what} ends as a failure in words`, async () => {
    await using peer = await listen(talk());
    const failed = typeof failure === 'string' ? failure : expect.stringMatching(failure);
    expect(await peer.get(within)).toEqual({ failure: failed });
    expect(peer.requests).toHaveLength(1);
  });

for (const coding of ['zstd', 'gzip, gzip, gzip'])
  test(`a body of the coding ${coding} that goes on is let go of, and does no harm later`, async () => {
    await using peer = await listen(endless(head(coding), gzipSync('hello')));
    const http = peer.http(short);
    expect(await http.exchange({ method: 'GET', url: peer.url, headers: {} })).toHaveProperty('failure');
    // The first exchange's deadline passes before that of the second, which began later.
    await using silent = await listen(() => {});
    expect(await silent.get(short)).toHaveProperty('failure');
  });

test('a body as large as the limit is read, and one byte more is not', async () => {
  await using full = await listen(says(head('identity'), Buffer.alloc(limits.bodyBytes)));
  expect(await full.get()).toMatchObject({ status: 200 });
  await using over = await listen(says(head('identity'), Buffer.alloc(limits.bodyBytes + 1)));
  expect(await over.get()).toEqual({ failure: 'sent a body of more than 1024 KiB' });
});

test('a request can ask for a smaller answer than the limits allow', async () => {
  await using peer = await listen(says(head('identity'), Buffer.alloc(2049)));
  const request = { method: 'GET', url: peer.url, headers: {}, bodyBytes: 2048 } as const;
  expect(await peer.http().exchange(request)).toEqual({ failure: 'sent a body of more than 2 KiB' });
});

test('a head within the limit is read', async () => {
  const value = 'b'.repeat(40 * 1024);
  await using peer = await listen(says(`HTTP/1.1 200 OK\r\nx-a: ${value}\r\ncontent-length: 0\r\n\r\n`));
  expect(await peer.get(defaultLimits)).toMatchObject({ status: 200 });
});

test('a port without a listener refuses the connection', async () => {
  const peer = await listen(() => {});
  await peer[Symbol.asyncDispose]();
  const http = createHttp(limits);
  expect(await http.exchange({ method: 'GET', url: peer.url, headers: {} })).toEqual({
    failure: 'refused the connection',
  });
  await http.close();
});

test('a host name that does not exist does not resolve', async () => {
  const http = createHttp(limits);
  const url = 'http://nowhere.invalid/';
  expect(await http.exchange({ method: 'GET', url, headers: {} })).toEqual({
    failure: 'has a host name that does not resolve',
  });
  await http.close();
});

for (const token of ['a\nb', 'a\0b', '鍵'])
  test(`the token ${JSON.stringify(token)} cannot be sent, and is not quoted`, async () => {
    await using peer = await listen(says('HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n'));
    const headers = { authorization: `Bearer ${token}` };
    expect(await peer.http().exchange({ method: 'GET', url: peer.url, headers })).toEqual({
      failure: 'issued a token that no Authorization header can carry',
    });
    expect(peer.requests).toEqual([]);
  });

test('after a failure the next exchange is a fresh attempt', async () => {
  const answers: Talk[] = [(socket) => socket.resetAndDestroy(), says('HTTP/1.1 204 Done\r\n\r\n')];
  await using peer = await listen((socket, request) => answers.shift()?.(socket, request));
  const http = peer.http();
  const request = { method: 'GET', url: peer.url, headers: {} } as const;
  expect(await http.exchange(request)).toEqual({ failure: 'reset the connection' });
  expect(await http.exchange(request)).toMatchObject({ status: 204 });
});

test('a peer that closes after each answer, and does not say so, is asked again and again', async () => {
  await using peer = await listen((socket) => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n'));
  const http = peer.http();
  for (let nth = 1; nth <= 20; nth++)
    expect(await http.exchange({ method: 'GET', url: peer.url, headers: {} })).toMatchObject({ status: 200 });
});

test('close ends an exchange that is under way, and every connection', async () => {
  const peer = await listen(() => http.close());
  const http = createHttp(defaultLimits);
  expect(await http.exchange({ method: 'GET', url: peer.url, headers: {} })).toHaveProperty('failure');
  await peer[Symbol.asyncDispose]();
});

for (const [url, loopback] of [
  ['http://localhost:4010', true],
  ['http://127.0.0.1', true],
  ['http://127.9.9.9/', true],
  ['http://[::1]:80', true],
  ['http://127.0.0.1.example', false],
  ['http://localhost.example', false],
  ['http://10.0.0.1', false],
  ['https://mrs.example', false],
] as const)
  test(`${url} is ${loopback ? '' : 'not '}this machine`, () => {
    expect(isLoopback(url)).toBe(loopback);
  });

for (const [what, failure] of [
  ['the end of a connection without an answer', failureOf({ code: 'ECONNRESET' })],
  ['a reset', failureOf({ code: 'ECONNRESET', errno: -104 })],
  ['a broken pipe', failureOf({ code: 'EPIPE', errno: -32 })],
] as const)
  test(`${what} is a hang-up`, () => {
    expect(isHangUp(failure)).toBe(true);
  });

for (const failure of [
  INCOMPLETE,
  failureOf({ code: 'ECONNREFUSED' }),
  failureOf({ code: 'ENOTFOUND' }),
  failureOf({ code: 'HPE_INVALID_CONSTANT' }),
  `gave no complete answer within ${limits.deadlineSeconds} s`,
])
  test(`the deployment ${failure}: this is not a hang-up`, () => {
    expect(isHangUp(failure)).toBe(false);
  });

test('a server that closes the connection without a byte hangs up', async () => {
  await using server = await listen((socket) => socket.end());
  const answer = await server.get();
  expect('failure' in answer && isHangUp(answer.failure)).toBe(true);
});

test('a server that closes the connection within its answer does not hang up', async () => {
  await using server = await listen((socket) => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nhe'));
  expect(await server.get()).toEqual({ failure: INCOMPLETE });
});
