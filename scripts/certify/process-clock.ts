/**
 * A clock that stops while this process gets no processor time, or is busy with something else: between two turns
 * of the event loop it advances by 10 ms and hardly more. Clients and mocks that share a process and go by it meet each
 * other as they would on an idle machine, only later.
 */
import { type Clock, realClock } from '../../tests/support/clock.ts';
import type { Traffic } from '../index.ts';

export interface ProcessClock extends Clock, Disposable {
  /** Milliseconds since the epoch, for a mock. */
  date(): number;
  /** What it showed at this time of performance.now(), which may be past. */
  at(realMs: number): number;
}

const TICK_MS = 5;
/** The longest turn of the event loop that counts in full. */
const TURN_MS = 10;
/** Of a longer one, this share counts, so that no two moments become one. */
const REST = 1 / 1000;

interface Tick {
  realMs: number;
  shownMs: number;
}

/** `real` is a monotonic clock in milliseconds. Stop it with its dispose method. */
export function startProcessClock(real: () => number = () => performance.now()): ProcessClock {
  const ticks: [Tick, ...Tick[]] = [{ realMs: real(), shownMs: 0 }];
  const tick = () => {
    const realMs = real();
    ticks.push({ realMs, shownMs: at(realMs) });
  };
  const timer = setInterval(tick, TICK_MS);
  const epoch = Date.now();

  function at(realMs: number): number {
    const { realMs: since, shownMs } = lastBefore(ticks, realMs);
    const passed = Math.max(0, realMs - since);
    return shownMs + Math.min(passed, TURN_MS) + Math.max(0, passed - TURN_MS) * REST;
  }

  const now = () => at(real());
  return {
    now,
    at,
    date: () => Math.floor(epoch + now()),
    async sleep(milliseconds, signal) {
      const until = now() + milliseconds;
      for (let left = milliseconds; left > 0; left = until - now()) await realClock.sleep(left, signal);
    },
    [Symbol.dispose]: () => clearInterval(timer),
  };
}

/** The last tick that is not after this time; the first if there is none. By bisection: a proof has ten thousand. */
function lastBefore(ticks: readonly [Tick, ...Tick[]], realMs: number): Tick {
  let [found] = ticks;
  let from = 0;
  let to = ticks.length;
  while (from < to) {
    const middle = (from + to) >> 1;
    const one = ticks[middle];
    if (!one || one.realMs > realMs) to = middle;
    else {
      found = one;
      from = middle + 1;
    }
  }
  return found;
}

/** The traffic with its real times, which end now, on this clock. Tokens live on the mock's clock already. */
export function trafficOn(clock: ProcessClock, traffic: Traffic): Traffic {
  const began = performance.now() - traffic.durationMs;
  const shown = (ms: number) => clock.at(began + ms) - clock.at(began);
  return {
    ...traffic,
    calls: traffic.calls.map((call) => ({
      ...call,
      startMs: shown(call.startMs),
      endMs: shown(call.endMs),
    })),
    durationMs: shown(traffic.durationMs),
  };
}
