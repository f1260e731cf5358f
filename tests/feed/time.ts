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
  if (!text.startsWith(day.text)) day = dayOf(text.slice(0, 10));
  const [hour, minute, second] = [twoDigits(text, 11), twoDigits(text, 14), twoDigits(text, 17)];
  const isLeap = second === 60 && hour === 23 && minute === 59 && day.isLastOfMonth;
  if (!(hour <= 23 && minute <= 59 && (second <= 59 || isLeap))) return Number.NaN;
  if (end > SECONDS_END && (text.charCodeAt(SECONDS_END) !== DOT || end === SECONDS_END + 1))
    return Number.NaN;
  let fractionMs = 0;
  for (let at = SECONDS_END + 1, unit = 100; at < end; at++, unit /= 10) fractionMs += digit(text, at) * unit;
  return day.ms + (hour * 3600 + minute * 60 + second) * 1000 + fractionMs;
}

/** Most times of a feed are of the day of the time before. */
let day = { text: 'none', ms: Number.NaN, isLastOfMonth: false };

/** The start of a day in milliseconds since 1970; NaN where there is no such day. */
function dayOf(text: string): typeof day {
  const date = new Date(`${text}T00:00:00Z`);
  // A day after the last of its month is read as one of the next month.
  const isDay = !Number.isNaN(date.getTime()) && date.toISOString().startsWith(text);
  const ms = isDay ? date.getTime() : Number.NaN;
  return { text, ms, isLastOfMonth: new Date(ms + 86_400_000).getUTCDate() === 1 };
}

const SECONDS_END = 19;
const [ZERO, DOT, COLON, DASH, T, Z] = [0x30, 0x2e, 0x3a, 0x2d, 0x54, 0x5a];

const hasSigns = (text: string): boolean =>
  text.charCodeAt(4) === DASH &&
  text.charCodeAt(7) === DASH &&
  text.charCodeAt(10) === T &&
  text.charCodeAt(13) === COLON &&
  text.charCodeAt(16) === COLON;

/** NaN if there is anything but a digit. */
function digit(text: string, at: number): number {
  const value = text.charCodeAt(at) - ZERO;
  return value >= 0 && value <= 9 ? value : Number.NaN;
}

const twoDigits = (text: string, at: number): number => digit(text, at) * 10 + digit(text, at + 1);

/** A moment as records write it, without zone and without zeros at the end; `ms` are milliseconds since 1970. */
export function formatUtc(ms: number): string {
  const date = new Date(ms);
  return Number.isNaN(date.getTime()) ? 'at an unknown time' : date.toISOString().replace(/(\.000)?Z$/, '');
}
