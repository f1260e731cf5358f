/** The report on a fleet: each deployment by its own report, all of them as a matrix, and what changed since the last run. */
import { copyFileSync, existsSync, lstatSync, readdirSync } from 'node:fs';
import { basename, join, relative, resolve, sep } from 'node:path';
import { clearReports, publish, REPORTS } from '../../tests/report/publish.ts';
import {
  anchorOfItem,
  type Block,
  type Column,
  factsIn,
  type Item,
  isBroken,
  itemsInOrder,
  itemWith,
  plain,
  type Report,
  readReport,
  reportWith,
  type Section,
  shownOutcome,
  type Text,
  tableOf,
  unjudged,
} from '../../tests/report/report.ts';
import type { Print } from '../../tests/report/terminal.ts';
import { clip, inOneLine, inUtc, several, VERDICTS } from '../../tests/report/text.ts';
import { createSecrets, type Secrets } from '../../tests/support/secrets.ts';
import { UsageError } from '../../tests/support/usage-error.ts';
import { exitCodes, SEVERITIES, type Verdict } from '../../tests/support/verdict.ts';
import { readFleetFile } from './fleet-file.ts';
import {
  type Change,
  type Comparison,
  compareRuns,
  type Found,
  type FoundOutcome,
  foundOutcome,
  type History,
  keepRun,
  OUTCOMES,
  readHistory,
} from './history.ts';

/** Where the reports of the deployments are, within that of the fleet. */
export const DEPLOYMENTS = 'deployments';

/** Removes the reports of deployments, but for those in the folders `kept`. */
export function clearDeployments(directory: string, kept: readonly string[] = []): void {
  const all = join(directory, DEPLOYMENTS);
  const folders = existsSync(all) ? readdirSync(all, { withFileTypes: true }) : [];
  for (const one of folders.filter((folder) => folder.isDirectory()))
    if (!kept.includes(resolve(all, one.name))) clearReports(join(all, one.name));
}

export interface FleetPublication {
  directory: string;
  failsOn: 'nonconformance' | 'regression';
  print: Print;
}

/** Writes and prints the report, and adds the run to the `history` of earlier ones. Returns the exit code. */
export function publishFleet(
  found: readonly Found[],
  history: History | undefined,
  { directory, failsOn, print }: FleetPublication,
  secrets: Secrets = createSecrets(),
): number {
  const compared = history && { ...history, ...compareRuns(found, history.runs) };
  const report = fleetReportOf(found, directory, compared);
  const isGated = failsOn === 'regression' && shownOutcome(report) === 'nonconformant';
  const gate = isGated && compared ? byRegression(found, compared) : undefined;
  clearReports(directory);
  // Before the report: where that fails, no page is left that says that all is well.
  if (history) keepRun(history, found, secrets);
  const code = publish(report, { directory, print, secrets, end: gate?.why });
  return code === exitCodes.nonconformant ? (gate?.code ?? code) : code;
}

/** The exit code of a nonconformant fleet where only a regression counts, and why. */
function byRegression(found: readonly Found[], { regressed: [first, ...others] }: Comparison) {
  if (first !== undefined) {
    const since = `since ${first.since}, ${several(first.runs, 'run')}`;
    const what = first.wasAccepted
      ? 'has violations that it did not have when it was last accepted'
      : 'has violations, and was never accepted';
    const more = others.length > 0 ? `; so have ${others.map(({ name }) => name).join(', ')}` : '';
    return { code: 1, why: `Exit code 1: ${first.name} ${what} (${since})${more}.` };
  }
  const outcomes = found.map(foundOutcome);
  const rest = GRAVITY.find((one) => one !== 'nonconformant' && outcomes.includes(one)) ?? 'conformant';
  const code = rest === 'no-report' ? exitCodes.incomplete : exitCodes[rest];
  return { code, why: `Exit code ${code}: no regression${code ? `, but ${OUTCOMES[rest].word}` : ''}.` };
}

/**
 * `mrs fleet report`: one report of what runs on several machines left in `directories`. `fleet`: the file with the
 * deployments that must have a report; `history`: a path. Throws UsageError.
 */
export function reportFleet(
  directories: readonly string[],
  { fleet, history: file, ...publication }: FleetPublication & Partial<Record<'fleet' | 'history', string>>,
): number {
  const { directory } = publication;
  const isBelow = directories.some((one) => !relative(resolve(one), resolve(directory)).startsWith('..'));
  // What an earlier run left there. Below a directory that is read, it can also be a report to read.
  if (!isBelow) clearReports(directory);
  const entries = fleet === undefined ? undefined : readFleetFile(fleet);
  const left = collectReports(directories);
  const own = left.find(({ folder = '' }) => resolve(folder) === resolve(directory));
  if (own)
    throw new UsageError(
      `The report on the fleet would replace that of ${own.name}. Name another directory by --report-dir.`,
    );
  const found = entries?.map(({ name, labels = [], baseUrl: address }): Found => {
    const { report = 'No run left a report.', folder } = left.find((known) => known.name === name) ?? {};
    return { name, labels, address, folder, report };
  });
  const history = file === undefined ? undefined : readHistory(file);
  const all = found ?? left;
  // What was copied below a directory that is read would be read in its place the next time.
  return publishFleet(isBelow ? all : copyReports(all, directory), history, publication);
}

/** Copies the reports of each deployment to where the page links to them. Throws UsageError where that fails. */
function copyReports(found: readonly Found[], directory: string): Found[] {
  clearDeployments(
    directory,
    found.map(({ folder = '' }) => resolve(folder)),
  );
  return found.map((one) => {
    const { name, folder = directory, report } = one;
    const to = join(directory, DEPLOYMENTS, name);
    const isThere = !relative(resolve(directory), resolve(folder)).startsWith('..');
    if (isThere || typeof report === 'string') return one;
    clearReports(to);
    // Links are not followed.
    const isFile = (file: string) => lstatSync(join(folder, file), { throwIfNoEntry: false })?.isFile();
    try {
      for (const file of REPORTS.filter(isFile)) copyFileSync(join(folder, file), join(to, file));
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      throw new UsageError(`${to} could not be written (${code}). Name another --report-dir.`);
    }
    return { ...one, folder: to };
  });
}

/**
 * The reports below `directories`, each named by its folder; of several with one name, the latest. Links are not followed.
 * Throws UsageError for a directory that cannot be read.
 */
export function collectReports(directories: readonly string[]): Found[] {
  const found = new Map<string, Found>();
  for (const folder of directories.flatMap(foldersBelow)) {
    const one = { name: basename(resolve(folder)), labels: [], folder, report: reportIn(folder) };
    const known = found.get(one.name);
    const isLater = !known || startOf(known) < startOf(one);
    if (isLater && (typeof one.report === 'string' || one.report.judge !== 'fleet')) found.set(one.name, one);
  }
  if (found.size > 0) return [...found.values()];
  const all = directories.map((one) => `"${one}"`).join(', ');
  throw new UsageError(`There is no report in ${all}. Name a directory with reports.`);
}

const startOf = ({ report }: Found): string => (typeof report === 'string' ? '' : (report.startedAt ?? ''));

/** Those that have a report. */
function foldersBelow(directory: string): string[] {
  try {
    return readdirSync(directory, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.name === 'report.json' && entry.isFile())
      .map(({ parentPath }) => parentPath)
      .toSorted();
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new UsageError(`"${directory}" cannot be read (${code}). Name a directory with reports.`);
  }
}

/** The report, or why it cannot be read, as a sentence. */
function reportIn(folder: string): Report | string {
  try {
    return readReport(join(folder, 'report.json'));
  } catch (error) {
    if (error instanceof UsageError) return error.message;
    throw error;
  }
}

const GRAVITY = Object.keys(OUTCOMES) as FoundOutcome[];
/** Counted also where there is none: the outputs of the action are made of these counts. */
const ALWAYS: readonly FoundOutcome[] = ['conformant', 'nonconformant', 'incomplete'];

/** `compared` is absent for a run without a history. */
export function fleetReportOf(found: readonly Found[], directory: string, compared?: Compared): Report {
  const items = found.map((one) => itemOf(one, directory));
  const counted = GRAVITY.map((outcome) => {
    const value = found.filter((one) => foundOutcome(one) === outcome).length;
    return { value, outcome, ...OUTCOMES[outcome] };
  });
  const gravest = counted.find(({ value }) => value > 0)?.outcome ?? 'no-report';
  const outcome = gravest === 'no-report' ? 'incomplete' : gravest === 'accepted' ? 'nonconformant' : gravest;
  const parts = counted
    .filter(({ value, verdict }) => value > 0 && verdict !== 'passed')
    .map(({ value, word }) => `${value} ${word}`);
  const isOfDeployments = found.every(
    ({ report }) => typeof report === 'string' || report.judge === 'verify',
  );
  const all = several(found.length, isOfDeployments ? 'deployment' : 'report');
  const starts = found
    .flatMap(({ report }) => (typeof report === 'string' ? [] : (report.startedAt ?? [])))
    .toSorted();
  const result = parts.length === 0 ? `All of ${all} are conformant` : `Of ${all}: ${parts.join(', ')}`;
  // What changed is the headline, and the counts are next to it.
  const moved = compared && changesInWords(found, compared);
  return reportWith({
    judge: 'fleet',
    subject: { name: 'Fleet', text: all },
    outcome,
    // Accepted deviations end with exit code 0.
    ...(gravest === 'accepted' && { baseline: { outcome: gravest, accepted: [], faults: [] } }),
    lead: moved,
    headline: moved && parts.length > 0 && compared?.changes.length ? '' : result,
    remarks: [...(compared ? regressedInWords(compared) : []), ...(compared?.remarks ?? [])],
    facts: factsIn([['First run', starts[0] && inUtc(starts[0])]]),
    counts: counted
      .filter(({ value, outcome: one }) => value > 0 || ALWAYS.includes(one))
      .toReversed()
      .map(({ value, word, verdict }) => ({ value, word, verdict })),
    tally: counted
      .toReversed()
      .map((one) => `${one.value} ${one.outcome}`)
      .join(', '),
    startedAt: starts[0],
    items,
    sections: [
      ...(compared ? [changesOf(compared.changes, items)] : []),
      {
        id: 'matrix',
        title: 'Matrix',
        about:
          'A row for each deployment, client, feed or recording, the worst first; a column for each requirement, and for each rule of clients and feeds.',
        blocks: [matrixOf(found, items)],
      },
    ],
  });
}

type Compared = Comparison & Partial<Pick<History, 'remarks' | 'runs'>>;

const isKnown = (name: string, { runs = [] }: Compared): boolean =>
  runs.some(({ deployments }) => Object.hasOwn(deployments, name));

/** `1 got worse, 1 got better, 1 is down; 2 as before`: against the last run of each; undefined where no deployment had one. */
function changesInWords(found: readonly Found[], compared: Compared): string | undefined {
  const known = found.filter(({ name }) => isKnown(name, compared)).length;
  const words = [...compared.changes.map(directionOf), ...Array(found.length - known).fill('is new')];
  const counts = ['got worse', 'got better', 'is down', 'is new'].map((word) => {
    const { length } = words.filter((one) => one === word);
    return length > 0 && `${length} ${length > 1 ? word.replace('is', 'are') : word}`;
  });
  const same = known - compared.changes.length;
  const moved = counts.filter(Boolean).join(', ') || 'Nothing changed';
  if (known === 0) return undefined;
  return words.length > 0 && same > 0 ? `${moved}; ${same} as before` : moved;
}

/** Down: what was judged before could not be judged now. */
function directionOf({ before, now, broken, fixed }: Change): string {
  const isDown = OUTCOMES[now].verdict === 'could-not-run' && before !== now;
  if (broken.length === 0 && isDown) return 'is down';
  const isBetter = fixed.length > 0 || GRAVITY.indexOf(now) > GRAVITY.indexOf(before);
  return broken.length === 0 && isBetter ? 'got better' : 'got worse';
}

/** Since when a deployment with earlier runs is worse than its last accepted state. */
function regressedInWords(compared: Compared): string[] {
  const known = compared.regressed.filter(({ name }) => isKnown(name, compared));
  const since = known.map((one) => `${one.name} since ${one.since} (${several(one.runs, 'run')})`);
  return since.length > 0 ? [`Worse than when last accepted: ${since.join(', ')}.`] : [];
}

/** What the report repeats of a deployment. */
const LONGEST = 300;

function itemOf(one: Found, directory: string): Item {
  const { name, labels, folder, report } = one;
  const { verdict, word } = OUTCOMES[foundOutcome(one)];
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
  const broken = itemsInOrder(report).filter(isBroken);
  const failed = broken.filter((item) => item.verdict === 'failed');
  const why = report.problems[0] ?? unjudged(report)[0]?.items[0].reason ?? `${report.headline}.`;
  return itemWith({
    ...shared,
    statement: clip(inOneLine(report.subject.text), LONGEST),
    severity: SEVERITIES.find((severity) => failed.some((item) => item.severity === severity)),
    reason: verdict === 'could-not-run' ? clip(why, LONGEST) : undefined,
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

/** What profiles declare shares a column. */
const columnOf = (id: string): string => (id.includes('@') ? 'declared' : id.replace(/^MRS-/, ''));

/** Requirements come before rules; a feed has an item only for the rules that it violates. */
function matrixOf(found: readonly Found[], items: readonly Item[]): Block {
  const judged = found.flatMap(({ report }) => (typeof report === 'string' ? [] : [report]));
  const inOrder = judged.toSorted((a, b) => (a.judge < b.judge ? 1 : a.judge === b.judge ? 0 : -1));
  const ids = inOrder.flatMap((report) => report.items.map(({ id }) => columnOf(id)));
  const columns = [...new Set(ids)].slice(0, MOST_COLUMNS);
  const gravest = Object.keys(VERDICTS) as Verdict[];
  const seen = new Set<Verdict>();
  const markOf = (column: string, { report }: Found): Text => {
    if (typeof report === 'string') return '';
    const own = report.items.filter(({ id }) => columnOf(id) === column).map(({ verdict }) => verdict);
    const verdict = gravest.find((one) => own.includes(one));
    if (verdict === undefined) return '';
    seen.add(verdict);
    return [{ text: VERDICTS[verdict].mark, verdict }];
  };
  const anchors = new Map(items.map((item) => [item.id, anchorOfItem(item)]));
  const table = tableOf(
    'matrix',
    '',
    [
      ['Deployment', ({ name }) => [{ text: name, to: anchors.get(name) }]],
      ['Outcome', (one) => outcomeCell(foundOutcome(one))],
      ...columns.map((column): Column<Found> => [column, (one) => markOf(column, one)]),
    ],
    itemsInOrder({ items }).flatMap(({ id }) => found.filter(({ name }) => name === id)),
    (one) => ({ verdict: OUTCOMES[foundOutcome(one)].verdict }),
  );
  const legend = gravest.filter((verdict) => seen.has(verdict)).map((one) => VERDICTS[one]);
  return { table: { ...table, caption: legend.map(({ mark, word }) => `${mark} ${word}`).join(' · ') } };
}

const outcomeCell = (outcome: FoundOutcome): Text => {
  const { word, verdict } = OUTCOMES[outcome];
  return [{ text: word, verdict }];
};

function changesOf(changes: readonly Change[], items: readonly Item[]): Section {
  const anchors = new Map(items.map((item) => [item.id, anchorOfItem(item)]));
  const columns: readonly Column<Change>[] = [
    ['Deployment', ({ name }) => [{ text: name, to: anchors.get(name) }]],
    ['Before', ({ before }) => outcomeCell(before)],
    ['Now', ({ now }) => outcomeCell(now)],
    ['Newly violated', ({ broken }) => broken.join(', ')],
    ['Fixed', ({ fixed }) => fixed.join(', ')],
  ];
  const table = tableOf('changes', several(changes.length, 'change'), columns, changes, ({ now }) => ({
    verdict: OUTCOMES[now].verdict,
  }));
  return {
    id: 'changes',
    title: 'Changes',
    about: 'Outcomes and violations that differ from the last run of a deployment by the same requirements.',
    blocks: [
      changes.length > 0
        ? { table: { ...table, inTerminal: [0, 1, 2, 3, 4] } }
        : { text: 'Nothing changed.' },
    ],
  };
}
