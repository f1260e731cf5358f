/** What an examination leaves behind: the reports, each of them free of secrets. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createPublisher, type Publisher } from '../../report/publish.ts';
import { clearReports } from '../../report/report-directory.ts';
import { createSecrets, type Secrets } from '../../support/secrets.ts';
import { renderCertificateHtml } from './html.ts';
import { renderCertificateJunit } from './junit.ts';
import type { CertificateReport } from './report.ts';
import { renderCertificateSummary } from './summary.ts';
import { renderCertificate } from './terminal.ts';

/** The schema of report.json, as it is written beside it. */
export const certificateSchema = readFileSync(
  fileURLToPath(import.meta.resolve('mrs-contract/certificate.schema.json')),
  'utf8',
);

/**
 * Writes report.json, its schema, report.html, junit.xml and summary.md in the place of older ones; the summary is
 * added to GITHUB_STEP_SUMMARY, too. A file that would hold one of `secrets` is not written: that is a problem of the
 * publisher, which is returned so that what is printed goes through it as well. Throws UsageError if nothing could be
 * written there.
 */
export function writeReports(
  report: CertificateReport,
  directory: string,
  secrets: Secrets = createSecrets(),
): Publisher {
  clearReports(directory);
  const publisher = createPublisher(secrets, certificateSchema + frameOf(report));
  const write = (file: string, text: string) => publisher.write(join(directory, file), text);
  const summary = renderCertificateSummary(report);
  write('report.schema.json', certificateSchema);
  write('report.json', `${JSON.stringify(report, null, 2)}\n`);
  write('report.html', renderCertificateHtml(report));
  write('junit.xml', renderCertificateJunit(report));
  write('summary.md', summary);
  if (process.env.GITHUB_STEP_SUMMARY) publisher.append(process.env.GITHUB_STEP_SUMMARY, summary);
  return publisher;
}

/** What the reports say whatever the client did: a secret that is a word of it cannot be told from that word. */
function frameOf(report: CertificateReport): string {
  const frame: CertificateReport = {
    ...report,
    client: { processes: report.client.processes },
    rules: report.rules.map(({ reason: _, ...rule }) => ({ ...rule, findings: [] })),
    scenarios: report.scenarios.map(({ ended: _, output: __, ...scenario }) => ({
      ...scenario,
      ...{ calls: [], lives: [] },
    })),
    problems: [],
  };
  const renderings = [renderCertificateHtml, renderCertificateJunit, renderCertificateSummary];
  return renderings.map((render) => render(frame)).join('') + renderCertificate(frame, { color: false });
}
