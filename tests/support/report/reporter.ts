/** Playwright's reporter of a run: joins the tests with the ledger, writes the report and sets the exit code. */
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { FullResult, Reporter, TestCase, TestError, TestResult } from '@playwright/test/reporter';
import { declaredRequirements, readProfile } from '../declared.ts';
import { readProof } from '../proof.ts';
import { ledger } from '../requirements.ts';
import { runSecrets } from '../secrets.ts';
import { reportDir } from '../target.ts';
import { applyBaseline, type Gate, readBaseline } from './baseline.ts';
import { renderHtml } from './html.ts';
import { renderJunit } from './junit.ts';
import { createPublisher, reportSchema } from './publish.ts';
import { buildReport, exitCodes, type Report, type TestVerdict } from './report.ts';
import { clearReports } from './report-directory.ts';
import { renderSummary } from './summary.ts';
import { renderReport } from './terminal.ts';
import { firstLine, verdictOf } from './test-verdict.ts';

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
      this.exitCode = publishSafely(report);
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

/** What breaks down here would be swallowed by Playwright, and the verdicts with it. */
function publishSafely(report: Report): number {
  try {
    return publish(report);
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
function publish(report: Report): number {
  const directory = reportDir(process.env);
  const frame = withoutFindings(report);
  const publisher = createPublisher(
    runSecrets,
    renderHtml(frame) + renderJunit(frame) + renderSummary(frame),
  );
  const gate = applyOwnBaseline(report, publisher.problems);
  publisher.print(renderReport(report, { color: process.stdout.isTTY && !process.env.NO_COLOR, gate }));
  publisher.write(join(directory, 'report.schema.json'), reportSchema);
  publisher.write(join(directory, 'report.json'), `${JSON.stringify(report, null, 2)}\n`);
  publisher.write(join(directory, 'report.html'), renderHtml(report));
  publisher.write(join(directory, 'junit.xml'), renderJunit(report));
  publisher.write(join(directory, 'summary.md'), renderSummary(report));
  if (process.env.GITHUB_STEP_SUMMARY)
    publisher.append(process.env.GITHUB_STEP_SUMMARY, renderSummary(report));
  for (const problem of publisher.problems) console.error(problem);
  return publisher.problems.length > 0 ? exitCodes.error : (gate?.exitCode ?? exitCodes[report.outcome]);
}
