/** Rules about the band of a record: within the record, and against the other bands of its site. */
import { quote } from '../findings.ts';
import { isShort, type JsonRecord, MAX_NAMES, type RecordContext } from './record-rule.ts';

/** Below this, the ionosphere lets nothing through to a telescope on the ground. */
const LOWEST_HZ = 1e6;
/** Where the radio spectrum ends (ITU Radio Regulations, article 2.1). */
const HIGHEST_HZ = 3e12;
const UNUSUAL_HZ = 1e12;
/** Upper edge by lower edge. */
const WIDE = 100;
/** Kilohertz in place of hertz; no site has receivers this far apart. */
const OTHER_UNIT = 1000;
const NARROW_HZ = 100;

const METRES_PER_SECOND = 299_792_458;
/** A dish that is narrower does not focus. What is smaller than `SMALLEST_DISH_M` may be a dipole. */
const WAVES_ACROSS_DISH = 2;
const SMALLEST_DISH_M = 5;

/** The bands of a site so far, by their upper edges. */
interface Bands {
  lowestHz: number;
  lowestIndex: number;
  highestHz: number;
  highestIndex: number;
}

export function createBandRules({ report, pointerTo }: Pick<RecordContext, 'report' | 'pointerTo'>) {
  const bandsOf = new Map<string, Bands>();

  function checkEdges(lower: number, upper: number, index: number): void {
    const seen = () => `from ${lower} Hz to ${upper} Hz`;
    if (lower >= upper)
      report('frequency-order', index, 'freq_lower_hz', () =>
        lower === upper ? `both edges are ${lower} Hz` : `${seen()}: the edges are swapped, or one is wrong`,
      );
    else if (lower > 0 && lower < LOWEST_HZ && upper / lower >= OTHER_UNIT)
      report('frequency-unit', index, 'freq_lower_hz', () => `${lower} Hz: ${guess(lower)} (${seen()})`);
    else if (lower === 0) report('frequency-band', index, 'freq_lower_hz', () => `${seen()}: it starts at 0`);
    else if (upper / lower > WIDE)
      report(
        'frequency-band',
        index,
        'freq_lower_hz',
        () => `${seen()}: is the lower edge in another unit than the upper edge?`,
      );
    else if (upper - lower < NARROW_HZ)
      report(
        'frequency-band',
        index,
        'freq_lower_hz',
        () => `${seen()}: it is only ${upper - lower} Hz wide`,
      );
  }

  /** Returns whether the band is too low for its dish. */
  function checkDish(lower: unknown, upper: number, dishM: unknown, index: number): boolean {
    if (typeof dishM !== 'number' || dishM < SMALLEST_DISH_M) return false;
    const waveM = METRES_PER_SECOND / upper;
    if (waveM * WAVES_ACROSS_DISH <= dishM) return false;
    report(
      'frequency-unit',
      index,
      'freq_upper_hz',
      () =>
        `from ${lower} Hz to ${upper} Hz: a dish of ${dishM} m does not focus waves of ${waveM.toFixed(0)} m; are these kilohertz?`,
      'H',
    );
    return true;
  }

  /** One warning for a site: it is not known which of its bands is wrong. */
  function compareBands(siteId: string, upper: number, index: number): void {
    const bands = bandsOf.get(siteId);
    if (!bands) {
      if (bandsOf.size < MAX_NAMES)
        bandsOf.set(siteId, { lowestHz: upper, lowestIndex: index, highestHz: upper, highestIndex: index });
      return;
    }
    if (upper >= bands.lowestHz && upper <= bands.highestHz) return;
    const wasReported = bands.highestHz >= bands.lowestHz * OTHER_UNIT;
    if (upper < bands.lowestHz) {
      bands.lowestHz = upper;
      bands.lowestIndex = index;
    } else {
      bands.highestHz = upper;
      bands.highestIndex = index;
    }
    if (wasReported || bands.highestHz < bands.lowestHz * OTHER_UNIT) return;
    const isLow = bands.lowestIndex === index;
    const other = pointerTo(isLow ? bands.highestIndex : bands.lowestIndex);
    const seen = () =>
      `${upper} Hz, but ${other} of ${quote(siteId)} has ${isLow ? bands.highestHz : bands.lowestHz} Hz; is the lower one in kilohertz?`;
    report('frequency-unit', index, 'freq_upper_hz', seen, 'H');
  }

  return {
    check(record: JsonRecord, index: number): void {
      const { freq_lower_hz: lower, freq_upper_hz: upper, dish_diameter_m: dishM, site_id: siteId } = record;
      // The schema has reported what is negative or infinite.
      if (typeof upper !== 'number' || upper < 0 || upper === Number.POSITIVE_INFINITY) return;
      if (upper > 0 && upper < LOWEST_HZ) {
        report('frequency-unit', index, 'freq_upper_hz', () => `${upper} Hz: ${guess(upper)}`);
        return;
      }
      if (upper > UNUSUAL_HZ)
        report(
          'frequency-unit',
          index,
          'freq_upper_hz',
          () => `${upper} Hz: is the unit right?`,
          upper > HIGHEST_HZ ? 'S' : 'H',
        );
      if (typeof lower === 'number' && lower >= 0) checkEdges(lower, upper, index);
      if (upper === 0 || upper > UNUSUAL_HZ) return;
      if (!checkDish(lower, upper, dishM, index) && isShort(siteId)) compareBands(siteId, upper, index);
    },
  };
}

const guess = (hertz: number): string =>
  hertz < 10 ? 'is this in gigahertz?' : hertz < 1e5 ? 'is this in megahertz?' : 'is this in kilohertz?';
