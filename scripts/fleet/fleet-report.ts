/** The report on a fleet: each deployment by its own report, all of them as a matrix, and what changed since the last run. */
import { existsSync } from 'node:fs';
import { join, relative, resolve, sep } from 'node:path';
import type { Print } from '../../tests/report/output.ts';
import { checkDirectory, clearReports, publish } from '../../tests/report/publish.ts';
import {
  anchorOfItem,
  type Block,
  type Column,
  factsIn,
  type Item,
  itemsInOrder,
  itemWith,
  plain,
  type Report,
  reportWith,
  type Section,
  shownOutcome,
  type Text,
  tableOf,
} from '../../tests/report/report.ts';
import { clip, inOneLine, several, VERDICTS } from '../../tests/report/text.ts';
import { createSecrets, type Secrets } from '../../tests/support/secrets.ts';
import { UsageError } from '../../tests/support/usage-error.ts';
import { exitCodes, type ItemVerdict, SEVERITIES } from '../../tests/support/verdict.ts';
import { collectReports, type Expected, expecting } from './collect.ts';
import {
  type Change,
  type Comparison,
  compareRuns,
  type FleetOutcome,
  type Found,
  GRAVITY,
  type History,
  keepRun,
  MOST_ITEMS,
  outcomeOf,
  readHistory,
} from './history.ts';

interface FleetPublication {
  found: readonly Found[];
  directory: string;
  /** Earlier runs; this one is added. */
  history: History | undefined;
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
  const comparison = history && compareRuns(found, history.runs);
  const report = fleetReportOf(found, directory, history && comparison && { ...history, ...comparison });
  const gate = failsOn === 'regression' && comparison ? byRegression(found, report, comparison) : undefined;
  clearReports(directory);
  const words = JSON.stringify(
    found.map(({ name, labels, contact, address }) => [name, labels, contact, address]),
  );
  const code = publish(secrets.redact(report), { directory, print, secrets, words, end: gate?.why });
  if (history) keepRun(history, found, secrets);
  return code === exitCodes.nonconformant ? (gate?.code ?? code) : code;
}

/** The exit code where only a regression counts, and why; undefined where that is plain. */
function byRegression(
  found: readonly Found[],
  report: Report,
  { since, isRegression, uncompared }: Comparison,
): { code: number; why: string } | undefined {
  if (shownOutcome(report) !== 'nonconformant') return undefined;
  if (uncompared > 0) {
    const verb = uncompared === 1 ? 'has' : 'have';
    return {
      code: exitCodes.nonconformant,
      why:
        `Exit code ${exitCodes.nonconformant}: ${several(uncompared, 'nonconformant deployment')} ${verb} no earlier run by ` +
        'the same requirements, so that each violation counts as new.',
    };
  }
  if (isRegression) return undefined;
  const rest =
    GRAVITY.find((one) => one !== 'nonconformant' && found.some((other) => outcomeOf(other) === one)) ??
    'conformant';
  const code = exitCodes[rest === 'no-report' ? 'incomplete' : rest];
  const days = [...new Set([since.at(0), since.at(-1)].map((at = '') => at.slice(0, 10)))];
  const compared = days.length > 1 ? `the last runs, ${days.join(' to ')}` : days.join();
  const but = code === 0 ? '' : `, but ${stateOf(rest, 'a deployment')}`;
  return { code, why: `Exit code ${code}: no regression since ${compared}${but}.` };
}

/** `mrs fleet report`: one report of what runs on several machines left. */
export function reportFleet({
  directories,
  expected,
  history,
  ...publication
}: Omit<FleetPublication, 'found' | 'history'> & {
  directories: readonly string[];
  /** The deployments that must have a report. */
  expected: readonly Expected[] | undefined;
  /** The path of the file. */
  history: string | undefined;
}): number {
  checkDirectory(publication.directory);
  const found = collectReports(directories);
  const own = found.find(({ folder = '' }) => resolve(folder) === resolve(publication.directory));
  if (own)
    throw new UsageError(
      `The report on the fleet would replace that of ${own.name}. Name another directory by --report-dir.`,
    );
  return publishFleet({
    ...publication,
    found: expected ? expecting(found, expected) : found,
    history: history === undefined ? undefined : readHistory(history),
  });
}

/** What is accepted fails no job, and is no pass either. */
const WORDS: Readonly<Record<FleetOutcome, { word: string; verdict: ItemVerdict }>> = {
  conformant: { word: 'conformant', verdict: 'passed' },
  'conformant-to-profile': { word: 'conformant to profile', verdict: 'passed' },
  nonconformant: { word: 'nonconformant', verdict: 'failed' },
  accepted: { word: 'accepted by its baseline', verdict: 'warned' },
  incomplete: { word: 'incomplete', verdict: 'could-not-run' },
  error: { word: 'error', verdict: 'could-not-run' },
  'no-report': { word: 'no report', verdict: 'could-not-run' },
};

/** `2 are nonconformant`, as the rest of a sentence about `count` deployments. */
function stateOf(outcome: FleetOutcome, count: number | string): string {
  if (outcome === 'no-report') return `${count} left no report`;
  if (outcome === 'error') return `${count} ended with an error`;
  const isOne = typeof count === 'string' || count === 1;
  return `${count} ${isOne ? 'is' : 'are'} ${WORDS[outcome].word}`;
}

/** Counted also where there is none. */
const ALWAYS: readonly FleetOutcome[] = ['conformant', 'nonconformant', 'incomplete'];

/** `compared` is absent for a run without a history. */
export function fleetReportOf(
  found: readonly Found[],
  directory: string,
  compared?: Pick<Comparison, 'changes' | 'since'> &
    Pick<History, 'runs'> &
    Partial<Pick<History, 'remarks'>>,
): Report {
  const items = found.map((one) => itemOf(one, directory));
  const outcomes = found.map(outcomeOf);
  const counted = GRAVITY.map((outcome) => ({
    value: outcomes.filter((one) => one === outcome).length,
    outcome,
  }));
  const present = counted.filter(({ value }) => value > 0);
  const gravest = present[0]?.outcome ?? 'no-report';
  const outcome = gravest === 'no-report' ? 'incomplete' : gravest === 'accepted' ? 'nonconformant' : gravest;
  const parts = present
    .filter((part) => !part.outcome.startsWith('conformant'))
    .map(({ value, outcome: one }) => stateOf(one, value));
  const starts = found
    .flatMap(({ report }) => (typeof report === 'string' ? [] : (report.startedAt ?? [])))
    .toSorted();
  const all = several(found.length, 'deployment');
  return reportWith({
    judge: 'fleet',
    subject: { name: 'Fleet', text: all },
    outcome,
    // Accepted deviations end with exit code 0.
    ...(gravest === 'accepted' && {
      baseline: { outcome: gravest, accepted: [], faults: [] },
      next: 'Nothing has to change before the baselines end: their deployments have to be fixed by then.',
    }),
    headline: parts.length === 0 ? `All of ${all} are conformant` : `Of ${all}, ${parts.join(', ')}`,
    remarks: [...(compared?.remarks ?? []), ...oldReports(starts), ...otherSuites(found)],
    counts: counted
      .toReversed()
      .flatMap(({ value, outcome: one }) =>
        value > 0 || ALWAYS.includes(one) ? [{ value, ...WORDS[one] }] : [],
      ),
    tally: counted
      .toReversed()
      .map(({ value, outcome: one }) => `${value} ${one}`)
      .join(', '),
    startedAt: starts[0],
    items,
    sections: [
      {
        id: 'matrix',
        title: 'Matrix',
        isFirst: true,
        about:
          'A row for each deployment, the worst first; a column for each requirement of the specification, and for each rule that a feed violates.',
        blocks: [matrixOf(found, items)],
      },
      ...(compared ? [changesOf(compared)] : []),
    ],
  });
}

/** Reports of one run are not that far apart. */
const FAR_APART_HOURS = 12;

function oldReports(starts: readonly string[]): string[] {
  const last = Date.parse(starts.at(-1) ?? '');
  const old = starts.filter((start) => last - Date.parse(start) > FAR_APART_HOURS * 3_600_000).length;
  if (old === 0) return [];
  return [
    `${several(old, 'report')} began more than ${FAR_APART_HOURS} hours before the latest: a run may have left none since.`,
  ];
}

/** Verdicts by other statements of the specification cannot be compared. */
function otherSuites(found: readonly Found[]): string[] {
  const digests = new Set(
    found.flatMap(({ report }) => (typeof report === 'string' ? [] : report.suite.requirements)),
  );
  if (digests.size < 2) return [];
  return [
    `The reports judge by ${digests.size} versions of the requirements, so that their verdicts cannot be compared.`,
  ];
}

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
  const shared = {
    ...{ id: name, group: name, verdict },
    facts: factsIn([
      ['Outcome', word],
      ['Labels', labels.join(', ')],
      ['Contact', contact],
      ['Reports', isBelow ? undefined : folder],
    ]),
    page: isBelow ? `./${page.split(sep).map(encodeURIComponent).join('/')}` : undefined,
  };
  if (typeof report === 'string')
    return itemWith({ ...shared, statement: one.address ?? name, reason: report });
  const broken = itemsInOrder(report).filter(
    (item) => item.verdict === 'failed' || item.verdict === 'warned',
  );
  const failed = broken.filter((item) => item.verdict === 'failed');
  return itemWith({
    ...shared,
    statement: clip(inOneLine(report.subject.text), LONGEST),
    severity: SEVERITIES.find((severity) => failed.some((item) => item.severity === severity)),
    reason:
      verdict === 'could-not-run'
        ? clip(report.cause ?? report.problems[0] ?? `${report.headline}.`, LONGEST)
        : undefined,
    findings: broken.map((item) => ({
      verdict: verdict === 'warned' || item.verdict === 'warned' ? 'warned' : 'failed',
      where: item.id,
      seen: clip(item.violation ?? seenOf(item), LONGEST),
    })),
    durationMs: report.durationMs,
  });
}

const seenOf = ({ findings: [first], seen, statement }: Item): string =>
  first ? `${plain(first.where)}: ${first.seen}` : (seen ?? statement);

/** Requirements of a profile share a column. */
const columnOf = (id: string): string => (id.includes('@') ? 'profile' : id.replace(/^MRS-/, ''));

/** The order in which a column of several verdicts shows one of them. */
const GRAVEST: readonly ItemVerdict[] = ['failed', 'could-not-run', 'warned', 'passed', 'not-applicable'];

/** Requirements come before the rules of feeds, which have an item only where they are violated. */
function matrixOf(found: readonly Found[], items: readonly Item[]): Block {
  const judged = found.flatMap(({ report }) => (typeof report === 'string' ? [] : [report]));
  const runs = judged.filter(({ judge }) => judge === 'verify');
  const feeds = judged.filter(({ judge }) => judge === 'feed');
  const columns = [
    ...new Set([...runs, ...feeds].flatMap((report) => report.items.map(({ id }) => columnOf(id)))),
  ].slice(0, MOST_ITEMS);
  const seen = new Set<ItemVerdict>();
  const markOf = (column: string, { report }: Found): Text => {
    if (typeof report === 'string' || !['verify', 'feed'].includes(report.judge)) return '';
    const own = report.items.filter(({ id }) => columnOf(id) === column).map(({ verdict }) => verdict);
    const verdict = GRAVEST.find((one) => own.includes(one));
    if (verdict === undefined) return '';
    seen.add(verdict);
    return [{ text: VERDICTS[verdict].mark, verdict }];
  };
  const anchors = new Map(items.map((item) => [item.id, anchorOfItem(item)]));
  const wordOf = (one: Found) => WORDS[outcomeOf(one)];
  const table = tableOf(
    'matrix',
    '',
    [
      ['Deployment', ({ name }) => [{ text: name, to: anchors.get(name) }]],
      ['Outcome', (one) => [{ text: wordOf(one).word, verdict: wordOf(one).verdict }]],
      ...columns.map((column): Column<Found> => [column, (one) => markOf(column, one)]),
    ],
    itemsInOrder({ items }).flatMap(({ id }) => found.filter(({ name }) => name === id)),
    (one) => ({ verdict: wordOf(one).verdict }),
  );
  const legend = Object.entries(VERDICTS).filter(([verdict]) => seen.has(verdict as ItemVerdict));
  return { table: { ...table, caption: legend.map(([, { mark, word }]) => `${mark} ${word}`).join(' · ') } };
}

function changesOf({
  changes,
  since,
  runs,
}: Pick<Comparison, 'changes' | 'since'> & Pick<History, 'runs'>): Section {
  const why =
    runs.length === 0
      ? 'This is the first run in the history. The next run is compared with it.'
      : since.length === 0
        ? 'No earlier run judged one of these deployments by the same requirements.'
        : 'Nothing changed.';
  const columns: readonly Column<Change>[] = [
    ['Deployment', ({ name }) => name],
    ['Requirement', ({ id }) => id],
    ['Before', ({ before }) => before],
    ['Now', ({ after }) => after],
    ['Since', ({ since: at }) => at.slice(0, 10)],
  ];
  const table = tableOf('changes', several(changes.length, 'change'), columns, changes, ({ after }) => ({
    verdict: after === 'absent' ? undefined : after,
  }));
  return {
    id: 'changes',
    title: 'Changes',
    about: 'Verdicts that differ from the last run by the same statements of the specification.',
    inSummary: true,
    blocks: [changes.length > 0 ? { table: { ...table, inTerminal: [0, 1, 2, 3] } } : { text: why }],
  };
}
