/** Annotations of GitHub Actions: a job shows them at the top, without opening a report. */
import type { ReportModel } from './model.ts';
import { inOneLine } from './text.ts';
import { troublesOf } from './troubles.ts';

/** GitHub shows ten of each kind for a step. */
const MOST = 10;

/** One workflow command for each violation and each reason; none outside GitHub Actions. */
export function renderAnnotations(model: ReportModel, env: NodeJS.ProcessEnv = process.env): string[] {
  if (env.GITHUB_ACTIONS !== 'true') return [];
  return troublesOf(model)
    .slice(0, MOST)
    .map(({ verdict, sentence, items: [{ id, clause, advice, violation, summary, accepted }] }) => {
      const level = accepted !== undefined ? 'notice' : verdict === 'failed' ? 'error' : 'warning';
      const title = [model.command, ...(verdict === 'could-not-run' ? [] : [id, clause])]
        .filter(Boolean)
        .join(' ');
      // A violation in words does not say what was seen.
      const seen = violation !== undefined && summary ? [summary] : [];
      const text = [sentence, ...(verdict === 'could-not-run' ? [] : [...seen, advice])]
        .filter(Boolean)
        .join(' ');
      return `::${level} title=${property(title)}::${data(text)}`;
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
