/** Playwright's reporter of a run: joins the tests with the ledger, writes the report and sets the exit code. */

import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { FullResult, Reporter, TestCase, TestError, TestResult } from '@playwright/test/reporter';
import { createPublisher, type Publisher, reportSchema } from '../../report/publish.ts';
import { clearReports } from '../../report/report-directory.ts';
import { exitCodes } from '../../support/outcome.ts';
import { readProof } from '../../support/proof.ts';
import { ledger } from '../../support/requirements.ts';
import { runSecrets } from '../../support/secrets.ts';
import { leaveObservation, type Observation } from '../draft/observation.ts';
import { reportDir } from '../probe/target.ts';
import { applyBaseline, type Gate, readBaseline } from '../report/baseline.ts';
import { renderHtml } from '../report/html.ts';
import { renderJunit } from '../report/junit.ts';
import { buildReport, type Report, type TestVerdict } from '../report/report.ts';
import { renderSummary } from '../report/summary.ts';
import { renderReport } from '../report/terminal.ts';
import { firstLine, verdictOf } from '../report/test-verdict.ts';
import { declaredRequirements, readProfile } from '../support/declared.ts';
import type { Evidence } from '../support/evidence.ts';

export default class RequirementsReporter implements Reporter {
  private readonly verdicts: TestVerdict[] = [];
  private readonly problems: string[] = [];
  private exitCode = exitCodes.error;

  printsToStdio(): boolean {
    return true;
  }

  onBegin(): void {
    // Nobody may be there to read; the run goes on, and its exit code says what it found.
    process.stdout.on('error', () => {});
    process.stderr.on('error', () => {});
    clearReports(reportDir(process.env));
  }

  onTestEnd(test: TestCase, result: TestResult): void {
    const { problem, ...verdict } = verdictOf(test, result);
    this.verdicts.push(verdict);
    if (problem !== undefined) this.problems.push(problem);
  }

  onError(error: TestError): void {
    this.problems.push(firstLine(error));
  }

  async onEnd({ status }: FullResult): Promise<{ status: FullResult['status'] }> {
    if (status === 'interrupted' || status === 'timedout') this.problems.push(`The run was ${status}.`);
    const evidenceFile = process.env.MRS_EVIDENCE_FILE ?? '';
    if (existsSync(evidenceFile)) {
      const evidence = JSON.parse(readFileSync(evidenceFile, 'utf8'));
      const profile = readProfile();
      const rows = [...ledger, ...(profile ? declaredRequirements(profile) : [])];
      const report = buildReport(rows, evidence, this.verdicts, this.problems, readProof());
      this.exitCode = publishSafely(report, (publisher) => leaveOwnObservation(report, evidence, publisher));
    } else for (const problem of this.problems) console.error(runSecrets.redact(problem).slice(0, 500));
    writeFileSync(join(scratch(), 'exit-code'), String(this.exitCode));
    return { status: this.exitCode === 0 ? 'passed' : 'failed' };
  }

  /** Playwright itself knows only success and failure. */
  async onExit(): Promise<void> {
    if (process.env.MRS_SCRATCH_IS_OURS) rmSync(scratch(), { recursive: true, force: true });
    process.exit(this.exitCode);
  }
}

const scratch = () => process.env.MRS_SCRATCH ?? '';

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

/** Undefined where the run was not asked for a draft. */
type Observe = (publisher: Publisher) => Observation | undefined;

/** What the run saw of the open points, where MRS_DRAFT_PROFILE and MRS_QUESTIONS name the files for it. */
function leaveOwnObservation(
  report: Report,
  evidence: Evidence,
  publisher: Publisher,
): Observation | undefined {
  const { MRS_DRAFT_PROFILE: draft, MRS_QUESTIONS: questions, MRS_DRAFT_BUILDS_ON: buildsOn } = process.env;
  if (!draft || !questions || report.outcome === 'error') return undefined;
  return leaveObservation(report, evidence, { draft, questions, buildsOn }, publisher, readProfile());
}

/** What breaks down here would be swallowed by Playwright, and the verdicts with it. */
function publishSafely(report: Report, observe: Observe): number {
  try {
    return publish(report, observe);
  } catch (error) {
    console.error(
      `The reports could not be finished: ${runSecrets.redact(String((error as Error).message).slice(0, 300))}`,
    );
    return exitCodes.error;
  }
}

/** A baseline that was there at the start and is not any more shuts the gate, and takes no verdict with it. */
function applyOwnBaseline(report: Report, problems: string[]): Gate | undefined {
  const file = process.env.MRS_BASELINE;
  if (!file) return undefined;
  try {
    return applyBaseline(report, readBaseline(file), new Date().toISOString().slice(0, 10));
  } catch (error) {
    problems.push((error as Error).message);
    return undefined;
  }
}

/** Writes and prints the report, and says which exit code that makes. */
function publish(report: Report, observe: Observe): number {
  const directory = reportDir(process.env);
  const frame = withoutFindings(report);
  const publisher = createPublisher(
    runSecrets,
    renderHtml(frame) + renderJunit(frame) + renderSummary(frame),
  );
  const gate = applyOwnBaseline(report, publisher.problems);
  const observation = observe(publisher);
  const isObserved = observation !== undefined && process.env.MRS_OBSERVE !== undefined;
  if (isObserved) publisher.print(observation.text);
  else {
    if (observation) publisher.print(observation.inShort);
    publisher.print(renderReport(report, { color: process.stdout.isTTY && !process.env.NO_COLOR, gate }));
  }
  publisher.write(join(directory, 'report.schema.json'), reportSchema);
  publisher.write(join(directory, 'report.json'), `${JSON.stringify(report, null, 2)}\n`);
  publisher.write(join(directory, 'report.html'), renderHtml(report));
  publisher.write(join(directory, 'junit.xml'), renderJunit(report));
  publisher.write(join(directory, 'summary.md'), renderSummary(report));
  if (process.env.GITHUB_STEP_SUMMARY)
    publisher.append(process.env.GITHUB_STEP_SUMMARY, renderSummary(report));
  for (const problem of publisher.problems) console.error(problem);
  if (isObserved && publisher.problems.length === 0)
    return observation.draft.tooLittle ? exitCodes.incomplete : exitCodes.conformant;
  return publisher.problems.length > 0 ? exitCodes.error : (gate?.exitCode ?? exitCodes[report.outcome]);
}
