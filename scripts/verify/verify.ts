/** `mrs verify` and `mrs observe`: send the requests of a run to a deployment, and write what they show. */
import type { Print } from '../../tests/report/output.ts';
import {
  clearReports,
  createPublisher,
  endOf,
  frameOf,
  namesIn,
  publish,
} from '../../tests/report/publish.ts';
import type { Report } from '../../tests/report/report.ts';
import { type DraftPaths, leaveObservation } from '../../tests/server/draft/questions.ts';
import { judgeAll } from '../../tests/server/judge.ts';
import { reportDir } from '../../tests/server/probe/target.ts';
import type { Profile } from '../../tests/server/profile.ts';
import { applyBaseline, readBaseline } from '../../tests/server/report/baseline.ts';
import { type RunEnd, reportOf } from '../../tests/server/report/report.ts';
import type { Evidence } from '../../tests/server/support/evidence.ts';
import { fileOf } from '../../tests/server/support/evidence-file.ts';
import { runSecrets } from '../../tests/support/secrets.ts';
import { UsageError } from '../../tests/support/usage-error.ts';
import { exitCodes } from '../../tests/support/verdict.ts';
import { gatherEvidence, withoutSecrets } from './gather-evidence.ts';

/**
 * Removes the reports of an earlier run, and writes new ones. `profile`: what the deployment declares, if anything. Returns
 * the exit code: only a run that judged a deployment to its end ends with 1, and any fault of the run itself with 2. Throws
 * UsageError for a mistake in `env`.
 */
export async function verify(
  env: NodeJS.ProcessEnv,
  profile?: Profile,
  print: Print = 'text',
): Promise<number> {
  const directory = reportDir(env);
  clearReports(directory);
  return run(env, profile, print, (end) => {
    const problems: string[] = [];
    const report = gated(reportOf(end), env.MRS_BASELINE, problems);
    const content = fileOf(end.evidence, end.profile);
    const words = namesIn(content);
    const evidence = { name: 'evidence.har', content } as const;
    return publish(report, { directory, print, secrets: runSecrets, words, evidence, problems });
  });
}

/** The same requests; writes a draft of a profile, and questions. Returns 0 if they were written, 3 if too little was seen, or 2. */
export const observe = (
  env: NodeJS.ProcessEnv,
  profile: Profile | undefined,
  place: DraftPaths,
): Promise<number> =>
  run(env, profile, 'text', (end) => {
    const report = reportOf(end);
    if (report.outcome === 'error') return nothingJudged(report.problems.join(' '), 'text');
    const frame = `${frameOf(report)} ${namesIn(fileOf(end.evidence, end.profile))}`;
    const publisher = createPublisher(runSecrets, frame);
    const { isDrafted, text } = leaveObservation(report, end.evidence, place, publisher, end.profile);
    publisher.print(text);
    if (publisher.problems.length > 0) return endOf(report, publisher);
    return isDrafted ? exitCodes.conformant : exitCodes.incomplete;
  });

/** `leave` writes and prints what the run showed, and returns the exit code. */
async function run(
  env: NodeJS.ProcessEnv,
  profile: Profile | undefined,
  print: Print,
  leave: (end: RunEnd) => number,
): Promise<number> {
  using _interrupted = endOnSignal(print);
  let evidence: Evidence;
  try {
    evidence = await gatherEvidence(env, profile, print);
  } catch (error) {
    if (error instanceof UsageError) throw error;
    return nothingJudged(String((error as Error).message), print);
  }
  const redacted = withoutSecrets(profile);
  try {
    return leave({ evidence, profile: redacted, ...judgeAll(evidence, redacted) });
  } catch (error) {
    const why = `The reports could not be finished: ${String((error as Error).message).slice(0, 300)}`;
    return nothingJudged(why, print, 'the reports could not be finished');
  }
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
