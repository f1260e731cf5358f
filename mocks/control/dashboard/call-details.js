// @ts-check
/** One call, opened: what was asked for and what was answered, as far as the journal keeps it. */
import { el, foreign } from './dom.js';
import { count } from './words.js';

/** @import { Entry } from './wire.js' */

/** The name of the call, which opens to the rest of it. @param {Entry} entry @param {string} name */
export function callDetails(entry, name) {
  const details = el('details', {}, el('summary', {}, foreign(name)));
  // Two hundred rows are quick to draw, since few of them are ever opened.
  details.addEventListener('toggle', () => details.append(listOf(entry)), { once: true });
  return details;
}

/** @param {Entry} entry */
function listOf({ method, path, query, request, response, durationMs, wallAt }) {
  const { accept, contentType, authorization, fields } = request;
  const names = query.length > 0 ? `?${query.join('&')}` : '';
  const facts = Object.entries({
    Request: `${method} ${path}${names}`,
    Accept: accept,
    'Content-Type': contentType,
    Authorization: authorization === 'bearer' ? 'Bearer, with the token of this row' : authorization,
    Fields: fields?.join(', '),
    Answer: [response.contentType, count(response.bytes, 'byte'), `${durationMs} ms`]
      .filter(Boolean)
      .join(', '),
    'Machine time': wallAt,
  });
  const list = el('dl', { class: 'call' });
  for (const [name, value] of facts)
    if (value !== undefined) list.append(el('div', {}, el('dt', {}, name), el('dd', {}, foreign(value))));
  return list;
}
