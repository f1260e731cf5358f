/** Which records want one subarray of a site to point two ways at once: a sweep along the start of records. */

/** One observation, in the units of its record; times in milliseconds. */
export interface Observation {
  index: number;
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
  /** An earlier record that this one overlaps; `instrument` is a subarray of a site. */
  earlierOf(instrument: string, observation: Observation): Observation | undefined;
  /** Whether more ran at once than are kept, so that an overlap may have been missed. */
  isPartial(): boolean;
}

/** Of one instrument, and of instruments: what runs at once is kept, and no feed shall make that a heap. */
const MOST_RUNNING = 256;
const MOST_INSTRUMENTS = 16_384;

export function createOverlaps(): Overlaps {
  const running = new Map<string, Observation[]>();
  let isPartial = false;
  return {
    earlierOf(instrument, observation) {
      const earlier = running.get(instrument);
      if (!earlier) {
        if (running.size === MOST_INSTRUMENTS) {
          isPartial = true;
          running.delete(running.keys().next().value as string);
        }
        running.set(instrument, [observation]);
        return undefined;
      }
      const found = earlier.find((one) => overlap(one, observation) && !isSameTarget(one, observation));
      let kept = 0;
      for (const one of earlier) if (one.endMs > observation.startMs) earlier[kept++] = one;
      earlier.length = kept;
      if (kept === MOST_RUNNING) {
        isPartial = true;
        earlier.shift();
      }
      earlier.push(observation);
      return found;
    },
    isPartial: () => isPartial,
  };
}

const overlap = (a: Observation, b: Observation): boolean =>
  a.startMs < b.endMs && b.startMs < a.endMs && a.lowerHz < b.upperHz && b.lowerHz < a.upperHz;

/** Several records at once are a documented way to tell of one target that moves erratically. */
function isSameTarget(a: Observation, b: Observation): boolean {
  const isNamedAlike = typeof a.target === 'string' && a.target !== '' && a.target === b.target;
  if (isNamedAlike && (a.isMoving || b.isMoving)) return true;
  const apart = Math.abs(a.raDeg - b.raDeg);
  return Math.min(apart, 360 - apart) <= SAME_DEG && Math.abs(a.decDeg - b.decDeg) <= SAME_DEG;
}

const SAME_DEG = 1e-6;
