/** The report on a fleet: each deployment by its own report, all of them as a matrix, and what changed since the last run. */
import { relative, resolve, sep } from 'node:path';
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
  unjudged,
} from '../../tests/report/report.ts';
import { clip, inOneLine, several, VERDICTS } from '../../tests/report/text.ts';
import { createSecrets, type Secrets } from '../../tests/support/secrets.ts';
import { UsageError } from '../../tests/support/usage-error.ts';
import { exitCodes, type ItemVerdict, SEVERITIES } from '../../tests/support/verdict.ts';
import { collectReports, expecting } from './collect.ts';
import type { Entry } from './fleet-file.ts';
import {
  type Change,
  type Comparison,
  compareRuns,
  type FleetOutcome,
  type Found,
  GRAVITY,
  type History,
  keepRun,
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
  const compared = history && { ...history, ...compareRuns(found, history.runs) };
  const report = fleetReportOf(found, directory, compared);
  const isGated = failsOn === 'regression' && shownOutcome(report) === 'nonconformant';
  const gate = isGated && compared ? byRegression(found, compared) : undefined;
  clearReports(directory);
  const words = JSON.stringify(found.map(({ name, labels, address }) => [name, labels, address]));
  const code = publish(secrets.redact(report), { directory, print, secrets, words, end: gate?.why });
  if (history) keepRun(history, found, secrets);
  return code === exitCodes.nonconformant ? (gate?.code ?? code) : code;
}

/** The exit code of a nonconformant fleet where only a regression counts, and why. */
function byRegression(found: readonly Found[], { regressed }: Comparison): { code: number; why: string } {
  const [first] = regressed;
  const rest = GRAVITY.find(
    (one) => one !== 'nonconformant' && found.some((other) => outcomeOf(other) === one),
  );
  const code = first
    ? exitCodes.nonconformant
    : exitCodes[rest === 'no-report' ? 'incomplete' : (rest ?? 'conformant')];
  const why = first
    ? `${first} has violations that its last run by the same requirements, if any, did not have`
    : `no regression${code === 0 ? '' : `, but one deployment has the outcome: ${WORDS[rest ?? 'conformant'].word}`}`;
  return { code, why: `Exit code ${code}: ${why}.` };
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
  expected: readonly Entry[] | undefined;
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

/** Counted also where there is none: the outputs of the action are made of these counts. */
const ALWAYS: readonly FleetOutcome[] = ['conformant', 'nonconformant', 'incomplete'];

/** `compared` is absent for a run without a history. */
export function fleetReportOf(
  found: readonly Found[],
  directory: string,
  compared?: Pick<Comparison, 'changes'> & Partial<Pick<History, 'remarks'>>,
): Report {
  const items = found.map((one) => itemOf(one, directory));
  const counted = GRAVITY.map((outcome) => ({
    value: found.filter((one) => outcomeOf(one) === outcome).length,
    ...{ outcome, ...WORDS[outcome] },
  }));
  const present = counted.filter(({ value }) => value > 0);
  const gravest = present[0]?.outcome ?? 'no-report';
  const outcome = gravest === 'no-report' ? 'incomplete' : gravest === 'accepted' ? 'nonconformant' : gravest;
  const parts = present
    .filter((one) => one.verdict !== 'passed')
    .map(({ value, word }) => `${value} ${word}`);
  const judged = found.flatMap(({ report }) => (typeof report === 'string' ? [] : report));
  const all = several(found.length, 'deployment');
  return reportWith({
    judge: 'fleet',
    subject: { name: 'Fleet', text: all },
    outcome,
    // Accepted deviations end with exit code 0.
    ...(gravest === 'accepted' && { baseline: { outcome: gravest, accepted: [], faults: [] } }),
    headline: parts.length === 0 ? `All of ${all} are conformant` : `Of ${all}: ${parts.join(', ')}`,
    remarks: [...(compared?.remarks ?? []), ...oldReports(judged)],
    counts: counted
      .filter(({ value, outcome: one }) => value > 0 || ALWAYS.includes(one))
      .toReversed()
      .map(({ value, word, verdict }) => ({ value, word, verdict })),
    tally: counted
      .toReversed()
      .map((one) => `${one.value} ${one.outcome}`)
      .join(', '),
    startedAt: judged.flatMap(({ startedAt }) => startedAt ?? []).toSorted()[0],
    items,
    sections: [
      {
        id: 'matrix',
        title: 'Matrix',
        isFirst: true,
        about:
          'A row for each deployment, client, feed or recording, the worst first; a column for each requirement, and for each rule of clients and feeds.',
        blocks: [matrixOf(found, items)],
      },
      ...(compared ? [changesOf(compared.changes)] : []),
    ],
  });
}

/** Reports of one run are not that far apart. */
const FAR_APART_HOURS = 12;

function oldReports(reports: readonly Report[]): string[] {
  const times = reports.map(({ startedAt }) => Date.parse(startedAt ?? '')).filter((time) => time > 0);
  const isFarApart = Math.max(...times) - Math.min(...times) > FAR_APART_HOURS * 3_600_000;
  return isFarApart
    ? [`Reports are more than ${FAR_APART_HOURS} hours apart: some are of an earlier run.`]
    : [];
}

/** What the report repeats of a deployment. */
const LONGEST = 300;

function itemOf(one: Found, directory: string): Item {
  const { name, labels, folder, report } = one;
  const outcome = outcomeOf(one);
  const { verdict, word } = WORDS[outcome];
  const page = folder && relative(resolve(directory), resolve(folder, 'report.html'));
  const isBelow = page && !page.startsWith('..') && typeof report !== 'string';
  const shared = {
    ...{ id: name, group: name, verdict },
    facts: factsIn([
      ['Outcome', word],
      ['Labels', labels.join(', ')],
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
        ? clip(report.problems[0] ?? unjudged(report)[0]?.items[0].reason ?? `${report.headline}.`, LONGEST)
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

/** A suite has fewer requirements. */
const MOST_COLUMNS = 500;

/** Requirements of a profile share a column. */
const columnOf = (id: string): string => (id.includes('@') ? 'profile' : id.replace(/^MRS-/, ''));

/** The order in which a column of several verdicts shows one of them. */
const GRAVEST = Object.keys(VERDICTS) as ItemVerdict[];

/** Requirements come before rules; a feed has an item only for the rules that it violates. */
function matrixOf(found: readonly Found[], items: readonly Item[]): Block {
  const judged = found.flatMap(({ report }) => (typeof report === 'string' ? [] : [report]));
  const inOrder = judged.toSorted((a, b) => (a.judge < b.judge ? 1 : a.judge === b.judge ? 0 : -1));
  const ids = inOrder.flatMap((report) => report.items.map(({ id }) => columnOf(id)));
  const columns = [...new Set(ids)].slice(0, MOST_COLUMNS);
  const seen = new Set<ItemVerdict>();
  const markOf = (column: string, { report }: Found): Text => {
    if (typeof report === 'string') return '';
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

function changesOf(changes: readonly Change[]): Section {
  const columns: readonly Column<Change>[] = [
    ['Deployment', ({ name }) => name],
    ['Requirement', ({ id }) => id],
    ['Before', ({ before }) => before],
    ['Now', ({ after }) => after],
    ['Since', ({ since }) => since.slice(0, 10)],
  ];
  const table = tableOf('changes', several(changes.length, 'change'), columns, changes, ({ after }) => ({
    verdict: after === 'absent' ? undefined : after,
  }));
  return {
    id: 'changes',
    title: 'Changes',
    about: 'Verdicts that differ from the last run of a deployment by the same requirements.',
    blocks: [
      changes.length > 0 ? { table: { ...table, inTerminal: [0, 1, 2, 3] } } : { text: 'Nothing changed.' },
    ],
  };
}
