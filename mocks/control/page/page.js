// @ts-check
/** The page: asks for the key of the control API, then shows what the mock does until the key is forgotten. */
import {
  complain,
  count,
  duration,
  moment,
  part,
  Refused,
  request,
  sentenceOf,
  show,
  useKey,
  within,
  write,
} from './api.js';
import { cardOf, rowOf } from './draw.js';

/** @import { Client, Clock, Contract, Entry, Scenario } from './api.js' */

const STORED = 'mrs-mock-key';
/** Tests move the mock too, so it is asked regularly. */
const POLL_MS = 1000;
const TICK_MS = 250;
const MOST_ROWS = 200;
const MOST_CARDS = 40;
/** Of the calls, as in the journal of the mock. */
const MOST_CALLS = 10_000;

const field = part('key', HTMLInputElement);
const [filter, client, scenario] = ['filter', 'client', 'scenario'].map((id) => part(id, HTMLSelectElement));

/** What the mock said last. @type {{ clock: Clock, readAt: number, clients: Client[], calls: Entry[] }} */
const state = {
  clock: { mode: 'frozen', now: '1970-01-01T00:00:00.000Z' },
  readAt: 0,
  clients: [],
  calls: [],
};
/** What does not change while it runs; undefined without a connection. @type {{ contract: Contract, scenarios: Scenario[] } | undefined} */
let known;

/** The mock's time, in milliseconds since 1970. */
const now = () =>
  Date.parse(state.clock.now) + (state.clock.mode === 'real' ? performance.now() - state.readAt : 0);

/** @param {string} sentence announced at the top of the page */
const say = (sentence) => write('status', sentence);

function draw() {
  drawClock();
  drawCards();
  const shown = state.calls
    .filter((call) => !filter?.value || `=${call.client}` === filter.value)
    .slice(-MOST_ROWS)
    .toReversed();
  show('rows', [filter?.value, shown[0]?.seq], () => shown.map(rowOf));
  write('calls-note', shown.length === 0 ? 'No calls yet.' : '');
  drawCommands();
}

function drawClock() {
  const { mode, nextExpiry } = state.clock;
  const { date, time, fraction } = moment(now());
  write('time', time + (mode === 'frozen' ? fraction : ''));
  part('time', HTMLTimeElement).dateTime = `${date}T${time}Z`;
  write('date', `${date} UTC`);
  write('mode', modeOf(state.clock));
  document.body.dataset.clock = mode;
  const expiry = Date.parse(nextExpiry ?? state.clock.now);
  const next = `Next expiry: ${moment(expiry).time}, in ${duration(Math.max(0, expiry - now()))}.`;
  write('next', nextExpiry === undefined ? 'No token is valid.' : next);
}

/** Shows the clients that did or met something; if there is none, all. */
function drawCards() {
  const called = Map.groupBy(state.calls, (call) => call.client);
  const busy = state.clients.filter(
    ({ id, tokensIssued, script }) => tokensIssued + script.length > 0 || called.has(id),
  );
  const shown = (busy.length > 0 ? busy : state.clients).slice(0, MOST_CARDS);
  const isAnyValid = shown.some(({ tokens }) => tokens.some(({ status }) => status === 'valid'));
  const second = isAnyValid && Math.floor(now() / 1000);
  show('clients', [shown, state.calls.at(-1)?.seq, second], () =>
    shown.map((one) => cardOf(one, called.get(one.id) ?? [], now())),
  );
}

/** The commands that call the mock as a client, and the script that a scenario has. */
function drawCommands() {
  if (!known) return;
  const { contract, scenarios } = known;
  const ids = state.clients.map(({ id }) => id);
  show('filter', ids, () => [new Option('all clients', ''), ...ids.map((id) => new Option(id, `=${id}`))]);
  show('client', ids, () => ids.map((id) => new Option(id)));
  show('scenario', scenarios, () => [
    new Option('none', ''),
    ...scenarios.map(({ name, summary }) => new Option(`${name}: ${summary}`, name)),
  ]);
  const id = client?.value ?? '';
  const script = scenarios.find(({ name }) => name === scenario?.value)?.script;
  const held = state.clients.find((one) => one.id === id)?.script ?? [];
  part('script', HTMLElement).hidden = script === undefined;
  write('script', script?.map((step) => JSON.stringify(step)).join('\n') ?? '');
  write('apply', script ? 'Give it to the client' : 'Remove its script');
  part('apply', HTMLButtonElement).disabled = id === '' || (!script && held.length === 0);
  const [token, data] = ['obtainToken', 'readData'].map((name) => {
    const found = contract.operations.find((one) => one.id === name);
    return found && quoted(location.origin + contract.basePath + found.path);
  });
  const obtain = `TOKEN=$(curl -s \\
  ${token} \\
  -H 'accept: application/json' \\
  -d grant_type=client_credentials \\
  --data-urlencode client_id=${quoted(id)} \\
  --data-urlencode client_secret=${secretOf(id)} \\
  | cut -d'"' -f4)
`;
  const get = `curl \\\n  ${data} \\\n  -H 'accept: application/json'`;
  const withToken = `${obtain}${get} \\\n  -H "Authorization: Bearer $TOKEN"`;
  write('curl', token ? withToken : get);
}

/** A word of the shell. The secrets of the demo clients are public; no other is known here. @param {string} id */
function secretOf(id) {
  if (!/^demo($|-)/.test(id)) return `"\${SECRET:?Set SECRET to the secret of the client.}"`;
  return id.startsWith('demo-odd-secret') ? "'demo-secret+&%='" : 'demo-secret';
}

/** Gives the chosen client the script of the chosen scenario, or none. */
async function applyScenario() {
  const id = client?.value ?? '';
  const { name = '', script = [] } = known?.scenarios.find((one) => one.name === scenario?.value) ?? {};
  try {
    await change('PUT', `clients/${encodeURIComponent(id)}/script`, script);
    say(name ? `${id} meets ${name} from its next call on.` : `${id} has no script.`);
  } catch (error) {
    say(sentenceOf(error));
  }
}

/** Where the page may not write to the clipboard, as at the address of another machine, it selects them. */
async function copyCommands() {
  const commands = part('curl', HTMLElement);
  try {
    await navigator.clipboard.writeText(commands.textContent ?? '');
    say('The commands are copied.');
  } catch {
    getSelection()?.selectAllChildren(commands);
    say('The commands are selected. Copy them with Ctrl+C.');
  }
}

/** Safe to paste into a shell. @param {string} word */
const quoted = (word) => (/^[\w.:/@%+-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`);

/** @param {Clock} clock */
const modeOf = ({ mode }) => (mode === 'frozen' ? 'Frozen' : 'Running');

/** @param {Clock} clock @param {number} begun when it was asked for, of performance.now() */
function setClock(clock, begun) {
  Object.assign(state, { clock, readAt: (begun + performance.now()) / 2 });
}

/** @type {Promise<unknown>} */
let turn = Promise.resolve();

/** One after the other, so that no answer is older than what is shown. @template Result @param {() => Promise<Result>} task @returns {Promise<Result>} */
function inTurn(task) {
  const done = turn.then(task);
  turn = done.catch(() => {});
  return done;
}

/** Reads what has changed; after a break, everything. */
async function refresh() {
  if (!known) {
    const [contract, { scenarios }] = await Promise.all([request('contract'), request('scenarios')]);
    known = { contract, scenarios };
    state.calls = [];
  }
  const begun = performance.now();
  const [clock, { entries }, { clients }] = await Promise.all([
    request('clock'),
    request(`journal?since=${state.calls.at(-1)?.seq ?? 0}`),
    request('clients'),
  ]);
  setClock(clock, begun);
  Object.assign(state, { clients, calls: [...state.calls, ...entries].slice(-MOST_CALLS) });
  draw();
}

/** @param {string} method @param {string} path @param {unknown} body */
async function change(method, path, body) {
  const begun = performance.now();
  const answer = await inTurn(() => request(path, { method, body: JSON.stringify(body) }));
  if (path === 'clock') setClock(answer, begun);
  else await inTurn(refresh);
  draw();
  return answer;
}

/** @param {Record<string, unknown>} move @param {HTMLInputElement} [input] with the value of the move */
async function moveClock(move, input) {
  for (const id of ['by', 'to']) complain('clock-fault', part(id, HTMLInputElement), '');
  try {
    await change('PUT', 'clock', move);
    const { date, time } = moment(now());
    say(`The mock's clock is at ${time} on ${date}: ${modeOf(state.clock).toLowerCase()}.`);
  } catch (error) {
    if (input) complain('clock-fault', input, sentenceOf(error));
    say(input ? 'The clock was not moved.' : sentenceOf(error));
  }
}

/** @param {Event} event at a button of a client's card, whose value names what ends and the client */
async function endTokens({ target }) {
  const button = target instanceof Element && target.closest('button');
  if (!button) return;
  const [end = '', id = ''] = button.value.split(/ (.*)/s);
  try {
    const { ended } = await change('POST', 'expire', { client: id, revoke: end === 'revoke' });
    say(`${count(ended, 'token')} of ${id} ${end}d.`);
  } catch (error) {
    say(sentenceOf(error));
  }
}

/** Asks again and again; ends where the mock does not accept the key. */
async function poll() {
  for (;;) {
    if (document.visibilityState === 'visible')
      try {
        await inTurn(refresh);
        connected('Connected', '');
      } catch (error) {
        known = undefined;
        if (error instanceof Refused && error.status === 401) return;
        connected('Connection lost', `${sentenceOf(error)} Retrying.`);
      }
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}

/** @param {string} now @param {string} sentence */
function connected(now, sentence) {
  const before = document.body.dataset.state ?? now;
  document.body.dataset.state = now;
  write('connection', now);
  if (now !== before) say(sentence);
}

/** @param {string} key */
async function enter(key) {
  useKey(key);
  try {
    setClock(await request('clock'), performance.now());
  } catch (error) {
    const isWrong = error instanceof Refused && error.status === 401;
    return ask(
      isWrong ? 'This is not the key of the mock. The mock prints its key at its start.' : sentenceOf(error),
    );
  }
  sessionStorage.setItem(STORED, key);
  field.value = '';
  document.body.dataset.view = 'mock';
  say('');
  part('clock-title', HTMLElement).focus();
  const ticking = setInterval(draw, TICK_MS);
  await poll();
  clearInterval(ticking);
  ask('The key is no longer valid: the mock may have been restarted. Enter the new key.');
}

/** @param {string} sentence why the key is asked for again */
function ask(sentence) {
  sessionStorage.removeItem(STORED);
  useKey('');
  document.body.dataset.view = 'key';
  complain('key-fault', field, sentence);
  field.select();
  field.focus();
}

part('enter', HTMLFormElement).addEventListener('submit', (event) => {
  event.preventDefault();
  enter(field.value.trim());
});
part('forget', HTMLButtonElement).addEventListener('click', () => {
  sessionStorage.removeItem(STORED);
  location.reload(); // nothing that was shown stays in memory
});
for (const button of document.querySelectorAll('[data-move]'))
  button.addEventListener('click', () => moveClock(JSON.parse(button.getAttribute('data-move') ?? '')));
for (const line of document.querySelectorAll('form[data-action]')) {
  const input = within(line, 'input', HTMLInputElement);
  const [action, member = ''] = ['data-action', 'data-member'].map((name) => line.getAttribute(name) ?? '');
  line.addEventListener('submit', (event) => {
    event.preventDefault();
    moveClock({ action, [member]: input.value.trim() }, input);
  });
}
part('clients', HTMLElement).addEventListener('click', endTokens);
part('apply', HTMLButtonElement).addEventListener('click', applyScenario);
part('copy', HTMLButtonElement).addEventListener('click', copyCommands);
for (const select of [filter, client, scenario]) select?.addEventListener('change', draw);

// The key after `#key=` is removed from the address, so that it does not stay in the history.
const given = new URLSearchParams(location.hash.slice(1)).get('key') ?? sessionStorage.getItem(STORED);
history.replaceState(null, '', location.pathname);
addEventListener('hashchange', () => location.reload());
if (given) enter(given);
else ask('');
