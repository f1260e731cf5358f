import { expect, _baseTest as test } from '@playwright/test';
import { feedTraffic, meets, served, times, unchanged, verdictOf } from '../testing/feed-traffic.ts';

const BEFORE = times(2, served(20));
const FAILS = meets({ status: 500 }, 20);

test('a reader that reads on after trouble passes, and one that ends or stops is warned', () => {
  const judged = (polls = BEFORE, more = {}) => verdictOf('recovers', feedTraffic('data-500', polls, more));
  expect(judged([...BEFORE, ...times(3, FAILS), ...times(4, served(20))])).toEqual(['passed']);
  const stuck = [...BEFORE, FAILS];
  expect(judged(stuck, { ended: { code: 7 } })).toEqual([
    'warned',
    'The client ended by itself with exit code 7.',
  ]);
  expect(judged(stuck, { durationMs: 13_005 })).toEqual([
    'warned',
    'The client had read nothing 12.0 s after the last failure.',
  ]);
});

test('a reader that had no time to read again, or an examiner that was held up, is not judged', () => {
  const stuck = [...BEFORE, FAILS];
  const stalls = [{ startMs: 2000, endMs: 12_000 }];
  for (const more of [{ durationMs: 5000 }, { durationMs: 13_005, stalls }])
    expect(verdictOf('recovers', feedTraffic('data-500', stuck, more))[0]).toBe('could-not-run');
});

test('a reader that reads seldom may wait for longer', () => {
  const seldom = [0, 10_000, 20_000].map((startMs, nth) => ({
    call: { startMs, endMs: startMs + 5, ...(nth === 2 && { status: 500 }) },
    holds: 20,
  }));
  const judged = (durationMs: number) =>
    verdictOf('recovers', feedTraffic('data-500', seldom, { durationMs }))[0];
  expect([judged(100_000), judged(120_000)]).toEqual(['could-not-run', 'warned']);
});

test('a reader that answers failures with requests is warned', () => {
  const soon = (startMs: number) => meets({ status: 500, startMs, endMs: startMs + 1 }, 20);
  const judged = (pauseMs: number) =>
    verdictOf(
      'back-off',
      feedTraffic('data-500', [...BEFORE, ...[0, 1, 2, 3].map((nth) => soon(1000 + nth * pauseMs))]),
    );
  expect(judged(10)).toEqual(['warned', '4 requests came without a pause while the feed failed.']);
  expect(judged(500)).toEqual(['passed']);
});

test('a reader that reads before Retry-After is over is warned', () => {
  const judged = (startMs: number) =>
    verdictOf(
      'retry-after',
      feedTraffic('data-503', [
        ...BEFORE,
        meets({ status: 503, retryAfterSeconds: 2 }, 20),
        { call: { startMs, endMs: startMs + 5 }, holds: 20 },
      ]),
    );
  expect(judged(1500)).toEqual([
    'warned',
    'Asked to wait 2 s, the client called again after 0.5 s, 1 time in all.',
  ]);
  expect(judged(3100)).toEqual(['passed']);
});

test('a reader without a pause is warned', () => {
  const judged = (pauseMs: number) =>
    verdictOf(
      'pause',
      feedTraffic(
        'steady',
        [0, 1, 2, 3, 4].map((nth) => ({
          call: { startMs: nth * pauseMs, endMs: nth * pauseMs + 1 },
          holds: 20,
        })),
      ),
    );
  expect(judged(10)).toEqual(['warned', '5 reads came one after the other, without a pause.']);
  expect(judged(60)).toEqual(['passed']);
});

test('a reader that asks for the whole feed each time is warned', () => {
  expect(verdictOf('conditional-request', feedTraffic('steady', times(4, served(20))))[0]).toBe('warned');
  expect(
    verdictOf('conditional-request', feedTraffic('steady', [served(20), ...times(3, unchanged(20))])),
  ).toEqual(['passed']);
  expect(verdictOf('conditional-request', feedTraffic('steady', times(2, served(20))))[0]).toBe(
    'not-applicable',
  );
});

test('credentials and other paths are warned of', () => {
  const judged = (rule: string, call: object) =>
    verdictOf(rule, feedTraffic('steady', times(2, { call, holds: 20 })));
  expect(judged('no-credentials', { authorization: 'malformed' })).toEqual([
    'warned',
    '2 requests carried credentials.',
  ]);
  expect(judged('no-credentials', { misplaced: [{ what: 'token', where: 'query' }] })[0]).toBe('warned');
  expect(judged('no-credentials', {})).toEqual(['passed']);
  expect(judged('known-paths', { kind: 'other', path: '/ods', status: 404 })).toEqual([
    'warned',
    'It asked for GET /ods, which is answered with 404, and 1 more request like it.',
  ]);
});
