import { expect, _baseTest as test } from '@playwright/test';
import type { ScenarioTraffic } from './scenario-traffic.ts';
import { seededRandom } from './testing/seeded-random.ts';
import { asks, every, fails, reads, refused, trafficOf } from './testing/traffic.ts';
import { tokenCount } from './token-count.ts';

const at = (...times: number[]) => times.map((time) => reads(time, 1, { atMs: time }));
const count = (calls: Parameters<typeof trafficOf>[0], more: Parameters<typeof trafficOf>[1] = {}) =>
  tokenCount(trafficOf(calls, more));

test('as many were asked for as reached the client, and one is needed for each lifetime that it reads in', () => {
  const calls = [asks(0, 1), fails(10), fails(20, 401), asks(30, 2), ...at(0, 900, 1800, 2700)];
  expect(count(calls, { agreedSeconds: 900 })).toEqual({ asked: 2, needed: 1 });
  expect(count(calls, { agreedSeconds: 1 })).toEqual({ asked: 2, needed: 2 });
});

test('a token is over at the very moment of its expiry', () => {
  expect(count(at(0, 999), { agreedSeconds: 1 }).needed).toBe(1);
  expect(count(at(0, 1000), { agreedSeconds: 1 }).needed).toBe(2);
});

test('no token is needed while nothing is read, and none for a read that was refused or had none', () => {
  expect(count([asks(0, 1)])).toEqual({ asked: 1, needed: 0 });
  expect(count([...at(0, 100_000_000)], { agreedSeconds: 1 }).needed).toBe(2);
  const { token: _, ...bare } = reads(0, 1);
  expect(count([refused(0, 1), bare]).needed).toBe(0);
});

test('tokens of different lifetimes are had in their order, the last of which is for all that follow', () => {
  expect(count(at(0, 3000, 3999, 4000, 4999, 5000), { lifetimesSeconds: [4, 1] }).needed).toBe(3);
});

test('where tokens were ended each read afterwards needs another, and the one that ended them does not', () => {
  const calls = [asks(0, 1, { atMs: 0 }), ...at(0, 500, 700, 900)];
  expect(count(calls, { endedAt: { 1: 500 } }).needed).toBe(2);
  expect(count(calls, { endedAt: { 1: 499.5 } }).needed).toBe(2);
  expect(count(calls, { endedAt: { 1: 901 } }).needed).toBe(1);
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

for (const seed of ['one', 'two', 'three'])
  test(`the bound is what a search through all ways to ask finds: ${seed}`, () => {
    const share = seededRandom(seed);
    for (let nth = 0; nth < 60; nth++) {
      const draw = (most: number, what: string) => Math.floor(share(`${what} ${nth}`) * most);
      const times = Array.from({ length: 1 + draw(9, 'count') }, (_, read) => draw(12, `${read}`) * 500);
      const endedAt = draw(2, 'ended') === 0 ? {} : { 1: draw(12, 'end') * 500 + 1 };
      const lifetimesSeconds = [1 + draw(3, 'lifetime')];
      const traffic = trafficOf([asks(-20, 1), ...at(...new Set(times))], { endedAt, lifetimesSeconds });
      expect(tokenCount(traffic).needed, JSON.stringify(traffic)).toBe(fewest(traffic));
    }
  });

test('a thousand reads are counted in an instant', () => {
  const traffic = trafficOf(
    every(10, 0, 15_000, (time) => reads(time, 1)),
    { agreedSeconds: 1 },
  );
  expect(tokenCount(traffic).needed).toBe(15);
});
