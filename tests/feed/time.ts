/** Times as records write them: valid calendar times in UTC, without a zone or with Z. */

const TIME = /^(\d{4}-\d\d-\d\d)T(\d\d):(\d\d):(\d\d)(\.\d+)?Z?$/;

/** Most times of a feed are of the day of the time before. */
let day = { text: '', ms: Number.NaN, isLastOfMonth: false };

/**
 * Milliseconds since 1970, with the fraction of a millisecond; NaN unless `text` is such a time. A leap second, which only
 * the last day of a month can have, is read as the second after it.
 */
export function parseUtc(text: string): number {
  const [, date, ...parts] = TIME.exec(text) ?? [];
  if (date === undefined) return Number.NaN;
  if (date !== day.text) day = dayOf(date);
  const [hour = 0, minute = 0, second = 0, fraction = 0] = parts.map((part = '0') => Number(part));
  const isLeap = second === 60 && hour === 23 && minute === 59 && day.isLastOfMonth;
  if (hour > 23 || minute > 59 || (second > 59 && !isLeap)) return Number.NaN;
  return day.ms + (hour * 3600 + minute * 60 + second + fraction) * 1000;
}

/** The start of a day in milliseconds since 1970; NaN where there is no such day. */
function dayOf(text: string): typeof day {
  const date = new Date(`${text}T00:00:00Z`);
  // A day after the last of its month is read as one of the next month.
  const isDay = !Number.isNaN(date.getTime()) && date.toISOString().startsWith(text);
  const ms = isDay ? date.getTime() : Number.NaN;
  return { text, ms, isLastOfMonth: new Date(ms + 86_400_000).getUTCDate() === 1 };
}

/** A moment as records write it, without zone and without zeros at the end; `ms` are milliseconds since 1970. */
export function formatUtc(ms: number): string {
  const date = new Date(ms);
  return Number.isNaN(date.getTime()) ? 'at an unknown time' : date.toISOString().replace(/(\.000)?Z$/, '');
}
