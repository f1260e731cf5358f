/** The report of an examination: a certificate, and what was examined. */
import { randomUUID } from 'node:crypto';
import type { Immutable } from '../../report/schema.ts';
import { suite } from '../../support/version.ts';
import type { Certificate } from '../certificate.ts';
import type { CertificateSchema } from './certificate.schema.ts';

/** What report.json holds. */
export type CertificateReport = Immutable<CertificateSchema>;

export type ReportedScenario = CertificateReport['scenarios'][number];

/** Where the output of the client is, within the folder of the reports. */
export const outputFile = (scenario: string): string => `output/${scenario}.txt`;

const LAST_LINES = 20;
const LAST_CHARACTERS = 2000;

/** With `strict`, a warning fails the client. `problems` are faults of the run itself, which make it an error. */
export function buildReport(
  certificate: Certificate,
  outputs: readonly { scenario: string; output: string }[],
  strict: boolean,
  run: Pick<CertificateReport, 'client' | 'startedAt' | 'durationMs' | 'problems'>,
): CertificateReport {
  const { scenarios, ...rest } = certificate;
  const counts = { passed: 0, failed: 0, warned: 0, 'could-not-run': 0, 'not-applicable': 0 };
  for (const { verdict } of certificate.rules) counts[verdict]++;
  const isStrict = strict && counts.warned > 0;
  const outcome = isStrict ? 'nonconformant' : rest.outcome;
  return {
    $schema: './report.schema.json',
    schemaVersion: 1,
    suite,
    runId: randomUUID(),
    ...rest,
    outcome: run.problems.length > 0 ? 'error' : outcome,
    ...run,
    requests: scenarios.reduce((sum, { callCount }) => sum + callCount, 0),
    counts,
    scenarios: scenarios.map((scenario) => {
      const lastLines = lastLinesOf(outputs.find((one) => one.scenario === scenario.name)?.output ?? '');
      if (lastLines === '') return scenario;
      return { ...scenario, output: { file: outputFile(scenario.name), lastLines } };
    }),
  };
}

/** The end of what a client printed, without the frames of a stack: the message is before them. */
function lastLinesOf(output: string): string {
  const lines = output.split('\n').filter((line) => !/^\s+at \S|^Node\.js v\d/.test(line));
  return lines.join('\n').trim().split('\n').slice(-LAST_LINES).join('\n').slice(-LAST_CHARACTERS);
}
