/** The reports that other machines left. Nothing in them is trusted. */
import { type Dirent, readdirSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { anchorOf, type Report, readReport } from '../../tests/report/report.ts';
import { gateOutcome } from '../../tests/server/report/baseline.ts';
import { outcomeOfRun } from '../../tests/server/report/report.ts';
import { isBinding, ledger } from '../../tests/support/requirements.ts';
import { UsageError } from '../../tests/support/usage-error.ts';
import { suite } from '../../tests/support/version.ts';
import { isMissing } from '../judge/report.ts';
import type { Entry } from './fleet-file.ts';
import type { Found } from './history.ts';

/** Clocks of machines differ by less. */
const CLOCKS_DIFFER_MS = 3_600_000;
const NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$/;

/**
 * The reports below `directories`, each named by its folder; of several with one name, the latest. Links are not followed.
 * Throws UsageError for a directory that cannot be read.
 */
export function collectReports(directories: readonly string[]): Found[] {
  const found = new Map<string, Found>();
  for (const file of directories.flatMap(reportsBelow)) {
    const one = foundIn(file.parentPath, file.isFile());
    const known = one && found.get(one.name);
    if (one && (!known || startOf(known) < startOf(one))) found.set(one.name, one);
  }
  if (found.size > 0) return [...found.values()];
  const all = directories.map((one) => `"${one}"`).join(', ');
  throw new UsageError(`There is no report in ${all}. Name a directory with reports.`);
}

const startOf = ({ report }: Found): string => (typeof report === 'string' ? '' : (report.startedAt ?? ''));

function reportsBelow(directory: string): Dirent[] {
  try {
    return readdirSync(directory, { recursive: true, withFileTypes: true })
      .filter(({ name }) => name === 'report.json')
      .toSorted((a, b) => (a.parentPath < b.parentPath ? -1 : 1));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new UsageError(`"${directory}" cannot be read (${code}). Name a directory with reports.`);
  }
}

/** Undefined for the report on a fleet. */
function foundIn(folder: string, isFile: boolean): Found | undefined {
  const own = basename(resolve(folder));
  const found = { name: NAME.test(own) ? own : anchorOf(own).slice(0, 63), labels: [], folder };
  if (!isFile) return { ...found, report: 'report.json is a link or no file, and is not read.' };
  try {
    const report = readReport(join(folder, 'report.json'));
    return report.judge === 'fleet' ? undefined : { ...found, report: faultOf(report) ?? report };
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    return { ...found, report: error.message };
  }
}

/** Why a report counts as none: it was changed, is of the future, or judges an earlier run again. */
function faultOf(report: Report): string | undefined {
  const { judge, outcome, items, problems, properties, baseline, startedAt = '' } = report;
  if (properties.judgedAgain !== undefined) return 'report.json judges the evidence of an earlier run again.';
  const isRun = judge === 'verify';
  const isOfTraffic = judge === 'judge' || judge === 'proxy';
  // The clock of a mock, of which a recording can be, may be anywhere.
  if (!isOfTraffic && Date.parse(startedAt) > Date.now() + CLOCKS_DIFFER_MS)
    return `report.json is of ${startedAt}, which is in the future.`;
  const isOfThisSuite = report.suite.requirements === suite.requirements;
  const asked = isRun && isOfThisSuite ? ledger.filter(isBinding) : [];
  const lacks = asked.find(({ id }) => !items.some((item) => item.id === id));
  if (lacks) return `report.json lacks ${lacks.id}.`;
  const notOffered = (properties['not-offered'] ?? '').split(' ').filter(Boolean);
  const profile = isRun && properties.profile !== undefined ? { notOffered } : undefined;
  const byVerdicts = outcomeOfRun(items, problems, profile);
  const hasWarning = items.some(({ verdict }) => verdict === 'warned');
  const possible = [byVerdicts];
  // By --strict, and where a deployment, a client or traffic was not seen to its end.
  if (!isRun && hasWarning && byVerdicts !== 'error') possible.push('nonconformant');
  if (byVerdicts.startsWith('conformant') && (!isRun || properties.interrupted)) possible.push('incomplete');
  if (isOfTraffic && isOfThisSuite && outcome === 'conformant' && items.some(isMissing))
    return 'report.json is conformant, and lacks what the traffic must show.';
  if (!possible.includes(outcome) || (isRun && hasWarning))
    return `report.json states the outcome ${outcome}, and its verdicts come to ${byVerdicts}.`;
  if (baseline === undefined) return undefined;
  const { accepted, faults } = baseline;
  const left = items.filter(
    ({ id, verdict }) => !accepted.some((one) => one.requirement === id && one.verdict === verdict),
  );
  const byEntries = gateOutcome({ outcome, properties }, left, accepted, faults);
  const today = new Date().toISOString().slice(0, 10);
  const isOver = byEntries === 'accepted' && accepted.some(({ until }) => until < today);
  if (isRun && baseline.outcome === byEntries && !isOver) return undefined;
  return `report.json says that its baseline comes to ${baseline.outcome}, and today its entries do not.`;
}

/** The reports of the entries, with a row for each that left none. */
export const expecting = (found: readonly Found[], entries: readonly Entry[]): Found[] =>
  entries.map(({ name, labels = [], baseUrl: address }) => {
    const { report = 'No run left a report.', folder } = found.find((known) => known.name === name) ?? {};
    const isStrange =
      typeof report !== 'string' &&
      (address
        ? report.judge !== 'verify' ||
          report.properties.target !== new URL(address).href.replace(/(?<!\/)\/+$/, '')
        : report.judge !== 'feed');
    const strange = `report.json is not about ${address ?? 'a feed'}.`;
    return { name, labels, address, folder, report: isStrange ? strange : report };
  });
