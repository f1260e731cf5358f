import { expect, _baseTest as test } from '@playwright/test';
import { isHopeless, scenarios } from './scenarios.ts';
import {
  asks,
  every,
  fails,
  forbidden,
  type Made,
  reads,
  refused,
  trafficOf,
  withToken,
} from './testing/traffic.ts';

/** How long tokens live where that is not what was agreed. */
const LIFETIMES: Record<string, number[]> = { 'shorter-than-agreed': [2], 'token-slow': [4, 900] };

/** Whether a scenario is over at a time, for which as many of the calls count as have ended by then. */
function over(
  name: string,
  nowMs: number,
  calls: readonly Made[],
  endedAt: Record<number, number> = {},
  processes = 1,
): boolean {
  const scenario = scenarios.find((one) => one.name === name);
  if (!scenario) throw new Error(`There is no scenario ${name}.`);
  const { agreedSeconds } = scenario;
  const lifetimesSeconds = LIFETIMES[name] ?? [agreedSeconds];
  const past = calls.filter(({ endMs }) => endMs <= nowMs);
  const ended = Object.fromEntries(Object.entries(endedAt).filter(([, at]) => at <= nowMs));
  const traffic = trafficOf(past, { agreedSeconds, lifetimesSeconds, endedAt: ended, durationMs: nowMs });
  return scenario.isOver(traffic, agreedSeconds, processes);
}

test('no scenario is over before the client has called, or with its first read', () => {
  for (const { name } of scenarios)
    for (const calls of [[], [asks(0, 1)], [asks(0, 1), reads(20, 1)]])
      expect(over(name, 500, calls), name).toBe(false);
});

test('every scenario is over when enough was seen of a client that is in a loop', () => {
  const start = [asks(0, 1), ...every(11, 20, 200, withToken(1))];
  const loop = every(1, 3020, 4530, (at) => refused(at, 1));
  for (const { name } of scenarios) expect(over(name, 4600, [...start, ...loop]), name).toBe(true);
});

test('steady is over after six reads, once six seconds have gone by since the first', () => {
  const slow = [asks(0, 1), ...every(1000, 20, 9000, withToken(1))];
  expect([over('steady', 6019, slow), over('steady', 6020, slow)]).toEqual([false, true]);
  const fast = [asks(0, 1), ...every(100, 20, 9000, withToken(1))];
  expect([over('steady', 6019, fast), over('steady', 6020, fast)]).toEqual([false, true]);
  expect(over('steady', 9000, [asks(0, 1), ...every(100, 20, 9000, (at) => forbidden(at, 1))])).toBe(false);
});

/** Reads with each token for so long, and asks for the next after a refusal. */
const renewing = (lifetimeMs: number, tokens: number, pauseMs = 200): Made[] =>
  Array.from({ length: tokens }, (_, nth) => {
    const from = nth * (lifetimeMs + 100);
    const until = from + lifetimeMs;
    return [
      asks(from, nth + 1),
      ...every(pauseMs, from + 20, until, withToken(nth + 1)),
      refused(until + 20, nth + 1),
    ];
  }).flat();

for (const [name, lifetimeMs, tokens] of [
  ['expires', 3000, 1],
  ['expires-again', 2000, 3],
  ['shorter-than-agreed', 2000, 2],
] as const)
  test(`${name} is over when the client has read twice after the end of ${tokens} of its tokens`, () => {
    const calls = renewing(lifetimeMs, tokens + 2);
    const next = tokens * (lifetimeMs + 100);
    expect(over(name, next + 200, calls)).toBe(false); // one read
    expect(over(name, next + 230, calls)).toBe(true);
  });

test('expires waits for a proactive client until the first token is over, and it reads on', () => {
  const calls = [
    asks(0, 1),
    ...every(100, 20, 2400, withToken(1)),
    asks(2410, 2),
    ...every(100, 2430, 5000, withToken(2)),
  ];
  expect(over('expires', 2900, calls)).toBe(false);
  expect(over('expires', 3000, calls)).toBe(false);
  expect(over('expires', 3150, calls)).toBe(true);
});

test('shorter-than-agreed is over for a client that renews by its clock, and each time reads too late', () => {
  const late = [0, 4200, 8400, 12_600].flatMap((at, nth) => [asks(at, nth + 1), refused(at + 3000, nth + 1)]);
  const calls = [...late, reads(20, 1)];
  expect([over('shorter-than-agreed', 14_500, calls), over('shorter-than-agreed', 14_700, calls)]).toEqual([
    false,
    true,
  ]);
});

test('a HEAD is not the read that a scenario waits for', () => {
  for (const [name, endedAt] of [
    ['steady', {}],
    ['odd-secret', {}],
    ['ended-early', { 1: 600 }],
    ['token-429', {}],
    ['data-reset', {}],
  ] as const) {
    const failed = name === 'data-reset' ? [reads(400, 1, { ended: 'reset' })] : [];
    const calls = (method: string) => [
      asks(0, 1),
      ...every(200, 620, 900, (at) => refused(at, 1)),
      ...failed,
      asks(1100, 2),
      ...every(500, 1200, 9000, (at) => reads(at, 2, { method })),
    ];
    expect([over(name, 9000, calls('HEAD'), endedAt), over(name, 9000, calls('GET'), endedAt)], name).toEqual(
      [false, true],
    );
  }
  const heads = [asks(0, 1), ...every(500, 20, 6000, (at) => reads(at, 1, { method: 'HEAD' }))];
  expect(isHopeless(trafficOf(heads))).toBe(true);
});

test('a scenario that ends a token is over for a client whose tokens all expired while it paused', () => {
  const slow = [0, 1, 2, 3].flatMap((nth) => [asks(7000 * nth, nth + 1), reads(7000 * nth + 20, nth + 1)]);
  expect(over('403-empty', 14_500, slow)).toBe(false);
  expect(over('403-empty', 21_500, slow)).toBe(true);
});

test('a client that is stuck with a dead token is let go when it should have renewed by its clock, too', () => {
  const dead = [
    asks(0, 1),
    ...every(200, 20, 2000, withToken(1)),
    ...every(200, 2020, 8000, (at) => refused(at, 1)),
  ];
  // Agreed on six seconds: what is refused before 6.5 s may be a proactive client's.
  expect(over('shorter-than-agreed', 6900, dead)).toBe(false);
  expect(over('shorter-than-agreed', 7600, dead)).toBe(false); // they may all have waited for one connection
  expect(over('shorter-than-agreed', 8000, dead)).toBe(true);
  expect(over('ended-early', 6900, dead, { 1: 2000 })).toBe(false);
  expect(over('ended-early', 8000, dead, { 1: 2000 })).toBe(true);
});

for (const name of ['ended-early', 'parallel', '403-empty', '403-html'])
  test(`${name} is over half a second after the new token came, with three reads that carry it`, () => {
    const start = [asks(0, 1), reads(20, 1), reads(220, 1), refused(420, 1), asks(440, 2)];
    const fast = [...start, ...every(100, 460, 3000, withToken(2))];
    expect([over(name, 949, fast, { 1: 400 }), over(name, 950, fast, { 1: 400 })]).toEqual([false, true]);
    const slow = [...start, ...every(1000, 460, 9000, withToken(2))];
    expect([over(name, 2400, slow, { 1: 400 }), over(name, 2470, slow, { 1: 400 })]).toEqual([false, true]);
    // A client that reads seldom meets the end of the token that comes by itself.
    expect([over(name, 2400, slow), over(name, 2470, slow)]).toEqual([false, true]);
    const served = [asks(0, 1), ...every(200, 20, 9000, withToken(1))];
    expect(over(name, 9000, served)).toBe(false);
  });

test('a scenario in which a token takes long waits for the tokens of all callers', () => {
  const start = [asks(0, 1), reads(20, 1, { endMs: 120 }), reads(30, 1, { endMs: 130 }), refused(420, 1)];
  const back = [asks(440, 2, { endMs: 1440 }), ...every(100, 1460, 9000, withToken(2))];
  const parallel = [...start, ...back];
  expect([over('parallel', 2630, parallel), over('parallel', 2640, parallel)]).toEqual([false, true]);
  // Token 2 is still to come.
  const quick = [
    ...[4, 3].map((token) => asks(3000 + token, token)),
    ...every(100, 3020, 9000, withToken(3)),
  ];
  const slow = [asks(0, 1), reads(20, 1), ...quick];
  expect([over('token-slow', 5500, slow), over('token-slow', 6020, slow)]).toEqual([false, true]);
});

test('403-stays is over four seconds after the first refusal with four of them, or after ten', () => {
  const start = [asks(0, 1), reads(20, 1), reads(220, 1)];
  const many = [...start, ...every(500, 420, 20_000, (at) => forbidden(at, 1))];
  expect([over('403-stays', 4429, many), over('403-stays', 4430, many)]).toEqual([false, true]);
  const renewed = every(500, 420, 20_000, (at) => forbidden(at, Math.floor(at / 500) + 1));
  expect([
    over('403-stays', 10_429, [...start, ...renewed]),
    over('403-stays', 10_430, [...start, ...renewed]),
  ]).toEqual([false, true]);
  const few = [...start, forbidden(420, 1), forbidden(440, 1)];
  expect([over('403-stays', 10_429, few), over('403-stays', 10_430, few)]).toEqual([false, true]);
});

for (const name of ['token-down', 'token-429', 'token-slow'])
  test(`${name} is over when the client reads again after it asked in vain, or for long`, () => {
    const start = [asks(0, 1), ...every(200, 20, 3000, withToken(1)), refused(3020, 1)];
    const waiting = [...start, fails(3040), fails(3540)];
    expect(over(name, 6000, waiting)).toBe(false);
    const back = [...waiting, asks(6000, 2), ...every(100, 6020, 7000, withToken(2))];
    expect([over(name, 6500, back), over(name, 6510, back)]).toEqual([false, true]);
  });

for (const name of ['token-down', 'token-429', 'token-slow']) {
  const start = [asks(0, 1), ...every(200, 20, 3000, withToken(1))];

  test(`${name} is over when a client that asks for no new token has been refused for three seconds`, () => {
    const never = [...start, ...every(200, 3020, 9000, (at) => refused(at, 1))];
    expect([over(name, 6600, never), over(name, 6900, never)]).toEqual([false, true]);
  });

  test(`${name} is over when a client that asked in vain once has been refused for ten seconds since`, () => {
    const once = [...start, fails(3040), ...every(500, 3550, 20_000, (at) => refused(at, 1))];
    expect([over(name, 13_000, once), over(name, 13_100, once)]).toEqual([false, true]);
  });

  test(`${name} goes on while a client that reads meanwhile is given no token`, () => {
    const asking = [
      ...start,
      ...every(200, 3020, 12_000, (at) => refused(at, 1)),
      ...every(1000, 3040, 12_000, fails),
    ];
    expect(over(name, 12_000, asking)).toBe(false);
  });
}

for (const name of ['token-down', 'token-429', 'token-slow'])
  test(`${name} is not over while each of three processes has but its first token`, () => {
    const firsts = [asks(0, 1), asks(1, 2), asks(2, 3)];
    const calls = [...firsts, ...every(100, 20, 3000, withToken(1))];
    expect(over(name, 2900, calls, {}, 3)).toBe(false);
    const back = [...calls, fails(3010), asks(6000, 4), ...every(100, 6020, 7000, withToken(4))];
    expect([over(name, 6500, back, {}, 3), over(name, 6510, back, {}, 3)]).toEqual([false, true]);
  });

test('a client that has called for five seconds and was never served is hopeless, whether it got tokens or not', () => {
  const hopeless = (calls: readonly Made[], durationMs = 5001) =>
    isHopeless(trafficOf(calls, { durationMs }));
  const health = every(100, 0, 400, (at) => reads(at, 1, { kind: 'health' }));
  const denied = every(1000, 20, 3000, (at) => reads(at, 1, { status: 401, reason: 'missing-token' }));
  expect(hopeless(every(1000, 0, 4000, fails))).toBe(true);
  expect(hopeless([asks(0, 1), ...denied])).toBe(true);
  expect(hopeless([asks(0, 1), ...denied], 5000)).toBe(false);
  expect(hopeless([asks(0, 1), ...denied, reads(3020, 1)])).toBe(false);
  expect(hopeless([...health, asks(500, 1)])).toBe(false); // it has not read yet
});

test('data-reset is over three reads after the connection broke off, or ten seconds', () => {
  const start = [asks(0, 1), reads(20, 1), reads(220, 1), reads(420, 1, { ended: 'reset' })];
  const back = [...start, ...every(200, 620, 2000, withToken(1))];
  expect([over('data-reset', 1029, back), over('data-reset', 1030, back)]).toEqual([false, true]);
  expect([over('data-reset', 10_430, start), over('data-reset', 10_431, start)]).toEqual([false, true]);
  expect(over('data-reset', 9000, [asks(0, 1), ...every(200, 20, 9000, withToken(1))])).toBe(false);
});

test('data-500-once is over three reads after the 500, or ten seconds', () => {
  const start = [asks(0, 1), reads(20, 1), reads(220, 1), reads(420, 1, { status: 500, reason: 'script' })];
  const back = [...start, ...every(200, 620, 2000, withToken(1))];
  expect([over('data-500-once', 1029, back), over('data-500-once', 1030, back)]).toEqual([false, true]);
  expect([over('data-500-once', 10_430, start), over('data-500-once', 10_431, start)]).toEqual([false, true]);
});

test('each scenario has a name of its own, and states what it waits for', () => {
  expect(new Set(scenarios.map(({ name }) => name)).size).toBe(scenarios.length);
  for (const { waitsFor } of scenarios) expect(waitsFor).not.toBe('');
});
