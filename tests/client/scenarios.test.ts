import { expect, test } from 'vitest';
import { isHopeless, scenarios } from './scenarios.ts';
import { callsOf, rowsOf, scene } from './testing/scenes.ts';

/** How long tokens live where that is not what was agreed. */
const LIVES: Record<string, string> = { 'shorter-than-agreed': '2', 'token-slow': '4,900' };

/** Whether a scenario is over at a time, for which as many of the calls count as have ended by then. */
function over(name: string, nowMs: number, calls: string, given = ''): boolean {
  const scenario = scenarios.find((one) => one.name === name);
  if (!scenario) throw new Error(`There is no scenario ${name}.`);
  const { agreedSeconds } = scenario;
  const circumstances = `agreed=${agreedSeconds} lives=${LIVES[name] ?? agreedSeconds} until=${nowMs} ${given}`;
  const traffic = scene(
    callsOf(calls).filter(({ endMs }) => endMs <= nowMs),
    circumstances,
  );
  return scenario.isOver(traffic);
}

test('no scenario is over before the client has called, or with its first read', () => {
  for (const { name } of scenarios)
    for (const calls of ['', 'a0', 'a0 r20']) expect(over(name, 500, calls), name).toBe(false);
});

test('every scenario is over when enough was seen of a client that is in a loop', () => {
  for (const { name } of scenarios) expect(over(name, 4600, 'a0 r20-200/11 x3020-4530/1'), name).toBe(true);
});

/** Reads with each token for so long, and asks for the next after a refusal. */
const renewing = (lifetimeMs: number, tokens: number): string =>
  Array.from({ length: tokens }, (_, nth) => {
    const from = nth * (lifetimeMs + 100);
    return `a${from} r${from + 20}-${from + lifetimeMs}/200 x${from + lifetimeMs + 20}`;
  }).join(' ');
const late = [0, 4200, 8400, 12_600].map((at) => `a${at} x${at + 3000}`).join(' ');
const renewed = Array.from(
  { length: 40 },
  (_, nth) => `b${420 + nth * 500}:${Math.floor((420 + nth * 500) / 500) + 1}`,
).join(' ');
const start = 'a0 r20-3000/200';
const ended = 'a0 r20 r220 x420 a440';
const slow = 'a0 r20~100 r30~100 x420 a440~1000 r1460-9000/100';
const crowd = 'a0 a1 a2 r20-3000/100:1';
const trouble = 'a0 r20 r220 r420';

/** Scenarios, the last time at which they are not over, the time at which they are, calls and circumstances. */
for (const [what, names = '', times = '', calls = '', given] of rowsOf(`
  reads fast                                    | steady | 6019 6020 | a0 r20-9000/100
  reads five times a second                     | steady | 8029 8030 | a0 r20-9000/200
  reads seldom                                  | steady | 9019 9020 | a0 r20-12000/1500
  reads twice after the end of a token          | expires | 3300 3330 | ${renewing(3000, 3)}
  reads twice after the end of a third          | expires-again | 6500 6530 | ${renewing(2000, 5)}
  reads twice after the end of a second         | shorter-than-agreed | 4400 4430 | ${renewing(2000, 4)}
  renews by its clock, and reads on             | expires | 3000 3150 | a0 r20-2400/100 a2410 r2430-5000/100
  renews by its clock, and always reads too late | shorter-than-agreed | 14500 14700 | r20:1 ${late}
  is stuck, and agreed on six seconds           | shorter-than-agreed | 9500 10000 | a0 r20-2000/200 x2020-10000/200
  is stuck with a token that was ended          | ended-early | 9500 10000 | a0 r20-2000/200 x2020-10000/200 | ended=1@2000
  reads fast with a new token                   | ended-early parallel 403-empty 403-html | 949 950 | ${ended} r460-3000/100 | ended=1@400
  reads seldom with a new token                 | ended-early parallel 403-empty 403-html | 2400 2470 | ${ended} r460-9000/1000 | ended=1@400
  reads seldom after an end that came by itself | ended-early parallel 403-empty 403-html | 2400 2470 | ${ended} r460-9000/1000
  has two callers, whose token takes a second   | parallel | 2630 2640 | ${slow}
  waits for a second token                      | token-slow | 5500 6020 | a0 r20 a3004:4 a3003:3 r3020-9000/100
  keeps its token while it is refused           | 403-stays | 4429 4430 | a0 r20 r220 b420-20000/500
  renews at each refusal                        | 403-stays | 10429 10430 | a0 r20 r220 ${renewed}
  asks in vain, and reads again                 | token-down token-429 token-slow | 6500 6510 | ${start} x3020 f3040 f3540 a6000 r6020-7000/100
  asks for no new token                         | token-down token-429 token-slow | 6600 6900 | ${start} x3020-9000/200
  asks in vain once                             | token-down token-429 token-slow | 13000 13100 | ${start} f3040 x3550-20000/500
  is given no token, and reads meanwhile        | token-down token-429 token-slow | 12000 | ${start} x3020-12000/200 f3040-12000/1000
  is three processes, each with one token       | token-down token-429 token-slow | 2900 | ${crowd} | processes=3
  is three processes, of which one reads again  | token-down token-429 token-slow | 6500 6510 | ${crowd} f3010 a6000 r6020-7000/100 | processes=3
  reads on after a reset                        | data-reset | 1029 1030 | ${trouble}!reset r620-2000/200
  does not read on after a reset                | data-reset | 10430 10431 | ${trouble}!reset
  reads on after a 500                          | data-500-once | 1029 1030 | ${trouble}!500 r620-2000/200`))
  for (const name of names.split(' '))
    test(`${name} of a client that ${what} is over by ${times.split(' ')[1] ?? 'no time'}`, () => {
      const [before, at] = times.split(' ').map(Number);
      expect(over(name, before ?? 0, calls, given)).toBe(false);
      if (at !== undefined) expect(over(name, at, calls, given)).toBe(true);
    });

test('a HEAD is not the read that a scenario waits for', () => {
  for (const [name, given] of [
    ['steady', 'until=10500'],
    ['odd-secret', ''],
    ['ended-early', 'ended=1@600'],
    ['token-429', ''],
    ['data-reset', ''],
  ] as const) {
    const failed = name === 'data-reset' ? 'r400!reset' : '';
    const scenario = scenarios.find((one) => one.name === name);
    const agreed = `agreed=${scenario?.agreedSeconds} until=9000 ${given}`;
    const all = scene(`a0 x620-900/200 ${failed} a1100 r1200-9000/500`, agreed);
    const heads = all.calls.map((one) => (one.startMs >= 1200 ? { ...one, method: 'HEAD' } : one));
    const isOver = (calls: typeof all.calls) => scenario?.isOver({ ...all, calls });
    expect([isOver(heads), isOver(all.calls)], name).toEqual([false, true]);
  }
  const heads = scene('a0 r20-6000/500');
  expect(isHopeless({ ...heads, calls: heads.calls.map((one) => ({ ...one, method: 'HEAD' })) })).toBe(true);
});

test('a client that has called for five seconds and was never served is hopeless, whether it got tokens or not', () => {
  const hopeless = (calls: string, until = 5001) => isHopeless(scene(calls, `until=${until}`));
  const denied = 'a0 r20-3000/1000!401';
  expect(hopeless('f0-4000/1000')).toBe(true);
  expect(hopeless(denied)).toBe(true);
  expect(hopeless(denied, 5000)).toBe(false);
  expect(hopeless(`${denied} r3020`)).toBe(false);
  const health = scene('r0-400/100:1 a500', 'until=5001'); // It has not read yet.
  const calls = health.calls.map((one) => (one.kind === 'data' ? { ...one, kind: 'health' as const } : one));
  expect(isHopeless({ ...health, calls })).toBe(false);
});
