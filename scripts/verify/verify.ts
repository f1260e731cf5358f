/** `mrs verify`: judges a deployment, or the evidence of an earlier run. */
import type { Print } from '../../tests/report/output.ts';
import { clearReports } from '../../tests/report/publish.ts';
import type { DraftPaths } from '../../tests/server/draft/questions.ts';
import { judgeAll } from '../../tests/server/judge.ts';
import { reportDir } from '../../tests/server/probe/target.ts';
import type { Profile } from '../../tests/server/profile.ts';
import { readBaseline } from '../../tests/server/report/baseline.ts';
import { finishRun } from '../../tests/server/report/finish-run.ts';
import type { Evidence } from '../../tests/server/support/evidence.ts';
import { readForeignEvidence } from '../../tests/server/support/evidence-file.ts';
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
  const { profile, draft, observe, print = 'text' } = options;
  const directory = reportDir(env);
  clearReports(directory);
  using _interrupted = endOnSignal(print);
  let evidence: Evidence;
  try {
    evidence = await gatherEvidence(env, profile, print);
  } catch (error) {
    if (error instanceof UsageError) throw error;
    return nothingJudged(String((error as Error).message), print);
  }
  const redacted = withoutSecrets(profile);
  return finishRun(
    { evidence, profile: redacted, ...judgeAll(evidence, redacted) },
    { draft, observe, print, directory, baseline: env.MRS_BASELINE },
  );
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

function nothingJudged(why: string, print: Print): number {
  console.error(runSecrets.redact(why).slice(0, 500));
  if (print !== 'json') console.log('outcome: error (nothing was judged)');
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
  const baseline = env.MRS_BASELINE;
  if (baseline) readBaseline(baseline);
  const { evidence, profile, digest } = readForeignEvidence(file);
  const directory = reportDir(env);
  clearReports(directory, 'evidence.har'); // It may be what is judged, and is replaced only by a whole file.
  return finishRun(
    { evidence, profile, ...judgeAll(evidence, profile), judgedAgain: digest },
    { directory, baseline, print },
  );
}
