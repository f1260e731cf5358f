/** Rules about a record together with others at the same time, found in one pass, and about the motion of its target. */
import type { JsonRecord, RecordContext } from './record.ts';
import type { Instrument } from './sites.ts';
import { separation } from './sky.ts';
import type { Interval } from './times.ts';

/** An observation, in the units of its record. A field that the record lacks is undefined. */
interface Observation extends Interval, Record<(typeof NUMBERS)[number], number | undefined> {
  index: number;
  siteId: string;
  /** Of the site under all its names. */
  siteKey: string;
  /** Whether the site is one dish, and is where it should be. */
  isSingleDish: boolean;
  lowerHz: number;
  upperHz: number;
  /** The bands that are observed, as JSON, where the record has them. */
  observed: string | undefined;
  raDeg: number;
  decDeg: number;
  /** In degrees per second. */
  raRate: number;
  decRate: number;
  /** The name of the target, if it has one. */
  target: string | undefined;
}

/** Fields that are kept to see whether two records are equal. */
const NUMBERS = ['subarray', 'slew_sec', 'corr_integ_time_sec', 'dish_diameter_m'] as const;

/** The conflict between two records at one time. */
type Conflict = 'two targets' | 'two targets of one dish' | 'repeated';

/** The most observations at one time and site that are compared with the next, since each is compared with all. */
const MAX_RUNNING = 256;

export function createObservationRules(context: RecordContext) {
  const { report, pointerTo } = context;
  /** Where the first observation of each that are equal is. */
  const known = new Map<string, number>();
  /** By site, those that run when the last one starts. */
  const sites = new Map<string, Observation[]>();
  let isPartial = false;

  /** The first earlier observation that this one is in conflict with. */
  function conflictOf(observation: Observation): { conflict: Conflict; earlier: Observation } | undefined {
    const before = sites.get(observation.siteKey) ?? [];
    const running = before.filter(({ endMs }) => endMs > observation.startMs);
    if (running.length === MAX_RUNNING) {
      isPartial = true;
      running.shift();
    }
    sites.set(observation.siteKey, [...running, observation]);
    for (const earlier of before) {
      const conflict = conflictBetween(earlier, observation);
      if (conflict) return { conflict, earlier };
    }
    return undefined;
  }

  return {
    check(record: JsonRecord, interval: Interval, site: Instrument) {
      checkMotion(record, interval, report);
      const one = observationIn(record, interval, context.index, site);
      if (!one) return;
      // Rules about sites and versions report other differences, and readers ignore extensions.
      const { index, ...content } = one;
      const key = JSON.stringify(content);
      const equal = known.get(key);
      if (equal !== undefined) return report('duplicate', undefined, `it equals ${pointerTo(equal)}`);
      known.set(key, index);
      const found = conflictOf(one);
      if (!found) return;
      const { conflict, earlier } = found;
      const before = pointerTo(earlier.index);
      const other = one.siteId === earlier.siteId ? '' : ', under another site_id';
      if (conflict === 'repeated')
        return report('repeated-observation', undefined, `it is the same observation as ${before}${other}`);
      const seen = `it points at ${one.raDeg}, ${one.decDeg} while ${before} points at ${earlier.raDeg}, ${earlier.decDeg}`;
      report('overlap', undefined, seen, conflict === 'two targets of one dish' ? 'S' : 'H');
    },

    /** Whether more observations ran at once than are kept, so that a conflict may have been missed. */
    isPartial: () => isPartial,
  };
}

/** The number in a field. */
const numberIn = (value: unknown): number | undefined => (typeof value === 'number' ? value : undefined);

/** Undefined where the record does not say what it observes. */
function observationIn(
  record: JsonRecord,
  { startMs, endMs }: Interval,
  index: number,
  { key: siteKey, place }: Instrument,
): Observation | undefined {
  const { site_id: siteId, src_ra_j2000_deg: raDeg, src_dec_j2000_deg: decDeg } = record;
  const { freq_lower_hz: lowerHz, freq_upper_hz: upperHz } = record;
  if (typeof siteId !== 'string' || typeof raDeg !== 'number' || typeof decDeg !== 'number') return undefined;
  if (typeof lowerHz !== 'number' || typeof upperHz !== 'number') return undefined;
  return {
    index,
    siteId,
    siteKey,
    startMs,
    endMs,
    lowerHz,
    upperHz,
    observed: Array.isArray(record.freq_actual_hz) ? JSON.stringify(record.freq_actual_hz) : undefined,
    raDeg,
    decDeg,
    isSingleDish: place?.isSingleDish === true,
    raRate: numberIn(record.trk_rate_ra_deg_per_sec) ?? 0,
    decRate: numberIn(record.trk_rate_dec_deg_per_sec) ?? 0,
    target: typeof record.src_id === 'string' ? record.src_id : undefined,
    subarray: numberIn(record.subarray),
    slew_sec: numberIn(record.slew_sec),
    corr_integ_time_sec: numberIn(record.corr_integ_time_sec),
    dish_diameter_m: numberIn(record.dish_diameter_m),
  };
}

function checkMotion(
  record: JsonRecord,
  { startMs, endMs }: Interval,
  report: RecordContext['report'],
): void {
  const { trk_rate_ra_deg_per_sec: ra, trk_rate_dec_deg_per_sec: dec } = record;
  // Right ascension is a smaller angle on the sky near a pole.
  const scale = Math.cos(((numberIn(record.src_dec_j2000_deg) ?? 0) * Math.PI) / 180);
  const rate = Math.max(Math.abs(numberIn(ra) ?? 0) * scale, Math.abs(numberIn(dec) ?? 0));
  const seconds = (endMs - startMs) / 1000;
  if (rate * seconds <= 1) return;
  const path = `${Math.round(seconds)} s is ${Math.round(rate * seconds * 10) / 10} degrees`;
  report('moving-target', undefined, `${Number(rate.toPrecision(3))} degrees per second for ${path}`);
}

function conflictBetween(a: Observation, b: Observation): Conflict | undefined {
  const sharedMs = Math.min(a.endMs, b.endMs) - Math.max(a.startMs, b.startMs);
  if (sharedMs <= ROUNDING_MS) return undefined;
  const isSameSubarray = a.subarray === b.subarray;
  const apart = separation(a, b);
  if (apart <= SAME_DEG) {
    const isSameMotion = a.raRate === b.raRate && a.decRate === b.decRate;
    return isSameBand(a, b) && isSameSubarray && isSameMotion && isPushedAgain(a, b) ? 'repeated' : undefined;
  }
  // Erratic targets, mosaics and the beams of one field are several positions near each other.
  if (apart <= FIELD_DEG) return undefined;
  // A name is shared by the positions of a target that moves erratically, which is a documented way to describe it.
  const isNamedAlike = a.target !== undefined && a.target !== '' && a.target === b.target;
  if (isNamedAlike && (apart <= WIDE_FIELD_DEG || isMoving(a) || isMoving(b))) return undefined;
  const isReserved = sharedMs <= 2 * RESERVED_MS && a.startMs < b.startMs && a.endMs < b.endMs;
  if (a.isSingleDish && b.isSingleDish) return isReserved ? 'two targets' : 'two targets of one dish';
  if (isReserved) return undefined;
  if (a.subarray === undefined || !isSameSubarray) return undefined;
  const isBandShared = a.lowerHz < b.upperHz && b.lowerHz < a.upperHz;
  return isBandShared || apart > WIDE_FIELD_DEG ? 'two targets' : undefined;
}

/** Whether two intervals are those of one observation; those of successive scans differ in their starts and their ends. */
function isPushedAgain(a: Observation, b: Observation): boolean {
  const apartMs = Math.abs(a.startMs - b.startMs);
  return apartMs <= SLID_MS || (apartMs <= RESERVED_MS && Math.abs(a.endMs - b.endMs) <= ROUNDING_MS);
}

/** One band, with edges that were rounded. */
const isSameBand = (a: Observation, b: Observation): boolean =>
  a.observed === b.observed &&
  Math.abs(a.lowerHz - b.lowerHz) + Math.abs(a.upperHz - b.upperHz) <=
    SAME_BAND * Math.abs(a.upperHz - a.lowerHz);

const isMoving = ({ raRate, decRate }: Observation): boolean => raRate !== 0 || decRate !== 0;

/** Writers round times to whole seconds. */
const ROUNDING_MS = 1000;
/** A start that is pushed again slides by seconds; no scan is as short. */
const SLID_MS = 10_000;
/** Writers reserve as much before and after a scan. */
const RESERVED_MS = 5 * 60_000;
/** One position, written with other digits. */
const SAME_DEG = 1e-3;
/** As a share of the width of a band. */
const SAME_BAND = 0.01;
const FIELD_DEG = 3;
/** No instrument sees two targets at once that are further apart. */
const WIDE_FIELD_DEG = 10;
