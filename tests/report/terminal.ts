/** What a command prints of its report: 80 columns in which what is wrong and what to do come last, and annotations for GitHub Actions. */
import { stripVTControlCharacters, styleText } from 'node:util';
import { groupBy } from '../support/collections.ts';
import { exitCodes, type ShownOutcome, type Verdict } from '../support/verdict.ts';
import {
  acceptance,
  factsOf,
  findingInWords,
  type Item,
  isAccepted,
  isBroken,
  itemsInOrder,
  nextOf,
  plain,
  type Report,
  shownOutcome,
  type Table,
  troublesOf,
  unjudged,
} from './report.ts';
import { cut, inOneLine, OUTCOME_MARKS, SEVERITY_WORDS, VERDICTS, wrap } from './text.ts';

/** Columns of a terminal. */
export const WIDTH = 80;

type Style = Exclude<Parameters<typeof styleText>[0], readonly unknown[]>;

const COLORS: Readonly<Record<Verdict, Style>> = {
  failed: 'red',
  warned: 'yellow',
  'could-not-run': 'yellow',
  passed: 'green',
  'not-applicable': 'gray',
  'not-seen': 'gray',
};

const mark = (verdict: Verdict): string => styleText(COLORS[verdict], VERDICTS[verdict].mark);

interface Appearance {
  color: boolean;
  /** The report to open, where one was written. */
  page?: string | undefined;
  /** A sentence after the outcome. */
  end?: string | undefined;
  /** Whether the commands that send the requests of failures again are shown. */
  hasCommands?: boolean;
}

/** Subject, items, the gravest last, tables, the result, and last lines of a stable form: the report to open, and the outcome. */
export function renderTerminal(report: Report, appearance: Appearance): string {
  const { subject, facts, headline, remarks, problems, sections } = report;
  const outcome = shownOutcome(report);
  const lines = [
    '',
    ...indented(subject.text, 0).map((line) => styleText('bold', line)),
    ...indented(facts.map(({ name, text }) => `${name}: ${text}`).join(' · '), 0),
    '',
    ...sections.flatMap(({ blocks }) => blocks.flatMap(({ table }) => (table ? renderTable(table) : []))),
    ...renderItems(report, appearance.hasCommands),
    ...[...problems.map((problem) => `Fault of the run: ${problem}`), ...remarks].flatMap((one) =>
      indented(one, 0),
    ),
    '',
    // No line of it can begin as the last line does: it may quote what was judged.
    ...hanging(`${OUTCOME_MARKS[outcome]} `, headline, 0).map((line) => styleText(styleOf(outcome), line)),
    ...hanging('→ ', nextOf(report), 0),
    '',
    ...lastLines(report, { ...appearance, color: true }),
  ];
  const text = lines.join('\n').replace(/\n{3,}/g, '\n\n');
  return appearance.color ? text : stripVTControlCharacters(text);
}

/** The report to open, and the outcome in a form that programs can read. */
function lastLines(report: Report, { page, color, end }: Appearance): string[] {
  const outcome = shownOutcome(report);
  const line = `outcome: ${outcome} (${report.tally})${end === undefined ? '' : `. ${end}`}`;
  return [
    ...(page === undefined ? [] : [`report: ${inOneLine(page)}`]),
    color ? styleText(styleOf(outcome), line) : line,
  ];
}

const styleOf = (outcome: ShownOutcome): Style => (exitCodes[outcome] === 0 ? 'green' : 'red');

/** `text`: the whole report; `commands`: with those of failures; `quiet`: only its last lines; `json`: what report.json holds. */
export type Print = 'text' | 'commands' | 'quiet' | 'json';

/** What --quiet, --format and --commands ask for. */
export const printOf = ({
  quiet,
  format,
  commands,
}: {
  quiet?: true | undefined;
  format?: string | undefined;
  commands?: true | undefined;
}): Print => (format === 'json' ? 'json' : quiet ? 'quiet' : commands ? 'commands' : 'text');

/** The report as it is printed. The runner of GitHub Actions would take ##[ for a command, wherever it is in a line. */
export function outputOf(report: Report, print: Print, appearance: Appearance): string {
  if (print === 'json') return JSON.stringify(report, null, 2).replaceAll('##[', '##\\u005b');
  const faults = report.baseline?.faults ?? [];
  const shown =
    print === 'quiet'
      ? [...faults.map(inOneLine), ...lastLines(report, appearance)]
      : [renderTerminal(report, { ...appearance, hasCommands: print === 'commands' })];
  return [...renderAnnotations(report), ...shown].join('\n').replaceAll('##[', '# #[');
}

/**
 * One workflow command for each fault of the run or of its baseline, each violation and each reason; none outside GitHub Actions,
 * which shows ten of each kind.
 */
export function renderAnnotations(report: Report, env: NodeJS.ProcessEnv = process.env): string[] {
  if (env.GITHUB_ACTIONS !== 'true') return [];
  const faults = [...report.problems, ...(report.baseline?.faults ?? [])];
  return [
    ...faults.map((fault) => annotation('error', `mrs ${report.judge}`, fault)),
    ...troublesOf(report).map(({ sentence, name, items: [item] }) => {
      const { verdict, advice } = item;
      const level = isAccepted(item, report) ? 'notice' : verdict === 'failed' ? 'error' : 'warning';
      return annotation(level, `mrs ${report.judge} ${name}`, advice ? `${sentence} ${advice}` : sentence);
    }),
  ];
}

/** A workflow command of GitHub Actions. */
export const annotation = (level: 'error' | 'warning' | 'notice', title: string, text: string): string =>
  `::${level} title=${property(title)}::${data(text)}`;

const data = (text: string): string => inOneLine(text).replaceAll('%', '%25');
const property = (text: string): string => data(text).replaceAll(':', '%3A').replaceAll(',', '%2C');

/** One line for what passed, a paragraph for what has nothing to show, and at the end all that is known of what is broken. */
function renderItems(report: Report, hasCommands = false): string[] {
  const items = itemsInOrder(report);
  const of = (verdict: Verdict) => items.filter((item) => item.verdict === verdict);
  const passed = of('passed');
  return [
    ...(report.judge === 'verify'
      ? passed.flatMap(({ id, statement }) => entry(mark('passed'), id, statement))
      : together(passed)),
    ...[...groupBy(of('not-applicable'), ({ reason = '' }) => reason)].flatMap(([reason, own]) => [
      ...together(own),
      ...indented(reason, 4),
    ]),
    ...together(of('not-seen')),
    ...unjudged(report).flatMap(({ sentence, short, name, items: left }) =>
      report.judge === 'fleet'
        ? hanging(`${mark('could-not-run')} `, `${name}: ${short}`, 0)
        : [
            ...hanging(`${mark('could-not-run')} `, sentence, 0),
            ...indented(left.map((item) => idOf(item, report)).join(', '), 2),
          ],
    ),
    '',
    ...items
      .filter(isBroken)
      .toReversed()
      .flatMap((item) => [...renderBroken(item, report, hasCommands), '']),
    // The gravest violation.
    ...(items[0]?.verdict === 'failed' && report.judge !== 'fleet'
      ? indented(`mrs explain ${items[0].id} says more.`, 0)
      : []),
  ];
}

const idOf = (item: Item, report: Report): string => {
  const accepted = acceptance(item, report);
  return accepted === undefined ? item.id : `${item.id} (${accepted})`;
};

/** Findings of an item in the terminal; the page shows all. */
const MOST_FINDINGS = 3;

/** All that is known of an item, as text without colors. */
export const textOf = (item: Item, report: Report): string =>
  stripVTControlCharacters(renderBroken(item, report, true).join('\n'));

/** Facts that a reader at a terminal looks up in the page. */
const IN_PAGE = /^(Clause|Sent|Body|Read as|Declared by|\$.*)$/;

/** What was found, and what to do; `isWhole`: with all facts, each finding and the command. */
function renderBroken(item: Item, report: Report, isWhole = false): string[] {
  const { id, clause, verdict, severity, violation, statement, advice, findings, command } = item;
  // A failure in capitals.
  const word = verdict === 'failed' ? 'FAILED' : VERDICTS[verdict].word;
  const names = [`${id} ${word}`, severity && SEVERITY_WORDS[severity], clause].filter(Boolean).join(', ');
  const facts = (isWhole || findings.length === 0 ? factsOf(item, report) : []).filter(
    ({ name }) => isWhole || !IN_PAGE.test(name),
  );
  const width = Math.max(...facts.map(({ name }) => name.length)) + 4;
  const shown = isWhole ? findings : findings.slice(0, MOST_FINDINGS);
  const rest = findings.length - shown.length;
  return [
    ...hanging(`${VERDICTS[verdict].mark} `, `${names}: ${violation ?? statement}`, 0).map((line) =>
      styleText('bold', styleText(COLORS[verdict], line)),
    ),
    ...facts.flatMap(({ name, text }) => indented(text, width, `  ${name.padEnd(width - 2)}`)),
    ...shown.flatMap((one) => hanging('· ', findingInWords(one, item), 2)),
    ...(rest > 0 ? [`  · ${rest} more: see report.html`] : []),
    ...(advice === undefined ? [] : hanging('→ ', advice, 2)),
    ...(isWhole && command !== undefined ? ['  To send the request again, in bash:', '', command] : []),
  ];
}

/** Items of one verdict in one paragraph. */
function together(items: readonly Item[]): string[] {
  const [first] = items;
  if (!first) return [];
  const ids = items.map(({ id }) => id).join(', ');
  return hanging(`${mark(first.verdict)} `, `${VERDICTS[first.verdict].word}: ${ids}`, 0);
}

/** The most columns of a cell; the last one of a row is wrapped. */
const CELL = 22;

function renderTable({ columns, rows, inTerminal: shown }: Table): string[] {
  if (shown === undefined || rows.length === 0) return [];
  const all = [{ cells: columns }, ...rows].map(({ cells, ...row }) => ({
    ...row,
    texts: shown.map((at) => inOneLine(plain(cells[at] ?? ''))),
  }));
  const widths = shown
    .slice(0, -1)
    .map((_, at) => Math.min(CELL, Math.max(...all.map(({ texts }) => texts[at]?.length ?? 0))));
  const lines = all.flatMap(({ texts, verdict }: { texts: string[]; verdict?: Verdict | undefined }) => {
    const start = widths.map((width, at) => `${cut(texts[at] ?? '', width).padEnd(width)}  `).join('');
    const sign = verdict === undefined ? ' ' : mark(verdict);
    return indented(texts.at(-1) ?? '', start.length + 2, `${sign} ${start}`);
  });
  // Characters of two columns push what follows to the right.
  return [...lines.map((line) => cut(line.trimEnd(), WIDTH)), ''];
}

/** Ids are in a column of this width. */
const INDENT = 12;

/** A mark, an id, and a text in a column of its own; a long id gets its own line. */
export const entry = (mark: string, id: string, text: string): string[] =>
  id.length > INDENT - 3
    ? [...hanging(`${mark} `, id, 0), ...indented(text, INDENT)]
    : indented(text, INDENT, `${mark} ${id.padEnd(INDENT - 2)}`);

/** `text` in lines that begin at column `indent`, with `start` in front of the first, which fills its columns. */
export const indented = (text: string, indent: number, start = ' '.repeat(indent)): string[] =>
  wrap(inOneLine(text), WIDTH - indent).map((line, at) => (at === 0 ? start : ' '.repeat(indent)) + line);

/** The same with `start`, two columns wide, before the text. */
export const hanging = (start: string, text: string, indent: number): string[] =>
  indented(text, indent + 2, ' '.repeat(indent) + start);

/** Whether text for a stream is coloured: FORCE_COLOR and NO_COLOR decide before what the stream is. */
export function usesColor(stream: { isTTY?: boolean }, env: NodeJS.ProcessEnv): boolean {
  if (env.FORCE_COLOR) return env.FORCE_COLOR !== '0';
  return stream.isTTY === true && !env.NO_COLOR;
}
