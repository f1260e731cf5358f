// @ts-check
/** Times and numbers as people read them. Times are in milliseconds; dates are in UTC, as on the wire. */

/** @type {readonly (readonly [string, number])[]} */
const UNITS = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['min', 60_000],
  ['s', 1000],
  ['ms', 1],
];

/** `14 min 58 s`: two units at most, and none that is cut off rounds up. @param {number} span */
export function duration(span) {
  const whole = Math.floor(Math.abs(span));
  const first = UNITS.findIndex(([, size]) => whole >= size);
  if (first === -1) return '0 s';
  const parts = [];
  let rest = whole;
  for (const [unit, size] of UNITS.slice(first, first + (whole < 10_000 ? 1 : 2))) {
    const many = Math.floor(rest / size);
    rest -= many * size;
    if (many > 0 && !(unit === 'ms' && parts.length > 0)) parts.push(`${number(many)} ${unit}`);
  }
  return parts.join(' ');
}

/** `8 h`: one unit. @param {number} span */
export function roughly(span) {
  const [unit, size] = UNITS.find(([, one]) => span >= one) ?? ['ms', 1];
  return `${number(Math.round(span / size))} ${unit}`;
}

/** @param {number} many */
export const number = (many) => many.toLocaleString('en-GB');

/** @param {number} many @param {string} noun */
export const count = (many, noun) => `${number(many)} ${noun}${many === 1 ? '' : 's'}`;

/** The parts of `2030-01-01T12:00:10.400Z`, also where the year has more digits. @param {number} moment */
export function moment(moment) {
  const [date = '', time = ''] = new Date(moment).toISOString().split('T');
  return { date, time: time.slice(0, 8), fraction: time.slice(8, 12) };
}

/** @param {number} at */
export const timeOfDay = (at) => moment(at).time;

/** `12:00:10.400`. @param {string} text as on the wire */
export const exactTime = (text) => text.split('T')[1]?.replace('Z', '') ?? text;

/** Whether a lifetime is not known: a proxy that does not know how long the tokens of its service live says ten years. */
export const isUnknown = (/** @type {number} */ spanMs) => spanMs >= 315_360_000_000;
