import { expect, _baseTest as test } from '@playwright/test';
import fc from 'fast-check';
import { tokenCount } from './evidence.ts';
import { rowsOf, scene } from './testing/rows.ts';
import { asks, type Made, reads, trafficOf } from './testing/traffic.ts';
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
  const read = fc.nat(11).map((turn) => reads(turn * 500, 1, { atMs: turn * 500 }));
  const alike = { minLength: 1, maxLength: 9, selector: ({ atMs }: Made) => atMs };
  const ends = fc.option(
    fc.nat(11).map((turn) => ({ 1: turn * 500 + 1 })),
    { nil: {} },
  );
  const given = [fc.uniqueArray(read, alike), ends, fc.integer({ min: 1, max: 3 })] as const;
  const isLeast = (calls: Made[], endedAt: Record<number, number>, lifetime: number) => {
    const traffic = trafficOf([asks(-20, 1), ...calls], { endedAt, lifetimesSeconds: [lifetime] });
    expect(tokenCount(traffic).needed).toBe(fewest(traffic));
  };
  fc.assert(fc.property(...given, isLeast), { seed: 1, numRuns: 200 });
});
