/** The options of `mrs mock`, and what they mean. */
import { SPECIFICATION } from '../../mocks/contract/profile.ts';
import { parseDuration } from '../../tests/support/duration.ts';
import { UsageError } from '../../tests/support/usage-error.ts';
import type { MockClient } from '../index.ts';
import { PROFILE_OPTION } from './deployment-options.ts';
import { type OptionTable, type OptionValues, wholeNumber } from './options.ts';

const LISTS = 'Lists:';
const DEPLOYMENT = 'What it serves:';
const TIME = 'Time:';
const OUTPUT = 'What it prints:';

/** Without a profile; a client developer wants to see something. */
export const FEW_RECORDS = 3;

export const MOCK_OPTIONS = {
  port: {
    flag: '--port <number>',
    variable: 'MRS_PORT',
    help: 'port to listen on; 0 picks a free port',
    default: '4010',
    parse: wholeNumber(0, 65_535, '; 0 picks a free port'),
  },
  host: {
    flag: '--host <address>',
    variable: 'MRS_HOST',
    help: 'address to listen on; 0.0.0.0 accepts connections from other machines',
    default: '127.0.0.1',
  },
  client: {
    flag: '--client <id:secret[:lifetime]>',
    variable: 'MRS_CLIENT',
    help: 'client that may obtain tokens, and their lifetime; separate clients by commas or repeat the flag',
    defaultText: 'demo:demo-secret',
    parse: readClients,
  },
  tokenLifetime: {
    flag: '--token-lifetime <duration>',
    variable: 'MRS_TOKEN_LIFETIME',
    help: 'lifetime of tokens',
    defaultText: '15m, as the contract says',
    parse: (text: string, name: string) => parseDuration(text, name),
  },
  basePath: {
    flag: '--base-path <path>',
    variable: 'MRS_BASE_PATH',
    help: 'prefix of every path, such as /api/v1',
  },
  control: {
    flag: '--no-control',
    help: 'disable the control API under /__mock',
  },
  cors: {
    flag: '--no-cors',
    help: 'do not let pages of other origins call the API (CORS); they may never call the control API',
  },
  profile: {
    ...PROFILE_OPTION,
    default: SPECIFICATION,
    group: DEPLOYMENT,
  },
  records: {
    flag: '--records <number|file>',
    variable: 'MRS_RECORDS',
    help:
      'number of generated records, without a profile or under one that describes records; ' +
      'or a JSON file, served as it is and reread when it changes',
    defaultText: `${FEW_RECORDS} without a profile, 20 under one that describes records`,
    group: DEPLOYMENT,
  },
  scenarios: {
    flag: '--scenarios',
    variable: 'MRS_SCENARIOS',
    help: 'add a client for each scenario to those of --client; without --client they exist anyway',
    group: DEPLOYMENT,
  },
  defect: {
    flag: '--defect <name>',
    variable: 'MRS_DEFECT',
    help: 'violate the specification in one way',
    group: DEPLOYMENT,
  },
  variant: {
    flag: '--variant <name>',
    variable: 'MRS_VARIANT',
    help: 'differ in one way where the specification is open',
    group: DEPLOYMENT,
  },
  tokenKey: {
    flag: '--token-key <file>',
    variable: 'MRS_TOKEN_KEY_FILE',
    help:
      'file with a key of at least 32 bytes; mocks with the same key accept, expire and refuse ' +
      "each other's tokens, also after a restart",
    group: 'Replicas:',
  },
  clock: {
    flag: '--clock <mode>',
    variable: 'MRS_CLOCK',
    help: 'in frozen mode, time advances only through the control API',
    choices: ['real', 'frozen'],
    default: 'real',
    group: TIME,
  },
  startsAt: {
    flag: '--starts-at <date>',
    variable: 'MRS_STARTS_AT',
    help: 'start time of the clock, as in 2030-01-01T00:00:00Z',
    defaultText: 'now; that date with --seed and --clock frozen',
    group: TIME,
  },
  seed: {
    flag: '--seed <text>',
    variable: 'MRS_SEED',
    help: 'seed for tokens, jitter and delays, for reproducible runs',
    group: TIME,
  },
  log: {
    flag: '--log <format>',
    variable: 'MRS_LOG',
    help: 'print a line for each call: text, or json, with a first line that says where the mock listens',
    choices: ['text', 'json'],
    defaultText: 'text on a terminal, otherwise none',
    group: OUTPUT,
  },
  quiet: {
    flag: '--quiet',
    help: 'print no line for a call',
    group: OUTPUT,
  },
  readyFile: {
    flag: '--ready-file <file>',
    variable: 'MRS_READY_FILE',
    help: 'write {"url", "key", "pid"} to this file once the mock listens, and remove it at the end',
    group: OUTPUT,
  },
  explain: {
    flag: '--explain',
    variable: 'MRS_EXPLAIN',
    help: 'add headers that explain each response, such as x-mock-reason',
    group: 'Diagnosis:',
  },
  journalSize: {
    flag: '--journal-size <number>',
    variable: 'MRS_JOURNAL_SIZE',
    help: 'number of exchanges that the journal keeps; 0 turns it off',
    defaultText: '10000, or 0 with a token key',
    parse: wholeNumber(0, 1_000_000),
    group: 'Diagnosis:',
  },
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
  tokenKeyText: { variable: 'MRS_TOKEN_KEY', help: 'the token key, unless a file holds it' },
  controlKey: {
    variable: 'MRS_MOCK_CONTROL_KEY',
    help: 'key of the control API',
    defaultText: 'a random key, printed at the start',
  },
} as const satisfies OptionTable;

export type MockFlags = OptionValues<typeof MOCK_OPTIONS>;

/** The text is never repeated in an error: it may hold a secret. */
function readClients(text: string, name: string, before: unknown = []): MockClient[] {
  const earlier = before as MockClient[];
  const read = text.split(',').map((entry, index): MockClient => {
    const [id, secret, lifetime, ...rest] = entry.split(':').map((part) => part.trim());
    if (!id || !secret || rest.length > 0)
      throw new UsageError(
        `${name}: number ${earlier.length + index + 1} is not of the form id:secret or ` +
          'id:secret:lifetime. An id and a secret hold no colon and no comma.',
      );
    if (lifetime === undefined) return { id, secret };
    return { id, secret, tokenLifetime: readLifetime(lifetime, id, name) };
  });
  return [...earlier, ...read];
}

/** The text is never repeated in an error either: it may be the rest of a secret that contains a colon. */
function readLifetime(text: string, id: string, name: string): number {
  try {
    return parseDuration(text);
  } catch {
    throw new UsageError(
      `${name}: what follows the second colon of the client "${id}" is not a duration. ` +
        'Write seconds, or a number with a unit: 90, 15m, 1h.',
    );
  }
}
