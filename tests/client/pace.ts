/** How fast a client goes when nothing is in its way: what an answer to trouble is measured against. */
import { isBaseline } from './scenarios.ts';
import {
  type Call,
  dataCalls,
  indexFrom,
  isServed,
  median,
  overlapOf,
  type ScenarioTraffic,
  SETTLING_MS,
  stalledMs,
  tokenCalls,
} from './traffic.ts';

export interface Pace {
  /** Between the end of one read and the begin of the next; of one that makes several in a turn, between its turns. */
  medianPauseMs: number;
  /** Whether they are alike: those of a client on a busy machine may be of any length. */
  regular: boolean;
}

/** Of a client that makes one call after the other; undefined where calls overlap, or too few were seen. */
export function paceOf(scenarios: readonly ScenarioTraffic[], concurrency: number): Pace | undefined {
  if (concurrency > 1) return undefined;
  const steady = scenarios.filter(isBaseline);
  const pauses = betweenTurns((steady.length > 0 ? steady : scenarios).flatMap(pausesOf));
  const medianPauseMs = median(pauses);
  if (medianPauseMs === undefined || pauses.length < 2) return undefined;
  return { medianPauseMs, regular: isRegular(pauses, medianPauseMs) };
}

/** Of a client that makes several reads at once: a shorter pause between two reads is none. */
const PAUSE_MS = 20;

/** A client whose reads follow one another in longer rows makes no turns. */
const LONGEST_ROW = 20;

/** Most pauses of a client that makes several reads in a turn are shorter, also on a busy machine. */
const WITHIN_TURN_MS = 60;

/** The pauses that a client makes on purpose: the long ones, where most are much shorter than those. */
function betweenTurns(pauses: readonly number[]): readonly number[] {
  const usualMs = median(pauses) ?? 0;
  const longMs = [...pauses].sort((a, b) => a - b)[Math.floor(pauses.length * (1 - 1 / LONGEST_ROW))] ?? 0;
  const hasTurns = usualMs < WITHIN_TURN_MS && longMs > 4 * Math.max(usualMs, PAUSE_MS);
  return hasTurns ? pauses.filter((pauseMs) => pauseMs > longMs / 2) : pauses;
}

/** Once or twice, a machine with too much to do lets reads of several turns follow one another. */
const FEWEST_ROWS = 3;

/** How many reads a client makes in a row, without a pause between them, where nothing is in its way. */
export function usualRow(scenarios: readonly ScenarioTraffic[], pace: Pace | undefined): number {
  const rows = scenarios.flatMap((traffic) => {
    const reads = dataCalls(traffic);
    const places = placesInRow(traffic, pace, true);
    return reads.flatMap((read, at) =>
      isServed(read) && (places[at + 1] ?? 1) === 1 ? (places[at] ?? 1) : [],
    );
  });
  const usual = rows.sort((a, b) => b - a)[FEWEST_ROWS - 1] ?? 1;
  return usual > LONGEST_ROW ? 1 : usual;
}

/**
 * At each read, the number that it has in its row: 1 after a pause. `certain`: a row that only the machine may have made, since
 * it held up the examiner, is none, and neither is one of reads that are not all served.
 */
export function placesInRow(traffic: ScenarioTraffic, pace: Pace | undefined, certain = false): number[] {
  let latestMs = Number.NEGATIVE_INFINITY;
  let place = 0;
  let before: Call | undefined;
  return dataCalls(traffic).map((read) => {
    const heldUpMs = stalledMs(traffic, before?.startMs ?? 0, read.startMs);
    const pauseMs = read.startMs - latestMs + (certain ? heldUpMs : -heldUpMs);
    const isNext = pauseMs < (pace ? maxGapMs(pace) : PAUSE_MS) && !(certain && before && !isServed(before));
    latestMs = Math.max(latestMs, read.endMs);
    before = read;
    place = isNext ? place + 1 : 1;
    return place;
  });
}

/** Whether hardly a pause is shorter than the usual one. */
export const isRegular = (pauses: readonly number[], usualMs: number): boolean =>
  pauses.filter((pauseMs) => pauseMs < 0.8 * usualMs).length <= pauses.length / 5;

const isUnderWay = ({ ended }: Call): boolean => ended !== 'gone'; // the client had left by then

/**
 * How many reads a client has under way at once. A mock answers so fast that calls which were sent together hardly
 * overlap there; a scenario in which answers take a moment shows it, and holds for the others.
 */
export const concurrencyIn = (scenarios: readonly ScenarioTraffic[]): number =>
  Math.max(
    1,
    ...scenarios.map((traffic) =>
      Math.max(traffic.processes, overlapOf(dataCalls(traffic).filter(isUnderWay))),
    ),
  );

/** Two calls with less between them belong together: the client did not wait for its next turn. */
export const maxGapMs = (pace: Pace | undefined): number =>
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

/** A client that calls again after a shorter pause has not waited. */
export const shortestPauseMs = (pace: Pace | undefined): number => Math.min(100, maxGapMs(pace));
