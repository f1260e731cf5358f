/** Records that need one subarray of a site to point two ways at once, found in one pass in the order of the records. */

/** One observation, in the units of its record; times in milliseconds. */
export interface Observation {
  index: number;
  siteId: string;
  subarray: unknown;
  startMs: number;
  endMs: number;
  lowerHz: number;
  upperHz: number;
  raDeg: number;
  decDeg: number;
  /** The name of the target, if it has one. */
  target: unknown;
  isMoving: boolean;
}

export interface Overlaps {
  /** An earlier record of the same subarray that this one overlaps. */
  earlierOf(observation: Observation): Observation | undefined;
  /** Whether more observations ran at once than are kept, so that an overlap may have been missed. */
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
    earlierOf(observation) {
      const running = runningAt(observation.siteId);
      let found: Observation | undefined;
      let kept = 0;
      for (const one of running) {
        if (
          !found &&
          one.subarray === observation.subarray &&
          overlap(one, observation) &&
          !isSameTarget(one, observation)
        )
          found = one;
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

const overlap = (a: Observation, b: Observation): boolean =>
  a.startMs < b.endMs && b.startMs < a.endMs && a.lowerHz < b.upperHz && b.lowerHz < a.upperHz;

/** Several records at once are a documented way to describe one target that moves erratically. */
function isSameTarget(a: Observation, b: Observation): boolean {
  const isNamedAlike = typeof a.target === 'string' && a.target !== '' && a.target === b.target;
  if (isNamedAlike && (a.isMoving || b.isMoving)) return true;
  const apart = Math.abs(a.raDeg - b.raDeg);
  return Math.min(apart, 360 - apart) <= SAME_DEG && Math.abs(a.decDeg - b.decDeg) <= SAME_DEG;
}

const SAME_DEG = 1e-6;
