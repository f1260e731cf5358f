/** Rules about where a record points: within its own fields, and as seen from its site. */
import { type Location, quote } from '../findings.ts';
import { positionsInName } from './designation.ts';
import { isShort, type JsonRecord, MAX_NAMES, type RecordContext } from './record-rule.ts';
import type { Place } from './site-rules.ts';
import { elevation, highestElevation, type SkyPosition, separation } from './sky.ts';
import type { Interval } from './time-rules.ts';

/** Fewer different right ascensions than these may all be below 24 degrees by chance. */
const MIN_ASCENSIONS = 5;
/** Hours are spread over the sky; the fields of a mosaic are not. */
const MIN_SPREAD_DEG = 6;
/** A name has whole minutes, and a pointing may be next to its target. */
const MAX_FROM_NAME_DEG = 1.5;
/** Refraction, precession and the width of a beam stay below this. */
const HORIZON_DEG = -2;
const STEP_MS = 15 * 60_000;
const MAX_STEPS = 96;

export function createTargetRules({ report, locationOf }: RecordContext) {
  const ascensions = new Set<number>();
  let ascensionCount = 0;
  let [lowest, highest] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  let firstAscension: (() => Location) | undefined;
  const named = new Map<string, readonly SkyPosition[]>();

  function noteAscension(ra: number, index: number): void {
    ascensionCount++;
    lowest = Math.min(lowest, ra);
    highest = Math.max(highest, ra);
    firstAscension ??= locationOf(
      index,
      'src_ra_j2000_deg',
      () => `all ${ascensionCount} right ascensions are below 24`,
    );
    if (ascensions.size < MIN_ASCENSIONS) ascensions.add(ra);
  }

  function positionsOf(name: string): readonly SkyPosition[] {
    const known = named.get(name);
    if (known) return known;
    const positions = positionsInName(name);
    if (named.size < MAX_NAMES) named.set(name, positions);
    return positions;
  }

  function checkName(record: JsonRecord, target: SkyPosition, index: number): void {
    const { src_id: name, trk_rate_ra_deg_per_sec: raRate, trk_rate_dec_deg_per_sec: decRate } = record;
    if (!isShort(name) || raRate || decRate) return;
    const positions = positionsOf(name);
    if (positions.length === 0) return;
    const distances = positions.map((position) => separation(position, target));
    const distance = Math.min(...distances);
    if (distance <= MAX_FROM_NAME_DEG) return;
    const inDegrees = { raDeg: (target.raDeg * 15) % 360, decDeg: target.decDeg };
    const areHours = positions.some((position) => separation(position, inDegrees) <= MAX_FROM_NAME_DEG);
    const hint = areHours ? ': is right ascension in hours?' : '';
    report(
      'name-position',
      index,
      'src_ra_j2000_deg',
      () =>
        `${quote(name)} is at ${target.raDeg}, ${target.decDeg}, ${distance.toFixed(0)} degrees from the coordinates in its name${hint}`,
    );
  }

  function checkHorizon(
    target: SkyPosition,
    place: Place,
    interval: Interval | undefined,
    index: number,
  ): void {
    if (highestElevation(target.decDeg, place.latDeg) < HORIZON_DEG) {
      const seen = () =>
        `declination ${target.decDeg} never rises at latitude ${place.latDeg}; its highest elevation is ${highestElevation(target.decDeg, place.latDeg).toFixed(0)} degrees`;
      report('never-rises', index, 'src_dec_j2000_deg', seen);
      return;
    }
    if (!interval || isUpWithin(target, place, interval)) return;
    const seen = () =>
      `at ${target.raDeg}, ${target.decDeg} the target is ${(-elevation(target, place, interval.startMs)).toFixed(0)} degrees below the horizon when the record starts`;
    report('below-horizon', index, 'src_start_utc', seen);
  }

  return {
    /** `place` is undefined where the position of the site is not known, or is wrong. */
    check(record: JsonRecord, place: Place | undefined, interval: Interval | undefined, index: number): void {
      const { src_ra_j2000_deg: raDeg, src_dec_j2000_deg: decDeg } = record;
      if (typeof raDeg !== 'number') return;
      noteAscension(raDeg, index);
      if (typeof decDeg !== 'number') return;
      if (Math.abs(decDeg) > 90 && Math.abs(raDeg) <= 90)
        report(
          'swapped-coordinates',
          index,
          'src_dec_j2000_deg',
          () => `declination ${decDeg} with right ascension ${raDeg}`,
        );
      if (!(raDeg >= 0 && raDeg <= 360 && Math.abs(decDeg) <= 90)) return;
      if (raDeg === 0 && decDeg === 0)
        report('zero-position', index, 'src_ra_j2000_deg', () => 'the target is at 0, 0', 'H');
      const target = { raDeg, decDeg };
      checkName(record, target, index);
      if (place) checkHorizon(target, place, interval, index);
    },

    /** Where right ascensions seem to be in hours; to be asked after the last record. */
    hoursForDegrees: (): (() => Location) | undefined =>
      ascensions.size === MIN_ASCENSIONS && lowest >= 0 && highest < 24 && highest - lowest >= MIN_SPREAD_DEG
        ? firstAscension
        : undefined,
  };
}

/** Looks every quarter of an hour, and at the end; a day shows everything. */
function isUpWithin(target: SkyPosition, place: Place, { startMs, endMs }: Interval): boolean {
  if (elevation(target, place, startMs) >= HORIZON_DEG || elevation(target, place, endMs) >= HORIZON_DEG)
    return true;
  for (let step = 1; step <= MAX_STEPS && startMs + step * STEP_MS < endMs; step++)
    if (elevation(target, place, startMs + step * STEP_MS) >= HORIZON_DEG) return true;
  return false;
}
