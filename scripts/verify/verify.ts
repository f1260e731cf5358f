/** `mrs verify` and `mrs observe`: send the requests of a run to a deployment, and write what comes of it. */
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
export const verify = (env: NodeJS.ProcessEnv, profile?: Profile, print: Print = 'text'): Promise<number> =>
  run(env, profile, print, (report, kept) => {
    const problems: string[] = [];
    return publish(gated(report, env.MRS_BASELINE, problems), { ...kept, print, problems });
  });

/** The same, with a draft as its purpose, and no report printed. Returns 0 if it was written, and 3 if too little was seen. */
export const observe = (
  env: NodeJS.ProcessEnv,
  profile: Profile | undefined,
  draft: DraftPaths,
): Promise<number> =>
  run(env, profile, 'text', (report, kept, end) => {
    if (report.outcome === 'error') return publish(report, { ...kept, print: 'text' });
    const publisher = createPublisher(runSecrets, `${frameOf(report)} ${kept.words}`);
    const observation = leaveObservation(report, end.evidence, draft, publisher, end.profile);
    const { report: whole, evidence } = withEvidence(report, kept.evidence);
    writeReports(whole, kept.directory, publisher, { evidence });
    publisher.print(observation.text);
    if (publisher.problems.length > 0) return endOf(report, publisher);
    return observation.isDrafted ? exitCodes.conformant : exitCodes.incomplete;
  });

/** `leave` writes and prints the report, and returns the exit code. */
async function run(
  env: NodeJS.ProcessEnv,
  profile: Profile | undefined,
  print: Print,
  leave: (report: Report, kept: ReturnType<typeof keptOf>, end: RunEnd) => number,
): Promise<number> {
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
  const end = { evidence, profile: redacted, ...judgeAll(evidence, redacted) };
  try {
    return leave(reportOf(end), keptOf(end, directory), end);
  } catch (error) {
    const why = `The reports could not be finished: ${String((error as Error).message).slice(0, 300)}`;
    return nothingJudged(why, print, 'the reports could not be finished');
  }
}

/** What goes into the directory besides the report, and must not hold a secret either. */
function keptOf({ evidence, profile }: RunEnd, directory: string) {
  const content = fileOf(evidence, profile);
  const words = namesIn(content);
  return { directory, words, secrets: runSecrets, evidence: { name: 'evidence.har', content } } as const;
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
