/** Rules about the band of a record: within the record, and against the other bands of its site. */
import { quote } from '../findings.ts';
import { isShort, type JsonRecord, MAX_NAMES, type RecordContext } from './record.ts';

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

/** An upper edge, and the record that has it. */
type Edge = { hz: number; index: number };

export function createBandRules(context: RecordContext): (record: JsonRecord) => void {
  const { report, pointerTo } = context;
  const bandsOf = new Map<string, { lowest: Edge; highest: Edge }>();

  function checkEdges(lower: number, upper: number): void {
    const field = 'freq_lower_hz';
    const seen = `from ${lower} Hz to ${upper} Hz`;
    if (lower === upper) report('frequency-order', field, `both edges are ${lower} Hz`);
    else if (lower > upper)
      report('frequency-order', field, `${seen}: the edges are swapped, or one is wrong`);
    else if (lower > 0 && lower < LOWEST_HZ && upper / lower >= OTHER_UNIT)
      report('frequency-unit', field, `${lower} Hz: ${guess(lower)} (${seen})`);
    else if (lower === 0) report('frequency-band', field, `${seen}: it starts at 0`);
    else if (upper / lower > WIDE)
      report('frequency-band', field, `${seen}: is the lower edge in another unit than the upper edge?`);
    else if (upper - lower < NARROW_HZ)
      report('frequency-band', field, `${seen}: it is only ${upper - lower} Hz wide`);
  }

  /** Returns whether the band is too low for its dish. */
  function checkDish(lower: unknown, upper: number, dishM: unknown): boolean {
    if (typeof dishM !== 'number' || dishM < SMALLEST_DISH_M) return false;
    const waveM = METRES_PER_SECOND / upper;
    if (waveM * WAVES_ACROSS_DISH <= dishM) return false;
    const why = `a dish of ${dishM} m does not focus waves of ${waveM.toFixed(0)} m; are these kilohertz?`;
    report('frequency-unit', 'freq_upper_hz', `from ${lower} Hz to ${upper} Hz: ${why}`, 'H');
    return true;
  }

  /** One warning for a site: it is not known which of its bands is wrong. */
  function compareBands(siteId: string, hz: number): void {
    const bands = bandsOf.get(siteId);
    if (bands && hz >= bands.lowest.hz && hz <= bands.highest.hz) return;
    const edge = { hz, index: context.index };
    if (!bands) {
      if (bandsOf.size < MAX_NAMES) bandsOf.set(siteId, { lowest: edge, highest: edge });
      return;
    }
    const isApart = () => bands.highest.hz >= bands.lowest.hz * OTHER_UNIT;
    const wasReported = isApart();
    const isLow = hz < bands.lowest.hz;
    bands[isLow ? 'lowest' : 'highest'] = edge;
    if (wasReported || !isApart()) return;
    const other = bands[isLow ? 'highest' : 'lowest'];
    const seen = `${pointerTo(other.index)} of ${quote(siteId)} has ${other.hz} Hz`;
    report('frequency-unit', 'freq_upper_hz', `${hz} Hz, but ${seen}; is the lower one in kilohertz?`, 'H');
  }

  return ({ freq_lower_hz: lower, freq_upper_hz: upper, dish_diameter_m: dishM, site_id: siteId }) => {
    // The schema has reported what is negative or infinite.
    if (typeof upper !== 'number' || upper < 0 || upper === Number.POSITIVE_INFINITY) return;
    if (upper > 0 && upper < LOWEST_HZ)
      return report('frequency-unit', 'freq_upper_hz', `${upper} Hz: ${guess(upper)}`);
    const ruleClass = upper > HIGHEST_HZ ? 'S' : 'H';
    if (upper > UNUSUAL_HZ)
      report('frequency-unit', 'freq_upper_hz', `${upper} Hz: is the unit right?`, ruleClass);
    if (typeof lower === 'number' && lower >= 0) checkEdges(lower, upper);
    if (upper === 0 || upper > UNUSUAL_HZ) return;
    if (!checkDish(lower, upper, dishM) && isShort(siteId)) compareBands(siteId, upper);
  };
}

const guess = (hertz: number): string =>
  hertz < 10 ? 'is this in gigahertz?' : hertz < 1e5 ? 'is this in megahertz?' : 'is this in kilohertz?';
