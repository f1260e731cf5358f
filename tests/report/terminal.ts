/** A report in 80 columns, for people at a terminal and in CI logs. */
import { styleText } from 'node:util';
import { exitCodes, type ItemVerdict } from '../support/verdict.ts';
import type { Item, ItemFinding, ReportModel } from './model.ts';
import { inOneLine, OUTCOME_MARKS, SEVERITY_WORDS, VERDICTS } from './text.ts';
import { type Trouble, troublesOf } from './troubles.ts';
import { wrap } from './wrap.ts';

/** Columns of a terminal. */
export const WIDTH = 80;

type Style = Parameters<typeof styleText>[0];

const COLORS: Readonly<Record<ItemVerdict, Style>> = {
  failed: 'red',
  warned: 'yellow',
  'could-not-run': 'yellow',
  passed: 'green',
  'not-applicable': 'gray',
  'not-seen': 'gray',
};

/** What a terminal shows, in colour or not. */
export interface Pen {
  paint(style: Style, text: string): string;
  /** The painted mark of a verdict. */
  mark(verdict: ItemVerdict): string;
  /** The painted word of a verdict; a failure in capitals. */
  word(verdict: ItemVerdict): string;
}

export function createPen(color: boolean): Pen {
  const paint: Pen['paint'] = (style, text) => (color ? styleText(style, text) : text);
  return {
    paint,
    mark: (verdict) => paint(COLORS[verdict], VERDICTS[verdict].mark),
    word: (verdict) => paint(COLORS[verdict], wordOf(verdict)),
  };
}

const wordOf = (verdict: ItemVerdict): string => (verdict === 'failed' ? 'FAILED' : VERDICTS[verdict].word);

/** What a judge adds to the frame that all reports share. */
export interface TerminalParts {
  /** Below the subject: what was sent, how long it took. */
  headline: readonly string[];
  body: readonly string[];
  /** Sentences before the last lines. */
  closing: readonly string[];
  /** Appended to the last line. */
  lastWords?: string;
  /** The report to open, where one was written. */
  page?: string | undefined;
}

/** A body of more lines has pushed its beginning off the screen: what is wrong is repeated after it. */
const SCREEN = 20;

/** Subject, what is wrong, body, and last lines of a stable form: the report to open, and the outcome. */
export function renderTerminal(model: ReportModel, parts: TerminalParts, pen: Pen): string {
  const { subject, headline, cause, next, warning, problems, outcome } = model;
  const color = colorOf(outcome);
  const main = wrap(`${OUTCOME_MARKS[outcome]} ${headline}`, WIDTH).map((line) => pen.paint(color, line));
  const causes = cause === undefined ? [] : indented(cause, 2);
  const troubles = troublesOf(model).filter(({ sentence }) => sentence !== cause);
  return [
    '',
    ...wrap(inOneLine(subject.text), WIDTH).map((line) => pen.paint('bold', line)),
    ...parts.headline.flatMap((sentence) => wrap(sentence, WIDTH)),
    '',
    ...main,
    ...causes,
    '',
    ...parts.body,
    ...problems.flatMap((problem) => wrap(`Fault of the run: ${problem}`, WIDTH)),
    ...parts.closing.flatMap((sentence) => wrap(sentence, WIDTH)),
    ...(warning === undefined ? [] : wrap(warning, WIDTH).map((line) => pen.paint('red', line))),
    ...(troubles.length > 0 && parts.body.length > SCREEN
      ? [
          '',
          ...main,
          ...troubles.slice(0, MOST_TROUBLES).flatMap((one) => renderTrouble(one, pen)),
          ...moreOf(troubles),
          ...hanging('→ ', next, 0),
          '',
        ]
      : []),
    ...lastLines(model, parts, pen),
  ].join('\n');
}

/** The report to open, and the outcome in a form that programs can read. */
export function lastLines(
  { outcome, tally }: Pick<ReportModel, 'outcome' | 'tally'>,
  { page, lastWords = '' }: Pick<TerminalParts, 'page' | 'lastWords'>,
  { paint }: Pick<Pen, 'paint'>,
): string[] {
  return [
    ...(page === undefined ? [] : [`report: ${inOneLine(page)}`]),
    paint(exitCodes[outcome] === 0 ? 'green' : 'red', `outcome: ${outcome} (${tally})${lastWords}`),
  ];
}

const colorOf = (outcome: ReportModel['outcome']): Style =>
  outcome.startsWith('conformant')
    ? 'green'
    : ['incomplete', 'accepted'].includes(outcome)
      ? 'yellow'
      : 'red';

/** More are only counted. */
const MOST_TROUBLES = 8;

const moreOf = (troubles: readonly Trouble[]): string[] =>
  troubles.length > MOST_TROUBLES ? [`    ${troubles.length - MOST_TROUBLES} more`] : [];

function renderTrouble({ verdict, sentence, items: [item] }: Trouble, { mark, paint }: Pen): string[] {
  const { severity, id, clause } = item;
  const label = severity === undefined ? '' : `${SEVERITY_WORDS[severity]}: `;
  const names = verdict === 'could-not-run' ? '' : ` (${[id, clause].filter(Boolean).join(', ')})`;
  const [first = '', ...rest] = wrap(label + inOneLine(sentence) + names, WIDTH - 4);
  const shown =
    label !== '' && first.startsWith(label)
      ? paint('bold', label.trim()) + first.slice(label.length - 1)
      : first;
  return [`  ${mark(verdict)} ${shown}`, ...rest.map((line) => `    ${line}`)];
}

/** The findings of an item that are shown; the rest is summarised by `more`. */
export interface Shown {
  findings: readonly ItemFinding[];
  more: readonly string[];
}

/** A failed or warned item: what it requires, what was found, and what to do. */
export function renderBroken(item: Item, { findings, more }: Shown, { mark, word }: Pen): string[] {
  const { id, clause, verdict, severity, violation, statement, advice } = item;
  const names = [severity && SEVERITY_WORDS[severity], clause].filter(Boolean).join(', ');
  const heading = `${id} ${wordOf(verdict)}${names && `, ${names}`}: ${violation ?? statement}`;
  const [first = '', ...rest] = wrap(heading, WIDTH - 2);
  return [
    `${mark(verdict)} ${first.replace(wordOf(verdict), word(verdict))}`,
    ...rest.map((line) => `  ${line}`),
    ...renderFacts(item),
    ...findings.flatMap(({ where, seen, proof }) =>
      hanging('· ', `${where}: ${seen}${proof ? ` (${proof})` : ''}`, 2),
    ),
    ...more.flatMap((sentence) => hanging('· ', sentence, 2)),
    ...(advice === undefined ? [] : hanging('→ ', advice, 2)),
  ];
}

/** Names of facts, in a column of their own. */
function renderFacts({ violation, statement, facts, findings }: Item): string[] {
  if (findings.length > 0) return [];
  const all = [...(violation === undefined ? [] : [['Clause', statement] as const]), ...facts];
  const width = Math.max(0, ...all.map(([name]) => name.length)) + 2;
  return all.flatMap(([name, text]) =>
    indented(text, width + 2).map((line, at) =>
      at === 0 ? `  ${name.padEnd(width)}${line.slice(width + 2)}` : line,
    ),
  );
}

/** `text` in lines that begin at column `indent`. */
export const indented = (text: string, indent: number): string[] =>
  wrap(inOneLine(text), WIDTH - indent).map((line) => ' '.repeat(indent) + line);

/** The same with `start`, two columns wide, in front of the first line. */
export const hanging = (start: string, text: string, indent: number): string[] =>
  wrap(inOneLine(text), WIDTH - indent - 2).map(
    (line, at) => ' '.repeat(indent) + (at === 0 ? start : '  ') + line,
  );
