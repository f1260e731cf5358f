import fc from 'fast-check';
import { expect, test } from 'vitest';
import { concurrencyIn, paceOf, tokenCount } from './evidence.ts';
import { certificateFor, rowsOf, scene } from './testing/scenes.ts';
import type { ScenarioTraffic } from './traffic.ts';

/** How many tokens were asked for and how many are needed; a call is judged a millisecond after it began. */
for (const [what, counted, calls = '', given] of rowsOf(`
  reads within one lifetime                | 2 1  | a0 f10 f20!401 a30 r40-3600/900 | agreed=900
  reads in two lifetimes                   | 2 2  | a0 f10 f20!401 a30 r40-3600/900 | agreed=1
  reads until just before the expiry       | 0 1  | r0:1 r999:1 | agreed=1
  reads at the very moment of the expiry   | 0 2  | r0:1 r1000:1 | agreed=1
  reads a thousand times                   | 0 15 | r0-15000/10:1 | agreed=1
  reads again after a day                  | 0 2  | r0:1 r100000000:1 | agreed=1
  reads nothing                            | 1 0  | a0
  is refused, or sends no token            | 0 0  | x0:1 r10@bare
  has tokens of different lifetimes        | 0 3  | r0:1 r3000:1 r3999:1 r4000:1 r4999:1 r5000:1 | lives=4,1
  only reads with a token that it had      | 0 0  | r0:1 r200:1 r400:1 | agreed=60 held=-10000
  replaces such a token before its end     | 1 0  | a0:2 r20 r220 r420 | agreed=60 held=-48000
  replaces such a token again and again    | 3 0  | a0:2 r20 a100 r120 a200 r220 | agreed=60 held=-10000
  reads with it when it is over            | 1 1  | x0:1 a20:2 r40 | agreed=60 held=-70000
  has a token that a read ended            | 1 2  | a0 r0 r499 r699 r899 | ended=1@500
  has a token that was ended before a read | 1 2  | a0 r0 r499 r699 r899 | ended=1@499.5
  has a token that was ended after them    | 1 1  | a0 r0 r499 r699 r899 | ended=1@901`))
  test(`the tokens of a client that ${what}: ${counted}`, () => {
    const { asked, needed } = tokenCount(scene(calls, given, { bare: { token: undefined } }));
    expect(`${asked} ${needed}`).toBe(counted);
  });

/** The fewest of all ways to ask for a token at some of the reads: each read is at one, or while one lives. */
function fewest({ calls, lives, lifetimesSeconds }: ScenarioTraffic): number {
  const times = calls.filter(({ kind }) => kind === 'data').map(({ atMs }) => atMs);
  const ends = lives.flatMap(({ endedMs }) => (endedMs === undefined ? [] : [endedMs + 1]));
  let least = times.length;
  for (let chosen = 0; chosen < 2 ** times.length; chosen++) {
    const askedAt = times.filter((_, nth) => chosen & (1 << nth));
    const spans = askedAt.map((from, nth) => {
      const lifetime = lifetimesSeconds[Math.min(nth, lifetimesSeconds.length - 1)] ?? 0;
      return [from, Math.min(from + lifetime * 1000, ...ends.filter((end) => end > from))] as const;
    });
    if (times.every((time) => spans.some(([from, to]) => time >= from && time < to)))
      least = Math.min(least, askedAt.length);
  }
  return least;
}

test('the bound is what a search through all ways to ask finds', () => {
  const turn = fc.nat(11).map((nth) => nth * 500);
  const reads = fc.uniqueArray(turn, { minLength: 1, maxLength: 9 });
  const ending = fc.option(turn, { nil: undefined });
  const isLeast = (times: number[], endedMs: number | undefined, lifetime: number) => {
    const calls = `a0 ${times.map((ms) => `r${20 + ms}:1`).join(' ')}`;
    const traffic = scene(
      calls,
      `lives=${lifetime} ${endedMs === undefined ? '' : `ended=1@${22 + endedMs}`}`,
    );
    expect(tokenCount(traffic).needed).toBe(fewest(traffic));
  };
  const property = fc.property(reads, ending, fc.integer({ min: 1, max: 3 }), isLeast);
  fc.assert(property, { seed: 1, numRuns: 200 });
});

/** The pause in the middle, and whether pauses are regular; `none` where there is no pace. Scenarios are separated by `;`. */
for (const [what, pace, calls = '', given = 'name=steady'] of rowsOf(`
  reads after different pauses         | 200 false | a0 r20 r230 r440 r490 r900
  asks for tokens and is refused, too  | 200 true  | a0 r20 r230 r440 x455 a470 r490 a495 r510
  makes two in five short              | 200 false | a0 r20 r230 r440 r650 r710 r770
  makes one pause                      | none      | a0 r20 r230
  was seen where nothing goes wrong    | 50 true   | a0 r20-12000/1010 ; a0 r20-500/60 | name=expires ; name=steady
  was seen elsewhere only              | 1000 true | a0 r20-12000/1010 | name=expires`))
  test(`the pace of a client that ${what}: ${pace}`, () => {
    const scenes = calls.split(';').map((one, nth) => scene(one, given.split(';')[nth]));
    const found = paceOf(scenes, 1);
    expect(found ? `${found.medianPauseMs} ${found.regular}` : 'none').toBe(pace);
    expect(paceOf(scenes, 2)).toBeUndefined();
  });

test('as many are at once as overlap in any scenario, or as there are processes, without reads that were left', () => {
  const three = scene('r0~100 r2~98 r4~96');
  const left = { gone: { ended: 'gone' }, cut: { ended: 'cut' } } as const;
  for (const [concurrency, ...scenes] of [
    [1],
    [1, scene('r0 r10 r20')],
    [3, scene('r0 r10 r20'), three],
    [4, scene('r0', 'processes=4'), three],
    [1, scene('r20~4980@gone r1000', '', left)],
    [2, scene('r20~4980@cut r1000', '', left)],
  ] as const)
    expect(concurrencyIn(scenes)).toBe(concurrency);
});

/** A token, and reads from right after it came until `until`. */
const holds = (from: number, until: number, pauseMs = 200) => `a${from} r${from + 20}-${until}/${pauseMs}`;
const each = [1, 2, 3, 4, 5].map((nth) => holds(nth * 200, nth * 200 + 100)).join(' ');
const clock = `${holds(0, 4800)} ${holds(4801, 9500)} x9590`;
const nextTurn = `${holds(0, 3000)} x3020 ${holds(3230, 4000)}`;
const first = [1, 2, 3, 4, 5].map((nth) => `x${1001 + nth}~${99 - nth}`).join(' ');

for (const [what, strategy = '', calls = '', given = ''] of rowsOf(`
  asks right after each refusal                 | reactive      | ${holds(0, 3000)} x3020 ${holds(3031, 6020)} x6051 ${holds(6062, 7000)}
  has a refusal whose end is noted late         | reactive      | ${holds(0, 3000)} x3020~25 ${holds(3031, 4000)}
  asks with its next turn after the refusal     | reactive      | ${nextTurn}
  asks before the expiry                        | proactive | ${holds(0, 2400)} ${holds(2401, 4800)} ${holds(4802, 5600)}
  asks before the expiry, and after a reset     | proactive | ${holds(0, 2400)} ${holds(2401, 4800)} ${holds(4802, 5600)} ; a0 r20 r220!reset a240 r260-1000/200 | agreed=3 ; name=data-reset agreed=900
  asks at the expiry, and was refused nothing   | proactive     | ${holds(0, 2300, 1100)} ${holds(3320, 5500, 1100)} ${holds(6640, 8000, 1100)}
  asks before the expiry, and after a refusal   | both      | ${holds(0, 2400)} ${holds(2401, 4000)} x4010 ${holds(4025, 5000)} | ended=2@4000
  asks after a refusal when its time had come   | both      | ${clock} ${holds(9602, 11_000)} | agreed=6 ended=2@9580
  asks by its clock a turn after a refusal      | proactive | ${clock} ${holds(9790, 11_000)} | agreed=6 ended=2@9580
  waits a second for its token                  | proactive | ${holds(0, 1600)} ${holds(1601, 2400)} ; a0~1000 ${first} x1300-4800/300 ${holds(4801, 6000)} | agreed=2 ; name=parallel agreed=6 ended=1@1001
  only reads with the token that it had         | none          | r0:1 r200:1 r400:1 | agreed=60 long=false held=-10000
  asks for each read                            | none          | ${each} | agreed=900
  never renews                                  | none          | ${holds(0, 3000)} x3020-4000/200
  asks in vain before it gets a token           | reactive      | ${holds(0, 3000)} x3020 f3031 f3531 f4531 ${holds(6531, 7500)}
  is two processes, each with its token         | reactive      | a0 a105 r20-3000/200:1 x3020:1 r125-3100/200:2 x3125:2 a3031 r3051-4000/200 a3136 r3156-4000/200 | processes=2`))
  test(`strategy of a client that ${what}: ${strategy}`, () => {
    const circumstances = given.split(';');
    const scenes = calls
      .split(';')
      .map((one, nth) => scene(one, `agreed=3 name=expires ${circumstances[nth] ?? ''}`));
    expect(certificateFor(...scenes).strategy).toBe(strategy);
  });
