/** The report.json of one deployment. */
import { createHash } from 'node:crypto';
import { type Judged, judgedOf } from '../../tests/fleet/judged.ts';
import { readBounded, UnreadableError } from '../../tests/support/files.ts';

/** A report has the exchanges of a run, each with an excerpt. */
const LIMIT = 32 * 1024 * 1024;

export interface ReadReport {
  /** The report, or a sentence that says why there is none. */
  judged: Judged | string;
  /** Of its bytes. */
  digest?: string;
}

export function readReportFile(file: string): ReadReport {
  let bytes: Buffer;
  try {
    bytes = readBounded(file, LIMIT);
  } catch (error) {
    if (!(error instanceof UnreadableError)) throw error;
    return { judged: `report.json ${error.message}.` };
  }
  const digest = `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
  try {
    return { judged: judgedOf(JSON.parse(bytes.toString('utf8'))), digest };
  } catch {
    return { judged: 'report.json is not JSON.', digest };
  }
}
