// @ts-check
/** The commands that call the mock as a client, and give it the script of a scenario. */
import { offer, part, read, say, sentenceOf, write } from './api.js';

/** @import { Client, Contract, Scenario } from './api.js' */

const client = part('client', HTMLSelectElement);
const scenario = part('scenario', HTMLSelectElement);
const copy = part('copy', HTMLButtonElement);

/** @type {Scenario[]} */
let scenarios = [];
let origin = '';
/** @type {(string | undefined)[]} */
let paths = [];

/** Reads what does not change while the mock runs. */
export async function startCommands() {
  /** @type {[Contract, { scenarios: Scenario[] }]} */
  const [contract, listed] = await Promise.all([read('contract'), read('scenarios')]);
  scenarios = listed.scenarios;
  origin = `${location.origin}${contract.basePath}`;
  paths = ['obtainToken', 'readData'].map((id) => contract.operations.find((one) => one.id === id)?.path);
  offer(scenario, [['', 'none'], ...scenarios.map(optionOf)]);
}

/** @param {Scenario} scenario @returns {[string, string]} */
const optionOf = ({ name, summary }) => [name, `${name}: ${summary}`];

/** @param {Client[]} known */
export function offerClients(known) {
  offer(
    client,
    known.slice(0, 1000).map(({ id }) => [id, id]),
  );
  draw();
}

function draw() {
  const script = scenarios.find(({ name }) => name === scenario.value)?.script;
  const put = `curl -X PUT ${quoted(`${location.origin}/__mock/clients/${encodeURIComponent(client.value)}/script`)} \\
  -H "Authorization: Bearer $KEY" \\
  -d ${quoted(JSON.stringify(script))}
`;
  const [token, data] = paths.map((path) => quoted(`${origin}${path}`));
  const obtain = `TOKEN=$(curl -s \\
  ${token} \\
  -d grant_type=client_credentials \\
  --data-urlencode client_id=${quoted(client.value)} \\
  --data-urlencode client_secret="$SECRET" \\
  | cut -d'"' -f4)
`;
  const get = `curl \\\n  ${data} \\\n  -H 'accept: application/json'`;
  const withToken = `${obtain}${get} \\\n  -H "Authorization: Bearer $TOKEN"`;
  write(part('curl', HTMLElement), (script ? put : '') + (paths[0] === undefined ? get : withToken));
}

/** Safe to paste into a shell. @param {string} word */
const quoted = (word) => (/^[\w.:/@%+-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`);

client.addEventListener('change', draw);
scenario.addEventListener('change', draw);
// Browsers offer no clipboard to pages over plain HTTP, unless they are on this machine.
copy.hidden = !navigator.clipboard;
copy.addEventListener('click', async () => {
  const commands = part('curl', HTMLElement).textContent ?? '';
  say(await navigator.clipboard.writeText(commands).then(() => 'Copied.', sentenceOf));
});
