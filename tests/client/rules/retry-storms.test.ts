import { expect, _baseTest as test } from '@playwright/test';
import {
  asks,
  every,
  forbidden,
  judgedBy,
  type Made,
  reads,
  refused,
  trafficOf,
  verdictOf,
  withToken,
} from '../testing/traffic.ts';

const steady = trafficOf([asks(0, 1), ...every(200, 20, 2400, withToken(1))], { name: 'steady' });
/** Reads each 200 ms, of which the third is the first that is refused, at 420. */
const start = [asks(0, 1), reads(20, 1), reads(220, 1)];
const stays = (calls: readonly Made[], more = {}) =>
  trafficOf([...start, ...calls], { name: '403-stays', ...more });
const verdicts = (calls: readonly Made[], more = {}) => [
  verdictOf('no-loop', steady, stays(calls, more)),
  verdictOf('refresh-once', steady, stays(calls, more)),
];
/** So many attempts without a pause, each with a token of its own. */
const row = (attempts: number, from = 420, firstToken = 1): Made[] =>
  Array.from({ length: attempts }, (_, nth) => [
    ...(nth > 0 ? [asks(from + nth * 30 - 15, firstToken + nth)] : []),
    forbidden(from + nth * 30, firstToken + nth),
  ]).flat();

test('a client that renews and retries once at each turn has passed, whatever the pause between its turns', () => {
  const turns = [0, 1, 2, 3, 4, 5, 6, 7].flatMap((nth) => row(2, 420 + nth * 240, 1 + nth));
  expect(verdicts(turns)).toEqual(['passed', 'passed']);
});

test('a client that renews at each refusal, and pauses with the new token in hand, is in a loop', () => {
  const each = (pauseMs: number, count: number) =>
    Array.from({ length: count }, (_, nth) => {
      const at = 420 + nth * pauseMs;
      return [forbidden(at, nth + 1), asks(at + 20, nth + 2)];
    }).flat();
  const judged = judgedBy('no-loop', steady, stays(each(1000, 8)));
  expect(judged).toMatchObject({
    verdict: 'failed',
    findings: [
      { seen: expect.stringMatching(/^8 reads in a row were refused, and each time another token/) },
    ],
  });
  const verdict = (calls: readonly Made[], more = {}) => verdictOf('no-loop', steady, stays(calls, more));
  expect([verdict(each(1000, 6)), verdict(each(2000, 12))]).toEqual(['passed', 'passed']);
  // One that gives up after its retry, and begins its next turn with a new token.
  const pairs = [0, 1, 2, 3, 4, 5, 6, 7].flatMap((nth) => row(2, 420 + nth * 500, 1 + 2 * nth));
  const anew = [1, 2, 3, 4, 5, 6, 7].map((nth) => asks(420 + nth * 500 - 15, 1 + 2 * nth));
  expect(verdict([...pairs, ...anew])).toBe('passed');
});

test('a client that renews for ever without a pause is in a loop', () => {
  const judged = judgedBy('no-loop', steady, stays(row(40)));
  expect(judged).toMatchObject({ verdict: 'failed', clause: 'MRS-5c' });
  expect(judged.findings[0]).toMatchObject({
    scenario: '403-stays',
    seen: '40 attempts in a row were refused, without a pause between them.',
  });
  expect(judged.findings[0]?.calls).toHaveLength(20);
});

test('a loop that reads on with the same token is one too', () => {
  expect(verdicts(every(15, 420, 900, (at) => forbidden(at, 1)))[0]).toBe('failed');
});

test('up to six attempts in a row are no loop, and more than two are too many', () => {
  expect(verdicts(row(2))).toEqual(['passed', 'passed']);
  expect(verdicts(row(3))).toEqual(['passed', 'warned']);
  expect(verdicts(row(6))).toEqual(['passed', 'warned']);
  expect(verdicts(row(7))).toEqual(['failed', 'warned']);
});

test('retries with a back-off are no loop', () => {
  const waits = [420, 920, 1920, 3920, 7920, 15_920, 31_920, 63_920];
  const retries = waits.flatMap((at, nth) => [forbidden(at, 1 + nth), asks(at + 15, 2 + nth)]);
  expect(verdicts(retries)).toEqual(['passed', 'passed']);
});

test('a client that ends by itself on a 403 that stays has passed', () => {
  expect(verdicts(row(2), { ended: { code: 1 } })).toEqual(['passed', 'passed']);
});

test('a slow answer of the token endpoint is no pause of the client', () => {
  const slowly = Array.from({ length: 8 }, (_, nth) => [
    forbidden(420 + nth * 1030, 1 + nth),
    asks(431 + nth * 1030, 2 + nth, { endMs: 431 + nth * 1030 + 1000 }),
  ]).flat();
  expect(verdicts(slowly)[0]).toBe('failed');
});

test('a client that met no refusal, and one whose retry was served, are not judged by it', () => {
  expect(verdicts([])).toEqual(['not-applicable', 'not-applicable']);
  const served = [refused(420, 1), asks(435, 2), reads(450, 2)];
  expect(verdicts(served, { endedAt: { 1: 400 } })).toEqual(['not-applicable', 'passed']);
});

test('several tokens in a row for one refused request are warned of', () => {
  const twice = [refused(420, 1), asks(435, 2), asks(450, 3), reads(465, 3), reads(665, 3)];
  const judged = judgedBy('refresh-once', steady, stays(twice, { endedAt: { 1: 400 } }));
  expect(judged).toMatchObject({
    verdict: 'warned',
    findings: [{ calls: [4, 5, 6], seen: expect.stringContaining('2 tokens in a row') }],
  });
  expect(verdicts(twice, { endedAt: { 1: 400 }, processes: 2 })[1]).not.toBe('warned');
});

test('a client that also renews by its clock may ask once for each reason', () => {
  const clock = trafficOf(
    [
      asks(0, 1),
      ...every(200, 20, 2400, withToken(1)),
      asks(2410, 2),
      ...every(200, 2430, 3000, withToken(2)),
    ],
    { agreedSeconds: 3, name: 'expires' },
  );
  const judged = (...calls: readonly Made[]) => {
    const late = [asks(0, 1), refused(3020, 1), ...calls, ...every(200, 3100, 3900, withToken(3))];
    return verdictOf('refresh-once', clock, trafficOf(late, { agreedSeconds: 3, name: 'token-down' }));
  };
  expect(judged(asks(3040, 2), asks(3060, 3))).toBe('passed');
  expect(judged(asks(3040, 2), asks(3060, 3), asks(3075, 4))).toBe('warned');
});

test('several callers that are refused together may each ask for a token', () => {
  const together = [0, 1, 2].map((nth) => refused(420 + nth, 1, { endMs: 440 }));
  const each = [0, 1, 2].map((nth) => asks(445 + nth, 2 + nth, { endMs: 460 }));
  const calls = [...together, ...each, reads(470, 4), reads(670, 4)];
  expect(verdicts(calls, { endedAt: { 1: 400 } })[1]).not.toBe('warned');
});

test('requests with a dead token violate the rule of the renewal, and do not count as several renewals', () => {
  const dead = [refused(420, 1), refused(435, 1), refused(450, 1), asks(465, 2), reads(480, 2)];
  expect(verdicts(dead, { endedAt: { 1: 400 } })[1]).toBe('passed');
});

test.describe('with five readers at once', () => {
  const crowd = (from: number, make: (at: number) => Made) =>
    [0, 1, 2, 3, 4].map((nth) => ({ ...make(from + nth), endMs: from + nth + 12 }));
  const turns = (pauseMs: number, until: number, make: (at: number) => Made, from = 20) =>
    Array.from({ length: (until - from) / pauseMs }, (_, nth) => crowd(from + nth * pauseMs, make)).flat();
  const calm = trafficOf([asks(0, 1), ...turns(200, 2400, withToken(1))], { name: 'steady' });
  const refusing = (pauseMs: number) =>
    trafficOf([asks(0, 1), ...turns(pauseMs, 4400, (at) => forbidden(at, 1), 420)], { name: '403-stays' });
  const both = (pauseMs: number) => [
    verdictOf('no-loop', calm, refusing(pauseMs)),
    verdictOf('refresh-once', calm, refusing(pauseMs)),
  ];

  test('as many attempts as when nothing is wrong, or twice as many, have passed', () => {
    expect(both(200)).toEqual(['passed', 'passed']);
    expect(both(100)).toEqual(['passed', 'passed']);
  });

  test('without the steady scenario the usual number is unknown, so that no number passes', () => {
    expect(verdictOf('no-loop', refusing(20))).toBe('not-applicable');
    expect(verdictOf('refresh-once', refusing(20))).toBe('not-applicable');
  });

  test('four times as many are warned of, and ten times as many are a loop', () => {
    expect(both(50)).toEqual(['passed', 'warned']);
    expect(both(20)).toEqual(['failed', 'warned']);
  });
});
