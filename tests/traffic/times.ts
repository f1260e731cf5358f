/** The times of recorded calls on one axis. Recorders round the start of a call, and not how long it took. */
import type { RecordedExchange, Timed } from './exchange.ts';

type Clocked = Pick<RecordedExchange, 'sentMs' | 'answeredMs'>;

/** By how much a rounded start may be too early. */
const ROUNDING_MS = 1;
/** A call that took longer, by the file, has no end that is known. */
const LONGEST_MS = 366 * 86_400_000;
/** Keeps calls that began in the same millisecond in their order. */
const STEP_MS = 0.001;

/** Why the start times of calls do not order them, with one of them: one is missing, or all are whole seconds or one moment. */
export function disorderOf(
  calls: readonly Pick<RecordedExchange, 'sentMs' | 'entry' | 'startText'>[],
): string | undefined {
  const unread = calls.find(({ sentMs }) => Number.isNaN(sentMs));
  if (unread) return `entry ${unread.entry} has the startedDateTime ${unread.startText}`;
  const distinct = new Map(calls.toReversed().map(({ sentMs, entry }) => [sentMs, entry]));
  const isCoarse = distinct.size === 1 || [...distinct.keys()].every((sentMs) => sentMs % 1000 === 0);
  const twin = isCoarse && calls.find(({ sentMs, entry }) => distinct.get(sentMs) !== entry);
  return twin
    ? `entries ${distinct.get(twin.sentMs)} and ${twin.entry} begin at ${new Date(twin.sentMs).toISOString()}`
    : undefined;
}

/** In the order of time. Those that began at once keep the order of the file. */
export const inOrder = <T extends Pick<RecordedExchange, 'sentMs' | 'entry'>>(calls: readonly T[]): T[] =>
  calls.toSorted((a, b) => a.sentMs - b.sentMs || a.entry - b.entry);

/**
 * The times of exchanges, given in their order, since the first began: no two begin at once, each takes some time, and one that
 * seems to begin before the end of the one before it, by less than its start was rounded, begins with that end.
 */
export function timesOf(exchanges: readonly Clocked[]): Timed[] {
  const times: Timed[] = [];
  const originMs = exchanges[0]?.sentMs ?? 0;
  for (const { sentMs, answeredMs } of exchanges) {
    const before = times.at(-1);
    const startMs = Math.max(sentMs - originMs, before ? before.startMs + STEP_MS : 0);
    if (before && before.endMs > startMs && before.endMs - startMs < ROUNDING_MS)
      before.endMs = Math.max(before.startMs, startMs);
    const isKnown = answeredMs - sentMs <= LONGEST_MS;
    const endMs = isKnown ? answeredMs - originMs : startMs;
    times.push({ startMs, endMs: Math.max(startMs + STEP_MS / 2, endMs) });
  }
  return times;
}
