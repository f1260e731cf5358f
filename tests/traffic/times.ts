/** The times of recorded calls on one axis. Recorders round the begin of a call to milliseconds, and not how long it took. */

export interface Timed {
  startMs: number;
  endMs: number;
}

/** By how much a rounded begin may come too early. */
const ROUNDING_MS = 1;
/** Keeps calls that began in the same millisecond in their order. */
const STEP_MS = 0.001;

/**
 * The times of calls, given in the order of time, since `originMs`: no two begin at once, and a call that seems to begin
 * less than a millisecond before the end of the one before it begins with that end.
 */
export function timesOf(calls: readonly Timed[], originMs: number): Timed[] {
  const times: Timed[] = [];
  for (const call of calls) {
    const before = times.at(-1);
    const startMs = Math.max(call.startMs - originMs, before ? before.startMs + STEP_MS : 0);
    if (before && before.endMs > startMs && before.endMs - startMs < ROUNDING_MS)
      before.endMs = Math.max(before.startMs, startMs);
    times.push({ startMs, endMs: Math.max(startMs, call.endMs - originMs) });
  }
  return times;
}
