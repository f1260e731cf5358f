import { expect, _baseTest as test } from '@playwright/test';
import { NO_TRAFFIC } from './examine.ts';
import { startProcessClock, trafficOn } from './process-clock.ts';

/** Keeps the event loop busy until this much time has passed. */
function stall(milliseconds: number) {
  const until = performance.now() + milliseconds;
  while (performance.now() < until);
}

test('process clock advances by 10 ms and a thousandth of the rest in a turn of the event loop', () => {
  let real = 500;
  using clock = startProcessClock(() => real);
  real = 504;
  expect(clock.now()).toBe(4);
  real = 1510;
  expect(clock.now()).toBe(11);
  expect([clock.at(500), clock.at(504), clock.at(510)]).toEqual([0, 4, 10]);
});

test('process clock orders two moments of a stall', () => {
  using clock = startProcessClock();
  const before = clock.now();
  stall(50);
  const first = clock.now();
  stall(10);
  const second = clock.now();
  expect(first).toBeGreaterThan(before);
  expect(second).toBeGreaterThan(first);
  expect(second - before).toBeLessThan(30);
});

test('a pause by the process clock does not end through a stall', async () => {
  using clock = startProcessClock();
  const began = clock.now();
  const pause = clock.sleep(60);
  stall(200);
  await pause;
  expect(clock.now() - began).toBeGreaterThanOrEqual(60);
});

test('a pause by the process clock ends with its signal', async () => {
  using clock = startProcessClock();
  const stop = new AbortController();
  const pause = clock.sleep(60_000, stop.signal);
  stop.abort();
  await expect(pause).rejects.toThrow('aborted');
});

test('traffic on the process clock leaves out a stall', () => {
  using clock = startProcessClock();
  const began = performance.now();
  stall(300);
  const durationMs = performance.now() - began;
  const shown = trafficOn(clock, { ...NO_TRAFFIC, durationMs });
  expect(durationMs).toBeGreaterThanOrEqual(300);
  expect(shown.durationMs).toBeLessThan(30);
});
