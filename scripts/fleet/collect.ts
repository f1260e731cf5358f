/** The reports that other machines left. Nothing in them is trusted. */
import { type Dirent, readdirSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { anchorOf, type Report, readReport } from '../../tests/report/report.ts';
import { clip, inOneLine } from '../../tests/report/text.ts';
import { gateOutcome } from '../../tests/server/report/baseline.ts';
import { outcomeOfRun } from '../../tests/server/report/report.ts';
import { isBinding, ledger } from '../../tests/support/requirements.ts';
import { UsageError } from '../../tests/support/usage-error.ts';
import type { Outcome } from '../../tests/support/verdict.ts';
import { suite } from '../../tests/support/version.ts';
import { isMissing } from '../judge/report.ts';
import { type Found, MOST_ITEMS } from './history.ts';

/** Folders within folders. */
const DEEPEST = 6;
const MOST_FOLDERS = 20_000;
const NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$/;

/**
 * The reports below `directories`, each named by its folder; of several with one name, the latest. Links are not followed.
 * Throws UsageError for a directory that cannot be read.
 */
export function collectReports(directories: readonly string[]): Found[] {
  const found = new Map<string, Found>();
  const seen = new Set<string>();
  const visit = (folder: string, depth: number, entries = entriesIn(folder)) => {
    if (seen.has(resolve(folder))) return;
    if (seen.add(resolve(folder)).size > MOST_FOLDERS)
      throw new UsageError(
        `There are more than ${MOST_FOLDERS} folders in the directories. Name those of the reports.`,
      );
    const file = entries?.find(({ name }) => name === 'report.json');
    const one = file && foundIn(folder, file.isFile());
    const known = one && found.get(one.name);
    if (one && (!known || startOf(known) < startOf(one))) found.set(one.name, one);
    // The report on a fleet is next to those of its deployments.
    if (!one && depth < DEEPEST)
      for (const entry of entries ?? []) if (entry.isDirectory()) visit(join(folder, entry.name), depth + 1);
  };
  for (const directory of directories) {
    const entries = entriesIn(directory);
    if (!entries)
      throw new UsageError(`"${directory}" is not a directory that can be read. Name one with reports.`);
    visit(directory, 0, entries);
  }
  if (found.size > 0) return [...found.values()];
  throw new UsageError(
    `There is no report of a deployment in ${directories.map((one) => `"${one}"`).join(', ')}.`,
  );
}

const startOf = ({ report }: Found): string => (typeof report === 'string' ? '' : (report.startedAt ?? ''));

/** In the order of names; undefined where the folder cannot be read. */
function entriesIn(folder: string): Dirent[] | undefined {
  try {
    return readdirSync(folder, { withFileTypes: true }).toSorted((a, b) => (a.name < b.name ? -1 : 1));
  } catch {
    return undefined;
  }
}

/** Undefined for the report on a fleet. */
function foundIn(folder: string, isFile: boolean): Found | undefined {
  const name = basename(resolve(folder));
  const found = { name: NAME.test(name) ? name : anchorOf(name).slice(0, 63), labels: [], folder };
  if (!isFile) return { ...found, report: 'report.json is a link or no file, and is not read.' };
  try {
    const report = readReport(join(folder, 'report.json'));
    return report.judge === 'fleet' ? undefined : { ...found, report: faultOf(report) ?? report };
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    return { ...found, report: error.message };
  }
}

/** Why a report is not what its verdicts come to: it was changed, or its machine has no clock. */
function faultOf(report: Report): string | undefined {
  const { judge, outcome, items, startedAt } = report;
  const isRun = judge === 'verify';
  if (items.length > MOST_ITEMS) return `report.json has more than ${MOST_ITEMS} items.`;
  const byVerdicts = outcomeByVerdicts(report);
  const has = (...verdicts: string[]) => items.some(({ verdict }) => verdicts.includes(verdict));
  const isStrict = outcome === 'nonconformant' && byVerdicts !== 'error' && has('warned');
  // Clients and traffic may not have been seen to their end.
  const isPartial = outcome === 'incomplete' && byVerdicts === 'conformant' && !isRun && judge !== 'feed';
  if (outcome !== byVerdicts && !isStrict && !isPartial)
    return `report.json states the outcome ${outcome}, and its verdicts come to ${byVerdicts}.`;
  if (isRun && has('warned', 'not-seen')) return 'report.json has verdicts that mrs verify does not give.';
  const missing = (isRun && isOfThisSuite(report) ? ledger.filter(isBinding) : [])
    .map(({ id }) => id)
    .filter((id) => !items.some((item) => item.id === id));
  if (missing.length > 0) return `report.json lacks ${missing.join(', ')}.`;
  const ofBaseline = faultOfBaseline(report);
  if (ofBaseline !== undefined) return ofBaseline;
  const year = startedAt === undefined ? 2026 : new Date(startedAt).getUTCFullYear();
  if (year >= 2020 && year < 2200) return undefined;
  return `report.json states that the run began at ${clip(inOneLine(startedAt ?? ''), 40)}. Set the clock of the machine, and run it again.`;
}

/** By the rules of its judge. */
function outcomeByVerdicts(report: Report): Outcome {
  const { judge, items, problems, properties } = report;
  const notOffered = (properties['not-offered'] ?? '').split(' ').filter(Boolean);
  const profile = judge === 'verify' && properties.profile !== undefined ? { notOffered } : undefined;
  const outcome = outcomeOfRun(items, problems, profile);
  const isOfTraffic = judge === 'judge' || judge === 'proxy';
  const isShort = isOfTraffic && isOfThisSuite(report) && items.some(isMissing);
  return outcome === 'conformant' && isShort ? 'incomplete' : outcome;
}

const isOfThisSuite = (report: Report): boolean => report.suite.requirements === suite.requirements;

/** Why a baseline does not come to what a report states. What it accepted may have to be fixed by now. */
function faultOfBaseline({ judge, outcome, items, baseline }: Report): string | undefined {
  if (baseline === undefined) return undefined;
  if (judge !== 'verify') return `report.json has a baseline, and mrs ${judge} applies none.`;
  const { accepted, faults } = baseline;
  const left = items.filter(
    ({ id, verdict }) => !accepted.some((one) => one.requirement === id && one.verdict === verdict),
  );
  const byEntries = gateOutcome({ outcome }, left, accepted, faults);
  if (baseline.outcome !== byEntries)
    return `report.json says that its baseline comes to ${baseline.outcome}, and the entries come to ${byEntries}.`;
  const today = new Date().toISOString().slice(0, 10);
  const old = byEntries === 'accepted' ? accepted.find(({ until }) => until < today) : undefined;
  if (old === undefined) return undefined;
  return `The baseline accepted ${clip(inOneLine(old.requirement), 40)} until ${clip(inOneLine(old.until), 40)}. Run it again.`;
}

/** A deployment that must have a report. */
export interface Expected {
  name: string;
  labels?: readonly string[];
  contact?: string;
  /** Absent for a feed. */
  baseUrl?: string;
}

/** The reports of the expected deployments, with a row for each that left none. */
export function expecting(found: readonly Found[], expected: readonly Expected[]): Found[] {
  return expected.map(({ name, labels = [], contact, baseUrl }) => {
    const one = found.find((known) => known.name === name);
    const report = one ? (strangenessOf(one.report, baseUrl) ?? one.report) : 'No run left a report.';
    return { name, labels, contact, address: baseUrl, folder: one?.folder, report };
  });
}

/** Why a report is not about a deployment of the fleet file. */
function strangenessOf(report: Report | string, baseUrl: string | undefined): string | undefined {
  if (typeof report === 'string') return undefined;
  const { judge, properties } = report;
  const expected = baseUrl === undefined ? 'feed' : 'verify';
  if (judge !== expected)
    return `report.json is a report of mrs ${judge}, and one of mrs ${expected} was expected.`;
  if (properties.judgedAgain !== undefined) return 'report.json judges the evidence of an earlier run again.';
  if (baseUrl === undefined || properties.target === new URL(baseUrl).href.replace(/\/+$/, ''))
    return undefined;
  return `report.json is about ${clip(inOneLine(properties.target ?? 'nothing'), 100)}, and not about ${baseUrl}.`;
}
