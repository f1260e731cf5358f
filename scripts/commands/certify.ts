/** `mrs certify`: examines a client against the mock, clause by clause. */
import { Command } from 'commander';
import { parseDuration } from '../../tests/support/duration.ts';
import { CERTIFY_REPORTS, certifyClient } from '../certify/certify-client.ts';
import { type Aliases, readAlias } from '../certify/program.ts';
import { listOfExamination, subjectUnder } from '../certify/scenarios.ts';
import { PROFILE_OPTION } from './deployment-options.ts';
import {
  addOptions,
  eachValue,
  FORMAT_OPTION,
  type OptionTable,
  type OptionValues,
  QUIET_OPTION,
  REPORT_DIR_OPTION,
  wholeNumber,
} from './options.ts';

const LISTEN = 'With --listen:';

export const CERTIFY_OPTIONS = {
  env: {
    flag: '--env <name=variable>',
    help: 'name under which the client expects a variable, as in URL=MRS_BASE_URL; repeat the flag for more',
    parse: (text: string, _name: string, before?: unknown): Aliases =>
      readAlias(text, before as Aliases | undefined),
  },
  scenario: {
    flag: '--scenario <name>',
    help: 'run only this scenario, which certifies no client; repeat the flag for more',
    parse: eachValue,
  },
  processes: {
    flag: '--processes <number>',
    help: 'number of client processes that share the id',
    default: '1',
    parse: wholeNumber(1, 999),
  },
  deadline: {
    flag: '--deadline <duration>',
    help: 'time limit for one scenario',
    defaultText: '30s, longer with --token-lifetime',
    parse: (text: string, name: string) => parseDuration(text, name),
  },
  tokenLifetime: {
    flag: '--token-lifetime <duration>',
    help: 'token lifetime that the client is configured with, where tokens expire',
    defaultText: '2s to 6s',
    parse: (text: string, name: string) => parseDuration(text, name),
  },
  atOnce: {
    flag: '--at-once <number>',
    help: 'number of scenarios to run in parallel',
    defaultText: 'all',
    parse: wholeNumber(1, 999),
  },
  profile: { ...PROFILE_OPTION, help: 'what the mock declares about the open points, see mrs profile list' },
  reportDir: { ...REPORT_DIR_OPTION, defaultText: CERTIFY_REPORTS },
  quiet: QUIET_OPTION,
  format: FORMAT_OPTION,
  strict: { flag: '--strict', help: 'fail a client with warnings' },
  list: { flag: '--list', help: 'list the scenarios and the rules, and exit' },
  listen: { flag: '--listen', help: 'wait for a client that you start yourself', group: LISTEN },
  port: {
    flag: '--port <number>',
    help: 'port of the first scenario, the next has the next port; 0 picks free ports',
    defaultText: '4010',
    parse: wholeNumber(0, 65_535, '; 0 picks free ports'),
    group: LISTEN,
  },
  host: { flag: '--host <address>', help: 'address to listen on', defaultText: '127.0.0.1', group: LISTEN },
} as const satisfies OptionTable;

export function certifyCommand(): Command {
  const command = new Command('certify')
    .description(
      'Runs a client against the mock through a set of scenarios, each with a mock of its own, and judges it by the ' +
        'clauses that bind clients. The client is any program that reads the data repeatedly; it is stopped when ' +
        'enough was seen. With --listen, you start the client yourself, with the settings of one scenario after the other. ' +
        'Under a profile without tokens, such as static-feed, it examines a program that reads a feed.',
    )
    .argument('[command...]', 'the program and its arguments, after --')
    .passThroughOptions();
  return addOptions(command, CERTIFY_OPTIONS).addHelpText('after', HELP).action(run);
}

const HELP = `
The client gets these environment variables: MRS_BASE_URL, MRS_DATA_URL (the URL
of the data), MRS_CLIENT_ID, MRS_CLIENT_SECRET, MRS_CLIENT_SECRET_FILE (a file
that holds the secret) and MRS_TOKEN_LIFETIME (in seconds). Arguments may contain
their names in braces, as in {MRS_BASE_URL}, except the secret.

A reader of a feed prints how many records it holds to standard output, after
each answer and each failure: {"records": 20}

Examples:
  mrs certify -- node client.js
  mrs certify --env API=MRS_BASE_URL -- python3 client.py --id {MRS_CLIENT_ID}
  mrs certify --token-lifetime 3m -- ./client
  mrs certify --listen --scenario expires --scenario ended-early
  mrs certify --profile static-feed -- python3 reader.py

Exit codes: 0 conformant (warnings are shown), 1 nonconformant, 2 error (an
invalid option, or the examination itself), 3 incomplete (no violation was seen,
but a clause could not be tried, or scenarios were left out).`;

async function run(
  command: string[],
  { list, ...options }: OptionValues<typeof CERTIFY_OPTIONS>,
): Promise<void> {
  if (list) return console.log(listOfExamination(await subjectUnder(options.profile)));
  process.exitCode = await certifyClient(command, options);
}
