/** The report on a fleet: each deployment by its own report, all of them as a matrix, and what changed since the last run. */
import { type Dirent, existsSync, readdirSync, statSync } from 'node:fs';
import { basename, join, relative, resolve, sep } from 'node:path';
import type { Print } from '../../tests/report/output.ts';
import { checkDirectory, clearReports, publish } from '../../tests/report/publish.ts';
import {
  anchorOf,
  type Block,
  type Fact,
  frame,
  type Item,
  itemsInOrder,
  plain,
  type Report,
  type Row,
  readReport,
  shownOutcome,
  type Text,
} from '../../tests/report/report.ts';
import { clip, inOneLine, several, VERDICTS } from '../../tests/report/text.ts';
import { outcomeOfRun } from '../../tests/server/report/report.ts';
import { isBinding, ledger } from '../../tests/support/requirements.ts';
import { createSecrets, type Secrets } from '../../tests/support/secrets.ts';
import { UsageError } from '../../tests/support/usage-error.ts';
import { exitCodes, type ItemVerdict, type Outcome, SEVERITIES } from '../../tests/support/verdict.ts';
import { suite } from '../../tests/support/version.ts';
import {
  type Change,
  changesOf,
  type FleetOutcome,
  type Found,
  GRAVITY,
  hasNewViolation,
  keepRun,
  MOST_ITEMS,
  outcomeOf,
  readHistory,
} from './history.ts';

export interface FleetPublication {
  found: readonly Found[];
  directory: string;
  /** A file with a line for each earlier run; one is added. */
  history: string | undefined;
  failsOn: 'nonconformance' | 'regression';
  print: Print;
  secrets?: Secrets;
}

/** Writes and prints the report. Returns the exit code. */
export function publishFleet({
  found,
  directory,
  history,
  failsOn,
  print,
  secrets = createSecrets(),
}: FleetPublication): number {
  const past = history === undefined ? [] : readHistory(history);
  const changes = changesOf(found, past);
  const report = fleetReportOf(found, { directory, changes, hasHistory: history !== undefined });
  clearReports(directory);
  const words = JSON.stringify(
    found.map(({ name, labels, contact, address }) => [name, labels, contact, address]),
  );
  const code = publish(secrets.redact(report), { directory, print, secrets, words });
  if (history !== undefined) keepRun(history, found, secrets);
  const hasRegression = changes.some(({ isRegression }) => isRegression) || hasNewViolation(found, past);
  if (failsOn === 'nonconformance' || code !== exitCodes.nonconformant || hasRegression) return code;
  // Without a regression, what is nonconformant does not count; the rest does.
  const rest = GRAVITY.find(
    (one) => one !== 'nonconformant' && found.some((other) => outcomeOf(other) === one),
  );
  return rest === 'no-report' ? exitCodes.incomplete : exitCodes[rest ?? 'conformant'];
}

// Reports of other machines. Nothing in them is trusted.

/** Folders within folders. */
const DEEPEST = 6;
const MOST_FOLDERS = 20_000;
const NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$/;

/** The reports below `directories`, each named by its folder. Throws UsageError for a directory that cannot be read. */
export function collectReports(directories: readonly string[]): Found[] {
  const found: Found[] = [];
  const seen = new Set<string>();
  const visit = (folder: string, depth: number) => {
    if (seen.has(resolve(folder))) return;
    if (seen.add(resolve(folder)).size > MOST_FOLDERS)
      throw new UsageError(
        `There are more than ${MOST_FOLDERS} folders in the directories. Name those of the reports.`,
      );
    const entries = entriesIn(folder);
    const file = entries.find(({ name }) => name === 'report.json');
    const one = file && foundIn(folder, file.isFile());
    if (one) found.push(one);
    // The report on a fleet is next to those of its deployments.
    else if (depth < DEEPEST)
      for (const { name } of entries.filter((entry) => entry.isDirectory()))
        visit(join(folder, name), depth + 1);
  };
  for (const directory of directories) {
    if (!isDirectory(directory))
      throw new UsageError(`"${directory}" is not a directory that can be read. Name one with reports.`);
    visit(directory, 0);
  }
  if (found.length === 0)
    throw new UsageError(
      `There is no report of a deployment in ${directories.map((one) => `"${one}"`).join(', ')}.`,
    );
  return newest(found);
}

const isDirectory = (path: string): boolean => {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
};

/** None where the folder cannot be read. Links are not followed. */
function entriesIn(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true }).toSorted((one, other) =>
      one.name < other.name ? -1 : 1,
    );
  } catch {
    return [];
  }
}

/** Undefined for the report on a fleet. */
function foundIn(folder: string, isFile: boolean): Found | undefined {
  const name = basename(resolve(folder));
  const found = { name: NAME.test(name) ? name : anchorOf(name).slice(0, 63), labels: [], folder };
  if (!isFile) return { ...found, report: 'report.json is a link or no file, and is not read.' };
  try {
    const report = readReport(join(folder, 'report.json'));
    if (report.judge === 'fleet') return undefined;
    return { ...found, report: faultOf(report) ?? report };
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    return { ...found, report: error.message };
  }
}

/** Why a report is not what its verdicts come to: it was changed, or its machine has no clock. */
function faultOf(report: Report): string | undefined {
  const { judge, outcome, items, problems, properties, startedAt } = report;
  if (items.length > MOST_ITEMS) return `report.json has more than ${MOST_ITEMS} items.`;
  const byVerdicts = outcomeOfRun(items, problems, judge === 'verify' ? profileIn(properties) : undefined);
  const isStrict = outcome === 'nonconformant' && items.some(({ verdict }) => verdict === 'warned');
  const isWrong =
    judge === 'verify' || judge === 'feed'
      ? outcome !== byVerdicts && !isStrict
      : outcome === 'conformant' && (items.length === 0 || byVerdicts === 'nonconformant');
  if (isWrong) return `report.json states the outcome ${outcome}, and its verdicts come to ${byVerdicts}.`;
  if (judge === 'verify' && items.some(({ verdict }) => verdict === 'warned' || verdict === 'not-seen'))
    return 'report.json has verdicts that mrs verify does not give.';
  const missing =
    judge === 'verify' && report.suite.requirements === suite.requirements ? missingFrom(items) : [];
  if (missing.length > 0) return `report.json lacks ${missing.join(', ')}.`;
  if (shownOutcome(report) === 'accepted' && !isAcceptable(report))
    return 'report.json says that a baseline accepts its deviations, and not which.';
  const year = startedAt === undefined ? 2026 : new Date(startedAt).getUTCFullYear();
  if (year >= 2020 && year < 2200) return undefined;
  return `report.json states that the run began at ${clip(inOneLine(startedAt ?? ''), 40)}. Set the clock of the machine, and run it again.`;
}

const profileIn = ({ profile, 'not-offered': left }: Report['properties']) =>
  profile === undefined ? undefined : { notOffered: words(left) };

/** Requirements of this suite that are not among the items. */
const missingFrom = (items: readonly Item[]): string[] =>
  ledger.filter(isBinding).flatMap(({ id }) => (items.some((item) => item.id === id) ? [] : [id]));

/** Whether every deviation is one that the baseline names. */
const isAcceptable = ({ items, baseline }: Report): boolean =>
  baseline?.faults.length === 0 &&
  items
    .filter(({ verdict }) => verdict === 'failed' || verdict === 'could-not-run')
    .every(({ id, verdict }) =>
      baseline.accepted.some((one) => one.requirement === id && one.verdict === verdict),
    );

const words = (text = ''): string[] => text.split(' ').filter(Boolean);

/** Of several reports with one name, the latest. */
function newest(found: readonly Found[]): Found[] {
  const start = ({ report }: Found) => (typeof report === 'string' ? '' : (report.startedAt ?? ''));
  const latest = new Map<string, Found>();
  for (const one of found) {
    const known = latest.get(one.name);
    if (!known || start(known) < start(one)) latest.set(one.name, one);
  }
  return [...latest.values()];
}

/** With a row for each expected deployment that left no report. */
export function expecting(
  found: readonly Found[],
  expected: readonly { name: string; labels?: readonly string[]; contact?: string; baseUrl?: string }[],
): Found[] {
  const missing = 'No run left a report.';
  return expected.map(({ name, labels = [], contact, baseUrl }) => {
    const one = found.find((known) => known.name === name);
    const report = one ? (strangenessOf(one.report, baseUrl) ?? one.report) : missing;
    return { name, labels, contact, address: baseUrl, folder: one?.folder, report };
  });
}

/** Why a report is not about a deployment of the fleet file; `baseUrl` is absent for a feed. */
function strangenessOf(report: Report | string, baseUrl: string | undefined): string | undefined {
  if (typeof report === 'string') return undefined;
  const { judge, properties } = report;
  const expected = baseUrl === undefined ? 'feed' : 'verify';
  if (judge !== expected)
    return `report.json is a report of mrs ${judge}, and one of mrs ${expected} was expected.`;
  if (properties.judgedAgain !== undefined) return 'report.json judges the evidence of an earlier run again.';
  const isOther = baseUrl !== undefined && properties.target !== new URL(baseUrl).href.replace(/\/+$/, '');
  return isOther
    ? `report.json is about ${clip(inOneLine(properties.target ?? 'nothing'), 100)}, and not about ${baseUrl}.`
    : undefined;
}

// The report.

/** Counted also where there is none. */
const ALWAYS: readonly FleetOutcome[] = ['conformant', 'nonconformant', 'incomplete'];

const WORDS: Readonly<Record<FleetOutcome, { word: string; verdict: ItemVerdict }>> = {
  conformant: { word: 'conformant', verdict: 'passed' },
  'conformant-to-profile': { word: 'conformant to profile', verdict: 'passed' },
  nonconformant: { word: 'nonconformant', verdict: 'failed' },
  accepted: { word: 'accepted by its baseline', verdict: 'failed' },
  incomplete: { word: 'incomplete', verdict: 'could-not-run' },
  error: { word: 'error', verdict: 'could-not-run' },
  'no-report': { word: 'no report', verdict: 'could-not-run' },
};

export function fleetReportOf(
  found: readonly Found[],
  { directory, changes, hasHistory }: { directory: string; changes: readonly Change[]; hasHistory: boolean },
): Report {
  const items = found.map((one) => itemOf(one, directory));
  const outcomes = found.map(outcomeOf);
  const counted = GRAVITY.toReversed().map((outcome) => ({
    value: outcomes.filter((one) => one === outcome).length,
    outcome,
  }));
  const gravest = GRAVITY.find((outcome) => outcomes.includes(outcome)) ?? 'no-report';
  const outcome = gravest === 'no-report' ? 'incomplete' : gravest === 'accepted' ? 'nonconformant' : gravest;
  const starts = found
    .flatMap(({ report }) => (typeof report === 'string' ? [] : (report.startedAt ?? [])))
    .toSorted();
  const facts: Fact[] = [{ name: 'Deployments', text: String(found.length) }];
  const parts = counted
    .filter(({ value, outcome: one }) => value > 0 && !one.startsWith('conformant'))
    .toReversed();
  return {
    ...frame('fleet', undefined, facts),
    subject: { name: 'Fleet', text: several(found.length, 'deployment') },
    outcome,
    // What is accepted does not set the exit code.
    ...(gravest === 'accepted' && { baseline: { outcome: gravest, accepted: [], faults: [] } }),
    headline:
      parts.length === 0
        ? `All of ${several(found.length, 'deployment')} are conformant`
        : `Of ${several(found.length, 'deployment')}, ${parts.map(({ value, outcome: one }) => `${value} ${WORDS[one].word}`).join(', ')}`,
    next: NEXT[outcome],
    remarks: [...oldReports(starts), ...otherSuites(found)],
    counts: counted.flatMap(({ value, outcome: one }) =>
      value > 0 || ALWAYS.includes(one) ? [{ value, ...WORDS[one] }] : [],
    ),
    tally: counted.map(({ value, outcome: one }) => `${value} ${one}`).join(', '),
    properties: {},
    startedAt: starts[0],
    items,
    sections: [
      {
        id: 'matrix',
        title: 'Matrix',
        isFirst: true,
        about:
          'A row for each deployment, the worst first; a column for each requirement of the specification.',
        blocks: matrixOf(found, items),
      },
      ...(hasHistory
        ? [
            {
              id: 'changes',
              title: 'Changes',
              about: 'Verdicts that differ from the last run by the same statements of the specification.',
              inSummary: true,
              blocks: changes.length > 0 ? [changesTable(changes)] : [{ text: 'Nothing changed.' }],
            },
          ]
        : []),
    ],
    exchanges: [],
    problems: [],
  };
}

const NEXT: Readonly<Record<Outcome, string>> = {
  conformant: 'Nothing has to change. Run again when a deployment changes.',
  'conformant-to-profile': 'Nothing has to change for clients that know the profiles.',
  nonconformant:
    'Send the contact of each nonconformant deployment its own report, which has a command for each failure.',
  incomplete: 'Find out why reports are missing or incomplete, and run these deployments again.',
  error: 'Fix the runs that failed, and run them again.',
};

/** What the report repeats of a deployment. */
const LONGEST = 300;

function itemOf(one: Found, directory: string): Item {
  const { name, labels, contact, folder, report } = one;
  const outcome = outcomeOf(one);
  const { verdict, word } = WORDS[outcome];
  const page =
    folder === undefined ? undefined : relative(resolve(directory), resolve(folder, 'report.html'));
  const isBelow =
    page !== undefined && !page.startsWith('..') && existsSync(join(folder ?? '', 'report.html'));
  const facts: [string, string | undefined][] = [
    ['Outcome', word],
    ['Labels', labels.join(', ') || undefined],
    ['Contact', contact],
    ['Reports', isBelow ? undefined : folder],
  ];
  const shared = {
    id: name,
    group: name,
    facts: facts.flatMap(([fact, text]) => (text === undefined ? [] : [{ name: fact, text }])),
    exchanges: [],
    verdict,
    page: isBelow ? `./${page.split(sep).map(encodeURIComponent).join('/')}` : undefined,
  };
  if (typeof report === 'string')
    return { ...shared, statement: one.address ?? name, reason: report, findings: [] };
  const broken = itemsInOrder(report).filter(
    (item) => item.verdict === 'failed' || item.verdict === 'warned',
  );
  const failed = broken.filter((item) => item.verdict === 'failed');
  return {
    ...shared,
    statement: clip(inOneLine(report.subject.text), LONGEST),
    severity:
      verdict === 'failed'
        ? SEVERITIES.find((severity) => failed.some((item) => item.severity === severity))
        : undefined,
    reason:
      verdict === 'could-not-run'
        ? clip(report.cause ?? report.problems[0] ?? `${report.headline}.`, LONGEST)
        : undefined,
    findings: broken.map((item) => ({
      verdict: item.verdict === 'failed' ? 'failed' : 'warned',
      where: item.id,
      seen: clip(item.violation ?? seenOf(item), LONGEST),
    })),
    durationMs: report.durationMs,
  };
}

const seenOf = ({ findings: [first], seen, statement }: Item): string =>
  first ? `${plain(first.where)}: ${first.seen}` : (seen ?? statement);

/** Reports of one run are not that far apart. */
const FAR_APART_HOURS = 12;

function oldReports(starts: readonly string[]): string[] {
  const last = Date.parse(starts.at(-1) ?? '');
  const old = starts.filter((start) => last - Date.parse(start) > FAR_APART_HOURS * 3_600_000).length;
  return old === 0
    ? []
    : [
        `${several(old, 'report')} began more than ${FAR_APART_HOURS} hours before the latest: a run may have left none since.`,
      ];
}

/** Verdicts by other statements of the specification cannot be compared. */
function otherSuites(found: readonly Found[]): string[] {
  const digests = new Set(
    found.flatMap(({ report }) => (typeof report === 'string' ? [] : report.suite.requirements)),
  );
  return digests.size < 2
    ? []
    : [
        `The reports judge by ${digests.size} versions of the requirements, so that their verdicts cannot be compared.`,
      ];
}

// The matrix.

const PROFILE = 'profile';

/** Requirements of a profile share a column. */
const columnOf = (id: string): string => (id.includes('@') ? PROFILE : id);

/** The order in which a column of several verdicts shows one of them. */
const GRAVEST: readonly ItemVerdict[] = ['failed', 'could-not-run', 'warned', 'passed', 'not-applicable'];

function matrixOf(found: readonly Found[], items: readonly Item[]): Block[] {
  const judged = found.flatMap((one) => (typeof one.report === 'string' ? [] : [one.report]));
  const ofServices = judged.filter(({ judge }) => judge === 'verify');
  const columns = [...new Set(ofServices.flatMap((report) => report.items.map(({ id }) => columnOf(id))))];
  const ordered = itemsInOrder({ items }).flatMap(({ id }) => found.filter(({ name }) => name === id));
  const rows = ordered.map((one): Row => {
    const { word, verdict } = WORDS[outcomeOf(one)];
    return {
      verdict,
      cells: [
        [{ text: one.name, to: anchorOf(one.name) }],
        [{ text: word, verdict }],
        ...columns.map((column) => markOf(column, one)),
      ],
    };
  });
  return [
    {
      table: {
        name: 'matrix',
        caption: Object.values(VERDICTS)
          .map(({ mark, word }) => `${mark} ${word}`)
          .join('  '),
        columns: ['Deployment', 'Outcome', ...columns.map((id) => id.replace(/^MRS-/, ''))],
        rows,
      },
    },
  ];
}

function markOf(column: string, { report }: Found): Text {
  if (typeof report === 'string' || report.judge !== 'verify') return '';
  const own = report.items.filter(({ id }) => columnOf(id) === column).map(({ verdict }) => verdict);
  const verdict = GRAVEST.find((one) => own.includes(one));
  return verdict === undefined ? '' : [{ text: VERDICTS[verdict].mark, verdict }];
}

const changesTable = (changes: readonly Change[]): Block => ({
  table: {
    name: 'changes',
    caption: several(changes.length, 'change'),
    columns: ['Deployment', 'Requirement', 'Before', 'Now', 'Since'],
    inTerminal: [0, 1, 2, 3],
    rows: changes.map(({ name, id, before, after, since }) => ({
      verdict: after === 'absent' ? undefined : after,
      cells: [name, id, before, after, since.slice(0, 10)],
    })),
  },
});

/** `mrs fleet report`: one report of what runs on several machines left. */
export function reportFleet({
  directories,
  expected,
  ...publication
}: Omit<FleetPublication, 'found'> & {
  directories: readonly string[];
  /** The deployments that must have a report. */
  expected: Parameters<typeof expecting>[1] | undefined;
}): number {
  checkDirectory(publication.directory);
  const found = collectReports(directories);
  const own = found.find(({ folder = '' }) => resolve(folder) === resolve(publication.directory));
  if (own)
    throw new UsageError(
      `The report on the fleet would replace that of ${own.name}. Name another directory by --report-dir.`,
    );
  return publishFleet({ ...publication, found: expected ? expecting(found, expected) : found });
}
