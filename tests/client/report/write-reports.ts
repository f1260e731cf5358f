/** Writes the reports of an examination, each of them free of secrets. */
import { createPublisher, type Publisher } from '../../report/publish.ts';
import { clearReports } from '../../report/report-directory.ts';
import { readSchema } from '../../report/schema.ts';
import { frameOf, writeReports as writeAll } from '../../report/write.ts';
import { createSecrets, type Secrets } from '../../support/secrets.ts';
import { modelOf } from './model.ts';
import type { CertificateReport } from './report.ts';

/** The schema of report.json, as text. */
export const certificateSchema = readSchema('certificate');

/**
 * Replaces the reports in `directory`. A file that would show one of `secrets` is not written; that is a problem of the
 * publisher, which is returned so that the printed report goes through it, too. Throws UsageError if the directory is
 * not writable.
 */
export function writeReports(
  report: CertificateReport,
  directory: string,
  secrets: Secrets = createSecrets(),
): Publisher {
  clearReports(directory);
  const frame = frameOf(certificateSchema, modelOf(withoutTraffic(report)));
  const publisher = createPublisher(secrets, frame);
  writeAll({ report, schema: certificateSchema, model: modelOf(report) }, directory, publisher);
  return publisher;
}

/** The report of a client that sent nothing, for what the reports contain in any case. */
const withoutTraffic = (report: CertificateReport): CertificateReport => ({
  ...report,
  client: { processes: report.client.processes },
  rules: report.rules.map(({ reason: _, ...rule }) => ({ ...rule, findings: [] })),
  scenarios: report.scenarios.map(({ ended: _, output: __, ...scenario }) => ({
    ...scenario,
    calls: [],
    lives: [],
  })),
  problems: [],
});
