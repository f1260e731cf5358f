/** A duration as users write it. */

import ms, { type StringValue } from 'ms';
import type { Duration } from '../contract/control-types.ts';

/** Enough digits to exceed every calendar, and few enough for ms to read. */
const FORM = /^-?\d{1,16}(\.\d{1,16})?(ms|s|m|h|d)?$/;
const MOST_SECONDS = 1e16;

/** In seconds. Throws RangeError for an invalid duration. */
export function secondsIn(duration: Duration): number {
  if (typeof duration === 'number' && Math.abs(duration) <= MOST_SECONDS) return duration;
  if (typeof duration !== 'string' || !FORM.test(duration))
    throw new RangeError(
      `"${String(duration).slice(0, 40)}" is not a duration. Use seconds, or a number with a unit: 90, 500ms, 15m, 1h.`,
    );
  return /\d$/.test(duration) ? Number(duration) : ms(duration as StringValue) / 1000;
}
