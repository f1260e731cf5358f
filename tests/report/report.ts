/** The report that every judge writes: one type, of which report.json, the page and all other views are made. */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { groupBy } from '../support/collections.ts';
import { REPORT_BYTES, readBounded } from '../support/files.ts';
import { compileOwn } from '../support/own-schema.ts';
import { UsageError } from '../support/usage-error.ts';
import { type ItemVerdict, type Outcome, SEVERITIES, type ShownOutcome } from '../support/verdict.ts';
import { suite } from '../support/version.ts';
import type { ReportSchema } from './report.schema.ts';
import { SEVERITY_WORDS, several, tallyOf, VERDICTS } from './text.ts';

/** `T` as a value: read-only at any depth. What may be absent may be `undefined`, which JSON leaves out. */
type Value<T> = T extends readonly [string, string]
  ? Readonly<T>
  : T extends readonly (infer Member)[]
    ? readonly Value<Member>[]
    : T extends object
      ? {
          readonly [Name in keyof T]: Value<T[Name]> | (object extends Pick<T, Name> ? undefined : never);
        }
      : T;

/** What report.json holds. Text in it may come from what was judged: views escape it. */
export type Report = Value<ReportSchema>;
export type Judge = Report['judge'];
export type Item = Report['items'][number];
export type Finding = Item['findings'][number];
export type Fact = Report['facts'][number];
export type Section = Report['sections'][number];
export type Block = Section['blocks'][number];
export type Table = NonNullable<Block['table']>;
export type Row = Table['rows'][number];
export type Exchange = Report['exchanges'][number];
/** A sentence, in which parts can be links. */
export type Text = Finding['where'];

/** What the report of a judge is about, and the verdicts that it counts. */
interface JudgeWords {
  kind: string;
  topic: string;
  /** The word for an item. */
  noun: string;
  verdicts: readonly ItemVerdict[];
  /** What to do next, where that differs from `NEXT`. */
  next?: Readonly<Partial<Record<Outcome, string>>>;
}

/** What to do next, as sentences. */
const NEXT: Readonly<Record<Outcome, string>> = {
  conformant: 'Nothing has to change.',
  'conformant-to-profile': 'Nothing has to change for clients that know the profile.',
  nonconformant: 'Fix what failed, and run again.',
  incomplete: 'Resolve the reasons above, and run again.',
  error: 'Fix what made the run fail, and run again.',
};

const TRAFFIC: JudgeWords = {
  kind: 'Traffic report',
  topic: 'Traffic of the Mitigation Request Service',
  noun: 'clause',
  verdicts: ['passed', 'failed', 'warned', 'not-seen'],
  next: {
    conformant: 'What the traffic did not show was not judged: mrs verify and mrs certify test it.',
    incomplete: 'Record what is missing, with headers and bodies, and judge that.',
  },
};

export const JUDGES: Readonly<Record<Judge, JudgeWords>> = {
  verify: {
    kind: 'Conformance report',
    topic: 'Mitigation Request Service Interface Specification',
    noun: 'requirement',
    verdicts: ['passed', 'failed', 'could-not-run', 'not-applicable'],
  },
  judge: TRAFFIC,
  proxy: TRAFFIC,
  certify: {
    kind: 'Client examination report',
    topic: 'Client of the Mitigation Request Service',
    noun: 'rule',
    verdicts: ['passed', 'failed', 'warned', 'could-not-run', 'not-applicable'],
  },
  feed: {
    kind: 'Feed report',
    topic: 'Mitigation request records',
    noun: 'rule',
    verdicts: [],
    next: { nonconformant: 'Give this report to the publisher of the feed.' },
  },
  fleet: {
    kind: 'Fleet report',
    topic: 'Deployments of the Mitigation Request Service',
    noun: 'deployment',
    verdicts: [],
    next: {
      nonconformant: 'Send the operator of each nonconformant deployment the report of that deployment.',
    },
  },
};

// What judges give, and what is made of it.

/** A fact of a table of facts: left out where its text is undefined or empty. */
type FactRow = readonly [name: string, text: string | undefined, isCode?: 'code'];

export const factsIn = (rows: readonly FactRow[]): Fact[] =>
  rows.flatMap(([name, text, isCode]) => (text ? { name, text, ...(isCode && { isCode: true }) } : []));

type ItemParts = Partial<Item> & Pick<Item, 'id' | 'group' | 'statement' | 'verdict'>;

/** An item of what a judge knows of a requirement or a rule. Only what failed has a violation, only what is broken advice. */
export function itemWith({ facts = [], findings = [], exchanges = [], ...parts }: ItemParts): Item {
  const { verdict, severity, violation, command, advice } = parts;
  const ofFailure = verdict === 'failed' ? { severity, violation, command } : NO_FAILURE;
  const isBroken = verdict === 'failed' || verdict === 'warned';
  return { ...parts, ...ofFailure, advice: isBroken ? advice : undefined, facts, findings, exchanges };
}

const NO_FAILURE = { severity: undefined, violation: undefined, command: undefined };

/** A column by its title, and the cell that each row has in it. */
export type Column<Of> = readonly [title: string, cell: (row: Of, at: number) => Text];

/** A table of `rows`; `more` says what differs from a plain one. */
export const tableOf = <Of>(
  name: string,
  caption: string,
  columns: readonly Column<Of>[],
  rows: readonly Of[],
  more: (row: Of) => Omit<Row, 'cells'> = () => ({}),
): Table => ({
  ...{ name, caption, columns: columns.map(([title]) => title) },
  rows: rows.map((row, at) => ({ ...more(row), cells: columns.map(([, cell]) => cell(row, at)) })),
});

type ReportParts = Partial<Report> & Pick<Report, 'judge' | 'subject' | 'outcome' | 'headline' | 'items'>;

/** The report of what a judge found: what every report says of the suite, the counts, and what to do next. */
export function reportWith(parts: ReportParts): Report {
  const { runId, judge, subject, outcome, headline, startedAt, facts = [] } = parts;
  const { verdicts, next } = JUDGES[judge];
  const { counts, tally } = countItems(parts.items, verdicts);
  return {
    ...{ $schema: './report.schema.json', schemaVersion: 2, suite, runId, judge, subject, outcome, headline },
    next: next?.[outcome] ?? NEXT[outcome],
    ...{ counts, tally, remarks: [], properties: {}, sections: [], exchanges: [], problems: [] },
    ...parts,
    facts: [
      ...facts,
      ...factsIn([
        ['Suite', `${suite.name} ${suite.version}`],
        // As many characters of a digest as people compare.
        ['Specification', suite.specification.slice(0, 19), 'code'],
        ['Run', runId, 'code'],
        ['Date', startedAt, 'code'],
      ]),
    ],
  };
}

/** The number of items by verdict, with a count for each verdict of `possible`, and the same as words. */
export function countItems(
  items: readonly { verdict: ItemVerdict }[],
  possible: readonly ItemVerdict[],
): Pick<Report, 'counts' | 'tally'> & { of: Partial<Record<ItemVerdict, number>> } {
  const of: Partial<Record<ItemVerdict, number>> = {};
  for (const verdict of possible) of[verdict] = items.filter((item) => item.verdict === verdict).length;
  const counts = (Object.keys(VERDICTS) as ItemVerdict[]).flatMap((verdict) =>
    of[verdict] === undefined ? [] : [{ value: of[verdict], word: VERDICTS[verdict].word, verdict }],
  );
  return { counts, tally: tallyOf(of), of };
}

// What views show of it.

/** The outcome that sets the exit code: a baseline can accept what the verdicts do not. */
export const shownOutcome = ({ outcome, baseline }: Pick<Report, 'outcome' | 'baseline'>): ShownOutcome =>
  baseline?.outcome ?? outcome;

/** `accepted until 2030-01-01 by ops: it is known`; undefined where no baseline accepts the item. */
export function acceptance(item: Item, report: Report): string | undefined {
  const entry = acceptedAs(item, report);
  return entry && `accepted until ${entry.until} by ${entry.owner}: ${entry.reason}`;
}

const acceptedAs = ({ id }: Item, { baseline }: Report) =>
  baseline?.accepted.find(({ requirement }) => requirement === id);

/** Items in the order in which they are read: failures first, the gravest of them before others, then warnings. */
export function itemsInOrder({ items }: Pick<Report, 'items'>): Item[] {
  const gravity = ({ verdict, severity }: Item): number =>
    ORDER.indexOf(verdict) + (severity === undefined ? SEVERITIES.length : SEVERITIES.indexOf(severity)) / 10;
  return items.toSorted((a, b) => gravity(a) - gravity(b));
}

const ORDER = Object.keys(VERDICTS) as ItemVerdict[];

/** All that is known of an item besides its findings: what was expected and seen, unless they say it, and its own facts. */
export const factsOf = ({ expected, seen, facts, findings }: Item): Fact[] => [
  ...(expected === undefined ? [] : [{ name: 'Expected', text: expected }]),
  ...(seen === undefined || findings.length > 0 ? [] : [{ name: 'Seen', text: seen }]),
  ...facts,
];

/** A text without its links. */
export const plain = (text: Text): string =>
  typeof text === 'string'
    ? text
    : text.map((part) => (typeof part === 'string' ? part : part.text)).join('');

/** `id` as a part of an address within the page. */
export function anchorOf(id: string): string {
  const anchor = id.replace(/[^\w.-]/g, '-');
  if (anchor === id) return anchor;
  // Two ids may differ only in what was replaced.
  return `${anchor}-${createHash('sha256').update(id).digest('hex').slice(0, 8)}`;
}

/** That of an item: a rule of feeds can have one that fails and one that warns. */
export const anchorOfItem = ({ id, verdict }: Item): string =>
  verdict === 'warned' ? `${anchorOf(id)}-warning` : anchorOf(id);

/** What a reader has to know first. */
export interface Trouble {
  verdict: ItemVerdict;
  /** What it means, where that is known. */
  gravity: string | undefined;
  /** What is wrong, as sentences. */
  sentence: string;
  /** The item that failed or warns, and its clause; none where items share a reason. */
  names: readonly string[];
  /** The item that failed or warns, or all items that share a reason. */
  items: readonly [Item, ...Item[]];
}

/** Failures, the gravest first, then warnings, then one for each reason why items could not be judged. */
export function troublesOf(report: Report): Trouble[] {
  const broken = itemsInOrder(report).flatMap((item): Trouble[] => {
    if (!isBroken(item)) return [];
    const { id, clause, verdict, severity } = item;
    const names = clause === undefined ? [id] : [id, clause];
    const sentence = violationOf(item, report);
    return [{ verdict, gravity: severity && SEVERITY_WORDS[severity], sentence, names, items: [item] }];
  });
  return [...broken, ...unjudged(report)];
}

/** Whether something has to change, or should. */
export const isBroken = ({ verdict }: Item): boolean => verdict === 'failed' || verdict === 'warned';

/** What is wrong with an item that failed or warns. */
function violationOf(item: Item, report: Report): string {
  const { violation, seen, findings, statement, verdict } = item;
  const [first] = findings;
  const rest = findings.filter((one) => one.verdict === verdict).length - 1;
  const found = first && (rest > 0 ? `${first.seen.replace(/\.$/, '')} (and ${rest} more).` : first.seen);
  const sentence = violation ?? (seen === undefined ? (found ?? statement) : `${statement} Seen: ${seen}`);
  const accepted = acceptedAs(item, report);
  return fullStop(sentence) + (accepted ? ` It is accepted until ${accepted.until}.` : '');
}

/** Items that could not be judged, by their reason. */
export function unjudged(report: Report): Trouble[] {
  const left = itemsInOrder(report).filter(({ verdict }) => verdict === 'could-not-run');
  return [...groupBy(left, ({ reason = '' }) => reason)].map(([reason, items]) => {
    const all = several(items.length, JUDGES[report.judge].noun);
    const sentence = reason === report.cause ? reason : `${all} could not be tested. ${fullStop(reason)}`;
    return {
      ...{ verdict: 'could-not-run', gravity: undefined, sentence, names: [] },
      items: items as [Item, ...Item[]],
    };
  });
}

const fullStop = (text: string): string => (/[.!?]$/.test(text) ? text : `${text}.`);

/** The schema of report.json, as text. */
export const reportSchema = (): string =>
  readFileSync(fileURLToPath(import.meta.resolve('mrs-contract/report.schema.json')), 'utf8');

/** Reads a report.json that may come from anywhere. Throws UsageError if it is not a report of this schema version. */
export const readReport = (file: string): Report =>
  parseReport(readBounded(file, REPORT_BYTES, file).toString(), file);

/** The report in a text that may come from anywhere; `file` names it. Throws UsageError as `readReport` does. */
export function parseReport(text: string, file: string): Report {
  let report: unknown;
  try {
    report = JSON.parse(text);
  } catch {
    throw new UsageError(`${file} cannot be read as a report (it is not JSON). Name a report.json.`);
  }
  const validate = compileOwn<Report>(JSON.parse(reportSchema()));
  if (validate(report)) return report;
  const [{ instancePath = '', message = '' } = {}] = validate.errors ?? [];
  throw new UsageError(
    `${file} is not a report: ${instancePath || 'it'} ${message}. Name a report.json of this version of mrs.`,
  );
}
