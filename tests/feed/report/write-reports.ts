/** Writes the reports on a feed into their directory. */
import { join } from 'node:path';
import { createPublisher, type Publisher } from '../../report/publish.ts';
import { clearReports } from '../../report/report-directory.ts';
import { renderSarif } from '../../report/sarif.ts';
import { readSchema } from '../../report/schema.ts';
import { writeReports as writeAll } from '../../report/write.ts';
import { createSecrets } from '../../support/secrets.ts';
import { modelOf } from './model.ts';
import type { FeedReport } from './report.ts';

/**
 * Replaces the reports in `directory`; what could not be written is a problem of the publisher. A feed is read without
 * credentials, so there is no secret to hold back. Throws UsageError if the directory is not writable.
 */
export function writeReports(report: FeedReport, directory: string): Publisher {
  clearReports(directory);
  const publisher = createPublisher(createSecrets());
  const model = modelOf(report);
  writeAll({ report, schema: readSchema('feed'), model }, directory, publisher);
  publisher.write(join(directory, 'report.sarif'), renderSarif(model));
  return publisher;
}
