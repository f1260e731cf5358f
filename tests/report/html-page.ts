/** Parts of an HTML page that the reports of all judges share. */
import { type Markup, markup } from './markup.ts';

/** Content Security Policy of a report: even if quoted text came alive, it could not load, run or send anything. */
export const POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'";

/** What an address can end with to lead to a requirement. */
export const anchorOf = (id: string): string => id.replace(/[^\w.-]/g, '-');

/** `20 November 2026 at 16:31 UTC`; the text as it is, where it is no date. */
export function moment(startedAt: string): Markup {
  const date = new Date(startedAt);
  if (Number.isNaN(date.getTime())) return markup`${startedAt}`;
  const format = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeStyle: 'short', timeZone: 'UTC' });
  return markup`<time datetime="${date.toISOString()}">${format.format(date)} UTC</time>`;
}
