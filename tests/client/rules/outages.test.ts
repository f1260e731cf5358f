import { expect, _baseTest as test } from '@playwright/test';
import {
  asks,
  every,
  fails,
  judgedBy,
  type Made,
  reads,
  refused,
  trafficOf,
  verdictOf,
  withToken,
} from '../testing/traffic.ts';

const start = [asks(0, 1), ...every(200, 20, 3000, withToken(1)), refused(3020, 1)];
const down = (calls: readonly Made[], more = {}) =>
  trafficOf([...start, ...calls], { agreedSeconds: 3, name: 'token-down', ...more });
const back = [asks(7000, 2), ...every(200, 7020, 8000, withToken(2))];

test.describe('back-off', () => {
  const backOff = (calls: readonly Made[], more = {}) => verdictOf('back-off', down(calls, more));

  test('a client that waits longer each time has passed, and so has one that waits for its turn', () => {
    expect(backOff([fails(3040), fails(3540), fails(4540), fails(6540), ...back])).toBe('passed');
    expect(backOff([...every(200, 3040, 6040, (at) => fails(at)), ...back])).toBe('passed');
  });

  test('three attempts without a pause are let pass, and a hail of them is warned of', () => {
    expect(backOff([fails(3040), fails(3051), fails(3062), ...back])).toBe('passed');
    expect(backOff([fails(3040), fails(3051), fails(3062), fails(3073), ...back])).toBe('warned');
    const hail = judgedBy('back-off', down([...every(12, 3040, 6040, (at) => fails(at)), ...back]));
    expect(hail.findings[0]?.seen).toBe(
      '250 token requests came without a pause while the token endpoint failed.',
    );
  });

  test('a token endpoint that resets the connection or answers 429 fails as well', () => {
    const hail = (more: Partial<Made>) => every(12, 3040, 3200, (at) => fails(at, 200, more));
    for (const more of [{ status: 429 }, { status: 500 }, { ended: 'reset' }, { ended: 'cut' }] as const)
      expect(backOff([...hail(more), ...back]), JSON.stringify(more)).toBe('warned');
    expect(backOff([...hail({ status: 401 }), ...back])).toBe('not-applicable');
  });

  test('five readers may each have tried three times', () => {
    const readers = [0, 1, 2, 3, 4].map((nth) => refused(3020 + nth, 1, { endMs: 3040 }));
    const hail = (count: number) => every(12, 3050, 3050 + 12 * count, (at) => fails(at));
    expect(backOff([...readers, ...hail(15), ...back])).toBe('passed');
    expect(backOff([...readers, ...hail(25), ...back])).toBe('warned');
  });
});

test.describe('retry-after', () => {
  const told = fails(3040, 429, { retryAfterSeconds: 2 });
  const retryAfter = (calls: readonly Made[], more = {}) =>
    verdictOf('retry-after', down([told, ...calls], more));

  test('a client that waits as long as advised passes, even if its clock is a little early', () => {
    expect(retryAfter([asks(5050, 2)])).toBe('passed');
    expect(retryAfter([asks(4955, 2)])).toBe('passed');
    expect(retryAfter([])).toBe('passed');
  });

  test('who asks earlier is warned, with how early that was', () => {
    const early = judgedBy('retry-after', down([told, fails(3540), asks(4540, 2)]));
    expect(early).toMatchObject({
      verdict: 'warned',
      findings: [{ seen: 'Asked to wait 2 s, the client called again after 0.5 s, 2 times in all.' }],
    });
  });

  test('who is early only because the examiner was held up is not judged, with the reason', () => {
    const stalls = [{ startMs: 3045, endMs: 3245 }];
    const late = { ...told, endMs: 3250 }; // recorded late: the client had the answer before
    const judge = (at: number) => judgedBy('retry-after', down([late, asks(at, 2)], { stalls }));
    expect(judge(5060)).toMatchObject({ verdict: 'not-applicable', findings: [] });
    expect(judge(5060).reason).toContain('got no processor time for 0.2 s');
    expect(judge(4800).verdict).toBe('warned');
  });

  test('another process without the advice passes, and so do readers whose requests crossed', () => {
    expect(retryAfter([asks(3540, 2)], { processes: 2 })).toBe('passed');
    const readers = [refused(3025, 1, { endMs: 3045 }), refused(3026, 1, { endMs: 3045 })];
    expect(retryAfter([...readers, fails(3060), asks(5060, 2)])).toBe('passed');
    expect(retryAfter([...readers, fails(3460), asks(5060, 2)])).toBe('warned');
  });

  test('readers that each wait from their own advice pass, and those that ask again and again are warned once', () => {
    const readers = [refused(3025, 1, { endMs: 3045 }), refused(3026, 1, { endMs: 3045 })];
    const advice = (at: number) => fails(at, 429, { retryAfterSeconds: 2 });
    expect(retryAfter([...readers, advice(3200), asks(5060, 2), asks(5220, 3)])).toBe('passed');
    const hail = down([told, ...readers, advice(3090), advice(3690), advice(4890), asks(6100, 2)]);
    expect(judgedBy('retry-after', hail).findings).toMatchObject([
      { seen: 'Asked to wait 2 s, the client called again after 0.6 s, 2 times in all.' },
    ]);
  });

  test('a client without advice to wait is not judged', () => {
    expect(verdictOf('retry-after', down([fails(3040), asks(3540, 2)]))).toBe('not-applicable');
  });
});

test('requests that seem to follow at once because the examiner was held up are not judged by back-off', () => {
  const row = [3040, 3340, 3640, 3940].map((at) => fails(at, 503, { endMs: at + 250 }));
  const stalls = row.map(({ startMs, endMs }) => ({ startMs: startMs + 5, endMs }));
  const judge = (more = {}) => judgedBy('back-off', down([...row, asks(4940, 2)], more));
  expect(judge().verdict).toBe('warned');
  expect(judge({ stalls })).toMatchObject({
    verdict: 'not-applicable',
    reason: expect.stringContaining('got no processor time for 1.0 s'),
  });
});

test.describe('recovers', () => {
  const recovers = (calls: readonly Made[], more = {}) => judgedBy('recovers', down(calls, more));
  const reset = reads(3240, 2, { ended: 'reset' });

  test('a client that reads again after the token endpoint was down has passed', () => {
    expect(recovers([fails(3040), fails(5040), ...back]).verdict).toBe('passed');
  });

  test('a client that ends by itself is warned, and one that was killed is not', () => {
    expect(recovers([fails(3040)], { ended: { code: 3 } })).toMatchObject({
      verdict: 'warned',
      findings: [{ seen: 'The client ended by itself with exit code 3.' }],
    });
    expect(recovers([fails(3040)], { ended: { signal: 'SIGKILL' } }).verdict).toBe('not-applicable');
  });

  test('a client that stops after a read broke off is warned, and one that goes on has passed', () => {
    const calls = [asks(3040, 2), reset];
    expect(recovers(calls, { durationMs: 13_250 }).findings[0]?.seen).toBe(
      'The client had read nothing 10.0 s after the last failure.',
    );
    expect(recovers([...calls, reads(3460, 2)]).verdict).toBe('passed');
  });

  test('a client that reads seldom may be silent for some of its own pauses', () => {
    const seldom = [asks(0, 1), ...every(8000, 20, 30_000, withToken(1)), reads(32_020, 1, { status: 500 })];
    const silentFor = (ms: number) => verdictOf('recovers', trafficOf(seldom, { durationMs: 32_030 + ms }));
    expect([silentFor(20_000), silentFor(40_000)]).toEqual(['not-applicable', 'warned']);
  });

  test('a scenario that ends soon after the failure does not show whether the client recovers', () => {
    expect(recovers([asks(3040, 2), reset], { durationMs: 13_000 }).verdict).toBe('not-applicable');
  });

  test('a client that never read anything, or that met no failure, is not judged by it', () => {
    expect(verdictOf('recovers', trafficOf([fails(0), fails(500)]))).toBe('not-applicable');
    expect(recovers([asks(3040, 2), reads(3060, 2)]).verdict).toBe('not-applicable');
  });

  test('a client that had read in another scenario only is judged by it', () => {
    const stops = trafficOf([asks(0, 1), fails(3000)], { durationMs: 14_000, name: 'token-down' });
    expect(verdictOf('recovers', stops)).toBe('not-applicable');
    expect(verdictOf('recovers', trafficOf(start, { name: 'steady' }), stops)).toBe('warned');
  });
});
