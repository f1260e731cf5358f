// @ts-check
/** The calls as they arrive, newest first, and at most two hundred. */
import { open, read } from './api.js';
import {
  copyOf,
  count,
  duration,
  el,
  isUnknown,
  offer,
  part,
  say,
  sentenceOf,
  within,
  write,
} from './dom.js';

/** @import { Client, Entry } from './api.js' */
/** @typedef {'issued' | 'served' | 'refused' | 'other'} Kind */

const MOST_ROWS = 200;
/** Of the clients in the filter. */
const MOST_CHOICES = 1000;

const rows = part('rows', HTMLTableSectionElement);
const filter = part('filter', HTMLSelectElement);
const pause = part('pause', HTMLButtonElement);

/** Calls without a row yet, oldest first. @type {Entry[]} */
let waiting = [];
/** Further ones, which will not get a row. */
let skipped = 0;
let isPaused = false;

/** @param {Entry} entry */
const fits = ({ client }) => filter.value === '' || client === filter.value.slice(1);

/** Shows only these. @param {Entry[]} entries oldest first */
export function startCalls(entries) {
  rows.replaceChildren();
  waiting = entries.filter(fits).slice(-MOST_ROWS);
  skipped = 0;
  isPaused = false;
  drawCalls();
}

/** @param {Entry} entry */
export function addCall(entry) {
  if (!fits(entry)) return;
  waiting.push(entry);
  if (waiting.length < 2 * MOST_ROWS) return;
  waiting.splice(0, MOST_ROWS);
  skipped += MOST_ROWS;
}

export function drawCalls() {
  pause.setAttribute('aria-pressed', String(isPaused));
  if (!isPaused && waiting.length > 0) {
    rows.prepend(...waiting.slice(-MOST_ROWS).map(rowOf).reverse());
    while (rows.childElementCount > MOST_ROWS) rows.lastElementChild?.remove();
    waiting = [];
    skipped = 0;
  }
  write(part('calls-note', HTMLElement), noteOf(rows.childElementCount));
}

/** @param {number} shown */
function noteOf(shown) {
  if (isPaused) return `Paused. ${count(skipped + waiting.length, 'call')} since then.`;
  if (shown === 0) return filter.value === '' ? 'No calls yet.' : 'No calls by this client yet.';
  return shown < MOST_ROWS ? '' : `Showing the latest ${MOST_ROWS}.`;
}

/** @param {Client[]} clients */
export function offerFilter(clients) {
  const chosen = filter.value;
  const ids = clients.slice(0, MOST_CHOICES).map(({ id }) => id);
  offer(filter, [['', 'all clients'], ...ids.map((id) => /** @type {[string, string]} */ ([`=${id}`, id]))]);
  if (filter.value !== chosen) choose();
}

/** @param {Entry} entry @returns {Kind} */
export function kindOf({ status, ended, operation }) {
  if (status === 403) return 'refused';
  if (status >= 300 || ended) return 'other';
  return operation === 'obtainToken' ? 'issued' : 'served';
}

/** @param {Entry} entry */
function rowOf(entry) {
  const { at, client, operation, method, path, status, reason, ended, token, script } = entry;
  const row = copyOf('call-row', {
    time: at.split('T')[1]?.replace('Z', '') ?? at,
    client: client ?? '',
    call: operation ?? `${method} ${path}`,
    status: ended ? `${status} ${ended}` : String(status),
    reason,
    steps: script ? `step ${script.join(', ')}` : '',
    token: token ? shortName(token.name) : '',
    age: token ? ageOf(token) : '',
  });
  row.classList.add(kindOf(entry));
  within(row, 'time', HTMLTimeElement).dateTime = at;
  const button = within(row, 'button', HTMLButtonElement);
  /** @type {HTMLElement | undefined} */
  let details;
  button.addEventListener('click', () => {
    details?.remove();
    details = details ? undefined : detailsOf(entry);
    if (details) row.after(details);
    button.setAttribute('aria-expanded', String(details !== undefined));
  });
  return row;
}

/** `#3`, since its client is named next to it. @param {string} name */
export const shortName = (name) => name.slice(name.lastIndexOf('#'));

/** @param {NonNullable<Entry['token']>} token */
function ageOf({ ageSeconds, remainingSeconds, standing }) {
  const age = `${duration(ageSeconds * 1000)} old`;
  if (standing === 'valid' && isUnknown((ageSeconds + remainingSeconds) * 1000)) return age;
  if (standing === 'unknown') return `${age}, revoked`;
  if (standing === 'expired' && remainingSeconds > 0) return `${age}, ended early`;
  const span = duration(remainingSeconds * 1000);
  return remainingSeconds > 0 ? `${age}, ${span} left` : `${age}, expired ${span} ago`;
}

/** The rest of what the journal keeps of a call. @param {Entry} entry */
function detailsOf({ method, path, query, request, response, durationMs, wallAt }) {
  const { accept, contentType, authorization, fields } = request;
  const details = copyOf('call-details');
  const list = within(details, 'dl', HTMLElement);
  for (const [name, value] of Object.entries({
    Request: `${method} ${path}${query.length > 0 ? `?${query.join('&')}` : ''}`,
    Accept: accept,
    'Content-Type': contentType,
    Authorization: authorization === 'bearer' ? 'Bearer, with the token of this row' : authorization,
    Fields: fields?.join(', '),
    Response: [response.contentType, count(response.bytes, 'byte'), `${durationMs} ms`]
      .filter(Boolean)
      .join(', '),
    'Machine time': wallAt,
  }))
    if (value !== undefined) list.append(el('dt', name), el('dd', value));
  return details;
}

const query = () => (filter.value === '' ? '' : `&client=${encodeURIComponent(filter.value.slice(1))}`);

async function choose() {
  try {
    startCalls((await read(`journal?limit=${MOST_ROWS}${query()}`)).entries);
  } catch (error) {
    say(sentenceOf(error));
  }
}

async function download() {
  try {
    const link = document.createElement('a');
    link.href = URL.createObjectURL(await (await open(`journal?format=har${query()}`)).blob());
    link.download = 'mrs-mock.har';
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
    say('The journal is downloaded as mrs-mock.har.');
  } catch (error) {
    say(sentenceOf(error));
  }
}

filter.addEventListener('change', choose);
part('har', HTMLButtonElement).addEventListener('click', download);
pause.addEventListener('click', () => {
  isPaused = !isPaused;
  drawCalls();
});
