/** The end of a run of `mrs verify`: the report in all its forms, and the exit code. */
import type { Print } from '../../report/output.ts';
import {
  createPublisher,
  endOf,
  frameOf,
  namesIn,
  publish,
  withEvidence,
  writeReports,
} from '../../report/publish.ts';
import type { Report } from '../../report/report.ts';
import { runSecrets } from '../../support/secrets.ts';
import { exitCodes } from '../../support/verdict.ts';
import { type DraftPaths, leaveObservation } from '../draft/questions.ts';
import { fileOf } from '../support/evidence-file.ts';
import { applyBaseline, readBaseline } from './baseline.ts';
import { type RunEnd, reportOf } from './report.ts';

export interface Ending {
  /** Where to write the draft of a profile; absent where none is wanted. */
  draft?: DraftPaths | undefined;
  /** The draft is the purpose of the run: no report is printed. */
  observe?: boolean | undefined;
  /** How the report is printed; as text where nothing else is asked for. */
  print?: Print | undefined;
  /** Where the reports go. */
  directory: string;
  /** A file of accepted deviations. */
  baseline?: string | undefined;
}

/** Writes and prints the report. Never throws. */
export function finishRun(end: RunEnd, ending: Ending): number {
  try {
    return finish(end, ending);
  } catch (error) {
    const message = runSecrets.redact(String((error as Error).message).slice(0, 300));
    console.error(`The reports could not be finished: ${message}`);
    if (ending.print !== 'json') console.log('outcome: error (the reports could not be finished)');
    return exitCodes.error;
  }
}

function finish(end: RunEnd, { draft, observe, directory, baseline, print = 'text' }: Ending): number {
  const { evidence, profile } = end;
  const problems: string[] = [];
  const report = gated(reportOf(end), baseline, problems);
  const file = fileOf(evidence, profile);
  const words = namesIn(file);
  const kept = { name: 'evidence.har', content: file } as const;
  if (!draft || report.outcome === 'error')
    return publish(report, { directory, print, secrets: runSecrets, words, evidence: kept, problems });
  const publisher = createPublisher(runSecrets, `${frameOf(report)} ${words}`);
  const observation = leaveObservation(report, evidence, draft, publisher, profile);
  if (!observe) {
    if (print === 'text') publisher.print(observation.inShort);
    problems.push(...publisher.problems);
    return publish(report, { directory, print, secrets: runSecrets, words, evidence: kept, problems });
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
