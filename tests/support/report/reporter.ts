/** Playwright's reporter of a run: joins the tests with the ledger, writes the report and sets the exit code. */
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { FullResult, Reporter, TestCase, TestError, TestResult } from '@playwright/test/reporter';
import { ledger } from '../requirements.ts';
import { runSecrets } from '../secrets.ts';
import { reportDir } from '../target.ts';
import { applyBaseline, readBaseline } from './baseline.ts';
import { createPublisher, reportSchema } from './publish.ts';
import { buildReport, exitCodes, type Report, type TestVerdict } from './report.ts';
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
    for (const file of ['report.json', 'report.schema.json'])
      rmSync(join(reportDir(process.env), file), { force: true });
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
      const report = buildReport(ledger, evidence, this.verdicts, this.problems);
      this.exitCode = publish(report);
    } else for (const problem of this.problems) console.error(problem);
    return { status: this.exitCode === 0 ? 'passed' : 'failed' };
  }

  /** Playwright itself knows only success and failure. */
  async onExit(): Promise<void> {
    process.exit(this.exitCode);
  }
}

/** Writes and prints the report, and says which exit code that makes. */
function publish(report: Report): number {
  const directory = reportDir(process.env);
  const publisher = createPublisher(runSecrets);
  publisher.write(join(directory, 'report.schema.json'), reportSchema);
  publisher.write(join(directory, 'report.json'), `${JSON.stringify(report, null, 2)}\n`);

  const file = process.env.MRS_BASELINE;
  const today = new Date().toISOString().slice(0, 10);
  const gate = file ? applyBaseline(report, readBaseline(file), today) : undefined;
  publisher.print(renderReport(report, { color: process.stdout.isTTY && !process.env.NO_COLOR, gate }));
  for (const problem of publisher.problems) console.error(problem);
  return publisher.problems.length > 0 ? exitCodes.error : (gate?.exitCode ?? exitCodes[report.outcome]);
}
