/** One run of `mrs certify`: the client is examined, judged and reported. */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { outputFile } from '../../tests/client/report.ts';
import { printOf } from '../../tests/report/output.ts';
import { checkDirectory, clearReports, publish } from '../../tests/report/publish.ts';
import { several } from '../../tests/report/text.ts';
import { headerVariables, SECRET_VARIABLES } from '../../tests/server/probe/target.ts';
import { createTemporaryFolder } from '../../tests/support/files.ts';
import { createSecrets } from '../../tests/support/secrets.ts';
import { UsageError } from '../../tests/support/usage-error.ts';
import { interruption } from '../interruption.ts';
import { examine } from './examine.ts';
import { type Examined, examinationFile, reportOn } from './examined.ts';
import { listen } from './listen.ts';
import { type Aliases, checkPlaceholders, programClient, startProcessReaper } from './program.ts';
import {
  checkFeedOptions,
  readerScenarios,
  scenarios,
  selectScenarios,
  subjectUnder,
  withTokenLifetime,
} from './scenarios.ts';

/** Where the reports go, unless another directory is named. */
export const CERTIFY_REPORTS = 'reports/certify';

/** As they are given on the command line. */
interface CertifyOptions {
  listen?: true;
  port?: number;
  host?: string;
  env?: Aliases;
  scenario?: string[];
  processes: number;
  /** In seconds. */
  tokenLifetime?: number;
  /** In seconds, for one scenario. */
  deadline?: number;
  atOnce?: number;
  profile?: string;
  reportDir?: string;
  quiet?: true;
  format?: string;
  strict?: true;
}

/**
 * Examines the program that `command` starts, or with `listen` a client that the user starts; writes the reports and
 * prints a summary. Returns the exit code. Throws UsageError and MockError for what the user can correct.
 */
export async function certifyClient(command: readonly string[], options: CertifyOptions): Promise<number> {
  checkOptions(command, options);
  checkPlaceholders(command);
  const { profile, processes, host, port, tokenLifetime, deadline, atOnce } = options;
  const directory = options.reportDir ?? CERTIFY_REPORTS;
  const subject = await subjectUnder(profile);
  checkFeedOptions(subject, options);
  const chosen = selectScenarios(subject.scenarios, options.scenario);
  const startedAt = new Date();
  const begun = performance.now();
  const problems: string[] = [];
  const secrets = createSecrets();
  // They belong to another deployment and are not handed to the client, which may find them nevertheless.
  for (const name of [...SECRET_VARIABLES, ...headerVariables(process.env)])
    if (!name.endsWith('_FILE')) secrets.register(process.env[name] ?? '', name);
  const examination = {
    scenarios:
      tokenLifetime === undefined ? chosen : chosen.map((one) => withTokenLifetime(one, tokenLifetime)),
    processes,
    signal: interruption(),
    secrets,
    onFault: (error: unknown) =>
      void problems.push(`The mock failed inside: ${String((error as Error).message)}`),
    ...(profile !== undefined && { profile }),
  };
  /** Nothing that the user could correct is in the way any more. */
  const onReady = () => checkDirectory(directory);

  async function examineProgram() {
    const scratch = createTemporaryFolder('mrs-certify-');
    const reaper = startProcessReaper(scratch);
    try {
      onReady();
      using progress = createProgress(chosen.length, printOf(options) === 'text');
      return await examine({
        ...examination,
        start: programClient(command, options.env ?? {}, reaper),
        scratch,
        onScenarioEnd: progress.onScenarioEnd,
        ...(deadline !== undefined && { deadlineSeconds: deadline }),
        ...(atOnce !== undefined && { atOnce }),
      });
    } finally {
      reaper.close();
      rmSync(scratch, { recursive: true, force: true });
    }
  }

  const runs = options.listen
    ? await listen({ ...examination, host, port, say: (text) => console.error(text), onReady })
    : await examineProgram();
  const played = runs.map(({ traffic }) => traffic.name);
  const outputs = runs.map(({ traffic, output }) => ({ scenario: traffic.name, output }));
  const examined: Examined = {
    runs: runs.map(({ output: _, ...run }) => run),
    leftOut: subject.scenarios.map(({ name }) => name).filter((name) => !played.includes(name)),
    ...(subject.feed !== undefined && { feed: subject.feed }),
    outputs,
    strict: options.strict === true,
    client: { processes, ...(options.listen ? {} : { command: secrets.redact(command) }) },
    startedAt: startedAt.toISOString(),
    durationMs: Math.round(performance.now() - begun),
    problems,
  };
  clearOutput(directory);
  clearReports(directory);
  const printed = outputs.filter(({ output }) => output.trim() !== '');
  return publish(reportOn(examined), {
    directory,
    print: printOf(options),
    secrets,
    words: subject.scenarios.map(({ name, summary }) => `${name} ${summary}`).join(' '),
    evidence: examinationFile(secrets.redact(examined)),
    files: Object.fromEntries(printed.map(({ scenario, output }) => [outputFile(scenario), output])),
  });
}

/** With less, a token would be over before a client that reads once a second has used it. */
const SHORTEST_LIFETIME = 2;

/** Throws UsageError for a program together with --listen, for neither, and for an option of the other way. */
function checkOptions(command: readonly string[], options: CertifyOptions): void {
  const { listen: listens, port, host, atOnce, deadline, env = {}, tokenLifetime } = options;
  const ofListen = (port !== undefined && '--port') || (host !== undefined && '--host');
  const ofProgram =
    (atOnce !== undefined && '--at-once') ||
    (deadline !== undefined && '--deadline') ||
    (Object.keys(env).length > 0 && '--env');
  const refuse = (sentence: string) => {
    throw new UsageError(sentence);
  };
  if (tokenLifetime !== undefined && tokenLifetime < SHORTEST_LIFETIME)
    refuse(`--token-lifetime is ${tokenLifetime} s. Give ${SHORTEST_LIFETIME}s or more.`);
  if (!listens && ofListen)
    refuse(
      `${ofListen} requires --listen: a program gets a new mock in each scenario, and reads its address from MRS_BASE_URL.`,
    );
  if (!listens && command.length === 0)
    refuse(
      'Give the program to examine after --, as in: mrs certify -- node client.js. ' +
        'To start the client yourself, use --listen.',
    );
  if (listens && command.length > 0)
    refuse(
      'With --listen you start the client yourself: leave the program out, or leave --listen out to have it started.',
    );
  if (listens && ofProgram)
    refuse(`${ofProgram} is for a program after --: with --listen you start and stop the client.`);
}

/** Throws UsageError where the files with the client's output cannot be removed. */
function clearOutput(directory: string): void {
  try {
    for (const { name } of [...scenarios, ...readerScenarios])
      rmSync(join(directory, outputFile(name)), { force: true });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new UsageError(
      `What the client prints cannot be written to "${join(directory, 'output')}" (${code}). Name another directory by --report-dir.`,
    );
  }
}

/** Without a terminal, how often progress is reported. */
const EVERY_MS = 10_000;

/** Counts how many scenarios are over: on a terminal in one line, otherwise, of text, in a line now and then. */
function createProgress(total: number, isText: boolean): Disposable & { onScenarioEnd(): void } {
  let over = 0;
  const text = () => `${over} of ${total} scenarios are over`;
  const { isTTY } = process.stderr;
  const isSilent = isTTY || !isText;
  if (!isSilent) console.log(`Examining the client in ${several(total, 'scenario')}`);
  const timer = isSilent ? undefined : setInterval(() => console.log(text()), EVERY_MS);
  return {
    onScenarioEnd() {
      over++;
      if (isTTY) process.stderr.write(over === total ? '\r\u001b[K' : `\r\u001b[K${text()}`);
    },
    [Symbol.dispose]: () => clearInterval(timer),
  };
}
