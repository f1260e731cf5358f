/** Times as records write them: valid calendar times in UTC, without a zone or with Z. */

/**
 * Milliseconds since 1970, to the microsecond; NaN unless `text` is such a time. A leap second, which only the last day
 * of a month can have, is read as the second after it.
 */
export function parseUtc(text: string): number {
  if (text === last.text) return last.ms;
  if (text === previous.text) return previous.ms;
  const oldest = previous;
  previous = last;
  last = oldest;
  last.text = text;
  last.ms = parse(text);
  return last.ms;
}

/** A record has two times, and several rules parse each of them. */
let last = { text: '', ms: Number.NaN };
let previous = { text: '', ms: Number.NaN };

function parse(text: string): number {
  const end = text.charCodeAt(text.length - 1) === Z ? text.length - 1 : text.length;
  if (end < SECONDS_END || !hasSigns(text)) return Number.NaN;
  if (!text.startsWith(day.text)) day = dayOf(text);
  const [hour, minute, second] = [digits(text, 11, 13), digits(text, 14, 16), digits(text, 17, 19)];
  const isLeap = second === 60 && hour === 23 && minute === 59 && day.isLastOfMonth;
  if (!(hour <= 23 && minute <= 59 && (second <= 59 || isLeap))) return Number.NaN;
  let fraction = 0;
  if (end > SECONDS_END) {
    if (text.charCodeAt(SECONDS_END) !== DOT || end === SECONDS_END + 1) return Number.NaN;
    const nanosecondsEnd = Math.min(end, SECONDS_END + 10);
    fraction = digits(text, SECONDS_END + 1, nanosecondsEnd) / 10 ** (nanosecondsEnd - SECONDS_END - 1);
    if (end > nanosecondsEnd && Number.isNaN(digits(text, nanosecondsEnd, end))) return Number.NaN;
  }
  return (day.count * 86_400 + hour * 3600 + minute * 60 + second + fraction) * 1000;
}

/** Most times of a feed are of the day of the time before. */
let day = { text: 'none', count: Number.NaN, isLastOfMonth: false };

/** The day of a time, by its text and in days since 1970; not a number where there is no such day. */
function dayOf(text: string): typeof day {
  const [year, month, date] = [digits(text, 0, 4), digits(text, 5, 7), digits(text, 8, 10)];
  const last = daysIn(year, month);
  const isDay = year >= 0 && month >= 1 && month <= 12 && date >= 1 && date <= last;
  const count = isDay ? daysSince1970(year, month, date) : Number.NaN;
  return { text: text.slice(0, 10), count, isLastOfMonth: date === last };
}

/** Where `text`, a time, ends without Z and without trailing zeros of a fraction: one spelling for a time. */
export function endOfPlainUtc(text: string): number {
  let end = text.endsWith('Z') ? text.length - 1 : text.length;
  if (end <= SECONDS_END) return end;
  while (text.charCodeAt(end - 1) === ZERO) end--;
  return text.charCodeAt(end - 1) === DOT ? end - 1 : end;
}

const SECONDS_END = 19;
const [ZERO, DOT, COLON, DASH, T, Z] = [0x30, 0x2e, 0x3a, 0x2d, 0x54, 0x5a];

const hasSigns = (text: string): boolean =>
  text.charCodeAt(4) === DASH &&
  text.charCodeAt(7) === DASH &&
  text.charCodeAt(10) === T &&
  text.charCodeAt(13) === COLON &&
  text.charCodeAt(16) === COLON;

/** NaN if there is anything but digits. */
function digits(text: string, from: number, to: number): number {
  let value = 0;
  for (let at = from; at < to; at++) {
    const digit = text.charCodeAt(at) - ZERO;
    if (!(digit >= 0 && digit <= 9)) return Number.NaN;
    value = value * 10 + digit;
  }
  return value;
}

function daysIn(year: number, month: number): number {
  if (month === 2) return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0) ? 29 : 28;
  return month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31;
}

/** Date.UTC takes the years before 100 for those of the last century, so the same day of a later era is asked. */
const daysSince1970 = (year: number, month: number, day: number): number =>
  Date.UTC(year + 400, month - 1, day) / 86_400_000 - DAYS_OF_400_YEARS;
const DAYS_OF_400_YEARS = 146_097;

/** A moment as records write it, without zone and without zeros at the end; `ms` are milliseconds since 1970. */
export function formatUtc(ms: number): string {
  const date = new Date(ms);
  return Number.isNaN(date.getTime()) ? 'at an unknown time' : date.toISOString().replace(/(\.000)?Z$/, '');
}
