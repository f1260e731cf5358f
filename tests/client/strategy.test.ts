import { expect, _baseTest as test } from '@playwright/test';
import {
  asks,
  certificateFor,
  every,
  forbidden,
  type Made,
  refused,
  trafficOf,
  withToken,
} from './testing/traffic.ts';

/** Reads so often until `until`, from right after the token came. */
const holds = (token: number, from: number, until: number, pauseMs = 200) => [
  asks(from, token),
  ...every(pauseMs, from + 20, until, withToken(token)),
];
const told = (calls: readonly Made[], agreedSeconds = 3, more = {}) => {
  const traffic = trafficOf(calls, { agreedSeconds, name: 'expires', ...more });
  const { strategy, marginSeconds } = certificateFor(traffic);
  return marginSeconds === undefined ? strategy : [strategy, marginSeconds];
};
const reactive = [
  ...holds(1, 0, 3000),
  refused(3020, 1),
  ...holds(2, 3031, 6020),
  refused(6051, 2),
  ...holds(3, 6062, 7000),
];

test('a client that asks right after each refusal is reactive, and has no margin', () => {
  expect(told(reactive)).toBe('reactive');
});

test('a client is reactive although a busy mock notes the end of a refusal after the next request', () => {
  const late = [...holds(1, 0, 3000), refused(3020, 1, { endMs: 3045 }), ...holds(2, 3031, 4000)];
  expect(told(late)).toBe('reactive');
});

test('a client that asks with its next turn after the only refusal is reactive too', () => {
  expect(told([...holds(1, 0, 3000), refused(3020, 1), ...holds(2, 3230, 4000)])).toBe('reactive');
});

test('a client that asks before the expiry is proactive, by as much as it is earlier', () => {
  expect(told([...holds(1, 0, 2400), ...holds(2, 2401, 4800), ...holds(3, 4802, 5600)])).toEqual([
    'proactive',
    0.6,
  ]);
});

test('a client that asks when its time is over, and was refused nothing, knows it by its clock', () => {
  const seldom = [...holds(1, 0, 2300, 1100), ...holds(2, 3320, 5500, 1100), ...holds(3, 6640, 8000, 1100)];
  expect(told(seldom)).toBe('proactive');
});

test('a client that does the one here and the other there follows both', () => {
  const calls = [...holds(1, 0, 2400), ...holds(2, 2401, 4000), refused(4010, 2), ...holds(3, 4025, 5000)];
  expect(told(calls, 3, { endedAt: { 2: 4000 } })).toEqual(['both', 0.6]);
});

test('a refusal just when its time had come does not make a proactive client reactive', () => {
  const calls = [...holds(1, 0, 4800), ...holds(2, 4801, 9500), refused(9590, 2), ...holds(3, 9602, 11_000)];
  expect(told(calls, 6, { endedAt: { 2: 9580 } })).toEqual(['both', 1.2]); // right after the refusal
  const nextTurn = [...calls.slice(0, -8), ...holds(3, 9790, 11_000)];
  expect(told(nextTurn, 6, { endedAt: { 2: 9580 } })).toEqual(['proactive', 1.2]);
});

test('the clock of a client begins when it asks: an answer that takes a second does not make it reactive', () => {
  const byTheClock = trafficOf([...holds(1, 0, 1600), ...holds(2, 1601, 2400)], { agreedSeconds: 2 });
  const slow = asks(0, 1, { endMs: 1000, atMs: 1000 });
  const first = [1, 2, 3, 4, 5].map((reader) => refused(1001 + reader, 1, { endMs: 1100 }));
  const turns = every(300, 1300, 4800, (at) => refused(at, 1));
  const early = trafficOf([slow, ...first, ...turns, ...holds(2, 4801, 6000)], {
    name: 'parallel',
    agreedSeconds: 6,
    endedAt: { 1: 1001 },
  });
  expect(certificateFor(byTheClock, early).strategy).toBe('proactive');
});

test('a client that asks for each read anew, however long tokens live, follows none', () => {
  const each = [1, 2, 3, 4, 5].flatMap((token) => holds(token, token * 200, token * 200 + 100));
  expect(told(each, 900)).toBe('none');
  const scenarios = [trafficOf(each), trafficOf(each, { agreedSeconds: 3, name: 'expires' })];
  expect(certificateFor(...scenarios).strategy).toBe('none');
});

test('a fixed margin longer than the lifetime is foresight where long lives are used up, and its length is not known', () => {
  const each = [1, 2, 3, 4, 5].flatMap((token) => holds(token, token * 200, token * 200 + 100));
  const long = trafficOf(holds(1, 0, 2400), { name: 'steady' });
  const certificate = certificateFor(long, trafficOf(each, { agreedSeconds: 3, name: 'expires' }));
  expect([certificate.strategy, certificate.marginSeconds]).toEqual(['proactive', undefined]);
});

test('a client that never renews follows none', () => {
  expect(told([...holds(1, 0, 3000), ...every(200, 3020, 4000, (at) => refused(at, 1))])).toBe('none');
});

test('after an outage the first request shows the cause, not the one that obtained the token', () => {
  const down = [3031, 3531, 4531].map((at) => asks(at, undefined, { status: 503, reason: 'script' }));
  expect(told([...holds(1, 0, 3000), refused(3020, 1), ...down, ...holds(2, 6531, 7500)])).toBe('reactive');
});

test('each of two processes renews its own token, which is not the newest of both', () => {
  const one = [...holds(1, 0, 3000), refused(3020, 1), ...holds(3, 3031, 4000)];
  const other = [...holds(2, 105, 3100), refused(3125, 2), ...holds(4, 3136, 4000)];
  expect(told([...one, ...other], 3, { processes: 2 })).toBe('reactive');
});

test('a renewal of a token that was refused while it was young follows no clock, however late it comes', () => {
  const lasting = [1, 2, 3, 4].flatMap((token) => {
    const at = token * 1000;
    return [asks(at, token), refused(at + 20, token), refused(at + 300, token)];
  });
  const twice = trafficOf([...lasting, asks(5000, 5)], { name: '403-stays' });
  const renewing = trafficOf([...holds(1, 0, 3000), refused(3020, 1), ...holds(2, 3031, 4000)], {
    ...{ agreedSeconds: 3, name: 'expires' },
  });
  expect(certificateFor(renewing, twice).strategy).toBe('reactive');
});

for (const [agreedSeconds, ageMs] of [
  [900, 500],
  [10, 4000],
] as const)
  test(`a renewal after two refusals at an age of ${ageMs} ms is for their sake, where tokens of ${agreedSeconds} s outlive the scenario`, () => {
    const lasting = [1, 2, 3, 4].flatMap((token) => {
      const at = token * (ageMs + 100);
      return [asks(at, token), forbidden(at + 20, token), forbidden(at + ageMs - 150, token)];
    });
    const stays = trafficOf(lasting, { name: '403-stays', agreedSeconds, longLived: true });
    const nextTurn = [...holds(1, 0, 3000), refused(3020, 1), ...holds(2, 3230, 4000)];
    const expires = trafficOf(nextTurn, { name: 'expires', agreedSeconds: 3 });
    expect(certificateFor(expires, stays).strategy).toBe('reactive');
  });

test('several tokens in a row after a refusal are one renewal, and none by the clock', () => {
  const row = [3031, 3431, 3831, 4231].map((at, nth) => asks(at, nth + 2));
  const calls = [...holds(1, 0, 3000), refused(3020, 1), ...row, ...holds(6, 4631, 5400)];
  expect(told(calls)).toBe('reactive');
});

test('tokens that callers ask for before the first read are no renewals, however late they come', () => {
  const start = [asks(0, 1), asks(2500, 2)];
  expect(
    told([...start, ...every(200, 2550, 5500, withToken(2)), refused(5550, 2), ...holds(3, 5561, 6500)]),
  ).toBe('reactive');
});

test('the margin is counted from the agreed end of a token that lives longer', () => {
  const calls = [...holds(1, 0, 2390), ...holds(2, 2400, 4790), ...holds(3, 4800, 7190)];
  const longer = { name: 'token-slow', lifetimesSeconds: [4, 900] };
  expect(told([...calls, ...holds(4, 7200, 9000)], 3, longer)).toEqual(['proactive', 0.6]);
});

test('the margin is the one in the middle of all', () => {
  const calls = [
    ...holds(1, 0, 2000),
    ...holds(2, 2001, 4500),
    ...holds(3, 4502, 7400),
    ...holds(4, 7403, 8000),
  ];
  expect(told(calls)).toEqual(['proactive', 0.5]);
});
