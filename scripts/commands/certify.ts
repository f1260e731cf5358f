/** `mrs certify`: examines a client against the mock, clause by clause. */
import { Command } from 'commander';
import { parseDuration } from '../../tests/support/duration.ts';
import { UsageError } from '../../tests/support/usage-error.ts';
import { type CertifyOptions, certifyClient } from '../certify/certify-client.ts';
import { readAlias } from '../certify/client-variables.ts';
import { listOfExamination } from '../certify/list.ts';
import { readPort } from '../certify/listen/listen-options.ts';

export function certifyCommand(): Command {
  return new Command('certify')
    .summary('examine a client, clause by clause')
    .description(
      'Runs a client against the mock through the moments that matter, each with a mock of its own, and judges ' +
        'what it did by the clauses that bind clients. The client is any program that reads the data again and again; ' +
        'it is ended when enough was seen. With --listen it is one that you start yourself: one mock, and one moment after ' +
        'the other.',
    )
    .argument('[command...]', 'the program and its arguments, behind --')
    .passThroughOptions()
    .option(
      '--env <name=variable>',
      'how your client calls a variable, as URL=MRS_BASE_URL; repeatable',
      readAlias,
    )
    .option('--processes <number>', 'so many processes of the client share its id', count('--processes'), 1)
    .option('--deadline <duration>', 'for one scenario (default: 30s; with --listen none)', (text) =>
      parseDuration(text, '--deadline'),
    )
    .option('--at-once <number>', 'so many scenarios side by side (default: all)', count('--at-once'))
    .option('--scenario <name>', 'this one alone; repeatable', (name, before: string[] = []) => [
      ...before,
      name,
    ])
    .option('--profile <name|file>', 'what the mock declares; mrs profile list; also MRS_PROFILE')
    .option('--report-dir <directory>', 'where reports go (reports); also MRS_REPORT_DIR')
    .option('--strict', 'let warnings fail a client, too')
    .option('--listen', 'wait for a client that somebody else starts')
    .option('--port <number>', 'port to listen on; 0 takes any free one (default: 4010)', readPort)
    .option('--host <address>', 'address to listen on (default: 127.0.0.1)')
    .option('--client <id>', 'id of the client that comes (default: demo)')
    .option(
      '--token-lifetime <duration>',
      "what that client is told of its tokens' life (default: 60s)",
      (text) => parseDuration(text, '--token-lifetime'),
    )
    .option('--list', 'print the scenarios and what is examined, and exit')
    .addHelpText('after', HELP)
    .action(run);
}

const HELP = `
The client finds in its environment MRS_BASE_URL, MRS_CLIENT_ID,
MRS_CLIENT_SECRET, MRS_CLIENT_SECRET_FILE (a file that holds the secret) and
MRS_TOKEN_LIFETIME (seconds, as agreed with the operator). Arguments may hold
these names in braces, as {MRS_BASE_URL}; all but the secret.

Examples:
  mrs certify -- node client.js
  mrs certify --env API=MRS_BASE_URL -- python3 client.py --id {MRS_CLIENT_ID}
  mrs certify --listen --token-lifetime 20s

Exit codes: 0 conformant (warnings are told), 1 nonconformant, 2 error (the
command, or the examination itself), 3 incomplete: nothing is broken in what was
seen, and a clause could not be tried.`;

async function run(command: string[], options: CertifyOptions & { list?: true }): Promise<void> {
  if (options.list) return console.log(listOfExamination());
  process.exitCode = await certifyClient(command, options);
}

function count(option: string): (text: string) => number {
  return (text) => {
    if (/^[1-9]\d{0,2}$/.test(text)) return Number(text);
    throw new UsageError(`${option} is "${text}". Give a whole number from 1 to 999.`);
  };
}
