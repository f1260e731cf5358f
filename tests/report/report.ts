/** The report that every judge writes: one type, of which report.json, the page and all other views are made. */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { groupBy } from '../support/collections.ts';
import { REPORT_BYTES, readBounded } from '../support/files.ts';
import { compileOwn, faultIn } from '../support/own-schema.ts';
import { UsageError } from '../support/usage-error.ts';
import { SEVERITIES, type ShownOutcome, type Verdict } from '../support/verdict.ts';
import { suite } from '../support/version.ts';
import type { ReportSchema } from './report.schema.ts';
import { clip, SEVERITY_WORDS, several, VERDICTS } from './text.ts';

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

/** What the report of a judge is called, the word for an item, and the verdicts that it counts. */
interface JudgeWords {
  kind: string;
  noun: string;
  /** None where the items are not all that was asked. */
  verdicts: readonly Verdict[];
}

const TRAFFIC: JudgeWords = {
  kind: 'Traffic report',
  noun: 'clause',
  verdicts: ['passed', 'failed', 'warned', 'not-seen'],
};

export const JUDGES: Readonly<Record<Judge, JudgeWords>> = {
  verify: {
    kind: 'Conformance report',
    noun: 'requirement',
    verdicts: ['passed', 'failed', 'could-not-run', 'not-applicable'],
  },
  judge: TRAFFIC,
  proxy: TRAFFIC,
  certify: {
    kind: 'Client examination report',
    noun: 'rule',
    verdicts: ['passed', 'failed', 'warned', 'could-not-run', 'not-applicable'],
  },
  feed: { kind: 'Feed report', noun: 'rule', verdicts: [] },
  fleet: { kind: 'Fleet report', noun: 'deployment', verdicts: [] },
};

// What judges give, and the report that is made of it.

/** A fact of a table of facts: left out where its text is undefined or empty. */
type FactRow = readonly [name: string, text: string | false | undefined, isCode?: 'code'];

export const factsIn = (rows: readonly FactRow[]): Fact[] =>
  rows.flatMap(([name, text, isCode]) => (text ? { name, text, ...(isCode && { isCode: true }) } : []));

type ItemParts = Partial<Item> & Pick<Item, 'id' | 'group' | 'statement' | 'verdict'>;

/** An item of what a judge knows of a requirement or a rule. Only what failed has a violation, only what is broken advice. */
export function itemWith({ facts = [], findings = [], exchanges = [], ...parts }: ItemParts): Item {
  const { verdict, severity, violation, cause, command, advice } = parts;
  const ofFailure = verdict === 'failed' ? { severity, violation, cause, command } : NO_FAILURE;
  const isBroken = verdict === 'failed' || verdict === 'warned';
  return { ...parts, ...ofFailure, advice: isBroken ? advice : undefined, facts, findings, exchanges };
}

const NO_FAILURE = { severity: undefined, violation: undefined, cause: undefined, command: undefined };

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

type ReportParts = Partial<Report> &
  Pick<Report, 'judge' | 'subject' | 'outcome' | 'items'> & {
    /** What the last line says after the counts. */
    marks?: readonly string[];
    /** A sentence before or after that of the headline, without its full stop. */
    lead?: string | undefined;
    note?: string | undefined;
  };

/** The report of what a judge found: what it does not give follows from the outcome and the items. */
export function reportWith({ marks = [], lead, note, ...parts }: ReportParts): Report {
  const counts = parts.counts ?? countsOf(parts.items, JUDGES[parts.judge].verdicts);
  return {
    $schema: 'https://mrs-contract.example/report.schema.json',
    ...{ schemaVersion: 2, suite, remarks: [], facts: [], properties: {} },
    ...{ sections: [], exchanges: [], problems: [] },
    ...parts,
    headline: [lead, parts.headline ?? headlineOf(parts), note].filter(Boolean).join('. '),
    counts,
    tally: parts.tally ?? [tallyOf(counts), ...marks].join('; '),
  };
}

/** The report of evidence that was judged before, marked as such in every view; `digest` is that of the evidence. */
export const judgedAgain = (report: Report, digest: string): Report => ({
  ...report,
  tally: `${report.tally}; judged again`,
  remarks: [
    'No request was sent: this judges the evidence of an earlier run, and nothing vouches for that.',
    ...report.remarks,
  ],
  properties: { ...report.properties, judgedAgain: digest },
});

type Counts = Report['counts'];

/** Those that are not zero, for readers. */
export const shownCounts = ({ counts }: Pick<Report, 'counts'>): Counts =>
  counts.filter(({ value, verdict }) => value > 0 || verdict === undefined);

/** The number of items of each verdict. */
export const countsOf = (items: readonly { verdict: Verdict }[], verdicts: readonly Verdict[]): Counts =>
  verdicts.map((verdict) => ({
    value: items.filter((item) => item.verdict === verdict).length,
    word: VERDICTS[verdict].word,
    verdict,
  }));

/** `14 passed, 6 failed, 1 could not run, 2 not applicable`. */
export const tallyOf = (counts: Counts): string =>
  counts.map(({ value, word }) => `${value} ${word}`).join(', ');

/**
 * The result as a sentence without its full stop: the gravest violation, and how many more there are. `accepted`: the violations
 * that a baseline accepts, each with its last day.
 */
export function headlineOf(
  { judge, outcome, items }: Pick<ReportParts, 'judge' | 'outcome' | 'items'>,
  accepted: readonly { requirement: string; until: string }[] = [],
): string {
  const { noun, verdicts } = JUDGES[judge];
  const countOf = (verdict: Verdict) => items.filter((item) => item.verdict === verdict).length;
  const [warned, untested] = [countOf('warned'), countOf('could-not-run')];
  const isWhole = verdicts.length > 0;
  const all = several(items.length, noun);
  const share = (count: number) => (isWhole ? `${count} of ${all}` : several(count, noun));
  const warnings = several(warned, 'warning');
  if (outcome === 'error') return 'The run itself failed';
  const isKnown = ({ id }: Item) => accepted.some(({ requirement }) => requirement === id);
  const failed = itemsInOrder({ items }).filter(({ verdict }) => verdict === 'failed');
  const [first, ...more] = byCause(
    failed.filter((item) => !isKnown(item)),
    isKnown,
  );
  const rest = more.length > 0 ? `, and ${several(more.length, 'more violation')}` : '';
  const [until] = accepted.map((one) => one.until).toSorted();
  const known = failed.filter(isKnown);
  const secure = known.filter(({ severity }) => severity === 'security').length;
  const ofKnown =
    known.length > 0 &&
    `Accepted until ${until}: ${several(known.length, 'known violation')}${secure > 0 ? ` (${secure} security)` : ''}`;
  if (failed.length > 0)
    return [first && `${wrongInShort(first[0])}${rest}`, ofKnown].filter(Boolean).join('. ');
  if (outcome === 'nonconformant') return `${warnings} in a strict run`;
  if (untested > 0) return `${share(untested)} could not be tested`;
  if (outcome === 'incomplete') return 'Nothing is violated, but too little was tested';
  if (isWhole && countOf('passed') === items.length) return `All ${all} are met`;
  return `No ${noun} is violated${warned > 0 ? `, with ${warnings}` : ''}`;
}

/** Items that failed by one mistake, together; what a baseline accepts is apart from what it does not. */
const byCause = (items: readonly Item[], isKnown: (item: Item) => boolean) =>
  [...groupBy(items, (item) => `${isKnown(item)} ${item.cause ?? anchorOfItem(item)}`).values()] as [
    Item,
    ...Item[],
  ][];

/** In characters. */
const LONGEST_HEADLINE = 160;

/** What is wrong with an item, without how it was seen, as the start of a headline. */
const wrongInShort = (item: Item): string => {
  const wrong = item.cause ?? item.violation ?? wrongIn(item).split(': ', 1)[0] ?? '';
  return clip(wrong.replace(/\.$/, ''), LONGEST_HEADLINE);
};

// What views show of a report.

/** The outcome that sets the exit code: a baseline can accept what the verdicts do not. */
export const shownOutcome = ({ outcome, baseline }: Pick<Report, 'outcome' | 'baseline'>): ShownOutcome =>
  baseline?.outcome ?? outcome;

/** What to do next, as a sentence. */
export function nextOf(report: Report): string {
  const outcome = shownOutcome(report);
  if (outcome === 'incomplete' && UNTESTED.includes(report.reason ?? ''))
    return 'Correct the settings, or wait for the service, and run again. This report says nothing against the deployment.';
  if (outcome === 'incomplete' && report.reason === 'out-of-order')
    return 'Run again when the deployment is up.';
  if (outcome === 'incomplete' && report.reason === 'token-lifetime-differs')
    return 'Ask the operator how long tokens live, correct --token-lifetime, and run again.';
  if (outcome === 'nonconformant' && isOnlyByBaseline(report))
    return 'Correct the baseline as the remark says, and run again.';
  if (outcome === 'incomplete' && report.properties.interrupted) return 'Run again, to the end.';
  const isTested = report.items.every(({ verdict }) => verdict !== 'could-not-run');
  if (outcome === 'incomplete' && report.judge === 'certify' && isTested)
    return 'Play all scenarios to their end.';
  if (outcome === 'nonconformant') return nextAfterFailure(report);
  if (outcome === 'conformant' && report.items.some(({ verdict }) => verdict === 'warned'))
    return 'Read the warnings, and decide what to change.';
  return NEXT[outcome];
}

/** Whether all that failed is accepted, and the baseline itself is out of date. */
export const isOnlyByBaseline = ({ items, baseline }: Pick<Report, 'items' | 'baseline'>): boolean =>
  baseline !== undefined &&
  baseline.faults.length > 0 &&
  items.every(
    ({ id, verdict }) =>
      verdict !== 'failed' ||
      baseline.accepted.some((one) => one.requirement === id && one.verdict === verdict),
  );

/** Reasons for which a run could test nothing. */
const UNTESTED: readonly string[] = [
  ...['unknown-host', 'unreachable', 'proxy', 'tls', 'not-http'],
  ...['unavailable', 'wrong-base-url', 'all-refused-alike', 'credentials-refused', 'scope-refused'],
];

/** By the one who can mend it: whoever reads this may be another. */
function nextAfterFailure({ judge, properties: { server, client } }: Report): string {
  const who = { feed: 'publisher of the feed', fleet: 'operators of these deployments' }[
    judge as 'feed' | 'fleet'
  ];
  const isOfService = judge !== 'certify' && (server ?? 'nonconformant') === 'nonconformant';
  const steps = [
    isOfService && `send this report to the ${who ?? 'operator of the service'}`,
    (judge === 'certify' || client === 'nonconformant') && 'change the client as the findings say',
    `${judge === 'judge' ? 'record' : 'run'} again after the fix.`,
  ].filter((step) => step !== false);
  const text = new Intl.ListFormat('en-GB').format(steps);
  return text.charAt(0).toUpperCase() + text.slice(1);
}

const NEXT: Readonly<Record<ShownOutcome, string>> = {
  conformant: 'Nothing has to change.',
  'conformant-to-profile': 'Nothing has to change for clients that know the profile.',
  accepted: 'Have the accepted deviations fixed before their last day.',
  nonconformant: 'Fix what failed, and run again.',
  incomplete: 'Resolve what could not be tested, and run again.',
  error: 'Fix what made the run fail, and run again.',
};

/** What made the report, and of which run: what a reader may have to quote. */
export const originOf = ({ suite: made, runId, startedAt }: Report): string =>
  [`${made.name} ${made.version}`, runId && `run ${runId}`, startedAt].filter(Boolean).join(', ');

type Entry = NonNullable<Report['baseline']>['accepted'][number];

/** The fault of a baseline whose entry is past its day. */
export const endedInWords = ({ requirement, until }: Pick<Entry, 'requirement' | 'until'>): string =>
  `The acceptance of ${requirement} ended on ${until}. Have it fixed, or accept it again.`;

/** The entry of the baseline for an item, and whether it is past its day. */
function entryFor({ id }: Item, { baseline }: Report) {
  const entry = baseline?.accepted.find(({ requirement }) => requirement === id);
  return entry && { ...entry, hasEnded: baseline?.faults.includes(endedInWords(entry)) === true };
}

/** Whether a baseline accepts the item now. */
export const isAccepted = (item: Item, report: Report): boolean => entryFor(item, report)?.hasEnded === false;

/** `accepted until 2030-01-01 by ops: it is known`; undefined where no baseline accepts the item. */
export function acceptance(item: Item, report: Report): string | undefined {
  const entry = entryFor(item, report);
  if (!entry) return undefined;
  const { owner, until, reason, hasEnded } = entry;
  return hasEnded
    ? `no longer accepted, since ${until} was the last day, by ${owner}: ${reason}`
    : `accepted until ${until} by ${owner}: ${reason}`;
}

/** Items in the order in which they are read: failures first, the gravest of them before others, then warnings. */
export function itemsInOrder({ items }: Pick<Report, 'items'>): Item[] {
  const gravity = ({ verdict, severity }: Item): number =>
    ORDER.indexOf(verdict) + (severity === undefined ? SEVERITIES.length : SEVERITIES.indexOf(severity)) / 10;
  return items.toSorted((a, b) => gravity(a) - gravity(b));
}

const ORDER = Object.keys(VERDICTS) as Verdict[];

/** All that is known of an item besides its findings, which say what was seen. */
export const factsOf = (item: Item, report: Report): Fact[] => [
  ...factsIn([
    ['Clause', item.violation && [item.statement, sectionOf(item)].filter(Boolean).join(' ')],
    ['Reason', item.reason],
    ['Baseline', acceptance(item, report)],
    ['Expected', item.expected],
    ['Seen', item.findings.length > 0 ? undefined : item.seen],
  ]),
  ...item.facts,
];

/** `(section 7 of the specification)`, where the item is about one. */
function sectionOf({ group }: Item): string | undefined {
  const [, section] = /^(?:server\.)?(\d[\d.]*)$/.exec(group) ?? [];
  return section && `(section ${section} of the specification)`;
}

/** A finding in one line. A warning of an item that failed says so. */
export const findingInWords = ({ verdict, where, seen, proof }: Finding, item: Item): string =>
  `${verdict === item.verdict ? '' : `${VERDICTS[verdict].word}: `}${plain(where)}: ${seen}${proof === undefined ? '' : ` (${plain(proof)})`}`;

/** A text without its links. */
export const plain = (text: Text): string =>
  typeof text === 'string'
    ? text
    : text.map((part) => (typeof part === 'string' ? part : part.text)).join('');

/** `id` as a part of an address within the page: different for different ids. */
export const anchorOf = (id: string): string =>
  encodeURIComponent(id.toWellFormed()).replace(/[^\w.-]/g, '-');

/** The anchor of an item: a rule of feeds can have an item that fails and an item that warns. */
export const anchorOfItem = ({ id, verdict }: Item): string =>
  verdict === 'warned' ? `${anchorOf(id)}-warning` : anchorOf(id);

/** What a reader has to know first: items that failed by one mistake, or warn, or all items that were not judged for one reason. */
export interface Trouble {
  items: readonly [Item, ...Item[]];
  /** Of the items with their clauses, or of the first item. */
  name: string;
  /** What it means, or its verdict. */
  label: string;
  /** What is wrong, in one line. */
  short: string;
  /** The same with what was seen, as sentences. */
  sentence: string;
}

/** Failures, the gravest first, then warnings, then one for each reason why items could not be judged. */
export const troublesOf = (report: Report): Trouble[] => [
  ...byCause(itemsInOrder(report).filter(isBroken), (item) => isAccepted(item, report)).map((items) => {
    const [item] = items;
    const until = isAccepted(item, report) && entryFor(item, report)?.until;
    const short = [item.cause ?? wrongIn(item), item.cause && item.advice].filter(Boolean).join(' ');
    return {
      items,
      name: items.map(({ id, clause }) => (clause === undefined ? id : `${id}, ${clause}`)).join(', '),
      label: item.severity ? SEVERITY_WORDS[item.severity] : VERDICTS[item.verdict].word,
      short: until ? `${short} (Accepted until ${until}.)` : short,
      sentence: violationOf(item, report),
    };
  }),
  ...unjudged(report),
];

/** Whether something has to change, or should. */
export const isBroken = ({ verdict }: Item): boolean => verdict === 'failed' || verdict === 'warned';

/** What is wrong with an item that failed or warns, as a sentence. */
function wrongIn({ violation, seen, findings, statement, verdict }: Item): string {
  const [first, ...rest] = findings.filter((one) => one.verdict === verdict);
  const found =
    first && `${first.seen.replace(/\.$/, '')}${rest.length > 0 ? ` (and ${rest.length} more)` : ''}`;
  return fullStop(violation ?? seen ?? found ?? statement);
}

/** What is wrong with an item that failed or warns, and what was seen. */
export function violationOf(item: Item, report: Report): string {
  const { violation, seen } = item;
  const accepted = acceptance(item, report);
  return [
    wrongIn(item),
    violation && seen && fullStop(`Seen: ${seen}`),
    accepted && fullStop(`It is ${accepted}`),
  ]
    .filter(Boolean)
    .join(' ');
}

/** Items that could not be judged, by their reason. */
export function unjudged(report: Report): Trouble[] {
  const left = itemsInOrder(report).filter(({ verdict }) => verdict === 'could-not-run');
  return [...groupBy(left, ({ reason = '' }) => reason)].map(([reason, group]) => {
    const items = group as [Item, ...Item[]];
    const count = several(items.length, JUDGES[report.judge].noun);
    const sentence = `${count} could not be tested. ${fullStop(reason)}`;
    const isFleet = report.judge === 'fleet';
    return {
      items,
      name: isFleet
        ? items.map(({ id }) => id).join(', ')
        : items[0].id + (items.length > 1 ? ` and ${items.length - 1} more` : ''),
      label: VERDICTS['could-not-run'].word,
      ...{ sentence, short: isFleet ? fullStop(reason) : sentence },
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
  throw new UsageError(
    `${file} is not a report: ${faultIn(validate, 'it')}. Name a report.json of this version of mrs.`,
  );
}
