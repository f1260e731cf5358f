/** `mrs mock`: serves the contract, with tokens that are issued, accepted and expire, and prints the calls. */
import { setFlagsFromString } from 'node:v8';
import { Command } from 'commander';
import { loadContract } from '../../mocks/contract/contract.ts';
import { loadProfile, SPECIFICATION } from '../../mocks/contract/profile.ts';
import { defined } from '../../mocks/journal.ts';
import { FEW_RECORDS, OPTIONS } from '../../mocks/options.ts';
import { recordsUnder } from '../../mocks/records.ts';
import { SCENARIO_SECRET, scenarios } from '../../mocks/scenarios.ts';
import { usesColor } from '../../tests/report/terminal.ts';
import { type OptionTable, type OptionValues, wholeNumber } from '../../tests/support/option-table.ts';
import { formatDuration, parseDuration } from '../../tests/support/options.ts';
import { UsageError } from '../../tests/support/usage-error.ts';
import { callEvent, callLine } from '../mock/call-log.ts';
import type { Mock, MockClient } from '../mock/index.ts';
import { listOfNamed } from '../mock/lists.ts';
import { withScripts } from '../mock/script-file.ts';
import { addOptions } from './options.ts';

const LISTS = 'Lists:';
const OUTPUT = 'What it prints:';

const { clients, now, sleep, controlKey, deployments, examiner, secrets, onFault, ...SHARED } = OPTIONS;

/** The options of startMock, and those of the command only. */
export const MOCK_OPTIONS = {
  ...SHARED,
  port: { ...OPTIONS.port, parse: wholeNumber(0, 65_535, '; 0 picks a free port') },
  client: {
    flag: '--client <id:secret[:lifetime]>',
    variable: 'MRS_CLIENT',
    help: 'client that may obtain tokens, and their lifetime; separate clients by commas or repeat the flag',
    defaultText: 'demo:demo-secret',
    parse: readClients,
  },
  script: {
    flag: '--script <file>',
    variable: 'MRS_SCRIPT',
    help: 'JSON or YAML file with what happens on which call of a client: the steps of its script, by client id',
  },
  tokenLifetime: { ...OPTIONS.tokenLifetime, parse: parseDuration },
  control: { flag: '--no-control', help: 'disable the control API under /__mock' },
  log: {
    flag: '--log <format>',
    variable: 'MRS_LOG',
    help: 'print a line for each call: text, or json, with a first line that says where the mock listens',
    choices: ['text', 'json'],
    defaultText: 'text on a terminal, otherwise none',
    group: OUTPUT,
  },
  quiet: { flag: '--quiet', help: 'print no line for a call', group: OUTPUT },
  assumptions: {
    flag: '--assumptions',
    help: 'list what the mock assumes where the specification is open, and exit',
    group: LISTS,
  },
  listDefects: { flag: '--list-defects', help: 'list defects and variants, and exit', group: LISTS },
  listScenarios: {
    flag: '--list-scenarios',
    help: 'list the client ids that trigger failures, and exit',
    group: LISTS,
  },
  mockControlKey: {
    variable: 'MRS_MOCK_CONTROL_KEY',
    help: 'key of the control API',
    defaultText: 'a random key, printed at the start',
  },
} as const satisfies OptionTable;

type MockFlags = OptionValues<typeof MOCK_OPTIONS>;

/** The command, to be added to a program. Its action throws UsageError or MockError for faults that the user can fix. */
export function mockCommand(): Command {
  const command = new Command('mock').description(
    'Serves the contract on this machine: issues tokens, accepts them for the data and lets them expire. ' +
      'Most options have an environment variable (in brackets); the option takes precedence. ' +
      'Durations are seconds, or a number with a unit: 90, 500ms, 15m, 1h.',
  );
  return addOptions(command, MOCK_OPTIONS)
    .addHelpText('after', EXAMPLES)
    .allowExcessArguments(false)
    .action(run);
}

const EXAMPLES = `
Examples:
  mrs mock                                       the demo client on port 4010
  mrs mock --port 0 --client a:s3cret:30s        any free port, tokens live 30 s
  MRS_CLIENT=a:s3cret mrs mock --base-path /api  a secret that is in no argument
  mrs mock --script steps.yaml                   for example: demo: [{nth: 2, do: {expire: token}}]

All steps of a script, with examples: mocks/README.md, "Scripts", in the package.`;

async function run(flags: MockFlags): Promise<void> {
  const {
    assumptions,
    listDefects,
    listScenarios,
    client,
    script,
    control,
    log,
    quiet,
    mockControlKey,
    ...options
  } = flags;
  const records = recordsOf(flags);
  const lists = [
    ...(assumptions ? await listOfAssumptions(flags) : []),
    ...(listDefects ? await listOfDeployments() : []),
    ...(listScenarios ? listOfScenarios() : []),
  ];
  if (lists.length > 0) return console.log(lists.join('\n\n'));

  const clients = script === undefined ? client : withScripts(script, client);
  const { startMock } = await import('../mock/index.ts'); // Prism takes a second, which only a mock pays.
  // V8 would allocate the entries of the journal among old objects, which takes a twentieth of a busy mock's time.
  setFlagsFromString('--no-allocation-site-pretenuring');
  await using mock = await startMock(
    defined({ ...options, records, clients, controlKey: control && mockControlKey }),
  );
  const { url, controlKey: key } = mock;
  console.log(
    log === 'json'
      ? JSON.stringify({
          event: 'ready',
          url,
          ...(mockControlKey === undefined && { key }),
          pid: process.pid,
        })
      : greeting(mock, flags, mockControlKey !== undefined),
  );
  printCalls(mock, flags);
  await new Promise((resolve) => process.once('SIGINT', resolve).once('SIGTERM', resolve));
}

async function listOfAssumptions(flags: MockFlags): Promise<string[]> {
  const contract = loadContract(await loadProfile(flags.profile));
  const { assumptions } = await recordsUnder(contract, recordsOf(flags));
  return listOfNamed(
    assumptions.map(({ answers, choice, reason }) => ({ name: answers, summary: `${choice}. ${reason}` })),
    'assumptions, made where the specification leaves a choice open. A deployment is free to choose otherwise.',
  );
}

async function listOfDeployments(): Promise<string[]> {
  const { defects } = await import('../../mocks/deployments/defects.ts');
  const { variants } = await import('../../mocks/deployments/variants.ts');
  return [
    ...listOfNamed(defects, 'defects. Each deployment breaks the specification in one way:'),
    ...listOfNamed(variants, 'variants. Each differs in one way where the specification is open:'),
  ];
}

const listOfScenarios = () =>
  listOfNamed(
    scenarios.map(({ name, summary, secretSuffix = '' }) => ({
      name: `demo-${name}${secretSuffix && `, with the secret ${SCENARIO_SECRET}${secretSuffix}`}`,
      summary,
    })),
    `scenarios. Give your client one of these ids and the secret ${SCENARIO_SECRET}. To give each developer or test a ` +
      'client with its own count of calls, add a dot and a word to the id: demo-steady.alice.',
  );

/** A defect or a variant differs from the specification in one way, and has no records either. */
const recordsOf = ({ records, profile, defect, variant }: MockFlags): string | number | undefined =>
  records ??
  (profile === SPECIFICATION && defect === undefined && variant === undefined ? FEW_RECORDS : undefined);

/** A pipe that no one reads would stop the mock: there, calls are printed only on request. */
function printCalls(mock: Mock, { quiet, log }: MockFlags): void {
  const format = quiet ? undefined : (log ?? (process.stdout.isTTY ? 'text' : undefined));
  if (!format) return;
  const color = usesColor(process.stdout, process.env);
  mock.onExchange((entry) => {
    process.stdout.write(`${format === 'json' ? callEvent(entry) : callLine(entry, color)}\n`);
  });
}

/** The text is never repeated in an error: it may hold a secret, also after a second colon. */
function readClients(text: string, name: string, before: unknown = []): MockClient[] {
  const clients = [...(before as MockClient[])];
  for (const entry of text.split(',')) {
    const [id, secret, lifetime, ...rest] = entry.split(':').map((part) => part.trim());
    const isDuration = lifetime === undefined || /^\d+(\.\d+)?(ms|s|m|h|d)?$/.test(lifetime);
    if (!id || !secret || rest.length > 0 || !isDuration)
      throw new UsageError(
        `${name}: number ${clients.length + 1} is not of the form id:secret or id:secret:lifetime. An id and a secret hold ` +
          'no colon and no comma, and a lifetime is seconds, or a number with a unit: 90, 15m, 1h.',
      );
    clients.push({ id, secret, ...(lifetime !== undefined && { tokenLifetime: lifetime }) });
  }
  return clients;
}

/** What the mock prints once it listens. Only the demo client's secret is shown: it is public anyway. */
function greeting(mock: Mock, flags: MockFlags, keyIsGiven: boolean): string {
  const { url, clients, operations, assumptions, controlKey } = mock;
  const isDemo = flags.client === undefined;
  const isOpen = !operations.some(({ id }) => id === 'obtainToken');
  const page = `${new URL(url).origin}/__mock/`;
  const control = `
Watch and steer it in a browser${keyIsGiven ? ', with the key below,' : ''} or from a test:

  ${page}${keyIsGiven ? '' : `#key=${controlKey}`}

  KEY=${keyIsGiven ? '"$MRS_MOCK_CONTROL_KEY"' : controlKey}
  curl -X PUT ${page}clock \\
    -H "Authorization: Bearer $KEY" \\
    -d '{"action": "advance", ${isOpen ? '"by": "1h"' : '"until": "next-expiry"'}}'
`;
  const clientLines = clients.map(({ id, secret, tokenLifetimesSeconds: lifetimes }) => {
    const shown = isDemo ? `secret ${secret}, ` : '';
    return `client ${id} (${shown}tokens live ${lifetimes.map(formatDuration).join(', ')})`;
  });
  const lines = [
    `mrs mock listens on ${url}`,
    ...(['0.0.0.0', '::'].includes(flags.host) ? ['and on every address of this machine'] : []),
    ...(isOpen ? ['open to everyone'] : clientLines),
    ...(!isOpen
      ? [`${scenarios.length} client ids that trigger failures: see mrs mock --list-scenarios`]
      : []),
    `${assumptions.length} assumptions where the specification is open: see mrs mock --assumptions`,
  ];
  const data = `${url}${operations.find(({ id }) => id === 'readData')?.path}`;
  const attempt = isOpen
    ? `Try it:\n\n  curl ${data}\n`
    : `Try it${isDemo ? '' : ', once its secret is in SECRET (read -rs SECRET)'}:

  TOKEN=$(curl -s ${url}/token/ \\
    -H 'accept: application/json' \\
    -d grant_type=client_credentials \\
    --data-urlencode client_id=${quoted(clients[0]?.id ?? '')} \\
    --data-urlencode client_secret=${isDemo ? clients[0]?.secret : '"$SECRET"'} | cut -d'"' -f4)
  curl ${data} \\
    -H 'accept: application/json' -H "Authorization: Bearer $TOKEN"
`;
  return `${lines.join('\n')}\n\n${attempt}${controlKey === undefined ? '' : control}`;
}

/** Safe to paste into a shell. */
const quoted = (text: string): string =>
  /^[\w.@-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
