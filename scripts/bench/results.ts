/** What was measured of each server, and when a figure among it can be relied on. */
import type { Round } from './rounds.ts';
import { NAMES, type Name } from './server.ts';
import { ratioOf, type Spread, spreadOf } from './spread.ts';

/** Of one start. */
export interface Start {
  /** From the start of the process to its first answer, in milliseconds. */
  start: number;
  /** In bytes, after that answer. */
  memoryStarted: number;
}

/** Of one turn under load. */
export interface Turn {
  requestsPerSecond: number;
  /** CPU time in microseconds. */
  cpuPerRequest: number;
  /** CPU seconds in a second of the load. */
  coresInUse: number;
  /** In milliseconds, of a single client that waits for each answer. */
  p50: number;
  p99: number;
  /** In bytes, after the load. */
  memoryLoaded: number;
}

export type Measure = keyof Start | keyof Turn;

/** One value for each round, in their order: the values at one place met the same machine. */
export type Results = Record<Name, Record<Measure, number[]>>;

export function resultsOf(starts: readonly Round<Start>[], turns: readonly Round<Turn>[]): Results {
  const of = (name: Name) => {
    const start = (measure: keyof Start) => starts.map((round) => round.of[name][measure]);
    const turn = (measure: keyof Turn) => turns.map((round) => round.of[name][measure]);
    return {
      start: start('start'),
      memoryStarted: start('memoryStarted'),
      requestsPerSecond: turn('requestsPerSecond'),
      cpuPerRequest: turn('cpuPerRequest'),
      coresInUse: turn('coresInUse'),
      memoryLoaded: turn('memoryLoaded'),
      p50: turn('p50'),
      p99: turn('p99'),
    };
  };
  return { mock: of('mock'), bare: of('bare'), prism: of('prism'), quiet: of('quiet') };
}

/** With less of a core than this a server had time left: its throughput is that of the load. */
const SATURATED = 0.9;

export const unsaturated = (results: Results): Name[] =>
  NAMES.filter((name) => spreadOf(results[name].coresInUse).median < SATURATED);

/** How many times as many requests the first answers in the time of the second. */
export interface Throughput extends Spread {
  /** `cpu`: the CPU time of a request was compared, since one of the two was not saturated. */
  by: 'requests' | 'cpu';
}

export function throughputOf(results: Results, first: Name, second: Name): Throughput {
  const idle = unsaturated(results);
  return idle.includes(first) || idle.includes(second)
    ? { by: 'cpu', ...ratioOf(results[second].cpuPerRequest, results[first].cpuPerRequest) }
    : { by: 'requests', ...ratioOf(results[first].requestsPerSecond, results[second].requestsPerSecond) };
}
