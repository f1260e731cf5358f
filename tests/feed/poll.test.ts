import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { createVirtualClock } from '../support/clock.ts';
import { listening } from '../support/testing/listening.ts';
import { createPoll, type Poll, watchFeeds } from './poll.ts';
import { contract, good } from './testing/sample-feed.ts';
import type { FeedState, Read } from './watch.ts';

const FEED = JSON.stringify({ ods_data: [good] });
const NEVER = new AbortController().signal;

const OPTIONS = { headers: { 'x-api-key': 'k' }, timeoutMs: 60_000, bodyBytes: 2 ** 20, contract };

type Answer = (response: ServerResponse) => void;

/** Polls a server whose answers come in this order, the last one again and again; `seen` has the headers of the requests. */
async function serve(...answers: Answer[]) {
  const seen: IncomingHttpHeaders[] = [];
  const server = await listening(
    createServer((request, response) => {
      seen.push(request.headers);
      answers[Math.min(seen.length, answers.length) - 1]?.(response);
    }),
  );
  const url = new URL(`${server.url}/ods.json?key=1`);
  return {
    ...{ poll: createPoll(url, OPTIONS), seen, url },
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}

const ok =
  (body: string | Buffer, headers: Record<string, string> = {}) =>
  (response: ServerResponse) =>
    void response.writeHead(200, headers).end(body);
const status =
  (code: number, headers: Record<string, string> = {}) =>
  (response: ServerResponse) =>
    void response.writeHead(code, headers).end();

const MODIFIED = 'Tue, 01 Jan 2030 00:00:00 GMT';

test('a list is asked for only if it is new', async () => {
  await using served = await serve(
    ok(FEED, { etag: '"1"', 'last-modified': MODIFIED }),
    status(304),
    ok(FEED, { etag: '"2"' }),
    ok(gzipSync('[]'), { 'content-encoding': 'gzip' }),
  );
  const read = { atMs: 7, what: 'list', records: [good], lastModifiedMs: Date.parse(MODIFIED) };
  expect(await served.poll(7, NEVER)).toEqual(read);
  expect(await served.poll(8, NEVER)).toEqual({ atMs: 8, what: 'unchanged' });
  expect(await served.poll(9, NEVER)).toEqual({ atMs: 9, what: 'unchanged' });
  expect(await served.poll(9, NEVER)).toMatchObject({ what: 'list', records: [] });
  expect(
    served.seen.map((one) => [one['if-none-match'], one['if-modified-since'], one['x-api-key']]),
  ).toEqual([
    [undefined, undefined, 'k'],
    ['"1"', MODIFIED, 'k'],
    ['"1"', MODIFIED, 'k'],
    ['"2"', undefined, 'k'],
  ]);
});

const endless = (response: ServerResponse) => {
  response.writeHead(200);
  const more = () => void (response.destroyed || response.write(' '.repeat(2 ** 16), more));
  more();
};
/** Answers that hold no list, and what is said of them. */
const HOSTILE: readonly [what: string, answer: Answer, read: Partial<Read> | object][] = [
  ['a page', ok('<!DOCTYPE html>'), { what: 'unreadable', why: 'it is an HTML page' }],
  [
    'NUL bytes',
    ok(FEED.replace('[', '[\0\0')),
    { what: 'unreadable', why: expect.stringContaining('a NUL byte') },
  ],
  ['a body without end', endless, { what: 'unreadable', why: 'it is larger than 1 MiB' }],
  [
    'a body that unpacks to more than the limit',
    ok(gzipSync(' '.repeat(2 ** 24)), { 'content-encoding': 'gzip' }),
    { what: 'unreadable', why: 'it is larger than 1 MiB' },
  ],
  [
    'an unknown content coding',
    ok(FEED, { 'content-encoding': 'br' }),
    { what: 'unreadable', why: 'its content coding is not gzip' },
  ],
  [
    'damaged gzip',
    ok(FEED, { 'content-encoding': 'gzip' }),
    { what: 'failed', why: 'not read (its gzip coding is damaged)' },
  ],
  ['a list in lists in lists', ok('['.repeat(2 ** 19)), { what: 'unreadable' }],
  [
    'more records than are watched',
    ok(`[${'0,'.repeat(100_000)}0]`),
    { what: 'unreadable', why: 'it has over 100000 records' },
  ],
  ['another member', ok('{"toString": 1, "ods_data": {}}'), { what: 'unreadable' }],
  ['an answer 304 to the first request', status(304), { what: 'failed', why: 'answered 304' }],
  [
    'a redirect',
    status(302, { location: '/x' }),
    { what: 'failed', why: 'answered 302, and redirects are not followed' },
  ],
  [
    'a closed connection',
    (response) => void response.destroy(),
    { what: 'failed', why: 'not read (UND_ERR_SOCKET)' },
  ],
  [
    'an answer 503',
    status(503, { 'retry-after': '90' }),
    { what: 'failed', why: 'answered 503', retryMs: 90_000 },
  ],
  [
    'a Retry-After of years',
    status(503, { 'retry-after': '99999999' }),
    { what: 'failed', retryMs: 3_600_000 },
  ],
  [
    'a Retry-After that is a past date',
    status(429, { 'retry-after': 'Sat, 01 Jan 2000 00:00:00 GMT' }),
    { retryMs: 0 },
  ],
];
for (const [what, answer, read] of HOSTILE)
  test(`${what} is a read that says so`, async () => {
    await using served = await serve(answer);
    expect(await served.poll(0, NEVER)).toMatchObject(read);
  });

test('a body with a byte order mark is read', async () => {
  await using served = await serve(ok(`\ufeff${FEED}`));
  expect(await served.poll(0, NEVER)).toMatchObject({ what: 'list', records: [good] });
});

test('a service that does not answer in time fails the read, and so does the end of the watch', async () => {
  const ended = new AbortController();
  await using served = await serve(
    () => {},
    () => ended.abort(),
  );
  const poll = createPoll(served.url, { ...OPTIONS, timeoutMs: 50 });
  expect(await poll(0, NEVER)).toMatchObject({ what: 'failed', why: 'no whole answer within 0.05 s' });
  const patient = createPoll(served.url, { ...OPTIONS, timeoutMs: 2 ** 31 - 1 });
  expect(await patient(0, ended.signal)).toMatchObject({ what: 'failed' });
});

test('an ETag that no header can carry is not sent', async () => {
  await using served = await serve(ok('[]', { etag: '"\u00e9"' }), ok(FEED));
  for (const records of [[], [good]])
    expect(await served.poll(0, NEVER)).toMatchObject({ what: 'list', records });
});

test('a body that does not change is as unreadable as before', async () => {
  await using served = await serve(ok('<html>', { etag: '"1"' }), ok('<html>'), status(304));
  for (const _ of 'abc')
    expect(await served.poll(0, NEVER)).toMatchObject({ what: 'unreadable', why: 'it is an HTML page' });
});

// The loop.

/** Watches for some seconds of a virtual clock. Returns when each read began, and when the watch ended, in seconds. */
async function readsOf(poll: Poll, seconds: number, random = 0.5): Promise<number[]> {
  const clock = createVirtualClock();
  const began: number[] = [];
  const noted: Poll = (atMs, signal) => {
    began.push(atMs / 1000);
    return poll(atMs, signal);
  };
  await watchFeeds([{ name: 'one', host: 'a', poll: noted }], new Map(), {
    ...{ everyMs: 30_000, untilMs: seconds * 1000, lateMs: 0, outageMs: 0, random: () => random },
    ...{ clock, signal: NEVER, onRead: () => {} },
  });
  return [...began, clock.now() / 1000];
}
const EMPTY = { what: 'list', records: [] } as const;
const FAILED = { what: 'failed', why: 'answered 503' } as const;

test('reads come every 30 seconds, give or take a tenth', async () => {
  const poll: Poll = async (atMs) => ({ atMs, ...EMPTY });
  expect(await readsOf(poll, 100)).toEqual([0, 30, 60, 90, 100]);
  expect(await readsOf(poll, 60, 0)).toEqual([0, 27, 54, 60]);
});

test('after errors, the time between two reads doubles up to five minutes', async () => {
  expect(await readsOf(async (atMs) => ({ atMs, ...FAILED }), 1200)).toEqual([
    0, 30, 90, 210, 450, 750, 1050, 1200,
  ]);
});

test('a service that asks to be left alone is left alone', async () => {
  const poll: Poll = async (atMs) =>
    atMs === 0 ? { atMs, ...FAILED, retryMs: 100_000 } : { atMs, ...EMPTY };
  expect(await readsOf(poll, 140)).toEqual([0, 100, 130, 140]);
});

test('feeds of one host are read one at a time', async () => {
  let resolve = () => {};
  const both = new Promise<void>((done) => {
    resolve = done;
  });
  const open = { a: 0, b: 0 };
  let most = 0;
  const states = new Map<string, FeedState>();
  const poll =
    (host: 'a' | 'b'): Poll =>
    async (atMs) => {
      most = Math.max(most, ++open[host]);
      if (open.a > 0 && open.b > 0) resolve(); // Of different hosts, at the same time.
      await both;
      open[host]--;
      return { atMs, ...EMPTY };
    };
  const feeds = (['a', 'a', 'b', 'b'] as const).map((host, at) => ({
    name: `${at}`,
    host,
    poll: poll(host),
  }));
  await watchFeeds(feeds, states, {
    ...{ everyMs: 1000, untilMs: 10_000, lateMs: 0, outageMs: 0, random: () => 0.5 },
    ...{ clock: createVirtualClock(), signal: NEVER, onRead: () => {} },
  });
  expect([most, states.size]).toEqual([1, 4]);
});

test('a watch that is interrupted ends without the read that it interrupts', async () => {
  const interrupted = new AbortController();
  const states = new Map<string, FeedState>();
  const poll: Poll = async (atMs) => {
    interrupted.abort();
    return { atMs, ...FAILED };
  };
  await watchFeeds([{ name: 'one', host: 'a', poll }], states, {
    ...{ everyMs: 1000, untilMs: 1e9, lateMs: 0, outageMs: 0, random: () => 0.5 },
    ...{ clock: createVirtualClock(), signal: interrupted.signal, onRead: () => {} },
  });
  expect(states.size).toBe(0);
});
