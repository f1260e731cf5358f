import { expect, _baseTest as test } from '@playwright/test';
import {
  asks,
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

test.describe('token-reuse', () => {
  const reuse = (calls: readonly Made[], more = {}) => verdictOf('token-reuse', trafficOf(calls, more));

  test('one token for many reads has passed', () => {
    expect(reuse([asks(0, 1), ...every(100, 20, 1000, withToken(1))])).toBe('passed');
  });

  test('a token for each read has failed, and it is said how many would have done', () => {
    const calls = [1, 2, 3, 4].flatMap((token) => [asks(token * 100, token), reads(token * 100 + 20, token)]);
    expect(judgedBy('token-reuse', trafficOf(calls))).toMatchObject({
      verdict: 'failed',
      findings: [
        { calls: [3, 5, 7], seen: expect.stringMatching(/^4 tokens for 4 reads, where 1 would do:/) },
      ],
    });
  });

  test('one needless request among many reads has failed too, and so has one that brought no token', () => {
    const calls = [asks(0, 1), ...every(100, 20, 1000, withToken(1))];
    expect(reuse([...calls, asks(450, 2)])).toBe('failed');
    expect(reuse([...calls, fails(450)])).toBe('failed');
  });

  /** Token requests that fail, after each of these pauses, and the pause before a read with a new token. */
  const outage = (pauses: readonly number[], reactionMs = 10) => {
    let now = 2530;
    const failing = pauses.map((pauseMs) => {
      now += pauseMs + 10;
      return fails(now - 10);
    });
    const withRead = (at: number, token: number) => [asks(at, token), reads(at + 10 + reactionMs, token)];
    const calls = [...withRead(0, 1), ...every(500, 500, 2000, withToken(1)), refused(2520, 1), ...failing];
    return trafficOf([...calls, ...withRead(60_000, 2), reads(61_000, 2)], { agreedSeconds: 2 });
  };
  const start = [asks(0, 1), ...every(500, 20, 2000, withToken(1)), refused(2520, 1)];
  const after = (count: number, pauseMs: number) => Array.from({ length: count }, () => pauseMs);

  test('a storm of token requests on an endpoint that fails has failed, and a few retries have not', () => {
    expect(verdictOf('token-reuse', outage(after(15, 2)))).toBe('passed');
    expect(judgedBy('token-reuse', outage(after(250, 2)))).toMatchObject({
      verdict: 'failed',
      findings: [
        { seen: '250 token requests in 3.0 s, with hardly a pause, while the token endpoint failed.' },
      ],
    });
  });

  test('a storm on a busy machine has failed, whatever some pauses or all of them were', () => {
    const held = after(60, 2).map((pauseMs, at) => (at % 10 === 9 ? 400 : pauseMs));
    expect(verdictOf('token-reuse', outage(held))).toBe('failed');
    expect(verdictOf('token-reuse', outage(after(30, 140)))).toBe('passed');
    expect(verdictOf('token-reuse', outage(after(30, 140), 120))).toBe('failed');
  });

  test('a client that backs off has passed, also with bursts, and where its answers were recorded late', () => {
    const bursts = after(60, 2).map((pauseMs, at) => (at % 3 === 2 ? 2000 : pauseMs));
    expect(verdictOf('token-reuse', outage(bursts))).toBe('passed');
    for (const seldom of [after(30, 200), after(30, 260)])
      expect(verdictOf('token-reuse', outage(seldom, 90))).toBe('passed');
    const times = after(30, 310).map((ms, nth) => 2540 + nth * ms);
    const failing = times.map((at) => fails(at, 503, { endMs: at + 300 }));
    const late = trafficOf([...start, ...failing], { agreedSeconds: 2 });
    expect(verdictOf('token-reuse', late)).toBe('failed');
    const stalls = times.map((at) => ({ startMs: at + 5, endMs: at + 300 }));
    expect(verdictOf('token-reuse', { ...late, stalls })).toBe('passed');
  });

  test('a renewal by the clock is not needless, which comes when a quarter of a long life is over', () => {
    const renewedAt = (at: number) =>
      reuse([asks(0, 1), ...every(200, 20, 800, withToken(1)), asks(at, 2), reads(at + 20, 2)]);
    expect([renewedAt(870_000), renewedAt(225_000), renewedAt(224_000)]).toEqual([
      'passed',
      'passed',
      'failed',
    ]);
  });

  test('a token that is refused may be replaced, although its time is not over', () => {
    const calls = [asks(0, 1), ...every(100, 20, 400, withToken(1)), forbidden(420, 1), asks(440, 2)];
    expect(reuse([...calls, ...every(100, 460, 900, withToken(2))])).toBe('passed');
  });

  test('requests until one brings the first token are not needless', () => {
    expect(reuse([fails(0), fails(500), asks(1500, 1), ...every(100, 1520, 2000, withToken(1))])).toBe(
      'passed',
    );
  });

  test('a request after a read that broke off warns, since the client may take its token for the cause', () => {
    const reset = reads(220, 1, { ended: 'reset', status: 200 });
    const calls = [asks(0, 1), reads(20, 1), reset, asks(240, 2), reads(260, 2), reads(460, 2)];
    expect(reuse(calls)).toBe('warned');
    expect(reuse([...calls, asks(660, 3), reads(680, 3)])).toBe('failed');
  });

  test('several tokens after each refusal are needless from the second on, however they are timed', () => {
    for (const apart of [15, 400]) {
      const after = (at: number, token: number) => [
        ...[0, 1, 2].map((nth) => asks(at + nth * apart, token + nth)),
        forbidden(at + 3 * apart, token + 2),
      ];
      const calls = [
        asks(0, 1),
        reads(20, 1),
        reads(220, 1),
        forbidden(420, 1),
        ...after(440, 2),
        ...after(5000, 5),
      ];
      const { verdict, findings } = judgedBy('token-reuse', trafficOf(calls));
      expect([verdict, findings[0]?.calls]).toEqual(['failed', [6, 7, 10, 11]]);
    }
  });

  test('each of three callers may replace a token that was refused to it', () => {
    const calls = [
      ...[asks(0, 1), ...every(200, 20, 800, withToken(1))],
      ...[forbidden(1000, 1), forbidden(1001, 1), forbidden(1002, 1)],
      ...[asks(1020, 2), asks(1035, 3), asks(1050, 4)],
      ...[reads(1032, 2, { endMs: 1090 }), reads(1047, 3, { endMs: 1090 }), reads(1062, 4, { endMs: 1090 })],
    ];
    expect(reuse(calls)).toBe('passed');
    expect(reuse([...calls, asks(1065, 5)])).toBe('failed');
  });

  test('each of three callers may ask for a token at the start, and no more than that', () => {
    const start = [asks(0, 1), asks(15, 2), asks(30, 3)];
    const together = [50, 52, 54].map((at) => reads(at, 3, { endMs: at + 50 }));
    const calls = [...start, ...together, ...every(200, 220, 800, withToken(3))];
    expect(reuse(calls)).toBe('passed');
    expect(reuse([...calls, asks(42, 4)])).toBe('failed');
  });

  test('two tokens in a row that carry no call are needless where tokens are short-lived, too', () => {
    const renewal = (...tokens: Made[]) => [
      ...[asks(0, 1), ...every(200, 20, 3000, withToken(1)), refused(3020, 1), ...tokens],
      ...every(200, 3120, 4000, withToken(tokens.length + 1)),
    ];
    const short = { agreedSeconds: 3, name: 'expires' };
    expect(
      judgedBy('token-reuse', trafficOf(renewal(asks(3040, 2), asks(3060, 3), asks(3080, 4)), short)),
    ).toMatchObject({
      verdict: 'failed',
      findings: [{ calls: [20], seen: expect.stringMatching(/^4 tokens for 21 reads, where 2 would do:/) }],
    });
    // A library that keeps a minute in reserve asks twice at a renewal, and before each read.
    expect(reuse(renewal(asks(3040, 2), asks(3060, 3)), short)).toBe('could-not-run');
    const each = [1, 2, 3, 4].flatMap((token) => [asks(token * 100, token), reads(token * 100 + 20, token)]);
    expect(reuse(each, short)).toBe('could-not-run');
    expect(reuse(renewal(fails(3040), fails(3060), asks(3080, 2)).slice(0, -1), short)).toBe('passed');
  });

  test('three tokens that are replaced sooner than another was are needless, although they are short-lived', () => {
    const short = { agreedSeconds: 3, name: 'expires' };
    const kept = (until: number) => [asks(0, 1), ...every(200, 20, until, withToken(1))];
    const hasty = (from: number, count: number) =>
      Array.from({ length: count }, (_, nth) => [
        asks(from + nth * 200, nth + 2),
        reads(from + 20 + nth * 200, nth + 2),
      ]).flat();
    expect(judgedBy('token-reuse', trafficOf([...kept(2200), ...hasty(2220, 4)], short))).toMatchObject({
      verdict: 'failed',
      findings: [{ calls: [15, 17, 19] }],
    });
    expect(reuse([...kept(2200), ...hasty(2220, 3)], short)).toBe('could-not-run');
    // A client that counts whole seconds may keep one token for a second longer than another.
    expect(reuse([...kept(1400), ...hasty(1420, 6)], short)).toBe('could-not-run');
    // One read that was held up shows nothing of how long the client keeps a token.
    expect(reuse([asks(0, 1), reads(20, 1), reads(2200, 1), ...hasty(2220, 6)], short)).toBe('could-not-run');
    expect(reuse([...kept(2200), ...hasty(2220, 7)], { ...short, processes: 2 })).toBe('could-not-run');
  });

  test('each of four callers may replace a token of its own by the clock, and a shared one is replaced once', () => {
    const short = { agreedSeconds: 3, name: 'expires' };
    const four = [1, 2, 3, 4];
    const turns = (tokenOf: (caller: number) => number, from: number, until: number) =>
      every(100, from, until, withToken(0)).flatMap(({ startMs }) =>
        four.map((caller) => reads(startMs + caller, tokenOf(caller), { endMs: startMs + 10 })),
      );
    const renewed = four.flatMap((caller) => [
      asks(2100 + caller * 60, 4 + caller),
      reads(2130 + caller * 60, 4 + caller),
    ]);
    const own = four.map((caller) => asks(caller, caller));
    expect(reuse([...own, ...turns((caller) => caller, 100, 2080), ...renewed], short)).toBe('could-not-run');
    const shared = turns(() => 4, 100, 2080);
    expect(reuse([asks(0, 4), ...shared, ...renewed], short)).toBe('failed');
  });

  test('each of several processes may have a token of its own, and no more than that', () => {
    const calls = [
      asks(0, 1),
      asks(5, 2),
      ...every(100, 20, 600, withToken(1)),
      ...every(100, 60, 600, withToken(2)),
    ];
    expect(reuse(calls, { processes: 2 })).toBe('passed');
    expect(reuse(calls, { processes: 1 })).toBe('passed'); // under way at once: no token had come yet
    const third = judgedBy('token-reuse', trafficOf([...calls, asks(300, 3)], { processes: 2 }));
    expect([third.verdict, third.findings[0]?.calls]).toEqual(['failed', [9]]);
    expect(third.findings[0]?.seen).toContain('where 2 would do');
  });

  test('it is required: two reads with each token do not show it', () => {
    const calls = [asks(0, 1), reads(20, 1), reads(220, 1), reads(420, 1)];
    for (const agreedSeconds of [3, 60]) {
      expect(reuse(calls, { agreedSeconds })).toBe('passed');
      expect(reuse(calls.slice(0, 3), { agreedSeconds })).toBe('could-not-run');
    }
    const renewed = (at: number) => [
      ...calls.slice(0, 3),
      asks(at, 2),
      reads(at + 20, 2),
      reads(at + 220, 2),
    ];
    expect(reuse(renewed(2600), { agreedSeconds: 3 })).toBe('could-not-run');
    // The last token carries three reads, but the first was replaced in the first half of its life.
    const early = (at: number) => [...renewed(at), reads(at + 420, 2)];
    expect(reuse(early(1600), { agreedSeconds: 3 })).toBe('passed');
    expect(reuse(early(1400), { agreedSeconds: 3 })).toBe('could-not-run');
  });
});

test.describe('stampede', () => {
  const crowd = [0, 1, 2, 3, 4].map((nth) => refused(3000 + nth, 1, { endMs: 3020 + nth }));
  const start = [asks(0, 1), reads(20, 1)];

  test('callers that share one request have passed, and those that each send one are warned', () => {
    const after = every(200, 3200, 4000, withToken(2));
    expect(verdictOf('stampede', trafficOf([...start, ...crowd, asks(3030, 2), ...after]))).toBe('passed');
    const each = crowd.map((_, nth) => asks(3030 + nth, 2 + nth, { endMs: 3100 + nth }));
    expect(judgedBy('stampede', trafficOf([...start, ...crowd, ...each, ...after]))).toMatchObject({
      verdict: 'warned',
      findings: [
        { verdict: 'warned', seen: '5 token requests were under way at once.', calls: [8, 9, 10, 11, 12] },
      ],
    });
  });

  test('one request for each process is no crowd', () => {
    const two = [asks(3030, 2, { endMs: 3100 }), asks(3040, 3, { endMs: 3110 })];
    expect(verdictOf('stampede', trafficOf([...start, ...crowd, ...two], { processes: 2 }))).toBe('passed');
    expect(verdictOf('stampede', trafficOf([...start, ...crowd, ...two], { processes: 1 }))).toBe('warned');
  });

  test('a client that makes one call after the other is not judged by it', () => {
    expect(verdictOf('stampede', trafficOf([...start, asks(30, 2), reads(40, 2)]))).toBe('not-applicable');
  });
});

test.describe('margin', () => {
  const margin = (calls: readonly Made[], agreedSeconds: number, more = {}) =>
    judgedBy('margin', trafficOf(calls, { agreedSeconds, name: 'expires', ...more }));
  /** A token each `ms`, with reads so far apart. */
  const renewing = (ms: number, pauseMs: number) =>
    [1, 2, 3, 4, 5, 6].flatMap((token) => [
      asks(token * ms, token),
      ...every(pauseMs, token * ms + 20, (token + 1) * ms - 20, withToken(token)),
    ]);

  test('a renewal at four fifths of the lifetime has passed', () => {
    expect(margin(renewing(2400, 200), 3).verdict).toBe('passed');
  });

  test('a margin that is longer than the lifetime, so that each read asks for a token, is warned of', () => {
    const { verdict, findings } = margin(renewing(200, 200), 120, { longLived: false });
    expect(verdict).toBe('warned');
    expect(findings[0]?.seen).toMatch(/^5 renewals for 6 reads.*the margin is longer than the lifetime/);
  });

  test('a token for each read is not judged where tokens live shorter than a library keeps in reserve', () => {
    for (const agreedSeconds of [3, 119])
      expect(margin(renewing(200, 200), agreedSeconds, { longLived: false })).toMatchObject({
        verdict: 'not-applicable',
        findings: [],
        reason: `Tokens of ${agreedSeconds} s are too short to show whether a fixed margin is too long. Use --token-lifetime 120s.`,
      });
  });

  test('a renewal that is late by less than a second is not judged where tokens live for seconds', () => {
    const early = [asks(0, 1), ...every(200, 20, 2400, withToken(1)), asks(2420, 2)];
    const late = [...every(200, 2440, 5400, withToken(2)), refused(5440, 2), refused(5640, 2), asks(6400, 3)];
    const calls = [...early, ...late, ...every(200, 6420, 6800, withToken(3))];
    expect(margin(calls, 3)).toMatchObject({
      verdict: 'not-applicable',
      reason:
        'Tokens of 3 s are too short for a client that counts whole seconds. Use --token-lifetime 120s.',
    });
  });

  test('a token for each read in one scenario keeps the rule from being judged by another', () => {
    const hasty = trafficOf(renewing(200, 200), { agreedSeconds: 3, name: 'expires' });
    const planned = trafficOf(renewing(2400, 200), { agreedSeconds: 3, name: 'expires-again' });
    expect(verdictOf('margin', hasty, planned)).toBe('not-applicable');
  });

  test('a late renewal is not judged where the examiner was held up for as long', () => {
    const early = [asks(0, 1), ...every(200, 20, 2400, withToken(1)), asks(2420, 2)];
    const told = [...every(200, 2440, 5400, withToken(2)), refused(5440, 2), refused(5500, 2)];
    const late = [asks(6600, 3), ...every(200, 6620, 7000, withToken(3))];
    const judge = (stalls: { startMs: number; endMs: number }[]) =>
      margin([...early, ...told, ...late], 3, { stalls });
    expect(judge([]).verdict).toBe('warned');
    expect(judge([{ startMs: 5600, endMs: 6500 }])).toMatchObject({
      verdict: 'not-applicable',
      reason: expect.stringContaining('got no processor time for 0.9 s'),
    });
  });

  test('a client that reads less often than its tokens live has a token for each read, and has passed', () => {
    expect(margin(renewing(2000, 2000), 2).verdict).toBe('passed');
    expect(margin(renewing(1600, 1600), 2).verdict).toBe('passed');
  });

  test('a renewal after the expiry is warned of where a read was refused, and not where none was', () => {
    const early = [asks(0, 1), ...every(200, 20, 2400, withToken(1)), asks(2420, 2)];
    const late = [asks(6600, 3), ...every(200, 6620, 7000, withToken(3))];
    const calls = [...early, ...every(200, 2440, 5400, withToken(2)), ...late];
    expect(margin(calls, 3).verdict).toBe('passed');
    const told = [refused(5440, 2), refused(5500, 2)];
    expect(margin([...early, ...every(200, 2440, 5400, withToken(2)), ...told, ...late], 3)).toMatchObject({
      verdict: 'warned',
      findings: [{ seen: expect.stringContaining('1.2 s after the expiry') }],
    });
  });

  test('a late renewal of a client that was held up is not warned of', () => {
    const planned = [asks(0, 1), ...every(200, 20, 1600, withToken(1)), asks(1620, 2)];
    const turns = every(200, 1640, 3200, withToken(2));
    const renewed = [asks(4900, 3), ...every(200, 4920, 6400, withToken(3))];
    const late = (...calls: Made[]) => margin([...planned, ...calls, ...renewed], 2).verdict;
    // On its way when the token was alive, and late by 800 ms.
    expect(late(...turns, refused(4240, 2))).toBe('passed');
    // The answer with the token came late, and so did the read after it.
    expect(late(refused(4240, 2))).toBe('passed');
    // Refused again at its own pace.
    expect(late(...turns, refused(4240, 2), refused(4440, 2))).toBe('warned');
  });

  test('five readers that were held up together are not warned of a late renewal', () => {
    const five = (make: typeof reads, token: number, from: number, turns: number) =>
      Array.from({ length: 5 * turns }, (_, nth) =>
        make(from + (nth % 5) + Math.floor(nth / 5) * 210, token, {
          endMs: from + 210 * Math.floor(nth / 5) + 9,
        }),
      );
    const planned = [asks(0, 1), ...five(reads, 1, 20, 8), asks(1720, 2), ...five(reads, 2, 1740, 8)];
    const renewed = [asks(4900, 3), ...five(reads, 3, 4920, 6)];
    const late = (turns: number) =>
      margin([...planned, ...five(refused, 2, 4240, turns), ...renewed], 2).verdict;
    expect([late(1), late(2)]).toEqual(['passed', 'warned']);
  });

  test('a client that renews on a 403 alone is not judged by it', () => {
    const calls = [
      asks(0, 1),
      ...every(200, 20, 3000, withToken(1)),
      refused(3020, 1),
      asks(3031, 2),
      reads(3050, 2),
    ];
    expect(margin(calls, 3).verdict).toBe('not-applicable');
  });
});
