// @ts-check
/** The page: asks for the key of the control API, then shows what the mock does until the key is forgotten. */
import { follow, Refused, read, useKey } from './api.js';
import { addCall, drawCalls, offerFilter, startCalls } from './calls.js';
import { countCall, drawClients, showClients, startClients } from './clients.js';
import { drawClock, isMoving, loadClock, now } from './clock.js';
import { complain, part, say, write } from './dom.js';
import { offerScript, startScript } from './script.js';

/** @import { Contract, Entry } from './api.js' */

const STORED = 'mrs-mock-key';
const POLL_MS = 1000;
const LEAST_MS = 200;
const isStill = matchMedia('(prefers-reduced-motion: reduce)');

const form = part('enter', HTMLFormElement);
const field = part('key', HTMLInputElement);
const fault = part('key-fault', HTMLElement);
const mock = part('mock', HTMLElement);
const who = part('who', HTMLElement);

/** The number of the last known call. */
let last = 0;
let isDue = false;
let wake = () => {};

/** Something may have changed: it is asked for soon, and drawn with the next frame. */
function changed() {
  wake();
  due();
}

function due() {
  if (isDue) return;
  isDue = true;
  setTimeout(() => requestAnimationFrame(draw), LEAST_MS);
}

function draw() {
  isDue = false;
  drawClock();
  drawCalls();
  drawClients(now());
}

/** Reads everything anew; returns the number of the last call. */
async function load() {
  /** @type {[{ lost: number, entries: Entry[] }, Contract]} */
  const [{ lost, entries }, contract] = await Promise.all([read('journal'), read('contract')]);
  await startScript(contract);
  startClients(lost > 0);
  for (const entry of entries) countCall(entry);
  last = entries.at(-1)?.seq ?? 0;
  startCalls(entries);
  await refresh();
  return last;
}

async function refresh() {
  const [{ clients }] = await Promise.all([read('clients'), loadClock()]);
  showClients(clients);
  offerFilter(clients);
  offerScript(clients);
  draw();
}

/** @param {Entry[]} entries */
function take(entries) {
  for (const entry of entries) {
    if (entry.seq <= last) continue;
    last = entry.seq;
    countCall(entry);
    addCall(entry);
  }
  changed();
}

/** Tests move the mock too, so it is asked regularly, and less often if its answers take long. @param {AbortSignal} signal */
async function poll(signal) {
  while (!signal.aborted) {
    const begun = performance.now();
    if (document.visibilityState === 'visible' && document.body.dataset.connected === 'connected')
      await refresh().catch(() => {}); // the stream of calls notices a lost mock
    const took = performance.now() - begun;
    await new Promise((resolve) => {
      let rest = setTimeout(resolve, Math.max(POLL_MS, took * 5));
      wake = () => {
        wake = () => {};
        clearTimeout(rest);
        rest = setTimeout(resolve, Math.max(LEAST_MS, took * 5));
      };
    });
  }
}

/** @param {'connecting' | 'connected' | 'lost'} state @param {string} sentence */
function tell(state, sentence) {
  // The answer to an action that came before the connection stays.
  const isAnswered =
    document.body.dataset.connected === 'connecting' && part('status', HTMLElement).textContent !== '';
  document.body.dataset.connected = state;
  const words = { connecting: 'Connecting', connected: 'Connected', lost: 'Connection lost' };
  write(part('connection', HTMLElement), words[state]);
  if (state !== 'connected' || !isAnswered) say(sentence);
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
        : error.message,
    );
  }
  sessionStorage.setItem(STORED, key);
  field.value = '';
  form.hidden = true;
  mock.hidden = false;
  who.hidden = false;
  part('clock-title', HTMLElement).focus();
  tell('connecting', '');
  const ending = new AbortController();
  const { signal } = ending;
  const ticking = setInterval(() => isMoving() && due(), isStill.matches ? 1000 : 250);
  poll(signal);
  await follow({
    signal,
    load,
    take,
    tell: (isConnected, why) => tell(isConnected ? 'connected' : 'lost', why),
  });
  clearInterval(ticking);
  ending.abort();
  ask('The key is no longer valid: the mock may have been restarted. Enter the new key.');
}

/** @param {string} sentence why the key is asked for again */
function ask(sentence) {
  sessionStorage.removeItem(STORED);
  useKey('');
  mock.hidden = true;
  who.hidden = true;
  form.hidden = false;
  complain(fault, field, sentence);
  field.select();
  field.focus();
  say(sentence);
}

form.addEventListener('submit', (event) => {
  event.preventDefault();
  enter(field.value.trim());
});
part('forget', HTMLButtonElement).addEventListener('click', () => {
  sessionStorage.removeItem(STORED);
  location.reload(); // nothing that was shown stays in memory
});
document.addEventListener('changed', changed);
document.addEventListener('visibilitychange', changed);
document.addEventListener('toggle', due, true);

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
