/** A report on a feed in a terminal. */
import { itemsOf } from '../../report/model.ts';
import { createPen, hanging, indented, renderBroken, renderTerminal } from '../../report/terminal.ts';
import { several } from '../../report/text.ts';
import type { Rule } from '../rules.ts';
import { modelOf } from './model.ts';
import type { FeedReport } from './report.ts';

export function renderText(
  report: FeedReport,
  { color, page }: { color: boolean; page?: string | undefined },
): string {
  const pen = createPen(color);
  const model = modelOf(report);
  const broken = itemsOf(model).filter(({ findings }) => findings.length > 0);
  const parts = {
    headline: [`${several(report.records, 'record')}`],
    body: [
      ...model.facts.flatMap(({ name, text }) => fact(name.toLowerCase(), text)),
      '',
      ...broken.flatMap((item, at) => {
        const more = (report.findings[at]?.count ?? 0) - item.findings.length;
        const shown = { findings: item.findings, more: more > 0 ? [several(more, 'more place')] : [] };
        return [...renderBroken(item, shown, pen), ''];
      }),
      ...report.unjudged.flatMap((sentence) => hanging('? ', sentence, 0)),
      ...report.remarks.flatMap((sentence) => hanging('· ', sentence, 0)),
    ],
    closing: broken.length > 0 ? ['More about a rule: mrs feed --explain RULE'] : [],
    page,
  };
  return renderTerminal(model, parts, pen);
}

/** The texts begin in this column. */
const INDENT = 14;

const fact = (name: string, text: string): string[] =>
  indented(text, INDENT).map((line, at) => (at === 0 ? name.padEnd(INDENT) + line.slice(INDENT) : line));

/** What a rule requires, why, where that comes from, and what to do. */
export function renderRule({ id, class: ruleClass, statement, why, source, remedy }: Rule): string {
  return [
    `${id} (${MEANING[ruleClass]})`,
    ...indented(statement, 2),
    '',
    ...indented(`Why: ${why}`, 2),
    ...indented(`What to do: ${remedy}`, 2),
    `  Source: ${source}`,
  ].join('\n');
}

const MEANING: Record<Rule['class'], string> = {
  S: 'a finding: follows from published text or geometry',
  D: 'a finding: a defect seen in public data or code',
  H: 'a warning: a guess worth a look',
};
