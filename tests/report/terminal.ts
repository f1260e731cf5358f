/** A report in 80 columns, for people at a terminal and in CI logs. */
import { stripVTControlCharacters, styleText } from 'node:util';
import { exitCodes, type ItemVerdict } from '../support/verdict.ts';
import {
  acceptance,
  type Block,
  type Finding,
  factsOf,
  type Item,
  itemsInOrder,
  JUDGES,
  plain,
  type Report,
  shownOutcome,
  type Table,
  type Trouble,
  troublesOf,
  unjudged,
} from './report.ts';
import { clip, inOneLine, OUTCOME_MARKS, SEVERITY_WORDS, several, VERDICTS } from './text.ts';
import { cut, wrap } from './wrap.ts';

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

const mark = (verdict: ItemVerdict): string => styleText(COLORS[verdict], VERDICTS[verdict].mark);
/** A failure in capitals. */
const wordOf = (verdict: ItemVerdict): string => (verdict === 'failed' ? 'FAILED' : VERDICTS[verdict].word);

export interface Appearance {
  color: boolean;
  /** The report to open, where one was written. */
  page?: string | undefined;
  /** A sentence after the outcome. */
  end?: string | undefined;
}

/** A body of more lines has pushed its beginning off the screen: what is wrong is repeated after it. */
const SCREEN = 20;
/** More are only counted. */
const MOST_TROUBLES = 8;
/** Facts that only the page has room for. */
const PAGE_ONLY = ['Specification', 'Run'];

/** Subject, what is wrong, items, tables, and last lines of a stable form: the report to open, and the outcome. */
export function renderTerminal(report: Report, appearance: Appearance): string {
  const { subject, facts, headline, cause, next, remarks, warning, problems, sections } = report;
  const outcome = shownOutcome(report);
  const color = outcome.startsWith('conformant')
    ? 'green'
    : outcome === 'incomplete' || outcome === 'accepted'
      ? 'yellow'
      : 'red';
  const main = painted(color, `${OUTCOME_MARKS[outcome]} ${headline}`);
  const shown = facts.filter(({ name }) => !PAGE_ONLY.includes(name));
  const troubles = troublesOf(report).filter(({ sentence }) => sentence !== cause);
  const items = renderItems(report);
  const body = [
    ...(items.length > 0 ? [...items, ''] : []),
    ...sections.flatMap(({ blocks }) => blocks.flatMap(renderBlock)),
  ];
  const notes = [
    ...[...problems.map((problem) => `Fault of the run: ${problem}`), ...remarks].flatMap((sentence) =>
      wrap(inOneLine(sentence), WIDTH),
    ),
    ...(warning === undefined ? [] : painted('red', warning)),
  ];
  const isLong = troubles.length > 0 && body.length > SCREEN;
  const lines = [
    '',
    ...painted('bold', subject.text),
    ...wrap(shown.map(({ name, text }) => inOneLine(`${name}: ${text}`)).join(' · '), WIDTH),
    '',
    ...main,
    ...(cause === undefined ? [] : indented(cause, 2)),
    '',
    ...body,
    ...notes,
    ...(isLong && notes.length > 0 ? [''] : []),
    ...(isLong ? [...main, ...renderTroubles(troubles), ...hanging('→ ', next, 0), ''] : []),
    ...lastLines(report, { ...appearance, color: true }),
  ].join('\n');
  return appearance.color ? lines : stripVTControlCharacters(lines);
}

/** The report to open, and the outcome in a form that programs can read. */
export function lastLines(report: Report, { page, color, end }: Appearance): string[] {
  const outcome = shownOutcome(report);
  const line = `outcome: ${outcome} (${report.tally})${end === undefined ? '' : `. ${end}`}`;
  return [
    ...(page === undefined ? [] : [`report: ${inOneLine(page)}`]),
    color ? styleText(exitCodes[outcome] === 0 ? 'green' : 'red', line) : line,
  ];
}

const painted = (style: Style, text: string): string[] =>
  wrap(inOneLine(text), WIDTH).map((line) => styleText(style, line));

function renderTroubles(troubles: readonly Trouble[]): string[] {
  const rest = troubles.length - MOST_TROUBLES;
  const lines = troubles.slice(0, MOST_TROUBLES).flatMap(({ verdict, gravity, sentence, names }) => {
    const label = gravity === undefined ? '' : `${gravity}:`;
    const where = names.length === 0 ? '' : ` (${names.join(', ')})`;
    return hanging(`${mark(verdict)} `, `${label} ${sentence}${where}`.trim(), 2).map((line, at) =>
      at === 0 ? line.replace(label, styleText('bold', label)) : line,
    );
  });
  return [...lines, ...(rest > 0 ? [`    ${rest} more`] : [])];
}

function renderItems(report: Report): string[] {
  const items = itemsInOrder(report);
  const of = (verdict: ItemVerdict) => items.filter((item) => item.verdict === verdict);
  const notApplicable = of('not-applicable');
  const reasons = [...new Set(notApplicable.map(({ reason }) => reason))];
  return [
    ...renderBroken([...of('failed'), ...of('warned')], report),
    ...unjudged(report).flatMap((trouble) => renderUnjudged(trouble, report)),
    ...of('passed').flatMap(({ id, seen }) => (seen === undefined ? [] : renderPassed(id, seen))),
    ...together(of('passed').filter(({ seen }) => seen === undefined)),
    ...reasons.flatMap((reason) => [
      ...together(notApplicable.filter((item) => item.reason === reason)),
      ...indented(reason ?? '', 4),
    ]),
    ...together(of('not-seen')),
  ];
}

/** What failed or warns, each with its command; the same command is printed once. */
function renderBroken(broken: readonly Item[], report: Report): string[] {
  return broken.flatMap((item, at) => {
    const { command } = item;
    const lines = renderBrokenItem(item, report);
    const before = broken.slice(0, at).find((one) => one.command === command);
    if (command === undefined) return [...lines, ''];
    if (before) return [...lines, `  To send the request again: the command of ${before.id}.`, ''];
    return [...lines, '  To send the request again, in bash:', '', command, ''];
  });
}

/** What an item requires, what was found, and what to do. */
function renderBrokenItem(item: Item, report: Report): string[] {
  const { id, clause, verdict, severity, violation, statement, advice, findings } = item;
  const accepted = acceptance(item, report);
  const word = wordOf(verdict);
  const names = [severity && SEVERITY_WORDS[severity], clause].filter(Boolean).join(', ');
  const heading = `${id} ${word}${names && `, ${names}`}: ${violation ?? statement}`;
  return [
    ...hanging(`${mark(verdict)} `, heading, 0).map((line, at) =>
      at === 0 ? line.replace(word, styleText(COLORS[verdict], word)) : line,
    ),
    ...(findings.length > 0 ? renderFindings(findings, verdict) : renderFacts(item)),
    ...(accepted === undefined ? [] : hanging('· ', `Baseline: ${accepted}`, 2)),
    ...(advice === undefined ? [] : hanging('→ ', advice, 2)),
  ];
}

/** Names of facts, in a column of their own. */
function renderFacts(item: Item): string[] {
  const { violation, statement } = item;
  const all = [...(violation === undefined ? [] : [{ name: 'Clause', text: statement }]), ...factsOf(item)];
  const width = Math.max(0, ...all.map(({ name }) => name.length)) + 2;
  return all.flatMap(({ name, text }) =>
    indented(text, width + 2).map((line, at) =>
      at === 0 ? `  ${name.padEnd(width)}${line.slice(width + 2)}` : line,
    ),
  );
}

/** Findings of an item in the terminal; the page shows all. */
const MOST_FINDINGS = 3;

/** The first finding at each place; of many places only the names. A warning of what failed has its mark. */
function renderFindings(findings: readonly Finding[], verdict: ItemVerdict): string[] {
  const places = findings.map(({ where }) => plain(where));
  const firsts = findings.filter(({ where }, at) => places.indexOf(plain(where)) === at);
  const others = firsts.slice(MOST_FINDINGS).map(({ where }) => plain(where));
  const rest = findings.length - firsts.length;
  return [
    ...firsts.slice(0, MOST_FINDINGS).flatMap(({ where, seen, proof, verdict: own }) => {
      const shown = proof === undefined ? '' : ` (${plain(proof)})`;
      const sign = own === verdict ? '·' : VERDICTS[own].mark;
      return hanging(`${sign} `, `${plain(where)}: ${seen}${shown}`, 2);
    }),
    ...(others.length > 0 ? hanging('· ', `the same in ${others.join(', ')}`, 2) : []),
    ...(rest > 0 ? hanging('· ', `${rest} more at these places: see report.html`, 2) : []),
  ];
}

function renderUnjudged({ sentence, items }: Trouble, report: Report): string[] {
  const start = `${mark('could-not-run')} `;
  // The cause is above.
  if (sentence === report.cause)
    return hanging(start, `not tested: ${several(items.length, JUDGES[report.judge].noun)}`, 0);
  const ids = items.map((item) => {
    const accepted = acceptance(item, report);
    return accepted === undefined ? item.id : `${item.id} (${accepted})`;
  });
  return [...hanging(start, sentence, 0), ...indented(ids.join(', '), 2)];
}

/** One line; the page has all of it. */
function renderPassed(id: string, seen: string): string[] {
  const whole = entry('✓', id, seen)
    .map((line, at) => (at === 0 ? line : line.trim()))
    .join(' ');
  const start = cut(whole, WIDTH);
  const line = start === whole ? whole : `${cut(whole, WIDTH - 1)}…`;
  return [line.replace('✓', mark('passed'))];
}

/** Items of one verdict in one paragraph. */
function together(items: readonly Item[]): string[] {
  const [first] = items;
  if (!first) return [];
  const { verdict } = first;
  const ids = items.map(({ id }) => id).join(', ');
  return hanging(`${mark(verdict)} `, `${VERDICTS[verdict].word}: ${ids}`, 0);
}

/** Lines of a program's output; the page has more. */
const LAST_LINES = 5;

/** A table that a terminal shows, or the output of a program. */
function renderBlock({ table, output, text }: Block): string[] {
  if (output === undefined)
    return table?.inTerminal === undefined || table.rows.length === 0
      ? []
      : [...renderTable(table, table.inTerminal), ''];
  const lines = output.trimEnd().split('\n').slice(-LAST_LINES);
  return [
    ...(text === undefined ? [] : wrap(plain(text), WIDTH)),
    ...lines.flatMap((line) => indented(clip(line, 200), 4)),
    '',
  ];
}

/** The last column of a table has at least this width. */
const LAST_COLUMN = 20;

/** Columns as wide as they need to be; the last one is wrapped. */
function renderTable({ columns, rows }: Table, shown: readonly number[]): string[] {
  const cellsOf = (cells: readonly (string | undefined)[]) => shown.map((at) => cells[at] ?? '');
  const heading = cellsOf(columns);
  const lines = rows.map(({ cells }) => cellsOf(cells.map((cell) => inOneLine(plain(cell)))));
  const natural = heading.map((name, at) =>
    Math.min(30, Math.max(name.length, ...lines.map((cells) => cells[at]?.length ?? 0))),
  );
  const room = WIDTH - 2 - LAST_COLUMN;
  const isTooWide = natural.slice(0, -1).reduce((sum, width) => sum + width + 2, 0) > room;
  const share = Math.floor(room / Math.max(1, natural.length - 1)) - 2;
  const widths = natural.map((width) => (isTooWide ? Math.min(width, share) : width));
  const isNumber = (at: number) => lines.every((cells) => /^[\d–]/.test(cells[at] ?? ''));
  const pad = (text: string, at: number) =>
    isNumber(at) ? text.padStart(widths[at] ?? 0) : text.padEnd(widths[at] ?? 0);
  const indent = widths.slice(0, -1).reduce((sum, width) => sum + width + 2, 2);
  const lineOf = (cells: readonly string[], start: string) => {
    const [first = '', ...rest] = wrap(cells.at(-1) ?? '', Math.max(LAST_COLUMN, WIDTH - indent));
    const before = cells.slice(0, -1).map((cell, at) => `${pad(cut(cell, widths[at] ?? 0), at)}  `);
    return [
      // Characters of two columns push what follows to the right.
      cut(`${start} ${before.join('')}${first}`.trimEnd(), WIDTH),
      ...rest.map((line) => ' '.repeat(indent) + line),
    ];
  };
  return [
    ...lineOf(heading, ' ').map((line) => styleText('gray', line)),
    ...lines.flatMap((cells, at) => {
      const verdict = rows[at]?.verdict;
      return lineOf(cells, verdict === undefined ? ' ' : mark(verdict));
    }),
  ];
}

/** Ids are in a column of this width. */
const INDENT = 12;

/** A mark, an id, and a text in a column of its own; a long id gets its own line. */
export function entry(mark: string, id: string, text: string): string[] {
  const lines = indented(text, INDENT);
  if (id.length > INDENT - 3) return [...hanging(`${mark} `, id, 0), ...lines];
  return lines.map((line, at) => (at === 0 ? `${mark} ${id.padEnd(INDENT - 2)}${line.slice(INDENT)}` : line));
}

/** `text` in lines that begin at column `indent`. */
export const indented = (text: string, indent: number): string[] =>
  wrap(inOneLine(text), WIDTH - indent).map((line) => ' '.repeat(indent) + line);

/** The same with `start`, two columns wide, in front of the first line. */
export const hanging = (start: string, text: string, indent: number): string[] =>
  wrap(inOneLine(text), WIDTH - indent - 2).map(
    (line, at) => ' '.repeat(indent) + (at === 0 ? start : '  ') + line,
  );

/** Whether text for a stream is coloured: FORCE_COLOR and NO_COLOR decide before what the stream is. */
export function usesColor(stream: { isTTY?: boolean }, env: NodeJS.ProcessEnv): boolean {
  if (env.FORCE_COLOR) return env.FORCE_COLOR !== '0';
  return stream.isTTY === true && !env.NO_COLOR;
}
