/** A report as GitHub-flavoured Markdown, for the summary of a CI step. */
import { cell, code, fence, prose, section } from './markdown-text.ts';
import { type Fact, type Item, itemsInOrder, type ReportModel } from './model.ts';
import { explain } from './plain.ts';
import { OUTCOME_MARKS, SEVERITY_WORDS, VERDICTS } from './text.ts';
import { type Trouble, troublesOf } from './troubles.ts';

/** The outcome, what is wrong, the failures, then every item. */
export function renderMarkdown(model: ReportModel): string {
  const {
    outcome,
    tally,
    headline,
    subject,
    facts,
    startedAt,
    next,
    remarks,
    warning,
    problems,
    items,
    own,
  } = model;
  const all = itemsInOrder(model);
  const known = [
    ...facts,
    ...(startedAt === undefined ? [] : [{ name: 'Date', text: startedAt, isCode: true }]),
  ];
  return [
    `## ${OUTCOME_MARKS[outcome]} ${outcome}: ${tally}`,
    `**${prose(headline)}**`,
    ...(warning === undefined ? [] : [`> [!CAUTION]\n> ${prose(warning)}`]),
    troublesOf(model).map(trouble).join('\n'),
    [next, ...remarks].map(prose).join(' '),
    `${code(subject.text)}  \n${known.map(fact).join(' · ')}`,
    ...section(
      'Faults of the run',
      problems.map((problem) => `- ${code(problem)}`),
    ),
    ...all.filter(({ verdict }) => verdict === 'failed' || verdict === 'warned').map(renderItem),
    ...(own.markdown.beforeItems ?? []),
    ...section(items.title, table(items.noun, all)),
    ...own.markdown.last,
    '',
  ]
    .filter((part, at, parts) => part !== '' || at === parts.length - 1)
    .join('\n\n');
}

function trouble({ verdict, sentence, items: [item] }: Trouble): string {
  const { severity, id, clause } = item;
  const label = severity === undefined ? VERDICTS[verdict].word : SEVERITY_WORDS[severity];
  const names =
    verdict === 'could-not-run'
      ? ''
      : ` (${[id, clause]
          .flatMap((name) => name ?? [])
          .map(prose)
          .join(', ')})`;
  return `- ${VERDICTS[verdict].mark} **${label}**: ${prose(sentence)}${names}`;
}

const fact = ({ name, text, isCode }: Fact): string => `${name}: ${isCode ? code(text) : prose(text)}`;

function renderItem(item: Item): string {
  const { id, clause, verdict, severity, violation, statement, advice, commands } = item;
  const { mark, word } = VERDICTS[verdict];
  return [
    `### ${mark} ${prose(id)} ${word}${severity ? ` (${SEVERITY_WORDS[severity]})` : ''}${clause === undefined ? '' : `, ${prose(clause)}`}`,
    [violation, statement].flatMap((text) => (text === undefined ? [] : prose(text))).join('  \n'),
    fence('text', explain(item)),
    ...(advice === undefined ? [] : [`What to do: ${prose(advice)}`]),
    ...(commands && verdict === 'failed'
      ? ['To send the request again, in bash:', fence('sh', commands)]
      : []),
  ].join('\n\n');
}

function table(noun: string, items: readonly Item[]): string[] {
  if (items.length === 0) return [];
  const rows = items.map(({ id, clause, verdict, severity, statement, reason }) => {
    const { mark, word } = VERDICTS[verdict];
    const name = clause === undefined ? prose(id) : `${prose(id)}<br>${prose(clause)}`;
    const why = reason === undefined ? '' : `<br>${prose(reason)}`;
    const gravity = severity ? `<br>${SEVERITY_WORDS[severity]}` : '';
    return `| ${cell(name)} | ${mark} ${word}${gravity} | ${cell(prose(statement) + why)} |`;
  });
  return [`| ${noun} | verdict | statement |`, '| --- | --- | --- |', ...rows];
}
