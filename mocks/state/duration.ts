/** A span of time as people give it. */
import type { Duration } from '../contract/control-types.ts';
import ms, { type StringValue } from 'ms';

/** So many digits that every calendar is left behind, and so few that ms reads them all. */
const FORM = /^-?\d{1,16}(\.\d{1,16})?(ms|s|m|h|d)?$/;
const MOST_SECONDS = 1e16;

/** In seconds. Throws RangeError for what is no duration. */
export function secondsIn(duration: Duration): number {
  if (typeof duration === 'number' && Math.abs(duration) <= MOST_SECONDS) return duration;
  if (typeof duration !== 'string' || !FORM.test(duration))
    throw new RangeError(
      `"${String(duration).slice(0, 40)}" is no duration. Give seconds, or a number with a unit: 90, 500ms, 15m, 1h.`,
    );
  return /\d$/.test(duration) ? Number(duration) : ms(duration as StringValue) / 1000;
}
