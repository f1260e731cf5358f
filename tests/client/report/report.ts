/** The report of an examination: a certificate, and what was examined. */
import type { Certificate, CertificateOutcome, RuleVerdict, ScenarioResult } from '../certificate.ts';

export interface CertificateReport extends Omit<Certificate, 'outcome' | 'scenarios'> {
  $schema: string;
  schemaVersion: 1;
  outcome: CertificateOutcome | 'error';
  client: {
    /** The program and its arguments, with placeholders as they were given; absent where the client came by itself. */
    command?: readonly string[];
    /** How many processes share the client id, as declared. */
    processes: number;
  };
  startedAt: string;
  durationMs: number;
  /** Of all scenarios. */
  requests: number;
  /** Of rules, by verdict. */
  counts: Record<RuleVerdict, number>;
  scenarios: readonly ReportedScenario[];
  /** Faults of the run itself, as sentences. */
  problems: readonly string[];
}

export interface ReportedScenario extends ScenarioResult {
  /** What the client printed: its last lines, and the file beside the report that holds more. */
  output?: { file: string; lastLines: string };
}

/** Where the output of the client is, within the folder of the reports. */
export const outputFile = (scenario: string): string => `output/${scenario}.txt`;

const LAST_LINES = 20;
const LAST_CHARACTERS = 2000;

/** `problems` are faults of the run itself, which take its outcome with them. */
export function buildReport(
  certificate: Certificate,
  examined: readonly { scene: { name: string }; output: string }[],
  run: Pick<CertificateReport, 'client' | 'startedAt' | 'durationMs' | 'problems'>,
): CertificateReport {
  const { outcome, scenarios, ...rest } = certificate;
  const counts = { passed: 0, failed: 0, warned: 0, 'could-not-run': 0, 'not-applicable': 0 };
  for (const { verdict } of certificate.rules) counts[verdict]++;
  return {
    $schema: './report.schema.json',
    schemaVersion: 1,
    outcome: run.problems.length > 0 ? 'error' : outcome,
    ...rest,
    ...run,
    requests: scenarios.reduce((sum, { callCount }) => sum + callCount, 0),
    counts,
    scenarios: scenarios.map((scenario) => {
      const output = examined.find(({ scene }) => scene.name === scenario.name)?.output.trim() ?? '';
      if (output === '') return scenario;
      const lastLines = output.split('\n').slice(-LAST_LINES).join('\n').slice(-LAST_CHARACTERS);
      return { ...scenario, output: { file: outputFile(scenario.name), lastLines } };
    }),
  };
}
