/** A span of time as people give it. */
import ms, { type StringValue } from 'ms';

/** Seconds, or a number with a unit: `90`, `"90"`, `"500ms"`, `"15m"`, `"-1s"`. */
export type Duration = number | string;

const FORM = /^-?\d+(\.\d+)?(ms|s|m|h|d)?$/;

/** In seconds. Throws RangeError for what is no duration. */
export function secondsIn(duration: Duration): number {
  if (typeof duration === 'number' && Number.isFinite(duration)) return duration;
  if (typeof duration !== 'string' || !FORM.test(duration))
    throw new RangeError(
      `"${String(duration).slice(0, 40)}" is no duration. Give seconds, or a number with a unit: 90, 500ms, 15m, 1h.`,
    );
  return /\d$/.test(duration) ? Number(duration) : ms(duration as StringValue) / 1000;
}
