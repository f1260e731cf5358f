/** A report in 80 columns, for people at a terminal and in CI logs. */
import { styleText } from 'node:util';
import type { ItemVerdict } from '../support/outcome.ts';
import type { Item, ItemFinding, ReportModel } from './model.ts';
import { inOneLine, VERDICTS } from './text.ts';
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
  /** Sentences before the last line. */
  closing: readonly string[];
  /** Appended to the last line. */
  lastWords?: string;
}

/** Subject, body, faults of the run, and a last line of a stable form that programs can read. */
export function renderTerminal(model: ReportModel, parts: TerminalParts, { paint }: Pen): string {
  const { subject, outcome, tally, warning, problems } = model;
  const last = `outcome: ${outcome} (${tally})${parts.lastWords ?? ''}`;
  return [
    '',
    ...wrap(inOneLine(subject.text), WIDTH).map((line) => paint('bold', line)),
    ...parts.headline.flatMap((sentence) => wrap(sentence, WIDTH)),
    '',
    ...parts.body,
    ...problems.flatMap((problem) => wrap(`Fault of the run: ${problem}`, WIDTH)),
    ...parts.closing.flatMap((sentence) => wrap(sentence, WIDTH)),
    ...(warning === undefined ? [] : wrap(warning, WIDTH).map((line) => paint('red', line))),
    paint(outcome.startsWith('conformant') ? 'green' : 'red', last),
  ].join('\n');
}

/** The findings of an item that are shown; the rest is summarised by `more`. */
export interface Shown {
  findings: readonly ItemFinding[];
  more: readonly string[];
}

/** A failed or warned item: what it requires, what was found, and what to do. */
export function renderBroken(item: Item, { findings, more }: Shown, { mark, word }: Pen): string[] {
  const { id, clause, verdict, statement, advice } = item;
  const heading = `${id} ${wordOf(verdict)}${clause === undefined ? '' : `, ${clause}`}: ${statement}`;
  const [first = '', ...rest] = wrap(heading, WIDTH - 2);
  return [
    `${mark(verdict)} ${first.replace(wordOf(verdict), word(verdict))}`,
    ...rest.map((line) => `  ${line}`),
    ...findings.flatMap(({ where, seen, proof }) =>
      hanging('· ', `${where}: ${seen}${proof ? ` (${proof})` : ''}`, 2),
    ),
    ...more.flatMap((sentence) => hanging('· ', sentence, 2)),
    ...(advice === undefined ? [] : hanging('→ ', advice, 2)),
  ];
}

/** `text` in lines that begin at column `indent`. */
export const indented = (text: string, indent: number): string[] =>
  wrap(inOneLine(text), WIDTH - indent).map((line) => ' '.repeat(indent) + line);

/** The same with `start`, two columns wide, in front of the first line. */
export const hanging = (start: string, text: string, indent: number): string[] =>
  wrap(inOneLine(text), WIDTH - indent - 2).map(
    (line, at) => ' '.repeat(indent) + (at === 0 ? start : '  ') + line,
  );
