/** The options of startMock and of `mrs mock`: one table of their names, help, defaults and checks. */
import { randomBytes } from 'node:crypto';
import type { FindDeployments, MockOptions } from './api.ts';
import { demoClient } from './clients.ts';
import { withinCalendar } from './clock.ts';
import { schemaProblem } from './contract/control-contract.ts';
import { MockError, nearestInWords } from './contract/mock-error.ts';
import { SPECIFICATION } from './contract/profile.ts';
import { isControl } from './control/control.ts';
import { UNSEARCHED } from './journal.ts';

/** An option. The members but for `read` are those of a row in `mrs mock --help`. */
interface Row<Given> {
  flag?: string;
  variable?: string;
  help?: string;
  /** That of the command, as a user would write it. */
  default?: string;
  defaultText?: string;
  choices?: readonly string[];
  group?: string;
  /** The checked value, or the default of startMock; absent: any value. Throws MockError. */
  read?(given: Given | undefined): unknown;
}

const SERVED = 'What it serves:';
const TIME = 'Time:';

/** Without a profile the command serves this number of records: a client developer wants to see something. */
export const FEW_RECORDS = 3;

function invalid(sentence: string): never {
  throw new MockError(sentence);
}

export const OPTIONS = {
  port: {
    flag: '--port <number>',
    variable: 'MRS_PORT',
    help: 'port to listen on; 0 picks a free port',
    default: '4010',
    read: (port = 0) =>
      Number.isInteger(port) && port >= 0 && port <= 65_535
        ? port
        : invalid(
            `The option port (--port) is ${port}. Use a whole number from 0 to 65535; 0 picks any free port.`,
          ),
  },
  host: {
    flag: '--host <address>',
    variable: 'MRS_HOST',
    help: 'address to listen on; 0.0.0.0 accepts connections from other machines',
    default: '127.0.0.1',
    read(host = '127.0.0.1') {
      if (host === '')
        invalid(
          'The host is empty, which would mean every address. Use 127.0.0.1, or 0.0.0.0 for every address.',
        );
      const name = `The option host (--host) is ${JSON.stringify(host)}`;
      if (/^[^:]+:\d+$|\//.test(host))
        invalid(
          `${name}. Give an address without a scheme, a port or a path, such as 127.0.0.1; --port has the port.`,
        );
      return host;
    },
  },
  clients: {
    read: (clients = [demoClient]) =>
      Array.isArray(clients) && clients.length > 0 && clients.every((one) => Object(one) === one)
        ? clients
        : invalid(
            'The option clients must be a list with at least one client. Add a client, or leave the option out.',
          ),
  },
  tokenLifetime: {
    flag: '--token-lifetime <duration>',
    variable: 'MRS_TOKEN_LIFETIME',
    help: 'lifetime of tokens',
    defaultText: '15m, as the contract says',
  },
  basePath: {
    flag: '--base-path <path>',
    variable: 'MRS_BASE_PATH',
    help: 'prefix of every path, such as /api/v1',
    read(given = '') {
      const basePath = given.replace(/(?<!\/)\/+$/, '');
      if (isControl(basePath))
        invalid(`The base path "${given}" is reserved for the control API. Use another one.`);
      // URLs count "%2e" as a dot (URL standard, section 4.1).
      if (/\/(\.|%2e){1,2}(\/|$)/i.test(basePath))
        invalid(
          `"${given}" is not a base path. A client takes "." and ".." out of a path. Write it as in a URL: /api/v1.`,
        );
      if (/^(\/[\w.~!$&'()*+,;=:@%-]+)*$/.test(basePath)) return basePath;
      return invalid(
        `"${given}" is not a base path. Begin it with a slash, and write it as in a URL: /api/v1.`,
      );
    },
  },
  profile: {
    flag: '--profile <name|file>',
    variable: 'MRS_PROFILE',
    help: 'what the deployment declares about the open points, see mrs profile list',
    default: SPECIFICATION,
    group: SERVED,
    read: (given = SPECIFICATION) => given,
  },
  records: {
    flag: '--records <number|file>',
    variable: 'MRS_RECORDS',
    help:
      'number of generated records, unless the profile describes none; ' +
      'or a JSON file, served as it is and reread when it changes',
    defaultText: `${FEW_RECORDS} without a profile, 20 under one that describes records`,
    group: SERVED,
  },
  defect: {
    flag: '--defect <name>',
    variable: 'MRS_DEFECT',
    help: 'violate the specification in one way',
    group: SERVED,
  },
  variant: {
    flag: '--variant <name>',
    variable: 'MRS_VARIANT',
    help: 'differ in one way where the specification is open',
    group: SERVED,
  },
  clock: {
    flag: '--clock <mode>',
    variable: 'MRS_CLOCK',
    help: 'in frozen mode, time advances only through the control API',
    choices: ['real', 'frozen'],
    default: 'real',
    group: TIME,
    read: (given = 'real') =>
      given === 'real' || given === 'frozen'
        ? given
        : invalid(`The option clock (--clock) is "${given}". Use 'real' or 'frozen'.`),
  },
  startsAt: {
    flag: '--starts-at <date>',
    variable: 'MRS_STARTS_AT',
    help: 'start time of the clock, as in 2030-01-01T00:00:00Z',
    defaultText: 'now; that date with --seed and --clock frozen',
    group: TIME,
    read(given) {
      if (given === undefined) return undefined;
      const to = /^\d{4}-\d\d-\d\d$/.test(given) ? `${given}T00:00:00Z` : given;
      const start = Date.parse(to);
      if (start === withinCalendar(start) && !schemaProblem('Move', { action: 'set', to })) return start;
      return invalid(
        `The option startsAt (--starts-at) is "${given}", which is not a date from the years 0 to 9999. Write it as 2030-01-01T00:00:00Z.`,
      );
    },
  },
  seed: {
    flag: '--seed <text>',
    variable: 'MRS_SEED',
    help: 'seed for tokens, for reproducible runs',
    group: TIME,
    read: (given) =>
      given === ''
        ? invalid('The seed is empty. Use a text of your own, or leave it out for a random one.')
        : given,
  },
  now: {},
  sleep: {},
  controlKey: {
    /** The key is sent in a header, in the syntax of a token (RFC 6750 section 2.1). */
    read(given = randomBytes(24).toString('base64url')): string | undefined {
      if (given === false) return undefined;
      if (/^[\w.~+/-]+=*$/.test(given)) return given;
      return invalid(
        'The control key has characters that a header cannot carry. Use only letters, digits and . _ ~ + / -',
      );
    },
  },
  examiner: {},
  deployments: {
    read: (given = noDeployments) => given,
  },
  secrets: { read: (given = UNSEARCHED) => given },
  onFault: { read: (given = printFault) => given },
} as const satisfies { [Name in keyof MockOptions]-?: Row<MockOptions[Name]> };

const noDeployments: FindDeployments = async ({ defect, variant }) =>
  (defect ?? variant) ? invalid('This mock was started without defects and variants.') : [];

/** What a user can change is a sentence; any other fault is a mistake of the mock, and its stack shows where. */
function printFault(error: unknown): void {
  console.error(error instanceof MockError ? error.message : error);
}

type Read = {
  [Name in keyof MockOptions]-?: (typeof OPTIONS)[Name] extends { read(given: never): infer Value }
    ? Value
    : MockOptions[Name] | undefined;
};

/** Checked options, with defaults. */
export interface Settings extends Read {
  isFrozen: boolean;
  /** Start of the mock's clock, in milliseconds; undefined: now. */
  startMs: number | undefined;
}

const TEXTS: readonly string[] = 'host basePath profile defect variant clock startsAt seed'.split(' ');

/** Throws MockError for invalid options. */
export function readOptions(options: MockOptions): Settings {
  const names = Object.keys(OPTIONS);
  const unknownKey = Object.keys(options).find((name) => !names.includes(name));
  if (unknownKey)
    invalid(
      `"${unknownKey}" is not an option of startMock. ${nearestInWords(unknownKey, names)}Valid options are ${names.join(', ')}.`,
    );
  const read = Object.fromEntries(
    Object.entries<Row<never>>(OPTIONS).map(([name, { read: check }]) => {
      const given = options[name as keyof MockOptions];
      if (given === null) invalid(`The option ${name} is null. Give it a value, or leave it out.`);
      if (given !== undefined && TEXTS.includes(name) && typeof given !== 'string')
        invalid(`The option ${name} is ${String(given)}, which is not a text. Put it in quotes.`);
      return [name, check ? check(given as never) : given];
    }),
  ) as Read;
  const { seed, startsAt } = read;
  const isFrozen = read.clock === 'frozen';
  return {
    ...read,
    isFrozen,
    startMs: startsAt ?? (isFrozen && seed !== undefined ? Date.UTC(2030, 0, 1) : undefined),
  };
}
