/** Rules about single values of a record: what they can be, and what only looks like a value. */
import type { RecordSchema } from '../feed-contract.ts';
import { quote } from '../findings.ts';
import { formatUtc } from '../time.ts';
import { identifierProblem } from './identifier.ts';
import type { JsonRecord, RecordContext } from './record-rule.ts';
import type { Interval } from './time-rules.ts';

/** Bounds of a number: outside of `possible` it is a finding, outside of `usual` a warning. */
interface Bounds {
  name: string;
  unit: string;
  usual: readonly [low: number, high: number];
  possible: readonly [low: number, high: number];
  /** A value that means that nothing is known. */
  unknown?: number;
}

const INFINITE = Number.POSITIVE_INFINITY;

/** What a schema bounds is left to it. */
const BOUNDS: readonly Bounds[] = [
  // The largest dish is 500 m wide, the largest ring 576 m.
  { name: 'dish_diameter_m', unit: ' m', usual: [0.3, 600], possible: [0, 1000], unknown: 0 },
  // The shore of the Dead Sea and the summit of Mount Everest.
  { name: 'site_el_m', unit: ' m', usual: [-450, 6000], possible: [-450, 9000] },
  { name: 'slew_sec', unit: ' s', usual: [0, 3600], possible: [0, 86_400] },
  { name: 'corr_integ_time_sec', unit: ' s', usual: [0, 3600], possible: [0, 86_400] },
  // The whole sky is within 180 degrees; in arcseconds, most sources are wider than that.
  { name: 'src_radius', unit: ' degrees', usual: [0, 10], possible: [0, 180] },
  { name: 'src_radius_deg', unit: ' degrees', usual: [0, 10], possible: [0, 180] },
  { name: 'subarray', unit: '', usual: [0, 1000], possible: [-INFINITE, INFINITE] },
];

const DAY_MS = 86_400_000;
const YEAR_MS = 365.25 * DAY_MS;
/** Schedules are known days ahead; a year ahead, the year is mistyped. */
const FAR_AHEAD_MS = 330 * DAY_MS;

/** A satellite in the lowest orbit moves 4 degrees in a second. */
const FASTEST_DEG_PER_SEC = 10;

export function createValueRules(nowMs: number, { report }: Pick<RecordContext, 'report'>) {
  function checkBounds(record: JsonRecord, index: number): void {
    for (const { name, unit, usual, possible, unknown } of BOUNDS) {
      const value = record[name];
      // The schema has reported what is infinite.
      if (typeof value !== 'number' || value === unknown || !Number.isFinite(value)) continue;
      if (value >= usual[0] && value <= usual[1]) continue;
      // Below zero, the schema has reported it where it may not be.
      if (value < 0 && possible[0] === 0) continue;
      const isPossible = value >= possible[0] && value <= possible[1];
      const [low, high] = isPossible ? usual : possible;
      const seen = () => `${name} is ${value}${unit}, which is not between ${low} and ${high}`;
      report('plausible-value', index, name, seen, isPossible ? 'H' : 'S');
    }
  }

  function checkSpeed(record: JsonRecord, index: number): void {
    const { trk_rate_ra_deg_per_sec: raRate, trk_rate_dec_deg_per_sec: decRate } = record;
    const { src_dec_j2000_deg: decDeg } = record;
    if (typeof raRate !== 'number' || typeof decRate !== 'number' || typeof decDeg !== 'number') return;
    const speed = Math.hypot(raRate * Math.cos((decDeg * Math.PI) / 180), decRate);
    if (speed <= FASTEST_DEG_PER_SEC || !Number.isFinite(speed)) return;
    const name =
      Math.abs(decRate) > FASTEST_DEG_PER_SEC ? 'trk_rate_dec_deg_per_sec' : 'trk_rate_ra_deg_per_sec';
    const seen = () =>
      `${name} is ${record[name]}: the target would cross ${Math.round(speed)} degrees of sky in a second`;
    report('plausible-value', index, name, seen, 'S');
  }

  function checkInterval(record: JsonRecord, { startMs, endMs }: Interval, index: number): void {
    const ahead = startMs - nowMs;
    if (ahead > FAR_AHEAD_MS)
      report(
        'plausible-value',
        index,
        'src_start_utc',
        () =>
          `it starts ${formatUtc(startMs)}, ${ahead > 3 * YEAR_MS ? `${Math.floor(ahead / YEAR_MS)} years` : `${Math.floor(ahead / DAY_MS)} days`} after the feed was served`,
        ahead > 10 * YEAR_MS ? 'S' : 'H',
      );
    const length = endMs - startMs;
    if (length > 2 * DAY_MS)
      report(
        'plausible-value',
        index,
        'src_end_utc',
        () => `the record lasts ${Math.floor(length / DAY_MS)} days`,
        length > YEAR_MS / 2 ? 'S' : 'H',
      );
    const { slew_sec: slew, corr_integ_time_sec: integration } = record;
    // Whole microseconds: the difference of two moments is not exact.
    const seconds = Math.round(length * 1000) / 1e6;
    if (typeof slew === 'number' && slew >= seconds && Number.isFinite(slew))
      report(
        'slew-time',
        index,
        'slew_sec',
        () => `slew_sec is ${slew} s, but the record lasts ${seconds} s`,
      );
    if (typeof integration === 'number' && integration > seconds)
      report(
        'integration-time',
        index,
        'corr_integ_time_sec',
        () => `corr_integ_time_sec is ${integration} s, but the record lasts ${seconds} s`,
      );
  }

  function checkIdentifier(record: JsonRecord, name: string, ruleClass: 'S' | 'H', index: number): void {
    const value = record[name];
    const what = typeof value === 'string' ? identifierProblem(value) : undefined;
    if (what === undefined) return;
    report('identifier', index, name, () => `${name} is ${quote(value)}, ${what}`, ruleClass);
  }

  return {
    /** `schema` is undefined for a record of the predecessor, which has null where a value does not apply. */
    check(
      record: JsonRecord,
      schema: RecordSchema | undefined,
      interval: Interval | undefined,
      index: number,
    ): void {
      checkIdentifier(record, 'site_id', 'S', index);
      checkIdentifier(record, 'src_id', 'H', index);
      for (const { name, isRequired } of schema?.fields ?? [])
        if (!isRequired && record[name] === null)
          report('null-optional', index, name, () => `${name} is null`);
      checkBounds(record, index);
      checkSpeed(record, index);
      if (interval) checkInterval(record, interval, index);
    },
  };
}
