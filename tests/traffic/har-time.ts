/** When an entry of a HAR file was sent, and how long it took. */
import { membersOf, numberOf } from './har-members.ts';

/** What is earlier is not a time of a recording, but what a program writes that has none. */
const EARLIEST_MS = Date.parse('1995-01-01T00:00:00Z');
/** A number below this one counts seconds. */
const LEAST_MILLISECONDS = 1e11;

/** In milliseconds since 1970; NaN for each where the file does not have a usable time. */
export function spanOf({ startedDateTime, time, timings }: Record<string, unknown>): {
  startMs: number;
  endMs: number;
} {
  const startMs = momentOf(startedDateTime);
  const took = numberOf(time);
  return { startMs, endMs: startMs + (took > 0 && Number.isFinite(took) ? took : sumOf(timings)) };
}

/** A date, or a number of milliseconds or seconds since 1970. */
function momentOf(value: unknown): number {
  const number = numberOf(value);
  const parsed = Number.isNaN(number)
    ? Date.parse(typeof value === 'string' ? value : '')
    : number * (number < LEAST_MILLISECONDS ? 1000 : 1);
  return parsed >= EARLIEST_MS && parsed <= LATEST_MS ? parsed : Number.NaN;
}

/** The last moment that a Date can have. */
const LATEST_MS = 8.64e15;

/** Of the phases that were measured: -1 marks one that was not (HAR 1.2, timings). `ssl` is part of `connect`. */
const sumOf = (timings: unknown): number =>
  ['blocked', 'dns', 'connect', 'send', 'wait', 'receive']
    .map((phase) => numberOf(membersOf(timings)[phase]))
    .filter((phase) => phase > 0 && Number.isFinite(phase))
    .reduce((sum, phase) => sum + phase, 0);
