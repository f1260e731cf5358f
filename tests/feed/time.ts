/** Times as records write them: valid calendar times in UTC, without a zone or with Z. */

const TIME = /^(\d{4}-\d\d-\d\d)T(\d\d):(\d\d):(\d\d)(\.\d+)?Z?$/;

/**
 * Milliseconds since 1970, with the fraction of a millisecond; NaN unless `text` is such a time. A leap second, which only
 * the last day of a month can have, is read as the second after it.
 */
export function parseUtc(text: string): number {
  const [, date, ...parts] = TIME.exec(text) ?? [];
  const day = new Date(`${date}T00:00:00Z`);
  // A day after the last of its month is read as one of the next month.
  if (Number.isNaN(day.getTime()) || !day.toISOString().startsWith(date ?? '')) return Number.NaN;
  const [hour = 0, minute = 0, second = 0, fraction = 0] = parts.map((part = '0') => Number(part));
  const isLastOfMonth = new Date(day.getTime() + 86_400_000).getUTCDate() === 1;
  const isLeap = second === 60 && hour === 23 && minute === 59 && isLastOfMonth;
  if (hour > 23 || minute > 59 || (second > 59 && !isLeap)) return Number.NaN;
  return day.getTime() + (hour * 3600 + minute * 60 + second + fraction) * 1000;
}

/** A moment as records write it, without zone and without zeros at the end; `ms` are milliseconds since 1970. */
export function formatUtc(ms: number): string {
  const date = new Date(ms);
  return Number.isNaN(date.getTime()) ? 'at an unknown time' : date.toISOString().replace(/(\.000)?Z$/, '');
}
