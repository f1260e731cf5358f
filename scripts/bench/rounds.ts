/** Rounds in which every server has its turn, and which of them other programs left in peace. */
import { cpus } from 'node:os';
import type { Name } from './server.ts';

export interface Round<Figures> {
  /** How many cores other programs had in use, in the turn that they disturbed most. */
  others: number;
  of: Record<Name, Figures>;
}

/** As many rounds as `count`, those with the least disturbance, in their order. No result decides on it. */
export function quietest<One extends { others: number }>(rounds: readonly One[], count: number): One[] {
  const kept = new Set(rounds.toSorted((a, b) => a.others - b.others).slice(0, count));
  return rounds.filter((round) => kept.has(round));
}

/** Of a turn that begins now; `own` is the CPU time of the programs of this measurement in it, in seconds. */
export function watchOthers(): (own: number) => number {
  const began = performance.now();
  const before = busySeconds();
  const self = process.cpuUsage();
  return (own) => {
    const { user, system } = process.cpuUsage(self);
    const others = busySeconds() - before - own - (user + system) / 1e6;
    return Math.max(0, (others / (performance.now() - began)) * 1000);
  };
}

/** CPU time of all programs since the machine started. */
const busySeconds = (): number =>
  cpus().reduce((sum, { times }) => sum + times.user + times.nice + times.sys + times.irq, 0) / 1000;
