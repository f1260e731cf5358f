import { expect, _baseTest as test } from '@playwright/test';
import { feedTraffic, type Poll, pollsOf, verdictOf } from '../testing/feed-traffic.ts';
import type { Made } from '../testing/traffic.ts';

/** A read at this time, which takes this long. */
const at = (startMs: number, tookMs = 5, more: Partial<Made> = {}): Poll => ({
  call: { startMs, endMs: startMs + tookMs, ...more },
  holds: 20,
});
const failing = { status: 500, reason: 'script' } as const;
const hail = (pauseMs: number) => [0, 1, 2, 3].map((nth) => at(1000 + nth * pauseMs, 1, failing));
const row = (pauseMs: number) => [0, 1, 2, 3, 4].map((nth) => at(nth * pauseMs, 1));
const seldom = [at(0), at(10_000), at(20_000, 5, failing)];
const sentAway = { status: 503, retryAfterSeconds: 2, reason: 'script' } as const;
const after = (startMs: number) => [...pollsOf('2*20'), at(1000, 5, sentAway), at(startMs)];
const stalls = [{ startMs: 2000, endMs: 12_000 }];
const TOKEN_IN_QUERY = { what: 'token', where: 'query' } as const;
const OTHER_PATH = { kind: 'other', path: '/ods', status: 404 } as const;
const twice = (call: Partial<Made>) => [0, 1].map(() => ({ call, holds: 20 }));

for (const [rule, expected, what, name, polls, seen = '', more = {}] of [
  ['recovers', 'passed', 'reads on', 'data-500', '2*20 3*!500:20 4*20'],
  ['recovers', 'warned', 'exits', 'data-500', '2*20 !500:20', 'exit code 7.', { ended: { code: 7 } }],
  ['recovers', 'warned', 'stops', 'data-500', '2*20 !500:20', 'read nothing 12.0 s', { durationMs: 13_005 }],
  ['recovers', 'could-not-run', 'had no time', 'data-500', '2*20 !500:20', '', { durationMs: 5000 }],
  [
    'recovers',
    'could-not-run',
    'stops while we are held up',
    'data-500',
    '2*20 !500:20',
    '',
    { durationMs: 13_005, stalls },
  ],
  ['recovers', 'could-not-run', 'reads seldom', 'data-500', seldom, '', { durationMs: 100_000 }],
  ['recovers', 'warned', 'reads seldom, and stops', 'data-500', seldom, '', { durationMs: 120_000 }],
  [
    'back-off',
    'warned',
    'does not pause',
    'data-500',
    [...pollsOf('2*20'), ...hail(10)],
    '4 requests came without a pause while',
  ],
  ['back-off', 'passed', 'pauses', 'data-500', [...pollsOf('2*20'), ...hail(500)]],
  ['retry-after', 'warned', 'is early', 'data-503', after(1500), 'again after 0.5 s, 1 time in all.'],
  ['retry-after', 'passed', 'waits', 'data-503', after(3100)],
  ['pause', 'warned', 'does not pause', 'steady', row(10), '5 reads came one after the other'],
  ['pause', 'passed', 'pauses for 60 ms', 'steady', row(60)],
  ['conditional-request', 'warned', 'asks for all', 'steady', '4*20'],
  ['conditional-request', 'passed', 'asks for what is new', 'steady', '20 3*=20'],
  ['conditional-request', 'not-applicable', 'reads twice', 'steady', '2*20'],
  [
    'no-credentials',
    'warned',
    'authenticates',
    'steady',
    twice({ authorization: 'malformed' }),
    '2 requests',
  ],
  [
    'no-credentials',
    'warned',
    'puts a token into the query',
    'steady',
    twice({ misplaced: [TOKEN_IN_QUERY] }),
  ],
  ['no-credentials', 'passed', 'carries no credentials', 'steady', '2*20'],
  [
    'known-paths',
    'warned',
    'guesses a path',
    'steady',
    twice(OTHER_PATH),
    'GET /ods, which is answered with 404, and 1 more',
  ],
] as [string, string, string, string, string | Poll[], string?, object?][])
  test(`${rule}: ${expected} for a reader that ${what}`, () => {
    const all = typeof polls === 'string' ? pollsOf(polls) : polls;
    const [verdict, words = ''] = verdictOf(rule, feedTraffic(name, all, more));
    expect(verdict).toBe(expected);
    expect(words).toContain(seen);
  });
