/** A report as GitHub-flavoured Markdown, for the summary of a CI step. Text from outside stays text. */
import {
  acceptance,
  type Block,
  type Fact,
  factsOf,
  type Item,
  itemsInOrder,
  JUDGES,
  plain,
  type Report,
  type Section,
  shownOutcome,
  type Table,
  type Trouble,
  troublesOf,
} from './report.ts';
import { clip, inOneLine, OUTCOME_MARKS, SEVERITY_WORDS, VERDICTS, visible } from './text.ts';

/** The outcome, what is wrong, the failures, then every item and the sections of the judge. */
export function renderMarkdown(report: Report): string {
  const { judge, tally, headline, subject, facts, startedAt, next, remarks, warning, problems } = report;
  const { items, noun } = JUDGES[judge];
  const outcome = shownOutcome(report);
  const all = itemsInOrder(report);
  const date = startedAt === undefined ? [] : [{ name: 'Date', text: startedAt, isCode: true }];
  return [
    `## ${OUTCOME_MARKS[outcome]} ${outcome}: ${tally}`,
    `**${prose(headline)}**`,
    ...(warning === undefined ? [] : [`> [!CAUTION]\n> ${prose(warning)}`]),
    troublesOf(report).map(trouble).join('\n'),
    [next, ...remarks].map(prose).join(' '),
    `${code(subject.text)}  \n${[...facts, ...date].map(fact).join(' · ')}`,
    ...underHeading(
      'Faults of the run',
      problems.map((problem) => `- ${code(problem)}`),
    ),
    ...all
      .filter(({ verdict }) => verdict === 'failed' || verdict === 'warned')
      .map((item) => renderItem(item, report)),
    ...underHeading(items, itemTable(noun, all, report)),
    ...report.sections.filter(({ inSummary }) => inSummary).map(renderSection),
    '',
  ]
    .filter((part, at, parts) => part !== '' || at === parts.length - 1)
    .join('\n\n');
}

function trouble({ verdict, gravity, sentence, names }: Trouble): string {
  const { mark, word } = VERDICTS[verdict];
  const where = names.length === 0 ? '' : ` (${names.map(prose).join(', ')})`;
  return `- ${mark} **${gravity ?? word}**: ${prose(sentence)}${where}`;
}

const fact = ({ name, text, isCode }: Fact): string => `${name}: ${isCode ? code(text) : prose(text)}`;

function renderItem(item: Item, report: Report): string {
  const { id, clause, verdict, severity, violation, statement, advice, command } = item;
  const { mark, word } = VERDICTS[verdict];
  const accepted = acceptance(item, report);
  return [
    `### ${mark} ${prose(id)} ${word}${severity ? ` (${SEVERITY_WORDS[severity]})` : ''}${clause === undefined ? '' : `, ${prose(clause)}`}`,
    [violation, statement].flatMap((text) => (text === undefined ? [] : prose(text))).join('  \n'),
    ...(accepted === undefined ? [] : [`Baseline: ${prose(accepted)}`]),
    fence('text', grounds(item)),
    ...(advice === undefined ? [] : [`What to do: ${prose(advice)}`]),
    ...(command === undefined ? [] : ['To send the request again, in bash:', fence('sh', command)]),
  ].join('\n\n');
}

/** What an item rests on as plain text: facts and findings, one a line. */
export function grounds(item: Item): string {
  const facts = factsOf(item);
  const width = Math.max(0, ...facts.map(({ name }) => name.length)) + 2;
  return [
    ...facts.map(({ name, text }) => `${`${name}:`.padEnd(width)}${inOneLine(text)}`),
    ...item.findings.map(({ where, seen, proof, verdict }) => {
      const start = verdict === item.verdict ? '' : `${VERDICTS[verdict].word}: `;
      const end = proof === undefined ? '' : ` (${plain(proof)})`;
      return inOneLine(`${start}${plain(where)}: ${seen}${end}`);
    }),
  ].join('\n');
}

function itemTable(noun: string, items: readonly Item[], report: Report): string[] {
  if (items.length === 0) return [];
  const rows = items.map((item) => {
    const { id, clause, verdict, severity, statement, reason } = item;
    const { mark, word } = VERDICTS[verdict];
    const name = clause === undefined ? prose(id) : `${prose(id)}<br>${prose(clause)}`;
    const accepted = verdict === 'could-not-run' ? acceptance(item, report) : undefined;
    const why = [reason, accepted].map((text) => (text === undefined ? '' : `<br>${prose(text)}`)).join('');
    const gravity = severity ? `<br>${SEVERITY_WORDS[severity]}` : '';
    return `| ${cell(name)} | ${mark} ${word}${gravity} | ${cell(prose(statement) + why)} |`;
  });
  return [`| ${noun} | verdict | statement |`, '| --- | --- | --- |', ...rows];
}

/** Without cards, which have too much for a summary. */
function renderSection({ title, fold, blocks }: Section): string {
  const lines = blocks.flatMap(renderBlock);
  if (lines.length === 0) return '';
  return fold === undefined ? underHeading(title, lines).join('\n\n') : folded(fold, lines);
}

function renderBlock({ text, table, output }: Block): string[] {
  return [
    ...(text === undefined ? [] : [prose(plain(text)), '']),
    ...(table ? [...tableOf(table), ''] : []),
    ...(output === undefined ? [] : [fence('text', output.trimEnd()), '']),
  ];
}

const tableOf = ({ columns, rows }: Table): string[] => [
  `| ${columns.join(' | ')} |`,
  `|${' --- |'.repeat(columns.length)}`,
  ...rows.map(({ cells }) => `| ${cells.map((one) => cell(prose(plain(one)))).join(' | ')} |`),
];

/** GitHub takes no summary above 1 MiB, so what a deployment sent gets a bounded place in it. */
const LONGEST_TEXT = 500;
const LONGEST_BLOCK = 4000;

/** Lines under a heading; nothing where there are none. */
function underHeading(title: string, lines: string[]): string[] {
  return lines.length === 0 ? [] : [`### ${title}`, lines.join('\n')];
}

/** Lines that are shown once a reader opens them. The title is HTML, in which Markdown protects nothing: only our own words. */
function folded(title: string, lines: string[]): string {
  return `<details><summary>${title}</summary>\n\n${lines.join('\n')}\n\n</details>`;
}

/** Words without anything that GitHub gives a meaning to stay words; all else becomes code, where nothing has one. */
function prose(text: string): string {
  return WORDS.test(text) && !/www\./i.test(text)
    ? clip(text, LONGEST_TEXT).replaceAll('_', '\\_')
    : code(text);
}

/** A number followed by a dot or a bracket would start a list. */
const WORDS = /^(?:\p{L}|\p{N}+(?![\p{N}.)]))(?:[\p{L}\p{N} .,;'"(){}?/_=-]|:(?= ))*$/u;

/** A code span: its fence is longer than any row of backticks within. */
export function code(text: string): string {
  const content = clip(inOneLine(text), LONGEST_TEXT);
  const ticks = '`'.repeat(longestRun(content) + 1);
  // One space on either side is taken away again; without it, a backtick at the edge would join the fence.
  const pad = /^`|`$|^ .* $/.test(content) ? ' ' : '';
  return `${ticks}${pad}${content || '(nothing)'}${pad}${ticks}`;
}

/** A block of code: its fence is longer than any row of backticks within. */
function fence(language: string, text: string): string {
  const content = clip(visible(text), LONGEST_BLOCK);
  const ticks = '`'.repeat(Math.max(3, longestRun(content) + 1));
  return `${ticks}${language}\n${content}\n${ticks}`;
}

/** A cell ends at a bar, unless an odd number of backslashes precedes it. */
const cell = (markdown: string): string => markdown.replace(/(\\*)\|/g, '$1$1\\|');

const longestRun = (text: string): number =>
  Math.max(0, ...(text.match(/`+/g) ?? []).map((ticks) => ticks.length));
