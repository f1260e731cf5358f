/** Peers that are unusual and correct, mean no good, or have a bad day: raw sockets that answer as few servers do. */
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { failureOf } from './connection.ts';
import { createHttp, defaultLimits, type HttpLimits, INCOMPLETE } from './http.ts';
import { dripping, endless, head, limits, listen, says, type Talk } from './testing/raw-server.ts';

const short: HttpLimits = { ...limits, deadlineSeconds: 0.2 };
const LINE = 'HTTP/1.1 200 OK\r\n';
const OK = `${LINE}content-length: 5\r\n\r\nhello`;
const EMPTY = says(`${LINE}content-length: 0\r\n\r\n`);
const CHUNKED = `${LINE}transfer-encoding: chunked\r\n\r\n`;
const ends = (answer: string) => (socket: Parameters<Talk>[0]) => void socket.end(answer);
const coded = (coding: string, body: Buffer | string) => says(head(coding), body);

const answers: Record<string, Talk> = {
  'after 100 Continue': says(`HTTP/1.1 100 Continue\r\n\r\n${OK}`),
  'of HTTP/1.1 that ends with its connection': ends(`${LINE}\r\nhello`),
  'with an offer of h2c': says(
    `${LINE}upgrade: h2,h2c\r\nconnection: upgrade\r\ncontent-length: 5\r\n\r\nhello`,
  ),
  'with 3000 headers': says(
    `${LINE}${'a:\r\n'.repeat(3000)}content-encoding: gzip\r\nconnection: close\r\n\r\n`,
    gzipSync('hello'),
  ),
  'with bytes after its end': ends(`${OK.replace('\r\n', '\r\nconnection: close\r\n')}\r\n`),
  'as gzip': coded('gzip', gzipSync('hello')),
  'as x-gzip': coded('x-gzip', gzipSync('hello')),
  'as deflate': coded('deflate', deflateSync('hello')),
  'as br': coded('br', brotliCompressSync('hello')),
  'as br within gzip': coded('gzip, br', brotliCompressSync(gzipSync('hello'))),
  'as raw deflate': coded('deflate', deflateRawSync('hello')),
  'as two members of gzip': says(head('gzip'), gzipSync('he'), gzipSync('llo')),
};

for (const [what, talk] of Object.entries(answers))
  test(`an answer ${what} is read`, async () => {
    await using peer = await listen(talk);
    expect(await peer.get()).toMatchObject({ status: 200, body: Buffer.from('hello') });
  });

/** Each on a connection that stays open. */
const withoutContent: Record<string, string> = {
  'a 204 that names a coding': '204 No Content\r\ncontent-encoding: gzip\r\n\r\n',
  'a 302 that names a coding':
    '302 Found\r\nlocation: /\r\ncontent-encoding: gzip\r\ncontent-length: 0\r\n\r\n',
};

for (const [what, answer] of Object.entries(withoutContent))
  test(`${what} has no content`, async () => {
    await using peer = await listen(says(`HTTP/1.1 ${answer}`));
    expect(await peer.get()).toMatchObject({ status: Number.parseInt(answer, 10), body: Buffer.alloc(0) });
  });

test('an answer to HEAD is complete after its head', async () => {
  await using peer = await listen(says(`${LINE}content-encoding: gzip\r\ncontent-length: 9\r\n\r\n`));
  const answered = await peer.http().exchange({ method: 'HEAD', url: peer.url, headers: {} });
  expect(answered).toMatchObject({ status: 200, body: Buffer.alloc(0) });
});

test('headers keep their order and repeated ones stay apart, and asides are kept as far as there is room', async () => {
  await using peer = await listen(
    says(
      'HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\nHTTP/1.1 203 Fine\r\nVary: a\r\nset-cookie: a=1\r\n',
      'set-cookie: b=2, c\r\nvary: b\r\ntransfer-encoding: chunked\r\n\r\n2\r\nhi\r\n0\r\nx-sum: 1\r\n\r\n',
    ),
  );
  expect(await peer.get()).toEqual({
    status: 203,
    asides: ['link', '</a>', 'Fine', 'x-sum', '1'],
    headers: [
      ['vary', 'a'],
      ['set-cookie', 'a=1'],
      ['set-cookie', 'b=2, c'],
      ['vary', 'b'],
      ['transfer-encoding', 'chunked'],
    ],
    body: Buffer.from('hi'),
  });
  await using many = await listen(says('HTTP/1.1 103 Early Hints\r\na: b\r\nc: d\r\n\r\n'.repeat(100), OK));
  expect(await many.get()).toMatchObject({ asides: { length: 200 } });
});

test('a request carries what is given, in its order, on a connection of its own', async () => {
  await using peer = await listen(says(OK));
  const http = peer.http();
  const headers = { accept: 'application/json', 'user-agent': 'x/1' };
  await http.exchange({ method: 'POST', url: `${peer.url}/a%20b/?c=d`, headers, body: 'e=f' });
  expect(peer.requests.join('').split('\r\n')).toEqual([
    ...['POST /a%20b/?c=d HTTP/1.1', `host: ${new URL(peer.url).host}`, 'connection: close'],
    ...['accept: application/json', 'user-agent: x/1', 'content-length: 3', '', 'e=f'],
  ]);
  await http.exchange({ method: 'POST', url: peer.url, headers: {} });
  expect(peer.requests.at(-1)).toContain('\r\ncontent-length: 0\r\n');
  expect(peer.connections()).toBe(2);
});

const LATE = 'gave no complete answer within 0.2 s';
const TOO_MUCH = 'sent a body of more than 1024 KiB';
const UNDECODABLE = 'sent a body that does not decode by its content coding';
const NO_HTTP = /^sent something that is not HTTP/;

/** Whether it hangs is seen within a short time. A bomb is made when its test begins. */
const hostile: Record<string, [failure: string | RegExp, talk: Talk | (() => Talk)]> = {
  'does not answer': [LATE, () => {}],
  'drips a head': [LATE, dripping(LINE, 'a: b\r\n')],
  'drips a body': [LATE, dripping(`${LINE}content-length: 1000000\r\n\r\n`, 'x')],
  'drips interim responses': [LATE, dripping('', 'HTTP/1.1 103 Early Hints\r\n\r\n')],
  'pours interim responses': [
    LATE,
    endless('', Buffer.from('HTTP/1.1 103 Early Hints\r\n\r\n'.repeat(1000))),
  ],
  'sends a body without an end': [TOO_MUCH, endless(`${LINE}\r\n`, Buffer.alloc(64 * 1024))],
  'sends chunks without an end': [TOO_MUCH, endless(CHUNKED, Buffer.from(`1000\r\n${'x'.repeat(4096)}\r\n`))],
  'sends a gzip bomb in a gzip bomb': [
    TOO_MUCH,
    () => coded('gzip, gzip', gzipSync(gzipSync(Buffer.alloc(64 * 1024 * 1024)))),
  ],
  'sends broken gzip': [UNDECODABLE, coded('gzip', 'no gzip at all')],
  'sends gzip that is cut off': [
    'sent a body that ends before its content coding does',
    coded('gzip', gzipSync('hello'.repeat(100)).subarray(0, 20)),
  ],
  'names three codings': [
    'sent a content coding that is not accepted: gzip, gzip, gzip',
    coded('gzip, gzip, gzip', gzipSync(gzipSync(gzipSync('hello')))),
  ],
  'sends a flood of headers': [
    'sent a head of more than 16 KiB',
    endless(LINE, Buffer.from(`x-${'a'.repeat(100)}: ${'b'.repeat(1000)}\r\n`)),
  ],
  'greets like a mail server': [NO_HTTP, says('220 mail.example ESMTP\r\n')],
  'switches protocols unasked': [
    'switched to another protocol, which was not requested (101)',
    says('HTTP/1.1 101 Switching Protocols\r\nupgrade: h2c\r\nconnection: upgrade\r\n\r\n'),
  ],
  'resets the connection': ['reset the connection', (socket) => socket.resetAndDestroy()],
  'closes before it answers': ['closed the connection without an answer', ends('')],
  'closes in the middle of a body': [INCOMPLETE, ends(`${LINE}content-length: 100\r\n\r\nhello`)],
  'closes in the middle of a chunk': [INCOMPLETE, ends(`${CHUNKED}64\r\nhello`)],
  'closes before the end of its trailers': [INCOMPLETE, ends(`${CHUNKED}5\r\nhello\r\n0\r\n`)],
};

for (const [what, [failure, talk]] of Object.entries(hostile))
  test(`a peer that ${what} ends as a failure in words`, async () => {
    await using peer = await listen(what.endsWith('bomb') ? (talk as () => Talk)() : talk);
    const failed = typeof failure === 'string' ? failure : expect.stringMatching(failure);
    expect(await peer.get(failure === LATE ? short : limits)).toMatchObject({ failure: failed });
    expect(peer.requests).toHaveLength(1);
  });

test('a body of an unknown coding that goes on is let go of, and does no harm later', async () => {
  await using peer = await listen(endless(head('zstd'), gzipSync('hello')));
  expect(await peer.get(short)).toHaveProperty('failure');
  // The first exchange's deadline passes before that of the second, which began later.
  await using silent = await listen(() => {});
  expect(await silent.get(short)).toHaveProperty('failure');
});

test('a body as large as the limit, which a request can make smaller, is read, and one byte more is not', async () => {
  await using full = await listen(coded('identity', Buffer.alloc(limits.bodyBytes)));
  expect(await full.get()).toMatchObject({ status: 200 });
  const request = { method: 'GET', url: full.url, headers: {}, bodyBytes: 2048 } as const;
  expect(await full.http().exchange(request)).toMatchObject({ failure: 'sent a body of more than 2 KiB' });
  await using over = await listen(coded('identity', Buffer.alloc(limits.bodyBytes + 1)));
  expect(await over.get()).toMatchObject({ failure: TOO_MUCH });
});

test('a port without a listener, and a host name that does not exist, fail in words', async () => {
  const peer = await listen(() => {});
  await peer[Symbol.asyncDispose]();
  expect(await peer.get()).toMatchObject({ failure: 'refused the connection' });
  const nowhere = { method: 'GET', url: 'http://nowhere.invalid/', headers: {} } as const;
  expect(await createHttp(limits).exchange(nowhere)).toMatchObject({
    failure: 'has a host name that does not resolve',
  });
});

test('of a token that no header can carry, only what cannot be sent is quoted', async () => {
  await using peer = await listen(EMPTY);
  const headers = { authorization: 'Bearer a鍵b' };
  expect(await peer.http().exchange({ method: 'GET', url: peer.url, headers })).toMatchObject({
    failure: 'issued a token with "鍵" in it, which no Authorization header can carry',
  });
  expect(peer.requests).toEqual([]);
});

test('after a failure the next exchange is a fresh attempt', async () => {
  const talks: Talk[] = [(socket) => socket.resetAndDestroy(), says('HTTP/1.1 204 Done\r\n\r\n')];
  await using peer = await listen((socket, request) => talks.shift()?.(socket, request));
  const http = peer.http();
  const request = { method: 'GET', url: peer.url, headers: {} } as const;
  expect(await http.exchange(request)).toMatchObject({ failure: 'reset the connection' });
  expect(await http.exchange(request)).toMatchObject({ status: 204 });
});

test('close ends an exchange that is under way, and every connection', async () => {
  const peer = await listen(() => http.close());
  const http = createHttp(defaultLimits);
  expect(await http.exchange({ method: 'GET', url: peer.url, headers: {} })).toHaveProperty('failure');
  await peer[Symbol.asyncDispose]();
});

test('the end or a reset of a connection without an answer is a hang-up, and nothing else is', () => {
  const of = (code: string, errno?: number) => failureOf({ code, ...(errno && { errno }) }).code;
  const codes = [of('ECONNRESET'), of('ECONNRESET', -104), of('EPIPE', -32), of('ECONNREFUSED')];
  expect(codes).toEqual(['hang-up', 'hang-up', 'hang-up', 'unreachable']);
  expect([of('ENOTFOUND'), of('HPE_INVALID_CONSTANT'), of('EPROTO')]).toEqual([
    'unknown-host',
    'not-http',
    'tls',
  ]);
});
