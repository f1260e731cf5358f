/** A report as GitHub-flavoured Markdown, for the summary of a CI step. Text from outside stays text. */
import {
  acceptance,
  type Item,
  isBroken,
  itemsInOrder,
  JUDGES,
  nextOf,
  originOf,
  plain,
  type Report,
  type Section,
  shownCounts,
  shownOutcome,
  type Trouble,
  tallyOf,
  troublesOf,
} from './report.ts';
import { clip, inOneLine, OUTCOME_MARKS, VERDICTS, visible } from './text.ts';

/** The outcome, what is wrong and what to do, then every item and the sections of the judge. */
export function renderMarkdown(report: Report): string {
  const { judge, headline, subject, remarks, problems } = report;
  const outcome = shownOutcome(report);
  const rows = itemsInOrder(report).map((item) => rowOf(item, report));
  const facts = report.facts.map(({ name, text, isCode }) => `${name}: ${isCode ? code(text) : prose(text)}`);
  return [
    `## ${OUTCOME_MARKS[outcome]} ${outcome}: ${tallyOf(shownCounts(report))}`,
    `**${prose(headline)}**`,
    [
      ...problems.map((problem) => `- fault of the run: ${code(problem)}`),
      ...troublesOf(report).map((one) => trouble(one, judge)),
    ].join('\n'),
    [nextOf(report), ...remarks].map(prose).join(' '),
    `${code(subject.text)}  \n${facts.join(' · ')}`,
    ...itemsInOrder(report).map(evidenceOf),
    rows.length > 0 && tableOf([JUDGES[judge].noun, 'verdict', 'statement'], rows),
    ...report.sections.map(renderSection),
    `Made by ${prose(originOf(report))}.`,
  ]
    .filter(Boolean)
    .join('\n\n')
    .concat('\n');
}

function trouble({ items: [{ verdict }], label, short, name }: Trouble, judge: Report['judge']): string {
  const start = `- ${VERDICTS[verdict].mark}`;
  return judge === 'fleet'
    ? `${start} ${prose(name)}: **${label}**: ${prose(short)}`
    : `${start} **${label}**: ${prose(short)} (${prose(name)})`;
}

/** What was seen of a failure, what to do, and its command. */
function evidenceOf(item: Item): string {
  const { id, seen, advice, command } = item;
  const lines = [
    seen && item.violation && `Seen: ${prose(seen)}`,
    advice && `What to do: ${prose(advice)}`,
    command && `To send the request again, in bash:\n\n${fence(command)}`,
  ].filter(Boolean);
  return isBroken(item) && lines.length > 0 ? [`**${prose(id)}**`, ...lines].join('  \n') : '';
}

function rowOf(item: Item, report: Report): string[] {
  const { id, clause, verdict, statement, reason } = item;
  const { mark, word } = VERDICTS[verdict];
  const lines = (...texts: (string | undefined)[]) =>
    texts.flatMap((text) => (text === undefined ? [] : prose(text))).join('<br>');
  return [lines(id, clause), `${mark} ${word}`, lines(statement, reason, acceptance(item, report))];
}

/** The tables that a terminal shows, too: other ones have too much for a summary. */
function renderSection({ title, blocks }: Section): string {
  const tables = blocks.flatMap(({ table }) => (table?.inTerminal && table.rows.length > 0 ? table : []));
  const shown = tables.map(({ columns, rows }) =>
    tableOf(
      columns,
      rows.map(({ cells }) => cells.map((cell) => prose(plain(cell)))),
    ),
  );
  return shown.length > 0 ? [`### ${title}`, ...shown].join('\n\n') : '';
}

/** A table of cells in Markdown. A cell ends at a bar, unless an odd number of backslashes precedes it. */
const tableOf = (columns: readonly string[], rows: readonly string[][]): string =>
  [
    `| ${columns.join(' | ')} |`,
    `|${' --- |'.repeat(columns.length)}`,
    ...rows.map(
      (cells) => `| ${cells.map((one) => one.replace(/(?<!\\)(\\*)\|/g, '$1$1\\|')).join(' | ')} |`,
    ),
  ].join('\n');

/** GitHub takes no summary above 1 MiB, so what a deployment sent gets a bounded place in it. */
const LONGEST_TEXT = 500;
const LONGEST_COMMAND = 4000;

/** Words without anything that GitHub gives a meaning to stay words; all else becomes code, where nothing has one. */
function prose(text: string): string {
  return WORDS.test(text) && !/www\./i.test(text)
    ? clip(text, LONGEST_TEXT).replaceAll('_', '\\_')
    : code(text);
}

/** A number followed by a dot or a bracket would start a list. */
const WORDS =
  /^(?:\p{L}|\p{N}+(?![\p{N}.)]))(?:[\p{L}\p{N} .,;'"(){}?/_=-]|:(?= )|(?<=\d):(?=\d\d(?![\d:])))*$/u;

/** A code span: its fence is longer than any row of backticks within. */
export function code(text: string): string {
  const content = clip(inOneLine(text), LONGEST_TEXT);
  const ticks = '`'.repeat(longestRun(content) + 1);
  // One space on either side is taken away again; without it, a backtick at the edge would join the fence.
  const pad = /^`|`$|^ .* $/.test(content) ? ' ' : '';
  return `${ticks}${pad}${content || '(nothing)'}${pad}${ticks}`;
}

/** A command as a block of code: its fence is longer than any row of backticks within. */
function fence(command: string): string {
  const content = clip(visible(command), LONGEST_COMMAND);
  const ticks = '`'.repeat(Math.max(3, longestRun(content) + 1));
  return `${ticks}sh\n${content}\n${ticks}`;
}

const longestRun = (text: string): number =>
  Math.max(0, ...(text.match(/`+/g) ?? []).map((ticks) => ticks.length));
