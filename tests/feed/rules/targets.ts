/** Rules about where a record points: within its own fields, and as seen from its site. */
import { type Location, quote } from '../findings.ts';
import { isShort, type JsonRecord, MAX_NAMES, type RecordContext } from './record.ts';
import type { Place } from './sites.ts';
import { elevation, positionsOf, type SkyPosition, separation } from './sky.ts';
import type { Interval } from './times.ts';

/** Fewer different right ascensions than these may all be below 24 degrees by chance. */
const MIN_ASCENSIONS = 5;
/** Hours are spread over the sky; the fields of a mosaic are not. */
const MIN_SPREAD_DEG = 6;
/** The same for radians, which span 6.28 over the whole sky. */
const MIN_SPREAD_RAD = 3;
/** A name has whole minutes, and a pointing may be next to its target. */
const MAX_FROM_NAME_DEG = 1.5;
/** An object of a catalogue is not at two positions; the fields of a mosaic of it are near each other. */
const MAX_APART_DEG = 10;
/** Refraction, precession and the width of a beam stay below this. */
const HORIZON_DEG = -2;
const STEP_MS = 15 * 60_000;
const MAX_STEPS = 96;

const RA = 'src_ra_j2000_deg';
const DEC = 'src_dec_j2000_deg';
const INFINITE = Number.POSITIVE_INFINITY;

/** What is known of a name. */
interface Named {
  /** Where the object is that it names; empty where that is not known. */
  positions: readonly SkyPosition[];
  /** The first position in the feed of an object that is known by its catalogue only. */
  first?: SkyPosition & { index: number };
  isInCatalogue: boolean;
}

/** Catalogues of objects that do not move. */
const CATALOGUE = /^(?:NGC|IC|UGC|3C|4C|HD|HIP|Abell|Mrk)[ _-]?\d/i;

/** The rules are for each record; `angleUnit` is for the feed. */
export function createTargetRules(context: RecordContext) {
  const { report, pointerTo } = context;
  /** Of all records, to see whether they are degrees: up to five different right ascensions, and the largest declination. */
  const ascensions = new Set<number>();
  let [lowest, highest, declination] = [INFINITE, -INFINITE, 0];
  let firstAngle: Omit<Location, 'seen'> | undefined;
  const names = new Map<string, Named>();

  function noteAngles(ra: number, dec: unknown): void {
    lowest = Math.min(lowest, ra);
    highest = Math.max(highest, ra);
    if (typeof dec === 'number') declination = Math.max(declination, Math.abs(dec));
    if (ascensions.size < MIN_ASCENSIONS) ascensions.add(ra);
    firstAngle ??= context.place(RA);
  }

  /** Whether right ascensions can be in a unit in which a circle is `circle`, and are spread over the sky. */
  const canBe = (circle: number, spread: number): boolean =>
    ascensions.size === MIN_ASCENSIONS && lowest >= 0 && highest < circle && highest - lowest >= spread;

  function namedBy(name: string): Named {
    const known = names.get(name);
    if (known) return known;
    const positions = positionsOf(name);
    const named = { positions, isInCatalogue: positions.length === 0 && CATALOGUE.test(name) };
    if (names.size < MAX_NAMES) names.set(name, named);
    return named;
  }

  function checkName(record: JsonRecord, target: SkyPosition): void {
    const { src_id: name, trk_rate_ra_deg_per_sec: raRate, trk_rate_dec_deg_per_sec: decRate } = record;
    if (!isShort(name) || raRate || decRate) return;
    const named = namedBy(name);
    const { positions } = named;
    const isAt = () => `${quote(name)} is at ${target.raDeg}, ${target.decDeg}`;
    if (named.isInCatalogue) {
      named.first ??= { ...target, index: context.index };
      const { raDeg, decDeg, index } = named.first;
      const apart = separation(named.first, target);
      if (apart > MAX_APART_DEG) {
        const before = `${pointerTo(index)} at ${raDeg}, ${decDeg}, ${apart.toFixed(0)} degrees away`;
        report('name-position', RA, `${isAt()}, and in ${before}`);
      }
    }
    const [byName] = positions;
    if (byName === undefined) return;
    const away = distanceTo(positions, target);
    if (away <= MAX_FROM_NAME_DEG) return;
    const hint = UNITS.find(([, inDegrees]) => distanceTo(positions, inDegrees(target)) <= MAX_FROM_NAME_DEG);
    const there = `${byName.raDeg.toFixed(2)}, ${byName.decDeg.toFixed(2)}, ${away.toFixed(0)} degrees away`;
    report('name-position', RA, `${isAt()}; by its name it is at ${there}${hint?.[0] ?? ''}`);
  }

  function checkHorizon({ raDeg, decDeg }: SkyPosition, place: Place, interval: Interval | undefined): void {
    const highest = 90 - Math.abs(decDeg - place.latDeg);
    if (highest < HORIZON_DEG) {
      const never = `declination ${decDeg} never rises at latitude ${place.latDeg}`;
      report('never-rises', DEC, `${never}; its highest elevation is ${highest.toFixed(0)} degrees`);
    } else if (interval && !isUpWithin({ raDeg, decDeg }, place, interval)) {
      const below = -elevation({ raDeg, decDeg }, place, interval.startMs);
      const where = `${below.toFixed(0)} degrees below the horizon when the record starts`;
      report('below-horizon', 'src_start_utc', `at ${raDeg}, ${decDeg} the target is ${where}`);
    }
  }

  return {
    /** `place` is undefined where the position of the site is not known, or is wrong. */
    check(record: JsonRecord, place: Place | undefined, interval: Interval | undefined): void {
      const { [RA]: raDeg, [DEC]: decDeg } = record;
      if (typeof raDeg !== 'number') return;
      noteAngles(raDeg, decDeg);
      if (typeof decDeg !== 'number') return;
      if (Math.abs(decDeg) > 90 && Math.abs(raDeg) <= 90)
        report('swapped-coordinates', DEC, `declination ${decDeg} with right ascension ${raDeg}`);
      if (!(raDeg >= 0 && raDeg <= 360 && Math.abs(decDeg) <= 90)) return;
      if (raDeg === 0 && decDeg === 0) report('zero-position', RA, 'the target is at 0, 0', 'H');
      const target = { raDeg, decDeg };
      checkName(record, target);
      if (place) checkHorizon(target, place, interval);
    },

    /** Where angles seem to be in another unit than degrees; to be asked after the last record. */
    angleUnit(): Location | undefined {
      const areRadians = canBe(2 * Math.PI, MIN_SPREAD_RAD) && declination <= Math.PI / 2;
      if (!firstAngle || (!areRadians && !canBe(24, MIN_SPREAD_DEG))) return undefined;
      const seen = areRadians
        ? 'all right ascensions are below 6.2832 and all declinations within 1.5708; are they in radians?'
        : 'all right ascensions are below 24; are they in hours?';
      return { ...firstAngle, seen };
    },
  };
}

/** What to ask where a position fits its name in another unit, and that position in degrees. */
const UNITS: readonly [hint: string, inDegrees: (position: SkyPosition) => SkyPosition][] = [
  ['; is right ascension in hours?', ({ raDeg, decDeg }) => ({ raDeg: (raDeg * 15) % 360, decDeg })],
  [
    '; is the position in radians?',
    ({ raDeg, decDeg }) => ({ raDeg: raDeg * DEGREES, decDeg: decDeg * DEGREES }),
  ],
  ['; are the two swapped?', ({ raDeg, decDeg }) => ({ raDeg: decDeg, decDeg: raDeg })],
  ['; has declination the wrong sign?', ({ raDeg, decDeg }) => ({ raDeg, decDeg: -decDeg })],
];

/** In a radian. */
const DEGREES = 180 / Math.PI;

/** How far the nearest of the positions is, in degrees; infinitely far if there is none. */
const distanceTo = (positions: readonly SkyPosition[], target: SkyPosition): number =>
  Math.min(...positions.map((position) => separation(position, target)));

/** Looks every quarter of an hour, and at the end; a day shows everything. */
function isUpWithin(target: SkyPosition, place: Place, { startMs, endMs }: Interval): boolean {
  if (elevation(target, place, startMs) >= HORIZON_DEG || elevation(target, place, endMs) >= HORIZON_DEG)
    return true;
  for (let step = 1; step <= MAX_STEPS && startMs + step * STEP_MS < endMs; step++)
    if (elevation(target, place, startMs + step * STEP_MS) >= HORIZON_DEG) return true;
  return false;
}
