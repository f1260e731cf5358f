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

/** The report as it is printed. */
export function outputOf(report: Report, print: Print, appearance: Appearance): string {
  // The runner of GitHub Actions would take ##[ for a command.
  if (print === 'json') return JSON.stringify(report, null, 2).replaceAll('##[', '##\\u005b');
  const shown =
    print === 'quiet'
      ? [...(report.baseline?.faults ?? []), ...lastLines(report, appearance)].join('\n')
      : renderTerminal(report, appearance);
  return [...renderAnnotations(report), withoutCommands(shown)].join('\n');
}

/** One workflow command for each violation and each reason; none outside GitHub Actions, which shows ten of each kind. */
export function renderAnnotations(report: Report, env: NodeJS.ProcessEnv = process.env): string[] {
  if (env.GITHUB_ACTIONS !== 'true') return [];
  return troublesOf(report).map(({ verdict, sentence, names, items: [item] }) => {
    const { advice, violation, seen } = item;
    const level =
      acceptance(item, report) !== undefined ? 'notice' : verdict === 'failed' ? 'error' : 'warning';
    const title = [`mrs ${report.judge}`, ...names].join(' ');
    // A violation in words does not say what was seen.
    const more = names.length > 0 ? [violation !== undefined && seen && `Seen: ${seen}.`, advice] : [];
    return `::${level} title=${property(title)}::${data([sentence, ...more].filter(Boolean).join(' '))}`;
  });
}

/**
 * Text in which the runner of GitHub Actions finds no command: it looks for `::` at the beginning of each line, after any
 * blanks, and for `##[` anywhere. A deployment may send either.
 */
export function withoutCommands(text: string, env: NodeJS.ProcessEnv = process.env): string {
  if (env.GITHUB_ACTIONS !== 'true') return text;
  return text.replace(/^([^\S\n]*)::/gm, '$1: :').replaceAll('##[', '# #[');
}

const data = (text: string): string => inOneLine(text).replaceAll('%', '%25');
const property = (text: string): string => data(text).replaceAll(':', '%3A').replaceAll(',', '%2C');
