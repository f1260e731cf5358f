// @ts-check
/** The calls as they come, newest first, no more than two hundred. */
import { kindOf } from './activity.js';
import { callDetails } from './call-details.js';
import { el, foreign, part, write } from './dom.js';
import { duration, exactTime, isUnknown, number } from './words.js';

/** @import { Client, Entry, Wire } from './wire.js' */

export const MOST_ROWS = 200;
/** Said aloud, since a narrow screen shows the rows as blocks, and some browsers see no table in those. */
const ROLES = [
  ['table', 'table'],
  ['thead, tbody', 'rowgroup'],
  ['tr', 'row'],
  ['th', 'columnheader'],
];
/** Of the clients that can be chosen. */
const MOST_CHOICES = 1000;

/**
 * @param {object} parts
 * @param {Wire} parts.wire
 * @param {(message: string) => void} parts.say
 */
export function createCalls({ wire, say }) {
  const rows = part('rows', HTMLTableSectionElement);
  const filter = part('filter', HTMLSelectElement);
  const pause = part('pause', HTMLButtonElement);
  const note = part('calls-note', HTMLElement);
  /** Not shown yet, oldest first. @type {Entry[]} */
  let waiting = [];
  let skipped = 0;
  let isPaused = false;
  let choices = '';

  const fits = (/** @type {Entry} */ { client }) => filter.value === '' || client === filter.value.slice(1);

  /** Shows no others than these. @param {Entry[]} entries oldest first */
  function start(entries) {
    rows.replaceChildren();
    waiting = entries.filter(fits).slice(-MOST_ROWS);
    skipped = 0;
    isPaused = false;
    draw();
  }

  function draw() {
    pause.setAttribute('aria-pressed', String(isPaused));
    const unseen = skipped + waiting.length;
    write(note, noteOf(isPaused ? unseen : 0, rows.childElementCount + (isPaused ? 0 : waiting.length)));
    if (isPaused || waiting.length === 0) return;
    rows.prepend(...waiting.map(rowOf).reverse());
    while (rows.childElementCount > MOST_ROWS) rows.lastElementChild?.remove();
    waiting = [];
    skipped = 0;
    write(note, noteOf(0, rows.childElementCount));
  }

  /** @param {number} unseen @param {number} shown */
  function noteOf(unseen, shown) {
    if (isPaused) return `Paused; ${number(unseen)} more since then.`;
    if (shown === 0) return filter.value === '' ? 'No calls yet.' : 'No calls by this client yet.';
    return shown < MOST_ROWS ? '' : `Showing the latest ${MOST_ROWS}.`;
  }

  async function choose() {
    const client = filter.value === '' ? '' : `&client=${encodeURIComponent(filter.value.slice(1))}`;
    try {
      start((await wire.read(`journal?limit=${MOST_ROWS}${client}`)).entries);
    } catch (error) {
      say(error instanceof Error ? error.message : String(error));
    }
  }

  async function download() {
    try {
      const client = filter.value === '' ? '' : `&client=${encodeURIComponent(filter.value.slice(1))}`;
      const response = await wire.open(`journal?format=har${client}`);
      const address = URL.createObjectURL(await response.blob());
      el('a', { href: address, download: 'mrs-mock.har' }).click();
      setTimeout(() => URL.revokeObjectURL(address), 60_000);
      say('The journal is downloaded as mrs-mock.har.');
    } catch (error) {
      say(error instanceof Error ? error.message : String(error));
    }
  }

  const list = part('list', HTMLElement);
  list.tabIndex = 0; // so that the keyboard can scroll it
  for (const [name = '', role = ''] of ROLES)
    for (const one of list.querySelectorAll(name)) one.setAttribute('role', role);
  filter.addEventListener('change', choose);
  part('har', HTMLButtonElement).addEventListener('click', download);
  pause.addEventListener('click', () => {
    isPaused = !isPaused;
    draw();
  });

  return {
    start,
    draw,
    /** @param {Entry} entry */
    add(entry) {
      if (!fits(entry)) return;
      waiting.push(entry);
      if (waiting.length < 2 * MOST_ROWS) return;
      waiting.splice(0, MOST_ROWS);
      skipped += MOST_ROWS;
    },
    /** @param {Client[]} clients */
    offer(clients) {
      const ids = clients.slice(0, MOST_CHOICES).map(({ id }) => id);
      const wanted = JSON.stringify(ids);
      if (wanted === choices) return;
      choices = wanted;
      const chosen = filter.value;
      filter.replaceChildren(el('option', { value: '' }, 'all clients'));
      filter.append(...ids.map((id) => el('option', { value: `=${id}` }, id)));
      filter.value = chosen;
      if (filter.value === chosen) return;
      filter.value = '';
      choose();
    },
  };
}

/** @param {Entry} entry */
function rowOf(entry) {
  const { at, client, operation, method, path, status, reason, ended, token, script } = entry;
  const asked = operation ?? `${method} ${path}`;
  const steps = script ? `${script.length === 1 ? 'step' : 'steps'} ${script.join(', ')}` : '';
  return el(
    'tr',
    { class: kindOf(entry), role: 'row' },
    cell('time', el('time', { datetime: at, title: at }, exactTime(at))),
    cell('client', foreign(client ?? '')),
    cell('operation', callDetails(entry, asked)),
    cell('status', el('b', {}, String(status)), ended ? ` ${ended}` : ''),
    cell('reason', foreign(reason)),
    cell('token', foreign(token?.name ?? '')),
    cell('age', token ? lifeOf(token) : ''),
    cell('steps', steps),
  );
}

/** @param {string} name @param {(Node | string)[]} children */
const cell = (name, ...children) => el('td', { class: name, role: 'cell' }, ...children);

/** @param {NonNullable<Entry['token']>} token */
function lifeOf({ ageSeconds, remainingSeconds, standing }) {
  const age = `${duration(ageSeconds * 1000)} old`;
  if (standing === 'valid' && isUnknown((ageSeconds + remainingSeconds) * 1000)) return age;
  if (standing === 'unknown') return `${age}, revoked`;
  if (standing === 'expired' && remainingSeconds > 0) return `${age}, ended early`;
  const span = duration(remainingSeconds * 1000);
  return remainingSeconds > 0 ? `${age}, ${span} left` : `${age}, expired ${span} ago`;
}
