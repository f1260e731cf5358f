/** `mrs certify`: examines a client against the mock, clause by clause. */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Command } from 'commander';
import { closest } from 'fastest-levenshtein';
import { loadProfile } from '../../mocks/contract/profile.ts';
import { certificateOf } from '../../tests/client/judge.ts';
import { buildReport, outputFile } from '../../tests/client/report/report.ts';
import { renderCertificate } from '../../tests/client/report/terminal.ts';
import { writeReports } from '../../tests/client/report/write-reports.ts';
import { type Scenario, scenarios } from '../../tests/client/scenarios.ts';
import { clearReports } from '../../tests/report/report-directory.ts';
import { reportDir } from '../../tests/server/probe/target.ts';
import { parseDuration } from '../../tests/support/duration.ts';
import { exitCodes } from '../../tests/support/outcome.ts';
import { createSecrets, type Secrets } from '../../tests/support/secrets.ts';
import { UsageError } from '../../tests/support/usage-error.ts';
import { type Aliases, checkPlaceholders, readAlias } from '../certify/client-variables.ts';
import { type Examined, examine, type StartClient } from '../certify/examine.ts';
import { listOfExamination } from '../certify/list.ts';
import { checkMode, type ListenOptions, readPort } from '../certify/listen/listen-options.ts';
import { listenRun } from '../certify/listen/listen-run.ts';
import { startGuardian } from '../certify/process-reaper.ts';
import { programClient } from '../certify/program.ts';

interface CertifyOptions extends ListenOptions {
  env?: Aliases;
  scenario?: string[];
  processes: number;
  deadline?: number;
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

async function run(command: string[], options: CertifyOptions): Promise<void> {
  if (options.list) return console.log(listOfExamination());
  checkMode(command, options);
  if (options.listen) {
    process.exitCode = await certify(listenFor(options), options);
    return;
  }
  checkPlaceholders(command);
  const scratch = mkdtempSync(join(tmpdir(), 'mrs-certify-'));
  const guardian = startGuardian(scratch);
  try {
    const start = programClient(command, options.env ?? {}, guardian);
    process.exitCode = await certify(startFor(start, scratch, options), options, command);
  } finally {
    guardian.close();
    rmSync(scratch, { recursive: true, force: true });
  }
}

/** Leads a client through the scenarios. */
type Lead = (run: LeadOptions) => Promise<Examined[]>;

interface LeadOptions {
  scenarios: readonly Scenario[];
  profile?: string;
  signal: AbortSignal;
  onFault(error: unknown): void;
  /** Of what must be in no report. */
  secrets: Secrets;
  /** To be called when nothing that the user could put right is in the way any more. */
  onReady(): void;
}

const startFor =
  (start: StartClient, scratch: string, { processes, deadline, atOnce }: CertifyOptions): Lead =>
  ({ onReady, ...run }) => {
    onReady();
    return examine({
      ...{ ...run, start, scratch, processes, tell: progress(run.scenarios.length) },
      ...(deadline !== undefined && { deadlineSeconds: deadline }),
      ...(atOnce !== undefined && { atOnce }),
    });
  };

const listenFor =
  (options: CertifyOptions): Lead =>
  async ({ secrets, ...run }) => {
    const { port = 4010, host = '127.0.0.1', client = 'demo', tokenLifetime, processes, deadline } = options;
    const played = await listenRun({
      ...{ ...run, scenarios: run.scenarios.filter(({ secretEnd }) => secretEnd === undefined) }, // its secret stays
      ...{ port, host, client, processes, agreedSeconds: tokenLifetime ?? 60 },
      ...(deadline !== undefined && { deadlineSeconds: deadline }),
      onSecret: secrets.register,
    });
    return played.map((one) => ({ ...one, output: '' }));
  };

async function certify(lead: Lead, options: CertifyOptions, command?: readonly string[]): Promise<number> {
  const { scenario, processes, strict } = options;
  const directory = options.reportDir ?? reportDir(process.env);
  const profile = options.profile ?? process.env.MRS_PROFILE;
  const chosen = chosenScenarios(scenario);
  if (profile !== undefined) await checkProfile(profile);
  const startedAt = new Date();
  const begun = performance.now();
  const problems: string[] = [];
  const secrets = createSecrets();
  // Of another deployment, and not handed to the client, which may find them all the same.
  for (const name of ['MRS_CLIENT_SECRET', 'MRS_EXPIRED_TOKEN', 'MRS_MOCK_CONTROL_KEY'])
    secrets.register(process.env[name] ?? '', name);
  const interrupted = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
    process.once(signal, () => {
      interrupted.abort();
      process.once(signal, () => process.exit(130));
    });
  const examined = await lead({
    ...{ scenarios: chosen, signal: interrupted.signal, secrets },
    ...(profile !== undefined && { profile }),
    onFault: (error) => problems.push(`The mock failed inside: ${String((error as Error).message)}`),
    onReady() {
      clearReports(directory);
      clearOutput(directory);
    },
  });
  const report = buildReport(certificateOf(examined), examined, {
    client: { ...(command && { command: secrets.redact(command) }), processes },
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

/** Throws UsageError where something else is in the place of what a client printed. */
function clearOutput(directory: string): void {
  try {
    for (const { name } of scenarios) rmSync(join(directory, outputFile(name)), { force: true });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new UsageError(
      `What the client prints cannot be written to "${join(directory, 'output')}" (${code}). Name another directory by --report-dir.`,
    );
  }
}

function chosenScenarios(names: readonly string[] = []): readonly Scenario[] {
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
