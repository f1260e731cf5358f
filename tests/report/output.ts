/** How a command prints its report on standard output, with annotations for GitHub Actions where a job of it runs. */
import { acceptance, type Report, troublesOf } from './report.ts';
import { type Appearance, lastLines, renderTerminal } from './terminal.ts';
import { inOneLine } from './text.ts';

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

/** The report as it is printed. The runner of GitHub Actions would take ##[ for a command, wherever it is in a line. */
export function outputOf(report: Report, print: Print, appearance: Appearance): string {
  if (print === 'json') return JSON.stringify(report, null, 2).replaceAll('##[', '##\\u005b');
  const faults = report.baseline?.faults ?? [];
  const shown =
    print === 'text'
      ? [renderTerminal(report, appearance)]
      : [...faults.map(inOneLine), ...lastLines(report, appearance)];
  return [...renderAnnotations(report), ...shown].join('\n').replaceAll('##[', '# #[');
}

/** One workflow command for each violation and each reason; none outside GitHub Actions, which shows ten of each kind. */
export function renderAnnotations(report: Report, env: NodeJS.ProcessEnv = process.env): string[] {
  if (env.GITHUB_ACTIONS !== 'true') return [];
  return troublesOf(report).map(({ sentence, name, items: [item] }) => {
    const { verdict, advice } = item;
    const level =
      acceptance(item, report) !== undefined ? 'notice' : verdict === 'failed' ? 'error' : 'warning';
    const title = `mrs ${report.judge} ${name}`;
    return `::${level} title=${property(title)}::${data(advice ? `${sentence} ${advice}` : sentence)}`;
  });
}

const data = (text: string): string => inOneLine(text).replaceAll('%', '%25');
const property = (text: string): string => data(text).replaceAll(':', '%3A').replaceAll(',', '%2C');
