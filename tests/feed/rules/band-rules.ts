/** Rules about the band of a record. */
import type { JsonRecord, RecordContext } from './record-rule.ts';

/** Below this, the ionosphere lets nothing through to a telescope on the ground. */
const LOWEST_HZ = 1e6;
/** Where the radio spectrum ends (ITU Radio Regulations, article 2.1). */
const HIGHEST_HZ = 3e12;
const UNUSUAL_HZ = 1e12;
/** Upper edge by lower edge. */
const WIDE = 100;
const OTHER_UNIT = 1000;
const NARROW_HZ = 100;

export function checkBand(
  { freq_lower_hz: lower, freq_upper_hz: upper }: JsonRecord,
  index: number,
  { report }: Pick<RecordContext, 'report'>,
): void {
  if (typeof upper !== 'number' || upper < 0) return;
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
  if (typeof lower !== 'number' || lower < 0) return;
  const seen = () => `from ${lower} Hz to ${upper} Hz`;
  if (lower >= upper) report('frequency-order', index, 'freq_lower_hz', seen);
  else if (lower > 0 && lower < LOWEST_HZ && upper / lower >= OTHER_UNIT)
    report('frequency-unit', index, 'freq_lower_hz', () => `${lower} Hz: ${guess(lower)} (${seen()})`);
  else if (lower === 0 || upper / lower > WIDE || upper - lower < NARROW_HZ)
    report('frequency-band', index, 'freq_lower_hz', seen);
}

const guess = (hertz: number): string =>
  hertz < 10 ? 'is this in gigahertz?' : hertz < 1e5 ? 'is this in megahertz?' : 'is this in kilohertz?';
