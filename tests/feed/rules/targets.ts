/** Rules about where a record points: within its own fields, and as seen from its site. */
import { quote } from '../findings.ts';
import type { JsonRecord, RecordContext } from './record.ts';
import type { Place } from './sites.ts';
import { elevation, positionOf, type SkyPosition, separation } from './sky.ts';
import type { Interval } from './times.ts';

type Report = RecordContext['report'];

/** A name has whole minutes and degrees, often of B1950, and a pointing may be next to its target. */
const MAX_FROM_NAME_DEG = 2;
/** Refraction, precession and the width of a beam stay below this. */
const HORIZON_DEG = -2;
/** A day of quarters of an hour shows everything. */
const STEP_MS = 15 * 60_000;
const MAX_STEPS = 96;

const RA = 'src_ra_j2000_deg';
const DEC = 'src_dec_j2000_deg';

/** `place` is undefined where the position of the site is not known, or is wrong. */
export function checkTarget(
  record: JsonRecord,
  place: Place | undefined,
  interval: Interval | undefined,
  report: Report,
): void {
  const { [RA]: raDeg, [DEC]: decDeg } = record;
  if (typeof raDeg !== 'number' || typeof decDeg !== 'number') return;
  if (Math.abs(decDeg) > 90 && Math.abs(raDeg) <= 90)
    report('swapped-coordinates', DEC, `declination ${decDeg} with right ascension ${raDeg}`);
  if (!(raDeg >= 0 && raDeg <= 360 && Math.abs(decDeg) <= 90)) return;
  if (raDeg === 0 && decDeg === 0) report('zero-position', RA, 'the target is at 0, 0', 'H');
  const target = { raDeg, decDeg };
  checkName(record, target, report);
  if (!place) return;
  const highest = 90 - Math.abs(decDeg - place.latDeg);
  if (highest < HORIZON_DEG) {
    const never = `declination ${decDeg} never rises at latitude ${place.latDeg}`;
    report('never-rises', DEC, `${never}; its highest elevation is ${highest.toFixed(0)} degrees`);
  } else if (interval && !isUpWithin(target, place, interval)) {
    const below = -elevation(target, place, interval.startMs);
    const where = `${below.toFixed(0)} degrees below the horizon when the record starts`;
    report('below-horizon', 'src_start_utc', `at ${raDeg}, ${decDeg} the target is ${where}`);
  }
}

/** The rule that right ascensions are in degrees, where all of them together could be hours. */
export function createHourRule(report: Report) {
  let [count, areHours] = [0, true];
  /** Quarters of the day that they are in, as hours, and their whole numbers. */
  const [quarters, wholes] = [new Set<number>(), new Set<number>()];
  return {
    note({ [RA]: ra }: JsonRecord): void {
      if (typeof ra !== 'number') return;
      count++;
      areHours &&= ra >= 0 && ra < 24;
      if (!areHours) return;
      quarters.add(Math.floor(ra / 6));
      wholes.add(Math.floor(ra));
    },
    /** Reports at the last record. One field of the sky, or two, is within a quarter each. */
    check(): void {
      if (!areHours || quarters.size < 3 || wholes.size < 4) return;
      report('plausible-value', RA, `all ${count} right ascensions are below 24; are they in hours?`, 'H');
    },
  };
}

/** A moving target has another position than its name says. */
function checkName(record: JsonRecord, target: SkyPosition, report: Report): void {
  const { src_id: name, trk_rate_ra_deg_per_sec: raRate, trk_rate_dec_deg_per_sec: decRate } = record;
  if (typeof name !== 'string' || raRate || decRate) return;
  const byName = positionOf(name.slice(0, LONGEST_NAME));
  if (byName === undefined) return;
  const away = (from: SkyPosition) => separation(byName, from);
  if (away(target) <= MAX_FROM_NAME_DEG) return;
  const hint = UNITS.find(([, inDegrees]) => away(inDegrees(target)) <= MAX_FROM_NAME_DEG)?.[0] ?? '';
  const there = `${byName.raDeg.toFixed(2)}, ${byName.decDeg.toFixed(2)}, ${away(target).toFixed(0)} degrees away`;
  const seen = `${quote(name)} is at ${target.raDeg}, ${target.decDeg}; by its name it is at ${there}`;
  report('name-position', RA, `${seen}${hint}`);
}

/** In characters. */
const LONGEST_NAME = 200;
/** In a radian. */
const DEGREES = 180 / Math.PI;

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

function isUpWithin(target: SkyPosition, place: Place, { startMs, endMs }: Interval): boolean {
  const isUp = (ms: number) => elevation(target, place, ms) >= HORIZON_DEG;
  if (isUp(startMs) || isUp(endMs)) return true;
  for (let step = 1; step <= MAX_STEPS && startMs + step * STEP_MS < endMs; step++)
    if (isUp(startMs + step * STEP_MS)) return true;
  return false;
}
