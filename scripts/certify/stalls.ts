/** Times in which this process got no turn: what happened meanwhile was recorded late. */
import type { Stall } from '../../tests/client/scenario-traffic.ts';

export interface StallRecorder extends Disposable {
  /** Those that ended after this time of the recorder's clock, counted from it. */
  since(fromMs: number): Stall[];
}

const TICK_MS = 10;
/** A shorter one changes no verdict. */
const SHORTEST_MS = 50;

/** `now` is a monotonic clock in milliseconds. Stop it with its dispose method. */
export function recordStalls(now: () => number = () => performance.now()): StallRecorder {
  const stalls: Stall[] = [];
  let last = now();
  const tick = () => {
    const at = now();
    if (at - last >= TICK_MS + SHORTEST_MS) stalls.push({ startMs: last + TICK_MS, endMs: at });
    last = at;
  };
  const timer = setInterval(tick, TICK_MS);
  return {
    since(fromMs) {
      tick(); // the one that has just ended
      return stalls
        .filter(({ endMs }) => endMs > fromMs)
        .map(({ startMs, endMs }) => ({ startMs: startMs - fromMs, endMs: endMs - fromMs }));
    },
    [Symbol.dispose]: () => clearInterval(timer),
  };
}
