/** A report as GitHub-flavoured Markdown, for the summary of a CI step. */
import { cell, code, fence, prose, section } from './markdown-text.ts';
import { type Fact, type Item, itemsOf, type ReportModel } from './model.ts';
import { explain } from './plain.ts';
import { OUTCOME_MARKS, VERDICTS } from './text.ts';

/** The outcome, what is wrong, then every item. */
export function renderMarkdown(model: ReportModel): string {
  const { outcome, tally, subject, facts, meaning, next, remarks, warning, problems, items, own } = model;
  const all = itemsOf(model);
  const broken = all.filter(({ verdict }) => verdict === 'failed' || verdict === 'warned');
  return [
    `## ${OUTCOME_MARKS[outcome]} ${outcome}: ${tally}`,
    ...(warning === undefined ? [] : [`> [!CAUTION]\n> ${prose(warning)}`]),
    `${code(subject.text)}  \n${facts.map(fact).join(' · ')}`,
    [meaning, ...remarks, next].map(prose).join(' '),
    ...section(
      'Faults of the run',
      problems.map((problem) => `- ${code(problem)}`),
    ),
    ...(['failed', 'warned'] as const).flatMap((verdict) =>
      broken.filter((item) => item.verdict === verdict).map(renderItem),
    ),
    ...(own.markdown.beforeItems ?? []),
    ...section(items.title, table(items.noun, all)),
    ...own.markdown.last,
    '',
  ].join('\n\n');
}

const fact = ({ name, text, isCode }: Fact): string => `${name}: ${isCode ? code(text) : prose(text)}`;

function renderItem(item: Item): string {
  const { id, clause, verdict, statement, advice, commands } = item;
  const { mark, word } = VERDICTS[verdict];
  return [
    `### ${mark} ${prose(id)} ${word}${clause === undefined ? '' : `, ${prose(clause)}`}`,
    prose(statement),
    fence('text', explain(item)),
    ...(advice === undefined ? [] : [`What to do: ${prose(advice)}`]),
    ...(commands ? [fence('sh', commands)] : []),
  ].join('\n\n');
}

function table(noun: string, items: readonly Item[]): string[] {
  if (items.length === 0) return [];
  const rows = items.map(({ id, clause, verdict, statement, reason }) => {
    const { mark, word } = VERDICTS[verdict];
    const name = clause === undefined ? prose(id) : `${prose(id)}<br>${prose(clause)}`;
    const why = reason === undefined ? '' : `<br>${prose(reason)}`;
    return `| ${cell(name)} | ${mark} ${word} | ${cell(prose(statement) + why)} |`;
  });
  return [`| ${noun} | verdict | statement |`, '| --- | --- | --- |', ...rows];
}
