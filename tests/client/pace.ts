/** How fast a client goes when nothing is in its way: what an answer to trouble is measured against. */
import { dataCalls, isServed, median, overlapOf, type Scene, SETTLING_MS, tokenCalls } from './scene.ts';

export interface Pace {
  /** Between the end of one read and the begin of the next. */
  medianPauseMs: number;
  /** Whether hardly a pause is shorter than the usual one: those of a client on a busy machine may be of any length. */
  regular: boolean;
}

/** Of a client that makes one call after the other; undefined where calls overlap, or too few were seen. */
export function paceOf(scenes: readonly Scene[], atOnce: number): Pace | undefined {
  if (atOnce > 1) return undefined;
  const steady = scenes.filter(({ name }) => name === 'steady');
  const pauses = (steady.length > 0 ? steady : scenes).flatMap(pausesOf);
  const medianPauseMs = median(pauses);
  if (medianPauseMs === undefined || pauses.length < 2) return undefined;
  const short = pauses.filter((pause) => pause < 0.8 * medianPauseMs);
  return {
    medianPauseMs,
    regular: short.length <= pauses.length / 5,
  };
}

/**
 * How many reads a client has under way at once. A mock answers so fast that calls which were sent together hardly
 * overlap there; a scenario in which answers take a moment shows it, and holds for the others.
 */
export const atOnceIn = (scenes: readonly Scene[]): number =>
  Math.max(1, ...scenes.map((scene) => Math.max(scene.processes, overlapOf(dataCalls(scene)))));

/** Two calls with less between them belong together: the client did not wait for its next turn. */
export const turnMs = (pace: Pace | undefined): number =>
  pace ? Math.min(1000, Math.max(5, pace.medianPauseMs / 2)) : SETTLING_MS;

/** Between two reads that went well, with nothing else in between. */
function pausesOf(scene: Scene): number[] {
  const asked = tokenCalls(scene).map(({ startMs }) => startMs);
  const reads = dataCalls(scene);
  return reads.slice(1).flatMap((read, index) => {
    const before = reads[index];
    if (!before || !isServed(before) || !isServed(read)) return [];
    if (asked.some((at) => at >= before.startMs && at <= read.startMs)) return [];
    return Math.max(0, read.startMs - before.endMs);
  });
}

/** A client that does nothing for so long has stopped, and does not only pause. */
export const silenceMs = (pace: Pace | undefined): number =>
  Math.max(3000, 4 * (pace?.medianPauseMs ?? 1000));
