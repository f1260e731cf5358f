import { createServer } from 'node:http';
import { expect, test } from 'vitest';
import { listening } from '../../tests/support/testing/listening.ts';
import { startMock } from '../index.ts';
import { startProcessClock } from './process-clock.ts';

const DAY_MS = 86_400_000;

/** Keeps the event loop busy until this much time has passed. */
function stall(milliseconds: number) {
  const until = performance.now() + milliseconds;
  while (performance.now() < until);
}

/** A server in this process that answers at once, after a stall of this long. */
async function serving(stallMs = 0) {
  const server = createServer((_, response) => {
    stall(stallMs);
    response.end('here');
  });
  const running = await listening(server);
  return { ...running, ask: async () => (await fetch(running.url)).text() };
}

test('pauses by the process clock end in their order, each at its moment, and none takes its time', async () => {
  using clock = startProcessClock();
  const ended: [string, number][] = [];
  const pause = (name: string, milliseconds: number) =>
    clock.sleep(milliseconds).then(() => ended.push([name, Math.floor(clock.now() / DAY_MS)]));
  await Promise.all([
    pause('long', 3 * DAY_MS),
    pause('short', DAY_MS),
    pause('as short', DAY_MS),
    pause('middle', DAY_MS).then(() => pause('then', DAY_MS)),
  ]);
  expect(ended).toEqual([
    ['short', 1],
    ['as short', 1],
    ['middle', 1],
    ['then', 2],
    ['long', 3],
  ]);
});

test('the process clock does not pass an answer that is under way in this process, however long that takes', async () => {
  await using service = await serving(150);
  using clock = startProcessClock();
  const seen: string[] = [];
  const waited = clock.sleep(100).then(() => seen.push('waited'));
  seen.push(await clock.during(service.ask));
  await waited;
  expect(seen).toEqual(['here', 'waited']);
});

test('the process clock leaves out a stall, and orders two moments of it', () => {
  using clock = startProcessClock();
  const [began, before] = [performance.now(), clock.now()];
  stall(50);
  const first = clock.now();
  stall(10);
  const [second, durationMs] = [clock.now(), performance.now() - began];
  expect(first).toBeGreaterThan(before);
  expect(second).toBeGreaterThan(first);
  expect(second - before).toBeLessThan(1);
  expect(durationMs).toBeGreaterThanOrEqual(60);
  expect(clock.show({ calls: [], lives: [], lost: 0, durationMs }).durationMs).toBeLessThan(1);
});

test('a mock that goes by the process clock delays and drips its answers by it', async () => {
  using clock = startProcessClock();
  const form = { grant_type: 'client_credentials', client_id: 'slow', client_secret: 'not-much-of-a-secret' };
  const script = [{ on: 'obtainToken' as const, do: { delay: '5h', drip: { bytes: 1, every: '1m' } } }];
  await using mock = await startMock({
    clients: [{ id: form.client_id, secret: form.client_secret, script }],
    now: clock.date,
    sleep: clock.delay,
  });
  const { hours, length } = await clock.during(async () => {
    const answer = await fetch(`${mock.url}/token/`, { method: 'POST', body: new URLSearchParams(form) });
    return { hours: clock.now() / 3_600_000, length: (await answer.text()).length };
  });
  expect(Math.floor(hours)).toBe(5);
  expect(Math.floor(clock.now() / 60_000)).toBe(5 * 60 + length - 1);
});
