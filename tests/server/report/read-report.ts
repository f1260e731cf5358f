/** Reads a report.json that may come from anywhere. */
import { readSchema } from '../../report/schema.ts';
import { REPORT_BYTES, readBounded } from '../../support/files.ts';
import { compileOwn } from '../../support/own-schema.ts';
import { UsageError } from '../../support/usage-error.ts';
import type { Report } from './report.ts';

/** The schema of report.json, as text. */
export const reportSchema = readSchema('report');

/** Throws UsageError if the file is not a report of this schema version. */
export function readReport(file: string): Report {
  const report = parse(file);
  const validate = compileOwn<Report>(JSON.parse(reportSchema));
  if (validate(report)) return report;
  const [{ instancePath = '', message = '' } = {}] = validate.errors ?? [];
  throw new UsageError(
    `${file} is not a report: ${instancePath || 'it'} ${message}. Name a report.json of mrs verify.`,
  );
}

function parse(file: string): unknown {
  try {
    return JSON.parse(readBounded(file, REPORT_BYTES, { followsLink: true }).toString());
  } catch (error) {
    const why = (error as NodeJS.ErrnoException).code ?? 'it is not JSON';
    throw new UsageError(`${file} cannot be read as a report (${why}). Name a report.json of mrs verify.`);
  }
}
