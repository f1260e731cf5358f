/** A report as GitHub-flavoured Markdown, for the summary of a CI step. Text from outside stays text. */
import {
  acceptance,
  type Fact,
  factsOf,
  type Item,
  isBroken,
  itemsInOrder,
  JUDGES,
  plain,
  type Report,
  type Section,
  shownOutcome,
  type Trouble,
  troublesOf,
} from './report.ts';
import { clip, inOneLine, OUTCOME_MARKS, SEVERITY_WORDS, VERDICTS, visible } from './text.ts';

/** The outcome, what is wrong, the failures, then every item and the sections of the judge. */
export function renderMarkdown(report: Report): string {
  const { judge, tally, headline, subject, facts, next, remarks, warning, problems } = report;
  const outcome = shownOutcome(report);
  const all = itemsInOrder(report);
  const { noun } = JUDGES[judge];
  const rows = all.map((item) => rowOf(item, report));
  return [
    `## ${OUTCOME_MARKS[outcome]} ${outcome}: ${tally}`,
    `**${prose(headline)}**`,
    warning && `> [!CAUTION]\n> ${prose(warning)}`,
    [
      ...problems.map((problem) => `- fault of the run: ${code(problem)}`),
      ...troublesOf(report).map(trouble),
    ].join('\n'),
    [next, ...remarks].map(prose).join(' '),
    `${code(subject.text)}  \n${facts.map(fact).join(' · ')}`,
    ...all.filter(isBroken).map((item) => renderItem(item, report)),
    rows.length > 0 && tableOf([noun, 'verdict', 'statement'], rows),
    ...report.sections.filter(({ inSummary }) => inSummary).map(renderSection),
  ]
    .filter(Boolean)
    .join('\n\n')
    .concat('\n');
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
  const names = [id, word, severity && SEVERITY_WORDS[severity], clause].filter((name) => name !== undefined);
  return [
    `### ${mark} ${names.map(prose).join(', ')}`,
    [violation, statement].flatMap((text) => (text === undefined ? [] : prose(text))).join('  \n'),
    accepted && `Baseline: ${prose(accepted)}`,
    fence('text', grounds(item)),
    advice && `What to do: ${prose(advice)}`,
    command && `To send the request again, in bash:\n\n${fence('sh', command)}`,
  ]
    .filter(Boolean)
    .join('\n\n');
}

/** What an item rests on as plain text: facts and findings, one a line. */
export const grounds = (item: Item): string =>
  [
    ...factsOf(item).map(({ name, text }) => inOneLine(`${name}: ${text}`)),
    ...item.findings.map(({ where, seen, proof, verdict }) => {
      const start = verdict === item.verdict ? '' : `${VERDICTS[verdict].word}: `;
      return inOneLine(`${start}${plain(where)}: ${seen}${proof === undefined ? '' : ` (${plain(proof)})`}`);
    }),
  ].join('\n');

function rowOf(item: Item, report: Report): string[] {
  const { id, clause, verdict, statement, reason } = item;
  const { mark, word } = VERDICTS[verdict];
  const texts = [statement, reason, isBroken(item) ? undefined : acceptance(item, report)];
  const lines = (all: (string | undefined)[]) =>
    all.flatMap((text) => (text === undefined ? [] : prose(text))).join('<br>');
  return [lines([id, clause]), `${mark} ${word}`, lines(texts)];
}

/** Without cards, which have too much for a summary. */
function renderSection({ title, blocks }: Section): string {
  const parts = blocks.flatMap(({ text, table }) => [
    text && prose(plain(text)),
    table &&
      tableOf(
        table.columns,
        table.rows.map(({ cells }) => cells.map((cell) => prose(plain(cell)))),
      ),
  ]);
  return [`### ${title}`, ...parts].filter(Boolean).join('\n\n');
}

/** A table of cells in Markdown. A cell ends at a bar, unless an odd number of backslashes precedes it. */
const tableOf = (columns: readonly string[], rows: readonly string[][]): string =>
  [
    `| ${columns.join(' | ')} |`,
    `|${' --- |'.repeat(columns.length)}`,
    ...rows.map((cells) => `| ${cells.map((one) => one.replace(/(\\*)\|/g, '$1$1\\|')).join(' | ')} |`),
  ].join('\n');

/** GitHub takes no summary above 1 MiB, so what a deployment sent gets a bounded place in it. */
const LONGEST_TEXT = 500;
const LONGEST_BLOCK = 4000;

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

const longestRun = (text: string): number =>
  Math.max(0, ...(text.match(/`+/g) ?? []).map((ticks) => ticks.length));
