/** The files that a run leaves in its report directory. */
import { join } from 'node:path';
import { renderJunit } from './junit.ts';
import { renderMarkdown } from './markdown.ts';
import type { ReportModel } from './model.ts';
import { renderPage } from './page.ts';
import type { Publisher } from './publish.ts';

export interface Reported {
  /** What report.json holds. */
  report: object;
  /** Its schema, as text. */
  schema: string;
  model: ReportModel;
}

/**
 * Writes report.json, its schema, report.html, junit.xml and summary.md through `publisher`, which withholds
 * a file that would show a secret. The summary is also appended to GITHUB_STEP_SUMMARY.
 */
export function writeReports(
  { report, schema, model }: Reported,
  directory: string,
  publisher: Publisher,
): void {
  const summary = renderMarkdown(model);
  const files = {
    'report.schema.json': schema,
    'report.json': `${JSON.stringify(report, null, 2)}\n`,
    'report.html': renderPage(model),
    'junit.xml': renderJunit(model),
    'summary.md': summary,
  };
  for (const [name, text] of Object.entries(files)) publisher.write(join(directory, name), text);
  if (process.env.GITHUB_STEP_SUMMARY) publisher.append(process.env.GITHUB_STEP_SUMMARY, summary);
}

/** What the files contain of their own words, for the publisher: `model` is that of a run which saw nothing. */
export const frameOf = (schema: string, model: ReportModel): string =>
  schema + renderPage(model) + renderJunit(model) + renderMarkdown(model);
