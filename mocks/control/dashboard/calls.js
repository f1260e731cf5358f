// @ts-check
/** The calls, newest first, and at most two hundred. */
import { copyOf, duration, offer, part, write } from './api.js';

/** @import { Client, Entry } from './api.js' */
/** @typedef {'issued' | 'served' | 'refused' | 'other'} Kind */

const MOST_ROWS = 200;
/** Of the clients in the filter. */
const MOST_CHOICES = 1000;

const rows = part('rows', HTMLTableSectionElement);
const filter = part('filter', HTMLSelectElement);

/** The latest of all clients, oldest first. @type {Entry[]} */
let latest = [];
/** Number of the newest with a row. */
let drawn = 0;

export function startCalls() {
  latest = [];
  redraw();
}

/** @param {Entry[]} entries oldest first */
export function addCalls(entries) {
  latest = [...latest, ...entries].slice(-10 * MOST_ROWS);
}

function redraw() {
  rows.replaceChildren();
  drawn = 0;
  drawCalls();
}

export function drawCalls() {
  const fitting = latest.filter(({ client }) => filter.value === '' || client === filter.value.slice(1));
  const fresh = fitting.filter(({ seq }) => seq > drawn).slice(-MOST_ROWS);
  drawn = latest.at(-1)?.seq ?? 0;
  rows.prepend(...fresh.map(rowOf).reverse());
  while (rows.childElementCount > MOST_ROWS) rows.lastElementChild?.remove();
  const shown = rows.childElementCount;
  const many = shown < MOST_ROWS ? '' : `Showing the latest ${MOST_ROWS}.`;
  write(part('calls-note', HTMLElement), shown === 0 ? 'No calls yet.' : many);
}

/** @param {Client[]} clients */
export function offerFilter(clients) {
  const chosen = filter.value;
  const ids = clients.slice(0, MOST_CHOICES).map(({ id }) => id);
  offer(filter, [['', 'all clients'], ...ids.map((id) => /** @type {[string, string]} */ ([`=${id}`, id]))]);
  if (filter.value !== chosen) redraw();
}

/** @param {Entry} entry @returns {Kind} */
export function kindOf({ status, ended, operation }) {
  if (status === 403) return 'refused';
  if (status >= 300 || ended) return 'other';
  return operation === 'obtainToken' ? 'issued' : 'served';
}

/** @param {Entry} entry */
function rowOf(entry) {
  const { at, client, method, path, status, reason, ended, token, script } = entry;
  const row = copyOf('call-row', {
    time: at.split('T')[1]?.replace('Z', '') ?? at,
    client: client ?? '',
    call: `${method} ${path}`,
    status: ended ? `${status} ${ended}` : String(status),
    reason,
    steps: script ? `step ${script.join(', ')}` : '',
    token: token ? shortName(token.name) : '',
    age: token ? ageOf(token) : '',
  });
  row.classList.add(kindOf(entry));
  return row;
}

/** `#3`, since its client is named next to it. @param {string} name */
export const shortName = (name) => name.slice(name.lastIndexOf('#'));

/** @param {NonNullable<Entry['token']>} token */
function ageOf({ ageSeconds, remainingSeconds, status }) {
  const age = `${duration(ageSeconds * 1000)} old`;
  if (status === 'unknown') return `${age}, revoked`;
  if (status === 'expired' && remainingSeconds > 0) return `${age}, ended early`;
  const span = duration(remainingSeconds * 1000);
  return remainingSeconds > 0 ? `${age}, ${span} left` : `${age}, expired ${span} ago`;
}

filter.addEventListener('change', redraw);
