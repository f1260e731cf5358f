/** How fast a client goes when nothing is in its way: what an answer to trouble is measured against. */
import {
  dataCalls,
  indexFrom,
  isServed,
  median,
  overlapOf,
  type ScenarioTraffic,
  SETTLING_MS,
  tokenCalls,
} from './scenario-traffic.ts';
import { isBaseline } from './scenarios.ts';
import type { Call } from './traffic.ts';

export interface Pace {
  /** Between the end of one read and the begin of the next. */
  medianPauseMs: number;
  /** Whether they are alike: those of a client on a busy machine may be of any length. */
  regular: boolean;
}

/** Of a client that makes one call after the other; undefined where calls overlap, or too few were seen. */
export function paceOf(scenarios: readonly ScenarioTraffic[], atOnce: number): Pace | undefined {
  if (atOnce > 1) return undefined;
  const steady = scenarios.filter(isBaseline);
  const pauses = (steady.length > 0 ? steady : scenarios).flatMap(pausesOf);
  const medianPauseMs = median(pauses);
  if (medianPauseMs === undefined || pauses.length < 2) return undefined;
  return { medianPauseMs, regular: isRegular(pauses, medianPauseMs) };
}

/** Whether hardly a pause is shorter than the usual one. */
export const isRegular = (pauses: readonly number[], usualMs: number): boolean =>
  pauses.filter((pauseMs) => pauseMs < 0.8 * usualMs).length <= pauses.length / 5;

const isUnderWay = ({ ended }: Call): boolean => ended !== 'gone'; // the client had left by then

/**
 * How many reads a client has under way at once. A mock answers so fast that calls which were sent together hardly
 * overlap there; a scenario in which answers take a moment shows it, and holds for the others.
 */
export const atOnceIn = (scenarios: readonly ScenarioTraffic[]): number =>
  Math.max(
    1,
    ...scenarios.map((traffic) =>
      Math.max(traffic.processes, overlapOf(dataCalls(traffic).filter(isUnderWay))),
    ),
  );

/** Two calls with less between them belong together: the client did not wait for its next turn. */
export const turnMs = (pace: Pace | undefined): number =>
  pace ? Math.min(1000, Math.max(5, pace.medianPauseMs / 2)) : SETTLING_MS;

/** Between two reads that went well, with nothing else in between. */
function pausesOf(traffic: ScenarioTraffic): number[] {
  const asked = tokenCalls(traffic);
  const reads = dataCalls(traffic);
  return reads.slice(1).flatMap((read, index) => {
    const before = reads[index];
    if (!before || !isServed(before) || !isServed(read)) return [];
    const next = asked[indexFrom(asked, before.startMs)];
    if (next && next.startMs <= read.startMs) return [];
    return Math.max(0, read.startMs - before.endMs);
  });
}

/** A client that does nothing for so long has stopped, and does not only pause. */
export const silenceMs = (pace: Pace | undefined): number =>
  Math.max(3000, 4 * (pace?.medianPauseMs ?? 1000));
