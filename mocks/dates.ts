/** The value of the header `Date` (RFC 9110 section 6.6.1), written once for each second that is asked for in a row. */
import { withinCalendar } from './clock.ts';

/** What is beyond the calendar is its last moment, or its first. */
export function createDates(): (milliseconds: number) => string {
  let second = Number.NaN;
  let text = '';
  return (milliseconds) => {
    const asked = Math.floor(milliseconds / 1000);
    if (asked !== second) {
      second = asked;
      text = new Date(withinCalendar(milliseconds)).toUTCString();
    }
    return text;
  };
}
