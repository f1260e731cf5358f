/** The times of recorded calls on one axis. Recorders round the begin of a call, and not how long it took. */
import { groupBy } from '../support/collections.ts';
import { fieldNamed, type RecordedExchange, type Timed } from './exchange.ts';

/** By how much a rounded begin may come too early. */
const ROUNDING_MS = 1;
const SECOND_MS = 1000;
const MINUTE_MS = 60_000;
/** A call that took longer, by the file, has no end that is known. */
const LONGEST_MS = 366 * 86_400_000;
/** Keeps calls that began in the same millisecond in their order. */
const STEP_MS = 0.001;

/**
 * By how much the begins of calls may be rounded, in milliseconds. Undefined where they are not known, or do not distinguish
 * calls: one of them is missing, all are equal, or they count minutes.
 */
export function roundingOf(calls: readonly Pick<Timed, 'startMs'>[]): number | undefined {
  const starts = calls.map(({ startMs }) => startMs);
  if (starts.some(Number.isNaN)) return undefined;
  const distinct = new Set(starts).size;
  const count = (unit: number) => starts.every((startMs) => startMs % unit === 0);
  if (starts.length > 1 && distinct === 1) return undefined;
  if (distinct < starts.length && count(MINUTE_MS)) return undefined;
  return starts.length > 1 && count(SECOND_MS) ? SECOND_MS : ROUNDING_MS;
}

/**
 * Entries of a file in the order of time. Those that began at once, or without a time, keep the order of the file, which
 * is turned around where the newest comes first.
 */
export function inOrder<T extends { exchange: Pick<Timed, 'startMs'> & { entry: number } }>(
  calls: readonly T[],
): T[] {
  let later = 0;
  for (const [at, { exchange }] of calls.entries())
    later += Math.sign(exchange.startMs - (calls[at - 1]?.exchange.startMs ?? exchange.startMs)) || 0;
  const direction = later < 0 ? -1 : 1;
  return calls.toSorted(
    ({ exchange: a }, { exchange: b }) => a.startMs - b.startMs || direction * (a.entry - b.entry),
  );
}

/**
 * The times of exchanges, given in the order of time, on one axis. `startMs`: its origin, in milliseconds since 1970; absent
 * without exchanges and where the times are not known, which then only keep the order. `isWhole`: none is rounded.
 */
export function axisOf(
  exchanges: readonly RecordedExchange[],
  isWhole: boolean,
): { times: Timed[]; startMs: number | undefined; lacksTimes: boolean } {
  const roundingMs = isWhole ? ROUNDING_MS : roundingOf(exchanges);
  if (roundingMs === undefined) {
    const times = exchanges.map((_, at) => ({ startMs: at * STEP_MS, endMs: at * STEP_MS }));
    return { times, startMs: undefined, lacksTimes: true };
  }
  const startMs = exchanges[0]?.startMs;
  const times = timesOf(exchanges, startMs ?? 0, roundingMs);
  if (!isWhole) joinRefusals(times, exchanges, roundingMs);
  return { times, startMs, lacksTimes: false };
}

/**
 * The times of calls, given in the order of time, since `originMs`: no two begin at once, and a call that seems to begin
 * before the end of the one before it, by less than its begin was rounded, begins with that end. Each takes some time,
 * also where the recorder has not noted how much.
 */
export function timesOf(calls: readonly Timed[], originMs: number, roundingMs = ROUNDING_MS): Timed[] {
  const times: Timed[] = [];
  for (const call of calls) {
    const before = times.at(-1);
    const startMs = Math.max(call.startMs - originMs, before ? before.startMs + STEP_MS : 0);
    if (before && before.endMs > startMs && before.endMs - startMs < roundingMs)
      before.endMs = Math.max(before.startMs, startMs);
    const isKnown = call.endMs - call.startMs <= LONGEST_MS;
    const endMs = isKnown ? call.endMs - originMs : startMs;
    times.push({ startMs, endMs: Math.max(startMs + STEP_MS / 2, endMs) });
  }
  return times;
}

/** A call that took less was not measured, or was as quick as if it had not been. */
const SHORTEST_MS = 2;
/** Calls that were sent in parallel, where it is not known how long each took, begin within this time. */
const AT_ONCE_MS = 300;

/**
 * Lets reads that were refused with one token in one moment overlap where the recorder has not noted how long calls took, or
 * rounds their begins to seconds: none of them is then taken for one that was sent because of another. Changes `times`.
 */
function joinRefusals(
  times: readonly Timed[],
  exchanges: readonly RecordedExchange[],
  roundingMs: number,
): void {
  const isMeasured = exchanges.some(({ startMs, endMs }) => endMs - startMs >= SHORTEST_MS);
  if (isMeasured && roundingMs < SECOND_MS) return;
  const windowMs = Math.max(AT_ONCE_MS, roundingMs);
  const refused = exchanges.flatMap(({ answer, headers }, at) =>
    answer?.status === 403 ? { time: times[at] as Timed, token: fieldNamed(headers, 'authorization') } : [],
  );
  for (const own of groupBy(refused, ({ token = '' }) => token).values()) {
    let until = 0;
    for (const { time: first } of own) {
      const startOf = (at: number) => own[at]?.time.startMs ?? Number.POSITIVE_INFINITY;
      while (startOf(until + 1) - first.startMs <= windowMs) until++;
      first.endMs = Math.max(first.endMs, startOf(until) + STEP_MS / 4);
    }
  }
}
