// @ts-check
/** The commands that call the mock as a client, and the script of failures that the client meets. */
import { read, send } from './api.js';
import { complain, count, offer, part, say, sentenceOf, write } from './dom.js';

/** @import { Client, Contract, Scenario } from './api.js' */

const chosen = part('client', HTMLSelectElement);
const scenario = part('scenario', HTMLSelectElement);
const text = part('steps-json', HTMLTextAreaElement);
const fault = part('script-fault', HTMLElement);

/** @type {Scenario[]} */
let scenarios = [];
/** @type {Client[]} */
let clients = [];
let origin = '';
let dataPath = '';
let tokenPath = '';

/** Reads what does not change while the mock runs. @param {Contract} contract */
export async function startScript({ basePath, operations }) {
  ({ scenarios } = await read('scenarios'));
  origin = `${location.origin}${basePath}`;
  const pathOf = (/** @type {string} */ wanted) => operations.find(({ id }) => id === wanted)?.path ?? '';
  [dataPath, tokenPath] = [pathOf('readData'), pathOf('obtainToken')];
  offer(scenario, [['', 'your own'], ...scenarios.map(optionOf)]);
}

/** @param {Scenario} scenario @returns {[string, string]} */
const optionOf = ({ name, summary }) => [name, `${name}: ${summary}`];

/** @param {Client[]} known */
export function offerScript(known) {
  const before = chosen.value;
  clients = known.slice(0, 1000);
  offer(
    chosen,
    clients.map(({ id }) => [id, id]),
  );
  if (chosen.value !== before) showScript();
  draw();
}

const clientPath = () => `clients/${encodeURIComponent(chosen.value)}/script`;

function showScript() {
  const script = clients.find(({ id }) => id === chosen.value)?.script ?? [];
  scenario.value = '';
  text.value = script.length === 0 ? '' : JSON.stringify(script, undefined, 2);
  complain(fault, text, '');
  draw();
}

function draw() {
  const steps = clients.find(({ id }) => id === chosen.value)?.script.length ?? 0;
  write(part('steps', HTMLElement), steps === 0 ? 'none' : count(steps, 'step'));
  write(part('call-curl', HTMLElement), callCommands());
  write(
    part('script-curl', HTMLElement),
    `curl -X PUT ${quoted(`${location.origin}/__mock/${clientPath()}`)} \\\n  -H "Authorization: Bearer $KEY" \\\n  -d ${quoted(text.value.trim() || '[]')}`,
  );
}

function callCommands() {
  const data = `curl \\\n  ${quoted(origin + dataPath)} \\\n  -H 'accept: application/json'`;
  if (tokenPath === '') return data;
  return `TOKEN=$(curl -s \\
  ${quoted(origin + tokenPath)} \\
  -H 'accept: application/json' \\
  -d grant_type=client_credentials \\
  --data-urlencode client_id=${quoted(chosen.value)} \\
  --data-urlencode client_secret="$SECRET" \\
  | cut -d'"' -f4)
${data} \\
  -H "Authorization: Bearer $TOKEN"`;
}

/** Safe to paste into a shell. @param {string} word */
const quoted = (word) => (/^[\w.:/@%+-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`);

/** @param {string} method @param {string | undefined} body @param {string} done */
async function change(method, body, done) {
  try {
    await send(method, clientPath(), body);
    complain(fault, text, '');
    say(done);
  } catch (error) {
    complain(fault, text, sentenceOf(error));
    say(`The script of ${chosen.value} is unchanged.`);
  }
}

chosen.addEventListener('change', showScript);
text.addEventListener('input', draw);
scenario.addEventListener('change', () => {
  const script = scenarios.find(({ name }) => name === scenario.value)?.script;
  text.value = script ? JSON.stringify(script, undefined, 2) : '';
  complain(fault, text, '');
  draw();
});
part('script', HTMLFormElement).addEventListener('submit', (event) => {
  event.preventDefault();
  change('PUT', text.value, `${chosen.value} has a new script. Its calls count from 1 again.`);
});
part('remove-script', HTMLButtonElement).addEventListener('click', () =>
  change('DELETE', undefined, `The script of ${chosen.value} is removed.`),
);
for (const button of document.querySelectorAll('[data-copy]')) {
  // Browsers offer no clipboard to pages over plain HTTP, unless they are on this machine.
  if (!(button instanceof HTMLElement)) continue;
  button.hidden = !navigator.clipboard;
  button.addEventListener('click', async () => {
    const commands = part(button.dataset.copy ?? '', HTMLElement).textContent ?? '';
    say(await navigator.clipboard.writeText(commands).then(() => 'Copied.', sentenceOf));
  });
}
