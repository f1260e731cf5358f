/** A moment that another machine states. */

/** No report is older than this suite; a clock that is not set shows 1970. */
const [FIRST, LAST] = [Date.UTC(2020, 0, 1), Date.UTC(2100, 0, 1)];

/** In the form of `toISOString`, by which moments are sorted and files are named; undefined where it is not plausible. */
export function momentIn(text: string): string | undefined {
  const time = Date.parse(text);
  return time >= FIRST && time < LAST ? new Date(time).toISOString() : undefined;
}
