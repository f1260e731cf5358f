/** Playwright's reporter of a run: joins the tests with the ledger, writes the report and sets the exit code. */
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import type { FullResult, Reporter, TestCase, TestError, TestResult } from '@playwright/test/reporter';
import { ledger } from '../requirements.ts';
import { runSecrets } from '../secrets.ts';
import { reportDir } from '../target.ts';
import { createPublisher, reportSchema } from './publish.ts';
import { buildReport, exitCodes, type Outcome, type Report, type TestVerdict } from './report.ts';
import { renderReport } from './terminal.ts';

export default class RequirementsReporter implements Reporter {
  private readonly verdicts: TestVerdict[] = [];
  private readonly problems: string[] = [];
  private outcome: Outcome = 'error';

  printsToStdio(): boolean {
    return true;
  }

  onBegin(): void {
    for (const file of ['report.json', 'report.schema.json'])
      rmSync(join(reportDir(process.env), file), { force: true });
  }

  onTestEnd(test: TestCase, result: TestResult): void {
    const id = test.title.split(' ', 1)[0] ?? '';
    const said = (type: string) => result.annotations.find((one) => one.type === type)?.description;
    const exchanges = result.annotations.flatMap(({ type, description }) =>
      type === 'exchange' && description !== undefined ? description : [],
    );
    const expected = said('expected');
    const reason = said('could-not-run') ?? said('not-applicable') ?? 'The test was skipped.';

    if (result.status === 'passed') this.verdicts.push({ id, verdict: 'passed', exchanges });
    else if (result.status === 'skipped')
      this.verdicts.push({
        id,
        verdict: said('not-applicable') ? 'not-applicable' : 'could-not-run',
        reason,
        exchanges,
      });
    else if (result.status === 'failed' && expected !== undefined)
      this.verdicts.push({ id, verdict: 'failed', expected, exchanges });
    else {
      // No verdict was given on the deployment, so the fault is the suite's own.
      this.verdicts.push({
        id,
        verdict: 'could-not-run',
        reason: `The test itself ${result.status}.`,
        exchanges,
      });
      this.problems.push(`The test "${test.title}" ${result.status}: ${firstLine(result.error)}`);
    }
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
      this.outcome = publish(report) ? report.outcome : 'error';
    } else for (const problem of this.problems) console.error(problem);
    return { status: this.outcome === 'conformant' ? 'passed' : 'failed' };
  }

  /** Playwright itself knows only success and failure. */
  async onExit(): Promise<void> {
    process.exit(exitCodes[this.outcome]);
  }
}

/** Writes and prints the report. False if something was held back, since it held a secret. */
function publish(report: Report): boolean {
  const directory = reportDir(process.env);
  const publisher = createPublisher(runSecrets);
  publisher.write(join(directory, 'report.schema.json'), reportSchema);
  publisher.write(join(directory, 'report.json'), `${JSON.stringify(report, null, 2)}\n`);
  publisher.print(renderReport(report, { color: process.stdout.isTTY && !process.env.NO_COLOR }));
  for (const problem of publisher.problems) console.error(problem);
  return publisher.problems.length === 0;
}

/** The sentence of an error, without Playwright's stack, colours and prefix. */
function firstLine({ message = 'unknown' }: TestError = {}): string {
  const plain = stripVTControlCharacters(message);
  return (plain.split('\n', 1)[0] ?? '').replace(/^(\w*Error): /, '');
}
