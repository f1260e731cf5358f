import { expect, _baseTest as test } from '@playwright/test';
import {
  asks,
  certificateFor,
  every,
  fails,
  forbidden,
  judgedBy,
  type Made,
  reads,
  refused,
  trafficOf,
  verdictOf,
  withToken,
} from '../testing/traffic.ts';

const ends = { agreedSeconds: 3, name: 'expires' };
/** A token, and a read each 200 ms for as long as it lives. */
const start = [asks(0, 1), ...every(200, 20, 3000, withToken(1))];
const after = every(200, 3060, 3800, withToken(2));
const refusal = refused(3020, 1);
const sceneAfter = (calls: readonly Made[], more = {}) =>
  trafficOf([...start, ...calls], { ...ends, ...more });
const reactive = sceneAfter([refusal, asks(3031, 2), ...after]);
/** Those that each other reader had under way, or sent before it knew. */
const crowd = [0, 1, 2, 3, 4].map((nth) => refused(3020 + nth, 1, { endMs: 3040 + nth }));

test('a client that renews on the 403 and repeats the call keeps all rules of the refused token', () => {
  for (const rule of ['renewal', 'retry', 'dead-token'])
    expect(verdictOf(rule, reactive), rule).toBe('passed');
  expect(certificateFor(reactive).strategy).toBe('reactive');
});

test('five readers that are refused together and share one renewal keep them too', () => {
  const stragglers = [refused(3050, 1), refused(3055, 1), refused(3060, 1), refused(3065, 1)];
  const done = every(200, 3120, 3900, withToken(2));
  const traffic = sceneAfter([...crowd, ...stragglers, asks(3052, 2, { endMs: 3110 }), ...done]);
  for (const rule of ['renewal', 'dead-token']) expect(verdictOf(rule, traffic), rule).toBe('passed');
  expect(verdictOf('retry', traffic)).toBe('not-applicable'); // which read repeats which, nobody can tell
});

test.describe('three reads at a time that wait for one connection', () => {
  /** Three reads, one after the other. */
  const row = (at: number, token: number, make = reads) => [0, 11, 32].map((ms) => make(at + ms, token));
  const turns = [asks(0, 1), ...[20, 620, 1220, 1820, 2420].flatMap((at) => row(at, 1))];
  const scene = (...calls: Made[]) => trafficOf([...turns, ...calls], { ...ends, durationMs: 5000 });
  const queued = row(3020, 1, refused);
  const verdicts = (...calls: Made[]) =>
    ['renewal', 'dead-token'].map((rule) => verdictOf(rule, scene(...calls)));

  test('are no fault, whether the token request waits for it as well or not', () => {
    expect(verdicts(...queued, asks(3070, 2), ...row(3090, 2), ...row(3690, 2))).toEqual([
      'passed',
      'passed',
    ]);
    const beside = asks(3031, 2, { endMs: 3040 });
    expect(verdicts(...queued, beside, ...row(3090, 2), ...row(3690, 2))).toEqual(['passed', 'passed']);
  });

  test('are no fault where the machine held up the examiner, or the scenario ended before a token came', () => {
    const [first, second] = row(3020, 1, refused) as [Made, Made];
    const late = [first, second, refused(4060, 1), asks(4080, 2), ...row(4100, 2)];
    expect(verdicts(...late)).toEqual(['failed', 'passed']);
    const stalls = [{ startMs: 3050, endMs: 4050 }];
    expect(verdictOf('renewal', { ...scene(...late), stalls })).toBe('passed');
    expect(verdictOf('renewal', scene(...queued, fails(3070)))).not.toBe('failed');
  });

  test('fail a client that sends a fourth, one in another turn, or one after a read with the new token', () => {
    expect(verdicts(...queued, refused(3063, 1), asks(3090, 2), reads(3110, 2))).toEqual([
      'failed',
      'passed',
    ]);
    expect(verdicts(...queued.slice(0, 2), refused(3620, 1), asks(3640, 2), reads(3660, 2))).toEqual([
      'failed',
      'passed',
    ]);
    expect(verdicts(...queued.slice(0, 1), asks(3031, 2), reads(3042, 2), refused(3053, 1))).toEqual([
      'passed',
      'failed',
    ]);
  });

  test('that nothing showed before are repetitions', () => {
    const calls = [...start, ...queued, asks(3070, 2), reads(3090, 2)];
    expect(verdictOf('renewal', trafficOf(calls, ends))).toBe('failed');
  });
});

test('reads of several callers that came late because the examiner was held up are not held against them', () => {
  const stalls = [{ startMs: 3100, endMs: 3700 }];
  const late = [
    ...[...crowd, asks(3060, 2), reads(3080, 2)],
    ...every(10, 3800, 3850, (at) => refused(at, 1)),
    reads(3990, 2),
  ];
  const slow = [...crowd, ...every(10, 3800, 3850, (at) => refused(at, 1)), asks(3870, 2), reads(3990, 2)];
  for (const [rule, calls] of [
    ['dead-token', late],
    ['renewal', slow],
  ] as const) {
    expect(verdictOf(rule, sceneAfter(calls)), rule).toBe('failed');
    expect(verdictOf(rule, sceneAfter(calls, { stalls })), rule).toBe('passed');
  }
});

test.describe('renewal', () => {
  const renewal = (calls: readonly Made[], more = {}) => judgedBy('renewal', sceneAfter(calls, more));

  test('a client that may yet renew by its clock has not failed where the token ended before its time', () => {
    const start = [asks(0, 1), ...every(200, 20, 2000, withToken(1))];
    const until = (ms: number) =>
      renewal([...start, ...every(200, 2020, ms, (at) => refused(at, 1))], {
        agreedSeconds: 6,
        lifetimesSeconds: [2],
      }).verdict;
    expect([until(6000), until(7000)]).toEqual(['could-not-run', 'failed']);
  });

  test('silence while the examiner was held up is not that of the client', () => {
    const stalls = [{ startMs: 3100, endMs: 6000 }];
    expect(renewal([refusal], { durationMs: 3030 + 4000 }).verdict).toBe('failed');
    expect(renewal([refusal], { durationMs: 3030 + 4000, stalls }).verdict).toBe('could-not-run');
    expect(judgedBy('retry', sceneAfter([refusal, asks(3031, 2)], { durationMs: 3041 + 4000 })).verdict).toBe(
      'failed',
    );
    expect(
      judgedBy('retry', sceneAfter([refusal, asks(3031, 2)], { durationMs: 3041 + 4000, stalls })).verdict,
    ).toBe('not-applicable');
  });

  test('a client that goes on with the dead token has failed', () => {
    const { verdict, findings } = renewal(every(200, 3020, 4000, (at) => refused(at, 1)));
    expect(verdict).toBe('failed');
    expect(findings[0]?.seen).toBe(
      'No new token was asked for: token 1 was sent 4 more times after its 403.',
    );
  });

  test('a client that sends the dead token once more before it renews has failed', () => {
    const { verdict, findings } = renewal([refusal, refused(3031, 1), asks(3045, 2), ...after]);
    expect([verdict, findings[0]?.calls]).toEqual(['failed', [17, 18, 19]]);
    expect(findings[0]?.seen).toContain('sent 1 more time after its 403 before a new one was asked for');
  });

  test('a parallel client has passed with reads that were on their way when the token was refused', () => {
    const late = [3065, 3070, 3075, 3080, 3085, 3090].map((at) => refused(at, 1));
    const renewed = [asks(3110, 2), ...every(200, 3130, 4000, withToken(2))];
    expect(renewal([...crowd, ...late, ...renewed]).verdict).toBe('passed');
    const later = every(20, 3300, 3500, (at) => refused(at, 1));
    expect(renewal([...crowd, ...later, asks(3600, 2), reads(3650, 2)]).verdict).toBe('failed');
  });

  test('of many repetitions the token request that ended them is still among the twenty calls', () => {
    const again = every(20, 3020, 3620, (at) => refused(at, 1));
    const { findings } = renewal([...again, asks(3645, 2)]);
    expect(findings[0]?.calls).toHaveLength(20);
    expect(findings[0]?.calls.at(-1)).toBe(16 + again.length + 1);
  });

  test('a client that falls silent has failed once it was silent for long, and not before', () => {
    expect(renewal([refusal], { durationMs: 3030 + 3001 })).toMatchObject({
      verdict: 'failed',
      findings: [{ seen: 'In the 3.0 s after the 403 no new token was asked for.' }],
    });
    expect(renewal([refusal], { durationMs: 3030 + 2999 }).verdict).toBe('could-not-run');
  });

  test('a client that fails on the 403 has failed, and one that was killed or was done has not', () => {
    expect(renewal([refusal], { ended: { code: 1 } }).findings[0]?.seen).toBe(
      'On the 403 the client ended by itself with exit code 1, and asked for no new token.',
    );
    expect(renewal([refusal], { ended: { code: 0 } }).verdict).toBe('could-not-run');
    expect(renewal([refusal], { ended: { signal: 'SIGKILL' }, durationMs: 9000 }).verdict).toBe(
      'could-not-run',
    );
  });

  test('while the token endpoint is down the dead token may be tried, since there is no other', () => {
    const tries = [refused(3520, 1), fails(4030), refused(4540, 1)];
    const calls = [refusal, fails(3031), ...tries, asks(5030, 2), reads(5050, 2)];
    expect(renewal(calls).verdict).toBe('passed');
    expect(renewal([refusal, ...tries, asks(5030, 2), reads(5050, 2)]).verdict).toBe('failed');
  });

  test('a client that reads on for ten seconds after a token request that failed, and asks for no other, has failed', () => {
    const vain = [refusal, fails(3031), ...every(1000, 4041, 14_000, (at) => refused(at, 1))];
    expect(renewal(vain)).toMatchObject({
      verdict: 'failed',
      findings: [
        {
          calls: [18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28],
          seen: 'After a token request that failed, none followed: token 1 was refused 10 more times.',
        },
      ],
    });
    expect(renewal(vain.slice(0, -1)).verdict).toBe('passed');
    expect(renewal([...vain, fails(13_050)]).verdict).toBe('passed');
    expect(
      renewal([refusal, fails(3031), ...every(1000, 5000, 14_000, (at) => refused(at, 1))]).verdict,
    ).toBe('passed');
    expect(renewal([refusal, fails(3031), ...every(100, 3100, 13_000, (at) => refused(at, 1))]).verdict).toBe(
      'passed',
    );
    const seldom = every(2000, 4041, 20_100, (at) => refused(at, 1));
    expect(seldom).toHaveLength(9);
    expect(renewal([refusal, fails(3031), ...seldom]).verdict).toBe('passed');
    const waits = fails(3031, 503, { retryAfterSeconds: 5 });
    expect(renewal([refusal, waits, ...every(1000, 4041, 14_000, (at) => refused(at, 1))]).verdict).toBe(
      'passed',
    );
  });

  test('a renewal that waits a moment after the 403 has passed: nothing says how soon it has to be', () => {
    expect(renewal([refusal, asks(4500, 2), reads(4520, 2)]).verdict).toBe('passed');
  });

  test('it is required where no token came to its end', () => {
    const long = trafficOf([asks(0, 1), ...every(200, 20, 2000, withToken(1))]);
    expect(verdictOf('renewal', long)).toBe('could-not-run');
    expect(verdictOf('renewal', trafficOf([]))).toBe('could-not-run');
  });
});

test.describe('retry', () => {
  const retry = (calls: readonly Made[], more = {}) => judgedBy('retry', sceneAfter(calls, more));

  test('a client that asks for something else first has failed, unless it comes back to it at once', () => {
    const other = reads(3060, 2, { target: 'page 2' });
    const others = every(200, 3260, 4200, (at) => reads(at, 2, { target: 'page 3' }));
    const renewed = [refusal, asks(3031, 2), other];
    expect(retry([...renewed, ...others])).toMatchObject({
      verdict: 'failed',
      findings: [{ calls: [17, 19], seen: expect.stringContaining('asks for something else') }],
    });
    expect(retry([...renewed, reads(3260, 2), ...others]).verdict).not.toBe('failed');
  });

  test('a client that makes no request with its new token has failed once it had the time for one', () => {
    const renewed = [refusal, asks(3031, 2)];
    expect(retry(renewed, { durationMs: 3041 + 3001 }).findings[0]?.seen).toContain('In the 3.0 s after');
    expect(retry(renewed, { durationMs: 3041 + 2999 }).verdict).toBe('not-applicable');
    expect(retry(renewed, { ended: { code: 2 } }).findings[0]?.seen).toContain(
      'ended by itself with exit code 2',
    );
    expect(retry(renewed, { ended: { signal: 'SIGTERM' } }).verdict).toBe('not-applicable');
  });

  /** Four tokens, each refused when its two seconds are over; then a renewal, and a read after so long. */
  const inTurns = (pauseMs: number, waitMs: number, shorterMs = 0): Made[] =>
    [0, 1, 2, 3].flatMap((nth) => {
      const at = nth * 5000;
      const many = every(pauseMs, at, at + 2000, withToken(nth + 1)).map((one, index) =>
        index % 2 === 0 ? one : { ...one, startMs: one.startMs - shorterMs, endMs: one.endMs - shorterMs },
      );
      const end = at + 2200;
      return [
        asks(at - 20, nth + 1),
        ...many,
        refused(end, nth + 1),
        asks(end + 11, nth + 2),
        reads(end + 22 + waitMs, nth + 2),
      ];
    });
  const inTurn = (pauseMs: number, waitMs: number, shorterMs = 0) => {
    const calls = inTurns(pauseMs, waitMs, shorterMs).filter(
      ({ kind, token }, index, all) =>
        kind !== 'token' || all.findIndex((one) => one.kind === 'token' && one.token === token) === index,
    );
    return trafficOf(calls, { agreedSeconds: 2, name: 'expires-again' });
  };
  const turns = (pauseMs: number, waitMs: number, shorterMs = 0) =>
    judgedBy('retry', inTurn(pauseMs, waitMs, shorterMs));

  test('a client that waits for its next turn each time, as long as between any two reads, has failed', () => {
    expect(turns(200, 190).findings[0]?.seen).toContain('which is the pause between any two reads');
  });

  test('a client that waits as long before it repeats as between two reads has passed, if it leaves a second refusal', () => {
    const stays = (...later: readonly Made[]) =>
      trafficOf([asks(0, 1), forbidden(20, 1), asks(231, 2), forbidden(442, 2), ...later], {
        name: '403-stays',
      });
    const leaves = stays(forbidden(852, 2), asks(1063, 3), forbidden(1274, 3));
    expect(judgedBy('retry', inTurn(200, 190), leaves).verdict).toBe('passed');
    const renewsAgain = stays(asks(652, 3), forbidden(863, 3), asks(1074, 4));
    expect(judgedBy('retry', inTurn(200, 190), renewsAgain).verdict).toBe('failed');
    const neverRenews = stays(forbidden(852, 2), forbidden(1274, 2));
    expect(judgedBy('retry', inTurn(200, 190), neverRenews).verdict).toBe('failed');
  });

  test('a client that waits for its next turn has failed, although a busy machine shortened one of its pauses', () => {
    const { calls, ...rest } = inTurn(200, 190);
    const soon = trafficOf([asks(0, 1), refused(2200, 1), asks(2211, 2), reads(2332, 2)], {
      agreedSeconds: 2,
      name: 'expires',
    });
    expect(judgedBy('retry', { ...rest, calls }, soon).verdict).toBe('failed');
    expect(judgedBy('retry', { ...rest, calls }, soon, soon).verdict).toBe('passed');
  });

  test('a client that backs off for shorter or longer than its turn takes has passed', () => {
    for (const waitMs of [0, 50, 120, 500, 1000])
      expect(turns(200, waitMs).verdict, `${waitMs}`).toBe('passed');
  });

  test('a client whose pauses differ, as on a busy machine, is not judged by them', () => {
    expect(turns(200, 190, 100).verdict).not.toBe('failed');
    expect(turns(200, 190, 10).verdict).toBe('failed');
  });

  test('a client that retries at once has passed, although it now and then reads twice in one turn', () => {
    const twice = every(200, 20, 2000, withToken(1)).flatMap((one, index) =>
      index === 4 ? [one, { ...one, startMs: one.endMs + 1, endMs: one.endMs + 11 }] : [one],
    );
    const first = trafficOf([asks(0, 1), ...twice], { name: 'steady' });
    const calls = inTurns(200, 5).filter(
      ({ kind, token }, index, all) =>
        kind !== 'token' || all.findIndex((one) => one.kind === 'token' && one.token === token) === index,
    );
    const again = trafficOf(calls, { agreedSeconds: 2, name: 'expires-again' });
    expect(judgedBy('retry', first, again).verdict).toBe('passed');
  });

  test('a client that reads without a pause is not judged by pauses', () => {
    expect(turns(40, 30).verdict).toBe('not-applicable');
  });
});

test.describe('dead-token', () => {
  const dead = (calls: readonly Made[], more = {}) => judgedBy('dead-token', sceneAfter(calls, more));

  test('a retry with the dead token after the new one came has failed', () => {
    const { verdict, findings } = dead([refusal, asks(3031, 2), refused(3050, 1), reads(3300, 2)]);
    expect([verdict, findings[0]?.calls]).toEqual(['failed', [17, 18, 19]]);
    expect(findings[0]?.seen).toContain('and token 2 had come in its place');
  });

  test('a read that crosses the answer to the token request on its way has passed', () => {
    const beside = [refusal, asks(3031, 2, { endMs: 3200 }), refused(3100, 1, { endMs: 3205 })];
    expect(dead([...beside, refused(3203, 1), reads(3300, 2)]).verdict).toBe('passed');
    expect(dead([...beside, refused(3460, 1), reads(3500, 2)]).verdict).toBe('failed');
  });

  test('a client that was seen to read while it waits for a token has passed, with a read that crosses a quick answer', () => {
    const slow = trafficOf([asks(0, 1, { endMs: 1000 }), fails(1100, 503, { endMs: 1400 }), reads(1200, 1)]);
    const crossing = sceneAfter([refusal, asks(3031, 2), refused(3042, 1), reads(3300, 2)]);
    expect(verdictOf('dead-token', crossing)).toBe('failed');
    expect(verdictOf('dead-token', slow, crossing)).toBe('passed');
  });

  test('each other process may find out by itself that a token is over', () => {
    const calls = [refusal, asks(3031, 2), refused(3700, 1), asks(3720, 3), reads(3740, 3)];
    expect(dead(calls, { processes: 2 }).verdict).toBe('passed');
    expect(dead(calls, { processes: 1 }).verdict).toBe('failed');
  });
});

test.describe('a client that renews by its clock, whose token is ended before', () => {
  /** Renews at 4.8 of six seconds, whatever it is answered; its second token is ended before that. */
  const proactive = [
    ...[asks(0, 1), ...every(200, 20, 4800, withToken(1)), asks(4820, 2)],
    ...every(200, 4840, 6000, withToken(2)),
  ];
  const lost = every(200, 6020, 9400, (at) => refused(at, 2));
  const back = [asks(9620, 3), ...every(200, 9640, 10_400, withToken(3))];
  const clock = { agreedSeconds: 6, name: 'ended-early', endedAt: { 2: 6000 } };

  test('keeps every clause if it reads on until its clock prompts a renewal', () => {
    const traffic = trafficOf([...proactive, ...lost, ...back], clock);
    expect(certificateFor(traffic).strategy).toBe('proactive');
    for (const rule of ['renewal', 'retry', 'dead-token'])
      expect(judgedBy(rule, traffic).findings, rule).toEqual([]);
  });

  test('uses both strategies if it renews on the 403 as well', () => {
    const calls = [...proactive, refused(6020, 2), asks(6031, 3), ...every(200, 6050, 7000, withToken(3))];
    const traffic = trafficOf(calls, clock);
    expect(certificateFor(traffic).strategy).toBe('both');
  });

  test('fails if it goes on with the dead token after its clock prompted a renewal', () => {
    const traffic = trafficOf([...proactive, ...every(200, 6020, 12_000, (at) => refused(at, 2))], clock);
    expect(verdictOf('renewal', traffic)).toBe('failed');
  });
});
