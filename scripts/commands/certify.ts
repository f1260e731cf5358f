/** `mrs certify`: examines a client against the mock, clause by clause. */

import { rmSync } from 'node:fs';
import { Command } from 'commander';
import { type Examination, outputFile, reportOf } from '../../tests/client/report.ts';
import { clearReports, publish } from '../../tests/report/publish.ts';
import { printOf } from '../../tests/report/terminal.ts';
import { inOneLine } from '../../tests/report/text.ts';
import { DEPLOYMENT_OPTIONS, variablesOf } from '../../tests/server/probe/options.ts';
import { headerVariables } from '../../tests/server/probe/target.ts';
import { interruption } from '../../tests/support/clock.ts';
import { createTemporaryFolder } from '../../tests/support/files.ts';
import {
  eachValue,
  type OptionTable,
  type OptionValues,
  wholeNumber,
} from '../../tests/support/option-table.ts';
import { parseDuration } from '../../tests/support/options.ts';
import { createSecrets } from '../../tests/support/secrets.ts';
import { UsageError } from '../../tests/support/usage-error.ts';
import { examinationFile } from '../certify/examination-file.ts';
import { examine } from '../certify/examine.ts';
import { programClient, startProcessReaper } from '../certify/program.ts';
import {
  chosenScenarios,
  scenarios as clientScenarios,
  listOfExamination,
  readerScenarios,
  subjectUnder,
} from '../certify/scenarios.ts';
import { addOptions, FORMAT_OPTION, QUIET_OPTION, REPORT_DIR_OPTION } from './options.ts';

/** With less, a token would be over before a client that reads once a second has used it. In seconds. */
const SHORTEST_LIFETIME = 2;

export const CERTIFY_OPTIONS = {
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
    parse: parseDuration,
  },
  tokenLifetime: {
    flag: '--token-lifetime <duration>',
    help: 'token lifetime that the client is configured with, where tokens expire',
    defaultText: '2s to 6s',
    parse: parseLifetime,
  },
  atOnce: {
    flag: '--at-once <number>',
    help: 'number of scenarios to run in parallel',
    defaultText: 'all',
    parse: wholeNumber(1, 999),
  },
  profile: {
    ...DEPLOYMENT_OPTIONS.profile,
    help: 'what the mock declares about the open points, see mrs profile list',
  },
  reportDir: { ...REPORT_DIR_OPTION, default: 'reports/certify' },
  quiet: QUIET_OPTION,
  format: FORMAT_OPTION,
  strict: { flag: '--strict', help: 'fail a client with warnings' },
  list: { flag: '--list', help: 'list the scenarios and the rules, and exit' },
} as const satisfies OptionTable;

export function certifyCommand(): Command {
  const command = new Command('certify')
    .description(
      'Runs a client against the mock through a set of scenarios, each with a mock of its own, and judges it by the ' +
        'clauses that bind clients. The client is any program that reads the data repeatedly; it is stopped when ' +
        'enough was seen. Under a profile without tokens, such as static-feed, it examines a program that reads a feed.',
    )
    .argument('[command...]', 'the program and its arguments, after --')
    .passThroughOptions();
  return addOptions(command, CERTIFY_OPTIONS).addHelpText('after', HELP).action(run);
}

const HELP = `
The client gets these environment variables: MRS_BASE_URL, MRS_DATA_URL (the URL
of the data), MRS_CLIENT_ID, MRS_CLIENT_SECRET, MRS_CLIENT_SECRET_FILE (a file
that holds the secret) and MRS_TOKEN_LIFETIME (in seconds). A shell gives them
other names, or passes them as arguments.

A reader of a feed prints how many records it holds to standard output, after
each answer and each failure: {"records": 20}

Examples:
  mrs certify -- node client.js
  mrs certify -- sh -c 'API=$MRS_BASE_URL exec ./client --id "$MRS_CLIENT_ID"'
  mrs certify --token-lifetime 3m -- ./client
  mrs certify --profile static-feed -- python3 reader.py

Exit codes: 0 conformant (warnings are shown), 1 nonconformant, 2 error (an
invalid option, or the examination itself), 3 incomplete (no violation was seen,
but a clause could not be tried, or scenarios were left out).`;

/** Throws UsageError for a lifetime that is too short. */
function parseLifetime(text: string, name: string): number {
  const seconds = parseDuration(text, name);
  if (seconds < SHORTEST_LIFETIME)
    throw new UsageError(`${name} is ${seconds} s. Give ${SHORTEST_LIFETIME}s or more.`);
  return seconds;
}

type CertifyOptions = OptionValues<typeof CERTIFY_OPTIONS>;

/**
 * Examines the program that `command` starts; writes the reports and prints a summary. Throws UsageError and MockError
 * for what the user can correct.
 */
async function run(command: string[], options: CertifyOptions): Promise<void> {
  const { processes, profile, reportDir: directory, list } = options;
  const outputsBefore = [...clientScenarios, ...readerScenarios].map(({ name }) => outputFile(name));
  if (!list) clearReports(directory, outputsBefore);
  const subject = await subjectUnder(profile);
  if (list) return console.log(listOfExamination(subject));
  if (command.length === 0)
    throw new UsageError(
      'Give the program to examine after --, as in: mrs certify -- node client.js. For a client that it cannot start, ' +
        'run mrs mock, and read GET /__mock/certificate?client=ID of it.',
    );
  const scenarios = chosenScenarios(subject, options.scenario, options.tokenLifetime, processes);
  const startedAt = new Date();
  const begun = performance.now();
  const problems: string[] = [];
  const secrets = createSecrets();
  // They belong to another deployment and are not handed to the client, which may find them nevertheless.
  for (const name of [...variablesOf(({ isSecret }) => isSecret), ...headerVariables(process.env)])
    if (!name.endsWith('_FILE')) secrets.register(process.env[name] ?? '', name);
  const scratch = createTemporaryFolder('mrs-certify-');
  const reaper = startProcessReaper(scratch);
  const isText = printOf(options) === 'text';
  if (isText)
    console.log(
      `Examining the client, ${scenarios.length} of ${subject.scenarios.length} scenarios` +
        (profile === undefined ? '' : `, under --profile (MRS_PROFILE) ${inOneLine(profile)}`),
    );
  const runs = await examine({
    start: programClient(command, reaper),
    ...{ scenarios, processes, profile, scratch, secrets, signal: interruption() },
    ...{ deadlineSeconds: options.deadline, atOnce: options.atOnce },
    onFault: (error) => problems.push(`The mock failed inside: ${String((error as Error).message)}`),
  }).finally(() => {
    reaper.close();
    rmSync(scratch, { recursive: true, force: true });
  });
  const played = new Set(runs.map(({ traffic }) => traffic.name));
  const outputs = runs.map(({ traffic, output }) => ({ scenario: traffic.name, output }));
  const examination: Examination = secrets.redact({
    runs: runs.map(({ output: _, ...one }) => one),
    leftOut: subject.scenarios.map(({ name }) => name).filter((name) => !played.has(name)),
    ...(subject.feed !== undefined && { feed: subject.feed }),
    ...(subject.hasTokens && { hasTokens: true }),
    outputs,
    strict: options.strict === true,
    client: { processes, command },
    ...(profile !== undefined && { profile }),
    startedAt: startedAt.toISOString(),
    durationMs: Math.round(performance.now() - begun),
    problems,
  });
  const printed = outputs.filter(({ output }) => output.trim() !== '');
  process.exitCode = publish(reportOf(examination), {
    directory,
    print: printOf(options),
    secrets,
    evidence: examinationFile(examination),
    files: Object.fromEntries(printed.map(({ scenario, output }) => [outputFile(scenario), output])),
  });
}
