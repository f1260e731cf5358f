/** Adds the header `Date` (RFC 9110 section 6.6.1) to a reply; the list of headers is built once a second. */
import { withinCalendar } from '../state/clock.ts';
import type { Reply } from '../wire/reply.ts';
import { type HeaderList, listOf } from '../wire/send.ts';

/** `milliseconds` is the time that the header shows; `more` are headers of this answer only. */
export type DateHeader = (reply: Reply, milliseconds: number, more?: Record<string, string>) => HeaderList;

export function createDateHeader(): DateHeader {
  const known = new WeakMap<Reply, { second: number; headers: HeaderList }>();
  return (reply, milliseconds, more) => {
    const second = Math.floor(milliseconds / 1000);
    const last = known.get(reply);
    if (last?.second === second && !more) return last.headers;
    const date = new Date(withinCalendar(milliseconds)).toUTCString();
    const headers = listOf({ ...reply.headers, date, ...more });
    if (!more) known.set(reply, { second, headers });
    return headers;
  };
}
