// @ts-check
/** The page for people: asks for the key, then shows what the mock does until the key is forgotten. */
import { createActivities } from './activity.js';
import { createCalls } from './calls.js';
import { createClients } from './clients.js';
import { createClock } from './clock.js';
import { stayConnected } from './connection.js';
import { showContract } from './contract.js';
import { part, write } from './dom.js';
import { createWire, Refused } from './wire.js';

/** @import { Connected } from './connection.js' */
/** @import { Entry } from './wire.js' */

const STORED = 'mrs-mock-key';
const POLL_MS = 1000;
const LEAST_MS = 200;
const isStill = matchMedia('(prefers-reduced-motion: reduce)');

const status = part('status', HTMLElement);
const form = part('enter', HTMLFormElement);
const field = part('key', HTMLInputElement);
const fault = part('key-fault', HTMLElement);
const retry = part('retry', HTMLButtonElement);
const say = (/** @type {string} */ sentence) => write(status, sentence);

const wire = createWire();
const activities = createActivities();
const clock = createClock({ wire, say, changed });
const calls = createCalls({ wire, say });
const clients = createClients({ wire, say, changed, activities });

/** The number of the last exchange that is known. */
let last = 0;
let isDue = false;
/** How long it took to draw the last time. */
let drawing = 0;
/** Ends what runs for the key. */
let ending = new AbortController();
let wake = () => {};

/** Something may look different: it is asked for soon, and drawn with the next frame. */
function changed() {
  wake();
  due();
}

function due() {
  if (isDue) return;
  isDue = true;
  setTimeout(() => requestAnimationFrame(draw), Math.max(LEAST_MS, 4 * drawing));
}

function draw() {
  isDue = false;
  const begun = performance.now();
  setTimeout(() => {
    drawing = performance.now() - begun; // with what the browser does after it
  });
  clock.tick();
  calls.draw();
  clients.draw(clock.now());
}

async function load() {
  const [{ lost, entries }, { scenarios }, contract] = await Promise.all([
    wire.read('journal'),
    wire.read('scenarios'),
    wire.read('contract'),
  ]);
  activities.clear();
  for (const entry of entries) activities.add(entry);
  last = entries.at(-1)?.seq ?? 0;
  calls.start(entries);
  clients.start(scenarios, lost > 0);
  showContract(contract);
  await refresh();
  return last;
}

async function refresh() {
  const [{ clients: known }] = await Promise.all([wire.read('clients'), clock.load()]);
  clients.show(known);
  calls.offer(known);
  draw();
}

/** @param {Entry[]} entries */
function take(entries) {
  for (const entry of entries) {
    if (entry.seq <= last) continue;
    last = entry.seq;
    activities.add(entry);
    calls.add(entry);
  }
  changed();
}

/** Others move the mock, too: it is asked again and again, the more seldom the longer it takes to answer. */
async function poll(/** @type {AbortSignal} */ signal) {
  while (!signal.aborted) {
    const begun = performance.now();
    if (document.visibilityState === 'visible' && document.body.dataset.connected === 'connected')
      await refresh().catch(() => {}); // the stream of events shows that the mock is gone
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

/** @param {Connected} connected @param {string} sentence */
function sayConnected(connected, sentence) {
  // The answer to an action that came before the connection stays.
  const isAnswered = document.body.dataset.connected === 'connecting' && status.textContent !== '';
  document.body.dataset.connected = connected;
  write(part('connection', HTMLElement), CONNECTIONS[connected]);
  retry.hidden = connected !== 'gone';
  if (connected !== 'connected' || !isAnswered) say(sentence);
}

/** @type {Record<Connected, string>} */
const CONNECTIONS = {
  connecting: 'Connecting',
  connected: 'Connected',
  lost: 'Connection lost',
  gone: 'Mock gone',
};

/** @param {string} key */
async function enter(key) {
  wire.use(key);
  try {
    await wire.read('clock');
  } catch (error) {
    return ask(
      error instanceof Refused ? wrong(error) : `Nothing answers at ${location.host}. Is the mock running?`,
    );
  }
  sessionStorage.setItem(STORED, key);
  field.value = '';
  form.hidden = true;
  part('mock', HTMLElement).hidden = false;
  part('who', HTMLElement).hidden = false;
  part('clock-title', HTMLElement).focus();
  sayConnected('connecting', '');
  ending = new AbortController();
  const { signal } = ending;
  const ticking = setInterval(() => clock.isMoving() && due(), isStill.matches ? 1000 : 250);
  signal.addEventListener('abort', () => clearInterval(ticking));
  poll(signal);
  const refusal = await stayConnected({ wire, signal, load, take, say: sayConnected, retry });
  if (!refusal) return;
  ending.abort();
  ask('The key is no longer valid: the mock may have been restarted. Enter the new key.');
}

/** @param {Refused} refusal */
const wrong = ({ status, message }) =>
  status === 401 ? 'This is not the key of the mock. The mock prints its key at its start.' : message;

/** @param {string} sentence why the key is asked for again */
function ask(sentence) {
  sessionStorage.removeItem(STORED);
  wire.use('');
  part('mock', HTMLElement).hidden = true;
  part('who', HTMLElement).hidden = true;
  form.hidden = false;
  fault.hidden = sentence === '';
  fault.textContent = sentence;
  if (sentence === '') field.removeAttribute('aria-invalid');
  else field.setAttribute('aria-invalid', 'true');
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
  location.reload(); // nothing of what was shown stays in memory
});
new ResizeObserver(due).observe(part('lanes', HTMLElement));
document.addEventListener('visibilitychange', changed);
document.addEventListener('toggle', due, true);

/** The key after `#key=`, which is removed from the address: it must not stay in the history. */
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
