// @ts-check
/** The page: asks for the key of the control API, then shows what the mock does until the key is forgotten. */
import { complain, part, Refused, read, say, sentenceOf, useKey, write } from './api.js';
import { addCalls, drawCalls, offerFilter, startCalls } from './calls.js';
import { countCall, drawClients, showClients, startClients } from './clients.js';
import { drawClock, loadClock, now } from './clock.js';
import { offerClients, startCommands } from './try.js';

/** @import { Client, Entry } from './api.js' */

const STORED = 'mrs-mock-key';
/** Tests move the mock too, so it is asked regularly. */
const POLL_MS = 1000;
const SOON_MS = 200;
const isStill = matchMedia('(prefers-reduced-motion: reduce)');

const form = part('enter', HTMLFormElement);
const field = part('key', HTMLInputElement);

/** The number of the last known call; without a connection, none is known. @type {number | undefined} */
let last;
let wake = () => {};

function draw() {
  drawClock();
  drawCalls();
  drawClients(now());
}

/** Reads what has changed; after a break, everything. */
async function refresh() {
  if (last === undefined) {
    await startCommands();
    startCalls();
    startClients();
  }
  /** @type {[{ entries: Entry[] }, { clients: Client[] }, void]} */
  const [{ entries }, { clients }] = await Promise.all([
    read(`journal?since=${last ?? 0}`),
    read('clients'),
    loadClock(),
  ]);
  for (const entry of entries) countCall(entry);
  addCalls(entries);
  last = Math.max(last ?? 0, entries.at(-1)?.seq ?? 0);
  showClients(clients);
  offerFilter(clients);
  offerClients(clients);
  draw();
}

/** Asks again and again, less often if the answers take long; ends where the mock does not accept the key. */
async function poll() {
  for (;;) {
    const begun = performance.now();
    if (document.visibilityState === 'visible')
      try {
        await refresh();
        connected('Connected', '');
      } catch (error) {
        last = undefined;
        if (error instanceof Refused && error.status === 401) return;
        const why =
          error instanceof Refused ? error.message : `The mock does not answer at ${location.host}.`;
        connected('Connection lost', `${why} Retrying.`);
      }
    const took = performance.now() - begun;
    await new Promise((resolve) => {
      let rest = setTimeout(resolve, Math.max(POLL_MS, took * 5));
      wake = () => {
        clearTimeout(rest);
        rest = setTimeout(resolve, Math.max(SOON_MS, took * 5));
        wake = () => {};
      };
    });
  }
}

/** @param {string} state @param {string} sentence */
function connected(state, sentence) {
  const isNew = part('connection', HTMLElement).textContent !== state;
  write(part('connection', HTMLElement), state);
  document.body.dataset.state = state;
  if (isNew && sentence !== '') say(sentence);
  else if (isNew && /Retrying\.$/.test(part('status', HTMLElement).textContent ?? '')) say('');
}

/** @param {string} key */
async function enter(key) {
  useKey(key);
  try {
    await loadClock();
  } catch (error) {
    if (!(error instanceof Refused)) return ask(`Nothing answers at ${location.host}. Is the mock running?`);
    return ask(
      error.status === 401
        ? 'This is not the key of the mock. The mock prints its key at its start.'
        : sentenceOf(error),
    );
  }
  sessionStorage.setItem(STORED, key);
  field.value = '';
  show(true);
  say('');
  part('clock-title', HTMLElement).focus();
  const ticking = setInterval(draw, isStill.matches ? 1000 : 250);
  await poll();
  clearInterval(ticking);
  ask('The key is no longer valid: the mock may have been restarted. Enter the new key.');
}

/** @param {boolean} isOpen */
function show(isOpen) {
  form.hidden = isOpen;
  for (const id of ['mock', 'forget', 'connection']) part(id, HTMLElement).hidden = !isOpen;
}

/** @param {string} sentence why the key is asked for again */
function ask(sentence) {
  sessionStorage.removeItem(STORED);
  useKey('');
  show(false);
  complain('key-fault', field, sentence);
  field.select();
  field.focus();
}

form.addEventListener('submit', (event) => {
  event.preventDefault();
  enter(field.value.trim());
});
part('forget', HTMLButtonElement).addEventListener('click', () => {
  sessionStorage.removeItem(STORED);
  location.reload(); // nothing that was shown stays in memory
});
document.addEventListener('changed', () => wake());
document.addEventListener('visibilitychange', () => wake());

/** The key after `#key=`, which is removed from the address, so that it does not stay in the history. */
function keyInAddress() {
  const key = new URLSearchParams(location.hash.slice(1)).get('key');
  if (key !== null) history.replaceState(null, '', location.pathname);
  return key;
}
addEventListener('hashchange', () => {
  const key = keyInAddress();
  if (key === null) return;
  sessionStorage.setItem(STORED, key);
  location.reload();
});

const known = keyInAddress() ?? sessionStorage.getItem(STORED);
if (known) enter(known);
else ask('');
