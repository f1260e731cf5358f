/**
 * A clock of this process, and not of the machine. While a request is under way in the process, each turn of its event
 * loop is a millisecond, however long it takes; when none is, the clock goes on to the next moment that is waited for.
 * Clients and mocks that share a process and go by it meet each other on a busy machine as they do on an idle one.
 */
import type { Parts } from '../../tests/client/corpus/client.ts';
import { environmentIn, runClient } from '../../tests/client/corpus/parts.ts';
import type { Clock } from '../../tests/support/clock.ts';
import { partitionPoint } from '../../tests/support/collections.ts';
import type { Traffic } from '../mock/index.ts';
import type { StartClient } from './program.ts';

export interface ProcessClock extends Clock, Disposable {
  /** Milliseconds since the epoch, for a mock. */
  date(): number;
  /** What it showed at this time of performance.now(), which may be past. */
  at(realMs: number): number;
  /** While `request` is under way, the clock does not go on to another moment. */
  during<Result>(request: () => Promise<Result>): Promise<Result>;
  /** Sleeps within the answer to a request, which is not under way meanwhile. */
  delay(milliseconds: number, signal: AbortSignal): Promise<void>;
  /** The traffic, whose real times end now, on this clock. Tokens live on the mock's clock already. */
  show(traffic: Traffic): Traffic;
}

const TURN_MS = 1;
/** Within a turn, this share of real time counts, so that no two moments become one. */
const SHARE = 1 / 1_000_000;

/** Goes by turns of the event loop as long as something waits for it. Stop it with its dispose method. */
export function startProcessClock(): ProcessClock {
  const epoch = Date.now();
  const start = { realMs: performance.now(), shownMs: 0 };
  const ticks = [start];
  /** By the time at which they wake. */
  const sleepers: { untilMs: number; wake(): void }[] = [];
  let events = eventsSoFar();
  /** Requests that are under way, but for those whose answers are delayed. */
  let underWay = 0;
  let isRunning = false;
  let isStopped = false;

  function at(realMs: number): number {
    const last = ticks.at(-1) ?? start;
    const isNow = realMs >= last.realMs;
    const tick = isNow ? last : (ticks[lastBefore(ticks, ({ realMs }) => realMs, realMs)] ?? start);
    return tick.shownMs + Math.max(0, realMs - tick.realMs) * SHARE;
  }

  const now = () => at(performance.now());

  function advanceTo(shownMs: number): void {
    const realMs = performance.now();
    ticks.push({ realMs, shownMs: Math.max(shownMs, at(realMs)) });
    const due = lastBefore(sleepers, ({ untilMs }) => untilMs, now()) + 1;
    for (const { wake } of sleepers.splice(0, due)) wake();
  }

  /** Runs once in a turn of the event loop, after what arrived in it. */
  function turn(): void {
    const next = sleepers[0];
    isRunning = next !== undefined && !isStopped;
    if (!isRunning || !next) return;
    const before = events;
    events = eventsSoFar();
    advanceTo(underWay > 0 ? now() + TURN_MS : next.untilMs);
    // Where a request is under way and nothing has come, the kernel may be late.
    if (underWay > 0 && events === before) setTimeout(turn, 1);
    else setImmediate(turn);
  }

  function sleep(milliseconds: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason);
      const untilMs = now() + Math.max(0, milliseconds);
      const sleeper = {
        untilMs,
        wake() {
          signal?.removeEventListener('abort', abort);
          resolve();
        },
      };
      const abort = () => {
        const at = sleepers.indexOf(sleeper);
        if (at >= 0) sleepers.splice(at, 1);
        reject(signal?.reason);
      };
      signal?.addEventListener('abort', abort, { once: true });
      sleepers.splice(lastBefore(sleepers, (one) => one.untilMs, untilMs) + 1, 0, sleeper);
      if (isRunning) return;
      isRunning = true;
      setImmediate(turn);
    });
  }

  /** Counts what it awaits as this number of requests under way. */
  async function counted<Result>(count: number, act: () => Promise<Result>): Promise<Result> {
    underWay += count;
    try {
      return await act();
    } finally {
      underWay -= count;
    }
  }

  return {
    ...{ now, at, sleep },
    during: (request) => counted(1, request),
    delay: (milliseconds, signal) => counted(-1, () => sleep(milliseconds, signal)),
    date: () => Math.floor(epoch + now()),
    show(traffic) {
      const began = performance.now() - traffic.durationMs;
      const shownAtBegin = at(began);
      const shown = (ms: number) => at(began + ms) - shownAtBegin;
      return {
        ...traffic,
        calls: traffic.calls.map((call) => {
          const { startMs, endMs } = call;
          return { ...call, startMs: shown(startMs), endMs: shown(endMs) };
        }),
        durationMs: shown(traffic.durationMs),
      };
    },
    [Symbol.dispose]() {
      isStopped = true;
    },
  };
}

/** What the system reported to the event loop until now: of connections, of other threads. */
const eventsSoFar = (): number => performance.nodeTiming.uvMetricsInfo.events;

/** The index of the last that is not after this time; -1 if there is none. */
const lastBefore = <One>(sorted: readonly One[], timeOf: (one: One) => number, time: number): number =>
  partitionPoint(sorted.length, (at) => timeOf(sorted[at] as One) > time) - 1;

/** Starts clients with this behaviour in this process, which share their credentials. */
export const clientsInProcess =
  (behaviour: Partial<Parts>, given: { pollSeconds: number; clock?: Clock }): StartClient =>
  async (variables) => {
    const environment = { ...environmentIn(variables), ...given };
    const running = Array.from({ length: behaviour.processes ?? 1 }, () => runClient(environment, behaviour));
    const codes = Promise.all(running.map(({ ended }) => ended));
    return {
      ended: codes.then((all) => ({ code: Math.max(...all) })),
      stop: async () => void (await Promise.all(running.map((client) => client.stop()))),
    };
  };
