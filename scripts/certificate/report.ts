/** The report of an examination: a certificate, and what was examined. */
import type {
  Certificate,
  CertificateOutcome,
  RuleVerdict,
  ScenarioResult,
} from '../../mocks/certificate/certificate.ts';

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
