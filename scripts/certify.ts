/** `mrs certify`: examines a client against the mock, clause by clause. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Command } from 'commander';
import { closest } from 'fastest-levenshtein';
import { certificateOf } from '../mocks/certificate/judge.ts';
import { type Scenario, scenarios } from '../mocks/certificate/scenarios.ts';
import { loadProfile } from '../mocks/profile.ts';
import { parseDuration } from '../tests/support/duration.ts';
import { exitCodes } from '../tests/support/report/report.ts';
import { clearReports } from '../tests/support/report/report-directory.ts';
import { createSecrets } from '../tests/support/secrets.ts';
import { reportDir } from '../tests/support/target.ts';
import { UsageError } from '../tests/support/usage-error.ts';
import { type Aliases, checkPlaceholders, readAlias } from './certificate/client-variables.ts';
import { type Examined, examine, type StartClient } from './certificate/examine.ts';
import { startGuardian } from './certificate/guardian.ts';
import { listOfExamination } from './certificate/list.ts';
import { programClient } from './certificate/program.ts';
import { buildReport, outputFile } from './certificate/report.ts';
import { renderCertificate } from './certificate/terminal.ts';
import { writeReports } from './certificate/writes.ts';

interface CertifyOptions {
  env?: Aliases;
  scenario?: string[];
  processes: number;
  deadline: number;
  atOnce?: number;
  profile?: string;
  reportDir?: string;
  strict?: true;
  list?: true;
}

export function certifyCommand(): Command {
  return new Command('certify')
    .summary('examine a client, clause by clause')
    .description(
      'Runs a client against the mock through the moments that matter, each with a mock of its own, and judges ' +
        'what it did by the clauses that bind clients. The client is any program that reads the data again and again; ' +
        'it is ended when enough was seen.',
    )
    .argument('[command...]', 'the program and its arguments, behind --')
    .passThroughOptions()
    .option(
      '--env <name=variable>',
      'how your client calls a variable, as URL=MRS_BASE_URL; repeatable',
      readAlias,
    )
    .option('--processes <number>', 'so many processes of the client share its id', count('--processes'), 1)
    .option('--deadline <duration>', 'for one scenario', (text) => parseDuration(text, '--deadline'), 30)
    .option('--at-once <number>', 'so many scenarios side by side (default: all)', count('--at-once'))
    .option('--scenario <name>', 'this one alone; repeatable', (name, before: string[] = []) => [
      ...before,
      name,
    ])
    .option('--profile <name|file>', 'what the mock declares; mrs profile list; also MRS_PROFILE')
    .option('--report-dir <directory>', 'where reports go (reports); also MRS_REPORT_DIR')
    .option('--strict', 'let warnings fail a client, too')
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

Exit codes: 0 conformant (warnings are told), 1 nonconformant, 2 error (the
command, or the examination itself), 3 incomplete: nothing is broken in what was
seen, and a clause could not be tried.`;

async function run(command: string[], options: CertifyOptions): Promise<void> {
  if (options.list) return console.log(listOfExamination());
  if (command.length === 0)
    throw new UsageError('Give the program to examine behind --, as in: mrs certify -- node client.js');
  checkPlaceholders(command);
  const scratch = mkdtempSync(join(tmpdir(), 'mrs-certify-'));
  const guardian = startGuardian();
  try {
    const start = programClient(command, options.env ?? {}, guardian);
    process.exitCode = await certify(start, command, scratch, options);
  } finally {
    guardian.close();
    rmSync(scratch, { recursive: true, force: true });
  }
}

async function certify(
  start: StartClient,
  command: readonly string[],
  scratch: string,
  { scenario = [], processes, deadline, atOnce, strict, ...options }: CertifyOptions,
): Promise<number> {
  const chosen = chosenScenarios(scenario);
  const directory = options.reportDir ?? reportDir(process.env);
  const profile = options.profile ?? process.env.MRS_PROFILE;
  if (profile !== undefined) await checkProfile(profile);
  clearReports(directory);
  for (const { name } of scenarios) rmSync(join(directory, outputFile(name)), { force: true });
  const startedAt = new Date();
  const begun = performance.now();
  const problems: string[] = [];
  const secrets = createSecrets();
  const interrupted = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
    process.once(signal, () => interrupted.abort());
  const examined = await examine({
    ...{
      start,
      scratch,
      processes,
      scenarios: chosen,
      deadlineSeconds: deadline,
      signal: interrupted.signal,
    },
    ...(atOnce !== undefined && { atOnce }),
    ...(profile !== undefined && { profile }),
    ...{ tell: progress(chosen.length), secrets },
    onFault: (error) => problems.push(`The mock failed inside: ${String((error as Error).message)}`),
  });
  const report = buildReport(certificateOf(examined), examined, {
    client: { command, processes },
    startedAt: startedAt.toISOString(),
    durationMs: Math.round(performance.now() - begun),
    problems,
  });
  const publisher = writeReports(report, directory, secrets);
  for (const { scene, output } of examined)
    if (output.trim() !== '') publisher.write(join(directory, outputFile(scene.name)), output);
  publisher.print(renderCertificate(report, { color: process.stdout.isTTY }));
  for (const problem of publisher.problems) console.error(problem);
  if (publisher.problems.length > 0) return exitCodes.error;
  const isStrict = strict && report.outcome === 'conformant' && report.counts.warned > 0;
  if (isStrict) console.error(`--strict: ${report.counts.warned} warned, so that the exit code is 1.`);
  return isStrict ? exitCodes.nonconformant : exitCodes[report.outcome];
}

function chosenScenarios(names: readonly string[]): readonly Scenario[] {
  const known = scenarios.map(({ name }) => name);
  const stranger = names.find((name) => !known.includes(name));
  if (stranger !== undefined)
    throw new UsageError(
      `There is no scenario "${stranger}". The nearest is "${closest(stranger, known)}"; mrs certify --list shows all.`,
    );
  return names.length === 0 ? scenarios : scenarios.filter(({ name }) => names.includes(name));
}

async function checkProfile(name: string): Promise<void> {
  const profile = await loadProfile(name);
  if (profile.notOffered.length > 0)
    throw new UsageError(
      `The profile ${profile.name} has no tokens, so that there is nothing to examine. Name another --profile.`,
    );
}

/** On a terminal, and not in what is kept of it. */
function progress(total: number): (played: Examined) => void {
  let over = 0;
  return () => {
    if (!process.stderr.isTTY) return;
    over++;
    process.stderr.write(over === total ? '\r\u001b[K' : `\r\u001b[K${over} of ${total} scenarios are over`);
  };
}

function count(option: string): (text: string) => number {
  return (text) => {
    if (/^[1-9]\d{0,2}$/.test(text)) return Number(text);
    throw new UsageError(`${option} is "${text}". Give a whole number from 1 to 999.`);
  };
}
