/** The end of a run: the report in all its forms, and the exit code. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { usesColor } from '../../report/color.ts';
import { outputOf, type Print } from '../../report/output.ts';
import { createPublisher, namesIn } from '../../report/publish.ts';
import { several } from '../../report/text.ts';
import { frameOf, writeReports } from '../../report/write.ts';
import { readProof } from '../../support/proof.ts';
import { ledger } from '../../support/requirements.ts';
import { runSecrets } from '../../support/secrets.ts';
import { exitCodes } from '../../support/verdict.ts';
import { type DraftPaths, leaveObservation, type Observation } from '../draft/questions.ts';
import type { Judged } from '../judge.ts';
import { declaredRequirements } from '../support/declared.ts';
import { fileOf, type ReadEvidence, writeEvidence } from '../support/evidence-file.ts';
import { applyBaseline, type Gate, readBaseline } from './baseline.ts';
import { explain } from './explain.ts';
import { modelOf } from './model.ts';
import { buildReport, type Report, reportSchema } from './report.ts';
import { renderGate, renderReport } from './terminal.ts';

export interface RunEnd extends ReadEvidence, Judged {
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
  /** The digest of the evidence, where no request was sent for it. */
  judgedAgain?: Report['judgedAgain'];
}

/** Writes and prints the report. Never throws. */
export function finishRun(end: RunEnd): number {
  const { evidence, profile, verdicts, problems, judgedAgain } = end;
  try {
    const rows = [...ledger, ...(profile ? declaredRequirements(profile) : [])];
    const proof = readProof();
    const more = { ...(proof && { proof }), ...(judgedAgain && { judgedAgain }) };
    return publish(explain(buildReport(rows, evidence, verdicts, problems, more)), end);
  } catch (error) {
    const message = runSecrets.redact(String((error as Error).message).slice(0, 300));
    console.error(`The reports could not be finished: ${message}`);
    if (end.print !== 'json') console.log('outcome: error (the reports could not be finished)');
    return exitCodes.error;
  }
}

function publish(judged: Report, end: RunEnd): number {
  const { evidence, profile, draft, observe, directory, baseline, print = 'text' } = end;
  const frame = [frameOf(reportSchema, modelOf(withoutFindings(judged))), namesIn(fileOf(evidence))].join(
    ' ',
  );
  const publisher = createPublisher(runSecrets, frame);
  const gate = gateOf(judged, baseline, publisher.problems);
  const report = gate ? { ...judged, baseline: gate } : judged;
  const observation: Observation | undefined =
    draft && report.outcome !== 'error'
      ? leaveObservation(report, evidence, draft, publisher, profile)
      : undefined;
  const isObserved = observation !== undefined && observe === true;
  const model = modelOf(report);
  writeReports({ report, schema: reportSchema, model }, directory, publisher);
  publisher.write(join(directory, 'evidence.json'), writeEvidence(evidence, profile));
  if (isObserved) publisher.print(observation.text);
  else {
    if (observation && print === 'text') publisher.print(observation.inShort);
    const file = join(directory, 'report.html');
    const page = existsSync(file) ? file : undefined;
    const color = usesColor(process.stdout, process.env);
    const text = renderReport(report, { color, page });
    if (gate && print === 'quiet') publisher.print(renderGate(gate).join('\n'));
    publisher.print(outputOf({ report, model, text, page }, print, color));
  }
  for (const problem of publisher.problems) console.error(problem);
  // The last line has a stable form, and must not say more than the exit code.
  if (publisher.problems.length > 0)
    console.log(`outcome: error (${several(publisher.problems.length, 'problem')} with the reports)`);
  if (isObserved && publisher.problems.length === 0)
    return observation.isDrafted ? exitCodes.conformant : exitCodes.incomplete;
  return publisher.problems.length > 0 ? exitCodes.error : exitCodes[gate?.outcome ?? report.outcome];
}

/** The report with nothing in it that a deployment could have said. */
function withoutFindings(report: Report): Report {
  return {
    ...report,
    requirements: report.requirements.map((one) => ({ ...one, evidence: { seen: '', exchanges: [] } })),
    openPoints: report.openPoints.map((one) => ({ ...one, observed: null })),
    problems: [],
    exchanges: [],
  };
}

/** A baseline that has become unreadable since the start closes the gate, and changes no verdict. */
function gateOf(report: Report, file: string | undefined, problems: string[]): Gate | undefined {
  if (!file) return undefined;
  try {
    return applyBaseline(report, readBaseline(file), new Date().toISOString().slice(0, 10));
  } catch (error) {
    problems.push((error as Error).message);
    return undefined;
  }
}
