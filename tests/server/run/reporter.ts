/** Playwright's reporter of a run: judges the evidence, checks that each test agrees, and reports. */
import { existsSync } from 'node:fs';
import { stripVTControlCharacters } from 'node:util';
import type { FullResult, Reporter, TestCase, TestError, TestResult } from '@playwright/test/reporter';
import { clearReports } from '../../report/report-directory.ts';
import { exitCodes, type Verdict } from '../../support/outcome.ts';
import { runSecrets } from '../../support/secrets.ts';
import { type Judged, judgeAll } from '../judge.ts';
import { reportDir } from '../probe/target.ts';
import { readEvidence } from '../support/evidence-file.ts';
import { finishRun } from './finish-run.ts';
import { evidenceFile, readHandOver, removeRunFolder } from './hand-over.ts';

/** How the test of a requirement ends, by the verdict that it reports. */
const STATUS: Record<Verdict, TestResult['status']> = {
  passed: 'passed',
  failed: 'failed',
  'could-not-run': 'failed',
  'not-applicable': 'skipped',
};

interface EndedTest {
  title: string;
  result: Pick<TestResult, 'status' | 'error'>;
}

export default class RequirementsReporter implements Reporter {
  private readonly tests = new Map<string, EndedTest>();
  private readonly problems: string[] = [];
  private exitCode = exitCodes.error;

  printsToStdio(): boolean {
    return true;
  }

  onBegin(): void {
    // The reader of the output may have gone; the run continues, and its exit code says what it found.
    process.stdout.on('error', () => {});
    process.stderr.on('error', () => {});
    clearReports(reportDir(process.env));
  }

  onTestEnd({ title }: TestCase, result: TestResult): void {
    this.tests.set(title.split(' ', 1)[0] ?? '', { title, result });
  }

  onError(error: TestError): void {
    this.problems.push(firstLine(error));
  }

  async onEnd({ status }: FullResult): Promise<{ status: FullResult['status'] }> {
    if (status === 'interrupted' || status === 'timedout') this.problems.push(`The run was ${status}.`);
    if (existsSync(evidenceFile())) {
      const { evidence, profile } = readEvidence(evidenceFile());
      const { verdicts, problems } = agreed(judgeAll(evidence, profile), this.tests);
      const { draft, observe, print } = readHandOver();
      this.exitCode = finishRun({
        evidence,
        profile,
        verdicts,
        problems: [...this.problems, ...problems],
        draft,
        observe,
        print,
        directory: reportDir(process.env),
        baseline: process.env.MRS_BASELINE,
      });
    } else {
      for (const problem of this.problems) console.error(runSecrets.redact(problem).slice(0, 500));
      if (readHandOver().print !== 'json') console.log('outcome: error (nothing was judged)');
    }
    return { status: this.exitCode === 0 ? 'passed' : 'failed' };
  }

  /** Playwright itself knows only success and failure. */
  async onExit(): Promise<void> {
    if (readHandOver().isOwn) removeRunFolder();
    else await new Promise((sent) => process.send?.({ exitCode: this.exitCode }, sent));
    process.exit(this.exitCode);
  }
}

/** The verdicts whose tests ran and reported the same; any other test is a fault of the run. */
export function agreed({ verdicts, problems }: Judged, tests: ReadonlyMap<string, EndedTest>): Judged {
  const faults = [...problems];
  const kept = verdicts.filter(({ id, verdict }) => {
    const test = tests.get(id);
    if (!test) return false;
    if (test.result.status === STATUS[verdict]) return true;
    faults.push(`The test "${test.title}" ${test.result.status}: ${firstLine(test.result.error)}`);
    return false;
  });
  for (const [id, { title }] of tests)
    if (!verdicts.some((one) => one.id === id)) faults.push(`The test "${title}" is of no requirement.`);
  return { verdicts: kept, problems: faults };
}

/** The sentence of an error, without Playwright's stack, colours and prefix. */
function firstLine({ message = 'unknown' }: TestError = {}): string {
  const plain = stripVTControlCharacters(message);
  return (plain.split('\n', 1)[0] ?? '').replace(/^(\w*Error): /, '');
}
