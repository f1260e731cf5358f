/** How the runs of a fleet share the slots: none loses the time of its deployment to the others. */
import { expect, test } from 'vitest';
import { type Clock, createVirtualClock } from '../../tests/support/clock.ts';
import { createSlots } from './run-fleet.ts';

/**
 * A clock for many: each sleep ends in the order of its moment, when nothing else goes on. `log` is what the runs noted, with
 * the time in seconds.
 */
function createShared() {
  let nowMs = 0;
  const sleeping: { atMs: number; end: () => void }[] = [];
  const clock: Clock = {
    now: () => nowMs,
    sleep: (milliseconds) => new Promise((end) => sleeping.push({ atMs: nowMs + milliseconds, end })),
  };
  return {
    clock,
    async passAll() {
      for (;;) {
        for (let turn = 0; turn < 50; turn++) await Promise.resolve();
        const next = sleeping.toSorted((a, b) => a.atMs - b.atMs)[0];
        if (!next) return;
        sleeping.splice(sleeping.indexOf(next), 1);
        nowMs = next.atMs;
        next.end();
      }
    },
  };
}

/** Runs of `count` deployments, each of these sleeps in turn; how long each took, in seconds, in the order of their ends. */
async function runAll(count: number, atOnce: number, sleeps: readonly number[]) {
  const { clock, passAll } = createShared();
  const slots = createSlots(atOnce);
  const took: number[] = [];
  const active = { now: 0, most: 0 };
  const all = Array.from({ length: count }, async () => {
    await slots.take();
    const own = slots.clockOf(clock);
    const beganMs = clock.now();
    active.most = Math.max(active.most, ++active.now);
    for (const milliseconds of sleeps) await own.sleep(milliseconds);
    active.now--;
    took.push((clock.now() - beganMs) / 1000);
    slots.give();
  });
  await passAll();
  await Promise.all(all);
  return { took, seconds: clock.now() / 1000, most: active.most };
}

const PAUSES = Array(80).fill(200);
for (const [what, count, sleeps, own] of [
  ['pauses between its requests', 100, PAUSES, 16],
  ['pauses of nothing, as for a deployment on this machine', 100, Array(80).fill(0), 0],
  ['waits for an expiry in steps of a second', 40, [...PAUSES, ...Array(66).fill(1000), ...PAUSES], 98],
  ['waits as the deployment asks it to', 40, [200, 60_000, 200, 30_000, 200], 90.6],
] as const)
  test(`a run that has ${what} takes no longer among many`, async () => {
    const { took } = await runAll(count, 8, sleeps);
    expect(took).toEqual(Array(count).fill(own));
  });

test('runs without a wait are as many at once as there are slots', async () => {
  const { most, seconds } = await runAll(20, 4, PAUSES);
  expect([most, seconds]).toEqual([4, 80]);
});

test('a run that waits lets another begin, and only one', async () => {
  const { most, seconds } = await runAll(3, 1, [200, ...Array(10).fill(1000), 200]);
  // The second begins after 0.2 s, and the third after 0.4 s.
  expect([most, seconds]).toEqual([3, 10.8]);
});

test('the clock of a run is otherwise that which was given', () => {
  const clock = createVirtualClock();
  expect(createSlots().clockOf(clock).now).toBe(clock.now);
});
