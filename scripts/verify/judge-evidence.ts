/** `mrs verify --evidence FILE`: judges the evidence of an earlier run again. No request is sent. */
import type { Print } from '../../tests/report/output.ts';
import { clearReports } from '../../tests/report/report-directory.ts';
import { judgeAll } from '../../tests/server/judge.ts';
import { reportDir } from '../../tests/server/probe/target.ts';
import { readBaseline } from '../../tests/server/report/baseline.ts';
import { finishRun } from '../../tests/server/run/finish-run.ts';
import { readForeignEvidence } from '../../tests/server/support/evidence-file.ts';
import { UsageError } from '../../tests/support/usage-error.ts';

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
  clearReports(directory, 'evidence.json'); // It may be what is judged, and is replaced only by a whole file.
  const judgedAgain = { evidence: digest };
  return finishRun({
    evidence,
    profile,
    ...judgeAll(evidence, profile),
    directory,
    baseline,
    print,
    judgedAgain,
  });
}
