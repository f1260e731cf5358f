/** One run of `mrs certify`: the client is examined, judged and reported. */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { outputFile } from '../../tests/client/report.ts';
import { type Print, printOf } from '../../tests/report/output.ts';
import { checkDirectory, clearReports, publish } from '../../tests/report/publish.ts';
import { several } from '../../tests/report/text.ts';
import { headerVariables, SECRET_VARIABLES } from '../../tests/server/probe/target.ts';
import { createTemporaryFolder } from '../../tests/support/files.ts';
import { createSecrets } from '../../tests/support/secrets.ts';
import { UsageError } from '../../tests/support/usage-error.ts';
import { interruption } from '../interruption.ts';
import { type ClientRun, type ExamineOptions, examine } from './examine.ts';
import { EXAMINATION_FORMAT, EXAMINATION_VERSION, type Examined, reportOn } from './examined.ts';
import { checkMode, type ListenFlags, listen } from './listen.ts';
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
export interface CertifyOptions extends ListenFlags {
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

/** With less, a token would be over before a client that reads once a second has used it. */
const SHORTEST_LIFETIME = 2;

/**
 * Examines the program that `command` starts, or with `listen` a client that the user starts; writes the reports and
 * prints a summary. Returns the exit code. Throws UsageError and MockError for what the user can correct.
 */
export async function certifyClient(command: readonly string[], options: CertifyOptions): Promise<number> {
  const { tokenLifetime = SHORTEST_LIFETIME } = options;
  if (tokenLifetime < SHORTEST_LIFETIME)
    throw new UsageError(`--token-lifetime is ${tokenLifetime} s. Give ${SHORTEST_LIFETIME}s or more.`);
  checkMode(command, options);
  checkPlaceholders(command);
  const { profile, processes, host, port } = options;
  const directory = options.reportDir ?? CERTIFY_REPORTS;
  const subject = await subjectUnder(profile);
  checkFeedOptions(subject, options);
  const chosen = selectScenarios(subject.scenarios, options.scenario);
  const startedAt = new Date();
  const begun = performance.now();
  const problems: string[] = [];
  const secrets = createSecrets();
  // They belong to another deployment and are not handed to the client, which may find them nevertheless.
  for (const name of [...SECRET_VARIABLES, ...headerVariables(process.env)].filter(
    (one) => !one.endsWith('_FILE'),
  ))
    secrets.register(process.env[name] ?? '', name);
  const examination: Examination = {
    scenarios:
      options.tokenLifetime === undefined
        ? chosen
        : chosen.map((one) => withTokenLifetime(one, tokenLifetime)),
    processes,
    signal: interruption(),
    secrets,
    onFault: (error) => problems.push(`The mock failed inside: ${String((error as Error).message)}`),
    ...(profile !== undefined && { profile }),
  };
  const onReady = () => checkDirectory(directory);
  const say = (text: string) => console.error(text);
  const runs = options.listen
    ? await listen({ ...examination, host, port, say, onReady })
    : await examineProgram(command, options, examination, onReady);
  const leftOut = namesWithout(
    subject.scenarios,
    runs.map(({ traffic }) => traffic),
  );
  const examined: Examined = {
    runs: runs.map(({ traffic, summary, state }) => ({ traffic, summary, state })),
    leftOut,
    ...(subject.feed !== undefined && { feed: subject.feed }),
    outputs: runs.map(outputOf),
    strict: options.strict === true,
    client: { processes, ...(options.listen ? {} : { command: secrets.redact(command) }) },
    startedAt: startedAt.toISOString(),
    durationMs: Math.round(performance.now() - begun),
    problems,
  };
  clearOutput(directory);
  clearReports(directory);
  const printed = runs.filter(({ output }) => output.trim() !== '');
  return publish(reportOn(examined), {
    directory,
    print: printOf(options),
    secrets,
    words: subject.scenarios.map(({ name, summary }) => `${name} ${summary}`).join(' '),
    evidence: {
      name: 'evidence.json',
      content: { format: EXAMINATION_FORMAT, version: EXAMINATION_VERSION, ...secrets.redact(examined) },
    },
    files: Object.fromEntries(printed.map(({ traffic, output }) => [outputFile(traffic.name), output])),
  });
}

type Examination = Omit<ExamineOptions, 'start' | 'scratch'>;

/** `onReady`: nothing that the user could correct is in the way any more. */
async function examineProgram(
  command: readonly string[],
  options: CertifyOptions,
  examination: Examination,
  onReady: () => void,
): Promise<ClientRun[]> {
  const scratch = createTemporaryFolder('mrs-certify-');
  const reaper = startProcessReaper(scratch);
  try {
    onReady();
    using progress = createProgress(examination.scenarios.length, printOf(options));
    return await examine({
      ...examination,
      start: programClient(command, options.env ?? {}, reaper),
      scratch,
      onScenarioEnd: progress.onScenarioEnd,
      ...(options.deadline !== undefined && { deadlineSeconds: options.deadline }),
      ...(options.atOnce !== undefined && { atOnce: options.atOnce }),
    });
  } finally {
    reaper.close();
    rmSync(scratch, { recursive: true, force: true });
  }
}

/** Names of those that are not among the others. */
const namesWithout = (all: readonly { name: string }[], others: readonly { name: string }[]): string[] =>
  all.map(({ name }) => name).filter((name) => !others.some((one) => one.name === name));

const outputOf = ({ traffic, output }: ClientRun) => ({ scenario: traffic.name, output });

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

/** Counts how many scenarios are over: on a terminal in one line, otherwise in a line now and then. */
function createProgress(total: number, print: Print): Disposable & { onScenarioEnd(): void } {
  let over = 0;
  const text = () => `${over} of ${total} scenarios are over`;
  const { isTTY } = process.stderr;
  const isSilent = isTTY || print !== 'text';
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
