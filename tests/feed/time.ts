/** Times as records write them: valid calendar times in UTC, without a zone or with Z. */

const TIME = /^(\d{4}-\d{2}-\d{2})T(\d{2}:\d{2}:)(\d{2})(\.\d+)?Z?$/;

/** A record has two times, and several rules parse each of them. */
const known = new Map<string, number>();

/**
 * Milliseconds since 1970, to the microsecond; NaN unless `text` is such a time. A leap second, which only the last day
 * of a month can have, is read as the second after it.
 */
export function parseUtc(text: string): number {
  const before = known.get(text);
  if (before !== undefined) return before;
  if (known.size === 8) known.clear();
  const [, day = '', minute = '', second = '', fraction = '0'] = TIME.exec(text) ?? [];
  const isLeap = second === '60';
  const wholeMs = Date.parse(`${day}T${minute}${isLeap ? '59' : second}Z`);
  const isLast = () => minute === '23:59:' && new Date(wholeMs + 1000).getUTCDate() === 1;
  // Date takes a day after the last of its month for one of the next month.
  const isDay = !Number.isNaN(wholeMs) && new Date(wholeMs).toISOString().startsWith(day);
  const ms =
    isDay && (!isLeap || isLast()) ? wholeMs + (isLeap ? 1000 : 0) + Number(fraction) * 1000 : Number.NaN;
  known.set(text, ms);
  return ms;
}

/** A moment as records write it, without zone and without zeros at the end; `ms` are milliseconds since 1970. */
export function formatUtc(ms: number): string {
  const date = new Date(ms);
  return Number.isNaN(date.getTime()) ? 'at an unknown time' : date.toISOString().replace(/(\.000)?Z$/, '');
}
