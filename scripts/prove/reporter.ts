/** Playwright's reporter of a proof: joins each deployment's verdicts, and tells what is not as it should be. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { basename } from 'node:path';
import type { FullResult, Reporter, TestCase, TestError, TestResult } from '@playwright/test/reporter';
import { buildReport, type Report, type TestVerdict } from '../../tests/server/report/report.ts';
import { firstLine, verdictOf } from '../../tests/server/report/test-verdict.ts';
import { declaredRequirements, readProfile } from '../../tests/server/support/declared.ts';
import type { Evidence } from '../../tests/server/support/evidence.ts';
import { keepProof, suiteDigest } from '../../tests/support/proof.ts';
import { ledger } from '../../tests/support/requirements.ts';
import { judgeProof, renderProof } from './result.ts';
import { contractFile, evidenceFile, resultFile, selectDeployments } from './selection.ts';

const directory = process.env.MRS_PROOF_DIR ?? '';

interface Collected {
  verdicts: TestVerdict[];
  problems: string[];
}

export default class ProofReporter implements Reporter {
  private readonly collected = new Map<string, Collected>();
  private readonly problems: string[] = [];
  private exitCode = 2;

  printsToStdio(): boolean {
    return true;
  }

  onTestEnd(test: TestCase, result: TestResult): void {
    const name = deploymentOf(test);
    const { verdicts, problems } = this.collected.get(name) ?? { verdicts: [], problems: [] };
    this.collected.set(name, { verdicts, problems });
    const { problem, ...verdict } = verdictOf(test, result);
    verdicts.push(verdict);
    if (problem !== undefined) problems.push(problem);
  }

  onError(error: TestError): void {
    this.problems.push(firstLine(error));
  }

  async onEnd({ status }: FullResult): Promise<void> {
    if (status === 'interrupted' || status === 'timedout') this.problems.push(`The run was ${status}.`);
    const selection = selectDeployments(JSON.parse(process.env.MRS_PROOF_ONLY || '[]'));
    const result = judgeProof(ledger, selection, this.reports(), this.problems);
    if (selection.whole)
      keepProof(result.exitCode === 0 ? { ...result.proof, digest: suiteDigest() } : undefined);
    console.log(renderProof(result, suiteDigest()));
    this.exitCode = result.exitCode;
    writeFileSync(resultFile(directory), JSON.stringify(result));
  }

  private reports(): Map<string, Report> {
    const reports = new Map<string, Report>();
    for (const [name, { verdicts, problems }] of this.collected) {
      const file = evidenceFile(directory, name);
      if (!existsSync(file)) continue;
      const evidence: Evidence = JSON.parse(readFileSync(file, 'utf8'));
      const profile = evidence.profile && readProfile(contractFile(directory, evidence.profile.name));
      const rows = profile ? [...ledger, ...declaredRequirements(profile)] : ledger;
      reports.set(name, buildReport(rows, evidence, verdicts, problems));
    }
    return reports;
  }

  /** Playwright itself knows only success and failure, and a failure that was foretold is none to it. */
  async onExit(): Promise<void> {
    process.exit(this.exitCode);
  }
}

/** Its tests are in a file of its own, which bears its name. */
function deploymentOf(test: TestCase): string {
  let suite = test.parent;
  while (suite.type !== 'file' && suite.parent) suite = suite.parent;
  return basename(suite.title, '.spec.mjs');
}
