/** Rules about the bands of a record. */
import type { Site } from '../feed-contract.ts';
import type { JsonRecord, RecordContext } from './record.ts';

type Report = RecordContext['report'];

/** Below this, the ionosphere lets nothing through to a telescope on the ground. */
const LOWEST_HZ = 1e6;
/** Where the radio spectrum ends (ITU Radio Regulations, article 2.1). */
const HIGHEST_HZ = 3e12;
const UNUSUAL_HZ = 1e12;
/** Upper edge by lower edge. */
const WIDE = 100;
/** Kilohertz in place of hertz. */
const OTHER_UNIT = 1000;
const NARROW_HZ = 100;
const NEXT_TO = 1.25;

const METRES_PER_SECOND = 299_792_458;
/** A dish that is narrower does not focus. What is smaller than `SMALLEST_DISH_M` may be a dipole. */
const WAVES_ACROSS_DISH = 2;
const SMALLEST_DISH_M = 5;

/** Judges the band of a record, and those that are observed where it has them; `site` is the known site. */
export function checkBands(record: JsonRecord, site: Site | undefined, report: Report) {
  const { freq_actual_hz: observed, dish_diameter_m } = record;
  checkBand(record, report);
  if (!Array.isArray(observed)) return checkReceivers(record, site, report);
  for (const [at, band] of observed.entries()) {
    const reportBand: Report = (rule, _, seen, ruleClass) =>
      report(rule, 'freq_actual_hz', `in freq_actual_hz, ${at}: ${seen}`, ruleClass);
    const { freq_lower_hz, freq_upper_hz } = Object(band);
    checkBand({ freq_lower_hz, freq_upper_hz, dish_diameter_m }, reportBand);
    checkReceivers({ freq_lower_hz, freq_upper_hz }, site, reportBand);
  }
}

function checkReceivers(record: JsonRecord, site: Site | undefined, report: Report): void {
  const { freq_lower_hz: lower, freq_upper_hz: upper } = record;
  if (!site?.receiversHz || typeof lower !== 'number' || typeof upper !== 'number' || lower >= upper) return;
  const [lowest, highest] = site.receiversHz;
  // What is below LOWEST_HZ is in another unit. A band next to that of a receiver disturbs it too.
  if (upper < LOWEST_HZ || (upper * NEXT_TO >= lowest && lower <= highest * NEXT_TO)) return;
  const seen = `from ${lower} Hz to ${upper} Hz; ${site.id} has receivers from ${lowest} Hz to ${highest} Hz`;
  report('frequency-band', 'freq_lower_hz', seen);
}

function checkBand(record: JsonRecord, report: Report) {
  const { freq_lower_hz: lower, freq_upper_hz: upper, dish_diameter_m: dishM } = record;
  // The schema has reported what is negative or infinite.
  if (typeof upper !== 'number' || upper < 0 || upper === Number.POSITIVE_INFINITY) return;
  if (upper > 0 && upper < LOWEST_HZ)
    return report('frequency-unit', 'freq_upper_hz', `${upper} Hz: ${guess(upper)}`);
  if (upper > UNUSUAL_HZ)
    report(
      'frequency-unit',
      'freq_upper_hz',
      `${upper} Hz: is the unit right?`,
      upper > HIGHEST_HZ ? 'S' : 'H',
    );
  const seen = `from ${lower} Hz to ${upper} Hz`;
  if (typeof lower === 'number' && lower >= 0) checkEdges(lower, upper, seen, report);
  if (typeof dishM !== 'number' || dishM < SMALLEST_DISH_M || upper === 0) return;
  const waveM = METRES_PER_SECOND / upper;
  if (waveM * WAVES_ACROSS_DISH <= dishM) return;
  const why = `a dish of ${dishM} m does not focus waves of ${waveM.toFixed(0)} m; are these kilohertz?`;
  report('frequency-unit', 'freq_upper_hz', `${seen}: ${why}`, 'H');
}

function checkEdges(lower: number, upper: number, seen: string, report: Report): void {
  const field = 'freq_lower_hz';
  if (lower === upper) report('frequency-order', field, `both edges are ${lower} Hz`);
  else if (lower > upper) report('frequency-order', field, `${seen}: the edges are swapped, or one is wrong`);
  else if (lower > 0 && lower < LOWEST_HZ && upper / lower >= OTHER_UNIT)
    report('frequency-unit', field, `${lower} Hz: ${guess(lower)} (${seen})`);
  else if (lower === 0) report('frequency-band', field, `${seen}: it starts at 0`);
  else if (upper / lower > WIDE)
    report('frequency-band', field, `${seen}: is the lower edge in another unit than the upper edge?`);
  else if (upper - lower < NARROW_HZ)
    report('frequency-band', field, `${seen}: it is only ${upper - lower} Hz wide`);
}

const guess = (hertz: number): string =>
  hertz < 10 ? 'is this in gigahertz?' : hertz < 1e5 ? 'is this in megahertz?' : 'is this in kilohertz?';
