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

test('several set-cookie headers are kept apart', async () => {
  await using peer = await listen(
    says('HTTP/1.1 200 OK\r\nset-cookie: a=1\r\nset-cookie: b=2, c\r\ncontent-length: 0\r\n\r\n'),
  );
  expect(await peer.get()).toMatchObject({
    headers: [
      ['set-cookie', 'a=1'],
      ['set-cookie', 'b=2, c'],
      ['content-length', '0'],
    ],
  });
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

test('an answer to HEAD has no content, whatever coding it names', async () => {
  await using peer = await listen(
    says('HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\ncontent-length: 9\r\n\r\n'),
  );
  const answer = await peer.http().exchange({ method: 'HEAD', url: peer.url, headers: {} });
  expect(answer).toMatchObject({ status: 200, body: Buffer.alloc(0) });
});

const hostile: Record<string, { talk: Talk; failure: string | RegExp; within?: HttpLimits }> = {
  'does not answer': { talk: () => {}, failure: 'gave no complete answer within 0.2 s', within: short },
  'answers half a head': {
    talk: says('HTTP/1.1 200 OK\r\nx-a: b'),
    failure: 'gave no complete answer within 0.2 s',
    within: short,
  },
  'drips a head': {
    talk: dripping('HTTP/1.1 200 OK\r\n', 'a: b\r\n'),
    failure: 'gave no complete answer within 0.2 s',
    within: short,
  },
  'drips a body': {
    talk: dripping('HTTP/1.1 200 OK\r\ncontent-length: 1000000\r\n\r\n', 'x'),
    failure: 'gave no complete answer within 0.2 s',
    within: short,
  },
  'drips a compressed body': {
    talk: dripping(Buffer.concat([head('gzip'), gzipSync('hello').subarray(0, 12)]), ''),
    failure: 'gave no complete answer within 0.2 s',
    within: short,
  },
  'goes on with 100 Continue': {
    talk: dripping('', 'HTTP/1.1 103 Early Hints\r\n\r\n'),
    failure: 'gave no complete answer within 0.2 s',
    within: short,
  },
  'sends a body without an end': {
    talk: endless('HTTP/1.1 200 OK\r\n\r\n', Buffer.alloc(64 * 1024)),
    failure: 'sent a body of more than 1024 KiB',
  },
  'sends chunks without an end': {
    talk: endless(
      'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n',
      Buffer.from(`1000\r\n${'x'.repeat(4096)}\r\n`),
    ),
    failure: 'sent a body of more than 1024 KiB',
  },
  'sends a gzip bomb': {
    get talk() {
      return says(head('gzip'), gzipSync(Buffer.alloc(64 * 1024 * 1024)));
    },
    failure: 'sent a body of more than 1024 KiB',
  },
  'sends a gzip bomb in a gzip bomb': {
    get talk() {
      return says(head('gzip, gzip'), gzipSync(gzipSync(Buffer.alloc(64 * 1024 * 1024))));
    },
    failure: 'sent a body of more than 1024 KiB',
  },
  'sends broken gzip': {
    talk: says(head('gzip'), Buffer.from('no gzip at all')),
    failure: 'sent a body that does not decode by its content coding',
  },
  'sends broken deflate': {
    talk: says(head('deflate'), Buffer.from('no deflate at all')),
    failure: 'sent a body that does not decode by its content coding',
  },
  'sends broken brotli': {
    talk: says(head('br'), Buffer.from('no brotli at all')),
    failure: 'sent a body that does not decode by its content coding',
  },
  'sends gzip that is cut off': {
    talk: says(head('gzip'), gzipSync('hello'.repeat(100)).subarray(0, 20)),
    failure: 'sent a body that ends before its content coding does',
  },
  'names a coding that is not known': {
    talk: says(head('zstd'), Buffer.from('x')),
    failure: 'sent a content coding that is not accepted: zstd',
  },
  'names three codings': {
    talk: says(head('gzip, gzip, gzip'), gzipSync(gzipSync(gzipSync('hello')))),
    failure: 'sent a content coding that is not accepted: gzip, gzip, gzip',
  },
  'sends a flood of headers': {
    talk: endless('HTTP/1.1 200 OK\r\n', Buffer.from(`x-${'a'.repeat(100)}: ${'b'.repeat(1000)}\r\n`)),
    failure: 'sent a head of more than 16 KiB',
  },
  'sends one header without an end': {
    talk: endless('HTTP/1.1 200 OK\r\nx-a: ', Buffer.alloc(4096, 'b')),
    failure: 'sent a head of more than 16 KiB',
  },
  'greets like a mail server': {
    talk: says('220 mail.example ESMTP\r\n'),
    failure: /^sent something that is not HTTP/,
  },
  'gives its length in words': {
    talk: says('HTTP/1.1 200 OK\r\ncontent-length: nine\r\n\r\n'),
    failure: /^sent something that is not HTTP/,
  },
  'resets the connection': {
    talk: (socket) => socket.resetAndDestroy(),
    failure: 'reset the connection',
  },
  'closes before it answers': {
    talk: (socket) => socket.end(),
    failure: 'closed the connection without an answer',
  },
  'closes in the middle of a body': {
    talk: (socket) => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nhello'),
    failure: 'closed the connection before its answer was complete',
  },
  'resets the connection in the middle of a body': {
    talk: (socket) =>
      socket.write('HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nhello', () => socket.resetAndDestroy()),
    failure: 'closed the connection before its answer was complete',
  },
  'closes in the middle of a chunk': {
    talk: (socket) => socket.end('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n64\r\nhello'),
    failure: 'closed the connection before its answer was complete',
  },
  'closes between two chunks': {
    talk: (socket) => socket.end('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\nhello\r\n'),
    failure: 'closed the connection before its answer was complete',
  },
  'closes after the last chunk, but before the end of its trailers': {
    talk: (socket) => socket.end('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n'),
    failure: 'closed the connection before its answer was complete',
  },
  'resets the connection in the middle of a chunk': {
    talk: (socket) =>
      socket.write('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n64\r\nhello', () =>
        socket.resetAndDestroy(),
      ),
    failure: /^(reset the connection|closed the connection before its answer was complete)$/,
  },
};

for (const [what, peerOf] of Object.entries(hostile))
  test(`a peer that ${what} ends as a failure in words`, async () => {
    // Here and not above: who only lists the tests need not wait for the bombs.
    const { talk, failure, within = limits } = peerOf;
    await using peer = await listen(talk);
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
