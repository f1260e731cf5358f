import { expect, test } from 'vitest';
import { createVirtualClock } from '../../support/clock.ts';
import { createThrottledHttp, type HttpFailure, type HttpResponse } from './http.ts';

type Answer = HttpResponse | HttpFailure;

function answer(status: number, retryAfter?: string): HttpResponse {
  const headers = retryAfter === undefined ? [] : [['retry-after', retryAfter] as const];
  return { status, headers, body: Buffer.alloc(0) };
}
const served = answer(200);
const failed: HttpFailure = { failure: 'reset the connection' };
const busy = answer(429, '3');
const HERE = 'http://127.0.0.1:8080/';
const ELSEWHERE = 'https://mrs.example/';

interface Setting {
  budget?: number;
  url?: string;
  /** In turn, and the last one for good. */
  answers?: Answer[];
  takesMs?: number;
  requests?: number;
}

/** What requests, one after another, bring, and when each attempt begins. */
async function play({ url = HERE, answers = [served], takesMs = 0, requests = 1, budget }: Setting) {
  const clock = createVirtualClock();
  const beganAtMs: number[] = [];
  const exchange = async () => {
    const next = answers[Math.min(beganAtMs.push(clock.now()), answers.length) - 1];
    await clock.sleep(takesMs);
    return next ?? failed;
  };
  const http = createThrottledHttp({ exchange }, clock, budget);
  const brought: Answer[] = [];
  for (let nth = 0; nth < requests; nth++)
    brought.push(await http.exchange({ method: 'GET', url, headers: {} }));
  expect(http.sent()).toBe(beganAtMs.length);
  return { brought, beganAtMs };
}

const spent = (budget: number) => ({
  failure: `was not asked, since this run has sent its ${budget} requests`,
  failureCode: 'not-asked',
});

for (const [what, setting, beganAtMs, brought] of [
  ...[ELSEWHERE, 'http://localhost.example/'].map(
    (url) => [`requests to ${url} are paced`, { url, requests: 3 }, [0, 200, 400]] as const,
  ),
  ...[HERE, 'http://localhost/', 'http://[::1]:8080/'].map(
    (url) => [`requests to ${url} are not paced`, { url, requests: 3 }, [0, 0, 0]] as const,
  ),
  ['a long exchange counts for the pace', { url: ELSEWHERE, takesMs: 500, requests: 3 }, [0, 500, 1000]],
  ['a repeat keeps the pace', { url: ELSEWHERE, answers: [answer(429, '0'), served] }, [0, 200]],
  ...[429, 503].map(
    (status) =>
      [
        `after a ${status} the request is sent again when the deployment asked for it`,
        { answers: [answer(status, ' 5 '), served] },
        [0, 5000],
        [{ ...served, waitedSeconds: 5, before: [answer(status, ' 5 ')] }],
      ] as const,
  ),
  ...(
    [
      ...([200, 301, 500] as const).map((status) => [status, '5'] as const),
      ...[undefined, 'soon', '-5', '61'].map((text) => [429, text] as const),
    ] as const
  ).map(
    ([status, text]) =>
      [
        `a ${status} with Retry-After ${text} is the answer`,
        { answers: [answer(status, text)] },
        [0],
        [answer(status, text)],
      ] as const,
  ),
  [
    'a request is repeated twice at most, and the waits add up',
    { answers: [busy] },
    [0, 3000, 6000],
    [{ ...busy, waitedSeconds: 6, before: [busy, busy] }],
  ],
  [
    'the patience is that of a whole run',
    {
      requests: 5,
      answers: ['60', '60', '50', '11', '10'].flatMap((text) =>
        text === '11' ? answer(429, text) : [answer(429, text), served],
      ),
    },
    [0, 60, 60, 120, 120, 170, 170, 170, 180].map((seconds) => seconds * 1000),
    [60, 60, 50, 0, 10].map((seconds) =>
      seconds === 0
        ? answer(429, '11')
        : { ...served, waitedSeconds: seconds, before: [answer(429, String(seconds))] },
    ),
  ],
  [
    'a run sends 160 requests and no more, and says so',
    { requests: 161 },
    Array(160).fill(0),
    [...Array(160).fill(served), spent(160)],
  ],
  [
    'repeats and failures count as requests, and a failure is not repeated',
    { answers: [failed, answer(429, '1'), failed, served], budget: 4, requests: 4 },
    [0, 0, 1000, 1000],
    [failed, { ...failed, waitedSeconds: 1, before: [answer(429, '1')] }, served, spent(4)],
  ],
  ['no repeat goes beyond the budget', { answers: [answer(429, '1')], budget: 2 }, [0, 1000]],
] as [string, Setting, number[], Answer[]?][])
  test(what, async () => {
    const played = await play(setting);
    expect(played.beganAtMs).toEqual(beganAtMs);
    if (brought) expect(played.brought).toEqual(brought);
  });

const noon = Date.UTC(2026, 10, 20, 12);
for (const [when, seconds, ownSeconds, beganAtMs] of [
  ['ahead is waited for, up to the bound', 60, undefined, [0, 60_000]],
  ['beyond the bound is not waited for', 61, undefined, [0]],
  ['that has passed, of an answer without a date, is not believed', -60, undefined, [0]],
  ['by the date of an answer ten minutes behind is waited for', -570, -600, [0, 30_000]],
  ['by the date of an answer ten minutes ahead is waited for', 630, 600, [0, 30_000]],
  ['that has passed by the date of its answer lets the request be sent again', -10, 0, [0, 0]],
] as const)
  test(`a date in Retry-After ${when}`, async () => {
    const { now } = Date;
    const dateAt = (offset: number) => new Date(noon + offset * 1000).toUTCString();
    const busy = answer(503, dateAt(seconds));
    const headers =
      ownSeconds === undefined ? busy.headers : [...busy.headers, ['date', dateAt(ownSeconds)] as const];
    try {
      Date.now = () => noon;
      expect((await play({ answers: [{ ...busy, headers }, served] })).beganAtMs).toEqual(beganAtMs);
    } finally {
      Date.now = now;
    }
  });
