/**
 * How late a read came, measured by the client's own pace. A process that gets no processor time sends a read with a
 * token that was alive when it decided to, and that shows nothing of how the client renews.
 */
import { dataCalls, idleBetween, type ScenarioTraffic, tokenCalls } from './scenario-traffic.ts';
import type { Call } from './traffic.ts';

/**
 * The idle time before a read that nothing held up, in milliseconds: the lower quartile, since a busy machine can only
 * make it longer. `atOnce`: number of reads that the client has under way at once.
 */
export function undisturbedIdleMs(scenarios: readonly ScenarioTraffic[], atOnce: number): number {
  const idle = scenarios.flatMap((traffic) =>
    dataCalls(traffic).flatMap((read, index, reads) => {
      const previous = reads[index - atOnce];
      return previous ? [idleBetween(previous, read, traffic)] : [];
    }),
  );
  return idle.sort((a, b) => a - b)[Math.floor(idle.length / 4)] ?? 0;
}

/** By how much a read came later than it would have come undisturbed, in milliseconds. */
export function delayMs(
  read: Call,
  traffic: ScenarioTraffic,
  { idleMs, atOnce }: { idleMs: number; atOnce: number },
): number {
  const reads = dataCalls(traffic);
  const previous = reads[reads.indexOf(read) - atOnce];
  if (previous) return Math.max(0, idleBetween(previous, read, traffic) - idleMs);
  const answered = tokenCalls(traffic).findLast(({ endMs }) => endMs <= read.startMs);
  return answered ? read.startMs - answered.endMs : 0;
}
