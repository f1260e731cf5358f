/** Records that are about the same time at the same site: pairs of them that cannot both be right, found in one pass. */
import { separation } from './sky.ts';

/** One observation, in the units of its record; times in milliseconds. */
export interface Observation {
  index: number;
  siteId: string;
  /** Whether the site is one dish, and is where it should be. */
  isSingleDish: boolean;
  /** Undefined where the record has none. */
  subarray: unknown;
  startMs: number;
  endMs: number;
  lowerHz: number;
  upperHz: number;
  raDeg: number;
  decDeg: number;
  /** In degrees per second. */
  raRate: number;
  decRate: number;
  /** The name of the target, if it has one. */
  target: string | undefined;
}

/** What two records at one time mean together. */
export type Conflict = 'two targets' | 'two targets of one dish' | 'repeated';

export interface Overlaps {
  /** An earlier record that this one is in conflict with. */
  conflictOf(observation: Observation): { conflict: Conflict; earlier: Observation } | undefined;
  /** Whether more observations ran at once than are kept, so that a conflict may have been missed. */
  isPartial(): boolean;
}

/** Limits of what is kept, whatever a feed holds: observations that run at once at one site, and sites. */
const MAX_RUNNING = 256;
const MAX_SITES = 16_384;

export function createOverlaps(): Overlaps {
  const sites = new Map<string, Observation[]>();
  let isPartial = false;

  function runningAt(siteId: string): Observation[] {
    const known = sites.get(siteId);
    if (known) return known;
    if (sites.size === MAX_SITES) {
      isPartial = true;
      sites.delete(sites.keys().next().value as string);
    }
    const running: Observation[] = [];
    sites.set(siteId, running);
    return running;
  }

  return {
    conflictOf(observation) {
      const running = runningAt(observation.siteId);
      let found: { conflict: Conflict; earlier: Observation } | undefined;
      let kept = 0;
      for (const one of running) {
        const conflict = found ? undefined : conflictBetween(one, observation);
        if (conflict) found = { conflict, earlier: one };
        if (one.endMs > observation.startMs) running[kept++] = one;
      }
      running.length = kept;
      if (kept === MAX_RUNNING) {
        isPartial = true;
        running.shift();
      }
      running.push(observation);
      return found;
    },
    isPartial: () => isPartial,
  };
}

function conflictBetween(a: Observation, b: Observation): Conflict | undefined {
  const sharedMs = Math.min(a.endMs, b.endMs) - Math.max(a.startMs, b.startMs);
  if (sharedMs <= ROUNDING_MS) return undefined;
  const isSameSubarray = a.subarray === b.subarray;
  const apart = separation(a, b);
  if (apart <= SAME_DEG) {
    const isSameMotion = a.raRate === b.raRate && a.decRate === b.decRate;
    const shorterMs = Math.min(a.endMs - a.startMs, b.endMs - b.startMs);
    return isSameBand(a, b) && isSameSubarray && isSameMotion && sharedMs > shorterMs / 2
      ? 'repeated'
      : undefined;
  }
  // Erratic targets, mosaics and the beams of one field are several positions near each other.
  if (apart <= FIELD_DEG) return undefined;
  if (isNamedAlike(a, b) && (apart <= WIDE_FIELD_DEG || isMoving(a) || isMoving(b))) return undefined;
  if (a.isSingleDish && b.isSingleDish) return 'two targets of one dish';
  if (a.subarray === undefined || !isSameSubarray) return undefined;
  const isBandShared = a.lowerHz < b.upperHz && b.lowerHz < a.upperHz;
  return isBandShared || apart > WIDE_FIELD_DEG ? 'two targets' : undefined;
}

/** One band, with edges that were rounded. */
const isSameBand = (a: Observation, b: Observation): boolean =>
  Math.abs(a.lowerHz - b.lowerHz) + Math.abs(a.upperHz - b.upperHz) <=
  SAME_BAND * Math.abs(a.upperHz - a.lowerHz);

/** A name is shared by the positions of a target that moves erratically, which is a documented way to describe it. */
const isNamedAlike = (a: Observation, b: Observation): boolean =>
  a.target !== undefined && a.target !== '' && a.target === b.target;

const isMoving = ({ raRate, decRate }: Observation): boolean => raRate !== 0 || decRate !== 0;

/** Writers round times to whole seconds. */
const ROUNDING_MS = 1000;
/** One position, written with other digits. */
const SAME_DEG = 1e-3;
/** As a share of the width of a band. */
const SAME_BAND = 0.01;
const FIELD_DEG = 3;
/** No instrument sees two targets at once that are further apart. */
const WIDE_FIELD_DEG = 10;
