/** `mrs verify` and `mrs observe`: judge a deployment, or the evidence of an earlier run, and write what comes of it. */
import type { Print } from '../../tests/report/output.ts';
import {
  clearReports,
  createPublisher,
  endOf,
  frameOf,
  namesIn,
  publish,
  withEvidence,
  writeReports,
} from '../../tests/report/publish.ts';
import type { Report } from '../../tests/report/report.ts';
import { type DraftPaths, leaveObservation } from '../../tests/server/draft/questions.ts';
import { judgeAll } from '../../tests/server/judge.ts';
import { reportDir } from '../../tests/server/probe/target.ts';
import type { Profile } from '../../tests/server/profile.ts';
import { applyBaseline, readBaseline } from '../../tests/server/report/baseline.ts';
import { type RunEnd, reportOf } from '../../tests/server/report/report.ts';
import type { Evidence } from '../../tests/server/support/evidence.ts';
import { fileOf, readForeignEvidence } from '../../tests/server/support/evidence-file.ts';
import { runSecrets } from '../../tests/support/secrets.ts';
import { UsageError } from '../../tests/support/usage-error.ts';
import { exitCodes } from '../../tests/support/verdict.ts';
import { gatherEvidence, withoutSecrets } from './gather-evidence.ts';

export interface VerifyOptions {
  /** What the deployment declares; undefined where that is nothing. */
  profile?: Profile | undefined;
  /** Where to write the draft of a profile; absent where none is wanted. */
  draft?: DraftPaths | undefined;
  /** The draft is the purpose of the run: no report is printed. */
  observe?: boolean | undefined;
  print?: Print | undefined;
}

/**
 * Removes the reports of an earlier run, and writes new ones. Returns the exit code. Only a run that judged a deployment
 * to its end ends with 1: any fault of the run itself ends with 2. Throws UsageError for a mistake in `env`.
 */
export async function verify(env: NodeJS.ProcessEnv, options: VerifyOptions): Promise<number> {
  const { profile, print = 'text' } = options;
  clearReports(reportDir(env));
  using _interrupted = endOnSignal(print);
  let evidence: Evidence;
  try {
    evidence = await gatherEvidence(env, profile, print);
  } catch (error) {
    if (error instanceof UsageError) throw error;
    return nothingJudged(String((error as Error).message), print);
  }
  const redacted = withoutSecrets(profile);
  return finish({ evidence, profile: redacted, ...judgeAll(evidence, redacted) }, env, options);
}

/** A run that a signal ends has judged nothing. */
function endOnSignal(print: Print): Disposable {
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
  const end = () => process.exit(nothingJudged('The run was interrupted.', print));
  for (const signal of signals) process.once(signal, end);
  return {
    [Symbol.dispose]: () => {
      for (const signal of signals) process.off(signal, end);
    },
  };
}

function nothingJudged(why: string, print: Print, what = 'nothing was judged'): number {
  console.error(runSecrets.redact(why).slice(0, 500));
  if (print !== 'json') console.log(`outcome: error (${what})`);
  return exitCodes.error;
}

/** What can be given together with --evidence: it changes no request. */
const COMBINES: readonly string[] = ['evidence', 'baseline', 'reportDir', 'quiet', 'format'];

/**
 * The exit code, by the outcome. `given` names the options on the command line. Throws UsageError for a file that
 * cannot be judged, and for an option of a run.
 */
export function judgeEvidence(
  file: string,
  given: readonly string[],
  env: NodeJS.ProcessEnv,
  print: Print,
): number {
  const stray = given.find((name) => !COMBINES.includes(name));
  if ('MRS_BASE_URL' in env)
    throw new UsageError(
      `--base-url (MRS_BASE_URL) names a deployment, and --evidence sends no request to any. Leave out --evidence to judge the deployment, or unset MRS_BASE_URL to judge ${file} again.`,
    );
  if (stray !== undefined) {
    const flag = `--${stray.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
    throw new UsageError(`${flag} is for a run, and --evidence sends no request. Leave one of them out.`);
  }
  if (env.MRS_BASELINE) readBaseline(env.MRS_BASELINE);
  const { evidence, profile, digest } = readForeignEvidence(file);
  clearReports(reportDir(env), 'evidence.har'); // It may be what is judged, and is replaced only by a whole file.
  return finish({ evidence, profile, ...judgeAll(evidence, profile), judgedAgain: digest }, env, { print });
}

/** Writes and prints the report in all its forms. Never throws. */
function finish(end: RunEnd, env: NodeJS.ProcessEnv, options: VerifyOptions): number {
  try {
    return leaveReports(end, env, options);
  } catch (error) {
    const why = `The reports could not be finished: ${String((error as Error).message).slice(0, 300)}`;
    return nothingJudged(why, options.print ?? 'text', 'the reports could not be finished');
  }
}

function leaveReports(
  end: RunEnd,
  env: NodeJS.ProcessEnv,
  { draft, observe, print = 'text' }: VerifyOptions,
): number {
  const { evidence, profile } = end;
  const problems: string[] = [];
  const report = gated(reportOf(end), env.MRS_BASELINE, problems);
  const file = fileOf(evidence, profile);
  const words = namesIn(file);
  const kept = { name: 'evidence.har', content: file } as const;
  const directory = reportDir(env);
  const all = { directory, print, secrets: runSecrets, words, evidence: kept, problems };
  if (!draft || report.outcome === 'error') return publish(report, all);
  const publisher = createPublisher(runSecrets, `${frameOf(report)} ${words}`);
  const observation = leaveObservation(report, evidence, draft, publisher, profile);
  if (!observe) {
    if (print === 'text') publisher.print(observation.inShort);
    problems.push(...publisher.problems);
    return publish(report, all);
  }
  const { report: whole, evidence: text } = withEvidence(report, kept);
  writeReports(whole, directory, publisher, { evidence: text });
  publisher.print(observation.text);
  if (publisher.problems.length > 0) return endOf(report, publisher);
  return observation.isDrafted ? exitCodes.conformant : exitCodes.incomplete;
}

/** A baseline that has become unreadable since the start closes the gate, and changes no verdict. */
function gated(report: Report, file: string | undefined, problems: string[]): Report {
  if (!file) return report;
  try {
    return applyBaseline(report, readBaseline(file), new Date().toISOString().slice(0, 10));
  } catch (error) {
    problems.push((error as Error).message);
    return report;
  }
}
