/** How a command prints its report on standard output. */
import { renderAnnotations, withoutCommands } from './annotations.ts';
import type { ReportModel } from './model.ts';
import { createPen, lastLines } from './terminal.ts';

/** `text`: the whole report; `quiet`: only its last lines; `json`: what report.json holds, and nothing else. */
export type Print = 'text' | 'quiet' | 'json';

/** What --quiet and --format ask for. */
export const printOf = ({
  quiet,
  format,
}: {
  quiet?: true | undefined;
  format?: string | undefined;
}): Print => (format === 'json' ? 'json' : quiet ? 'quiet' : 'text');

export interface Printed {
  report: object;
  model: ReportModel;
  /** The whole report as text. */
  text: string;
  page?: string | undefined;
  /** Appended to the last line. */
  lastWords?: string;
}

/** What is printed, with annotations for GitHub Actions where a job of it runs. */
export function outputOf(
  { report, model, text, page, lastWords }: Printed,
  print: Print,
  color: boolean,
): string {
  if (print === 'json') return JSON.stringify(report, null, 2);
  const shown =
    print === 'quiet'
      ? lastLines(model, { page, ...(lastWords !== undefined && { lastWords }) }, createPen(color)).join('\n')
      : text;
  return [...renderAnnotations(model), withoutCommands(shown)].join('\n');
}
