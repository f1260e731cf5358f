import { expect, _baseTest as test } from '@playwright/test';
import { createVirtualClock } from '../../support/clock.ts';
import {
  createThrottledHttp,
  defaultThrottle,
  type Http,
  type HttpFailure,
  type HttpResponse,
  type Throttle,
} from './http.ts';

const OUTSIDE = 'https://mrs.example/';
const LOOPBACK = 'http://127.0.0.1:8080/';

function answer(status: number, retryAfter?: string): HttpResponse {
  const headers: HttpResponse['headers'] = [
    ['server', 'x'],
    ...(retryAfter === undefined ? [] : [['retry-after', retryAfter] as const]),
  ];
  return { status, headers, body: Buffer.alloc(0) };
}
const served = answer(200);
const failed: HttpFailure = { failure: 'reset the connection' };

for (const [url, beganAtMs] of [
  ...[OUTSIDE, 'http://192.0.2.1/', 'http://localhost.example/'].map((url) => [url, [0, 200, 400]] as const),
  ...[LOOPBACK, 'http://localhost/', 'http://[::1]:8080/'].map((url) => [url, [0, 0, 0]] as const),
])
  test(`requests to ${url} begin at ${beganAtMs.join(', ')} ms`, async () => {
    const run = start({ url });
    for (let nth = 0; nth < 3; nth++) await run.get();
    expect(run.beganAtMs).toEqual(beganAtMs);
  });

for (const [takesMs, beganAtMs] of [
  [150, [0, 200, 400]],
  [500, [0, 500, 1000]],
] as const)
  test(`the time of an exchange counts for the pace: answers that take ${takesMs} ms`, async () => {
    const run = start({ url: OUTSIDE, takesMs });
    for (let nth = 0; nth < 3; nth++) await run.get();
    expect(run.beganAtMs).toEqual(beganAtMs);
  });

for (const status of [429, 503])
  test(`after a ${status} the request is sent again when the deployment asked for it`, async () => {
    const run = start({ answers: [answer(status, ' 5 '), served] });
    expect(await run.get()).toEqual({ ...served, waitedSeconds: 5 });
    expect(run.beganAtMs).toEqual([0, 5000]);
  });

for (const [status, retryAfter] of [
  [200, '5'],
  [301, '5'],
  [500, '5'],
  [429, undefined],
  [429, ''],
  [503, 'soon'],
  [429, '1.5'],
  [429, '-5'],
  [429, '61'],
  [503, '9999999999'],
] as const)
  test(`a ${status} with Retry-After ${retryAfter} is the answer`, async () => {
    const given = answer(status, retryAfter);
    const run = start({ answers: [given] });
    expect(await run.get()).toEqual(given);
    expect(run.beganAtMs).toEqual([0]);
  });

for (const [when, seconds, beganAtMs] of [
  ['ahead is waited for, up to the bound', 60, [0, 60_000]],
  ['beyond the bound is not waited for', 61, [0]],
  ['that has passed is not waited for, and the request is sent again', -60, [0, 0]],
] as const)
  test(`a date ${when}`, async () => {
    const { now } = Date;
    const noon = Date.UTC(2026, 10, 20, 12);
    const run = start({ answers: [answer(503, new Date(noon + seconds * 1000).toUTCString()), served] });
    try {
      Date.now = () => noon;
      await run.get();
    } finally {
      Date.now = now;
    }
    expect(run.beganAtMs).toEqual(beganAtMs);
  });

test('a request is repeated twice at most, and the waits add up', async () => {
  const busy = answer(429, '3');
  const run = start({ answers: [busy] });
  expect(await run.get()).toEqual({ ...busy, waitedSeconds: 6 });
  expect(run.beganAtMs).toEqual([0, 3000, 6000]);
});

test('the patience is that of a whole run', async () => {
  const run = start({
    maxWaitedSeconds: 30,
    answers: [answer(429, '20'), served, answer(429, '11'), answer(429, '10'), served],
  });
  expect(await run.get()).toMatchObject({ status: 200 });
  expect(await run.get()).toMatchObject({ status: 429 });
  expect(await run.get()).toMatchObject({ status: 200, waitedSeconds: 10 });
});

test('a repeat keeps the pace', async () => {
  const run = start({ url: OUTSIDE, answers: [answer(429, '0'), served] });
  await run.get();
  expect(run.beganAtMs).toEqual([0, 200]);
});

test('a run sends 160 requests and no more, and says so', async () => {
  const run = start({});
  for (let nth = 0; nth < 160; nth++) expect(await run.get()).toEqual(served);
  expect(await run.get()).toEqual({ failure: 'was not asked, since this run has sent its 160 requests' });
  expect(run.beganAtMs).toHaveLength(160);
  expect(run.http.sent()).toBe(160);
});

test('repeats and failures count as requests, and a failure is not repeated', async () => {
  const run = start({ answers: [failed, answer(429, '1'), failed, served], budget: 4 });
  expect(await run.get()).toEqual(failed);
  expect(await run.get()).toEqual({ ...failed, waitedSeconds: 1 });
  expect(run.http.sent()).toBe(3);
  await run.get();
  expect(await run.get()).toEqual({ failure: expect.stringContaining('has sent its 4 requests') });
  expect(run.http.sent()).toBe(4);
});

test('no repeat goes beyond the budget', async () => {
  const run = start({ answers: [answer(429, '1')], budget: 2 });
  await run.get();
  expect(run.beganAtMs).toEqual([0, 1000]);
});

interface Setting extends Partial<Throttle> {
  url?: string;
  /** In turn, and the last one for ever. */
  answers?: (HttpResponse | HttpFailure)[];
  takesMs?: number;
}

function start({ url = LOOPBACK, answers = [served], takesMs = 0, ...politeness }: Setting) {
  const clock = createVirtualClock();
  const beganAtMs: number[] = [];
  const peer: Http = {
    async exchange() {
      const next = answers[Math.min(beganAtMs.push(clock.now()), answers.length) - 1];
      await clock.sleep(takesMs);
      return next ?? failed;
    },
    close: async () => {},
  };
  const isPlain = Object.keys(politeness).length === 0;
  const http = createThrottledHttp(peer, clock, isPlain ? undefined : { ...defaultThrottle, ...politeness });
  return { http, beganAtMs, get: () => http.exchange({ method: 'GET', url, headers: {} }) };
}
