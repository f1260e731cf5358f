/** Finds what runs of a fleet left in directories, which may come from other machines: nothing in them is trusted. */
import { type Dirent, existsSync, readdirSync, statSync } from 'node:fs';
import { basename, join, relative, resolve, sep } from 'node:path';
import type { Found } from '../../tests/fleet/merge.ts';
import { type ExpectedDeployment, type InventoryRecord, isOfRun } from '../../tests/fleet/records.ts';
import { UsageError } from '../../tests/support/usage-error.ts';
import { isInventoryName, PAGE, REPORT, RUN_RECORD } from './layout.ts';
import { readInventoryRecord, readRunRecord } from './record-file.ts';
import { readReportFile } from './report-file.ts';

export interface Collected {
  found: Found[];
  /** Those that are to have a report; undefined where no run of a fleet says so. */
  expected: ExpectedDeployment[] | undefined;
  /** When the latest shard of the run began. */
  at: string | undefined;
  /** What could not be read, as sentences. */
  remarks: string[];
}

/** Folders within folders. */
const DEEPEST = 6;
const MOST_FOLDERS = 20_000;
const NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$/;

/**
 * `output` is where the report on the fleet goes, `runId` the run that is reported on, where it is known. Throws
 * UsageError for a directory that cannot be read.
 */
export function collectReports(directories: readonly string[], output: string, runId?: string): Collected {
  const found: Found[] = [];
  const inventories: InventoryRecord[] = [];
  const remarks: string[] = [];
  const seen = new Set<string>();

  const visit = (folder: string, depth: number) => {
    if (seen.has(folder)) return;
    if (seen.add(folder).size > MOST_FOLDERS)
      throw new UsageError(
        `There are more than ${MOST_FOLDERS} folders in the directories. Name those of the reports.`,
      );
    const entries = entriesIn(folder);
    const names = entries.filter((one) => one.isFile()).map(({ name }) => name);
    for (const name of names.filter(isInventoryName)) {
      const inventory = readInventoryRecord(join(folder, name));
      if (typeof inventory === 'string') remarks.push(`${name} in ${folder} ${inventory}, and was left out.`);
      else inventories.push(inventory);
    }
    if (names.includes(RUN_RECORD) || names.includes(REPORT)) {
      const one = readDeployment(folder, names, output);
      if (typeof one === 'string') remarks.push(one);
      else found.push(one);
    } else if (depth < DEEPEST)
      for (const one of entries) if (one.isDirectory()) visit(join(folder, one.name), depth + 1);
  };

  for (const directory of directories) {
    checkReadable(directory);
    visit(resolve(directory), 0);
  }
  const own = inventories.filter((one) => isOfRun(one, runId));
  const at = own
    .map(({ writtenAt }) => writtenAt)
    .toSorted()
    .at(-1);
  return { found, expected: expectedBy(own.length > 0 ? own : inventories), at, remarks };
}

function checkReadable(directory: string): void {
  let why = 'it is not a directory';
  try {
    if (statSync(directory).isDirectory()) return;
  } catch (error) {
    why = (error as NodeJS.ErrnoException).code ?? '';
  }
  throw new UsageError(
    `"${directory}" cannot be read (${why}). Name a directory that mrs fleet run wrote to.`,
  );
}

/** None where the folder cannot be read: what is missing there has no report. */
function entriesIn(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true }).toSorted((one, other) =>
      one.name < other.name ? -1 : 1,
    );
  } catch {
    return [];
  }
}

/** Returns a sentence if the folder has no valid name. */
function readDeployment(folder: string, names: readonly string[], output: string): Found | string {
  const record = names.includes(RUN_RECORD) ? readRunRecord(folder) : undefined;
  const name = typeof record === 'object' ? record.name : basename(folder);
  if (!NAME.test(name))
    return `The name of the folder ${folder} is not that of a deployment, and it was left out.`;
  if (typeof record === 'string') return { name, judged: `${RUN_RECORD} ${record}.` };
  if (record && record.report === undefined) return { name, record };
  const { judged, digest } = readReportFile(join(folder, REPORT));
  if (record && digest !== undefined && digest !== record.report)
    return { name, record, judged: 'report.json is not the one that the run wrote.' };
  const page = pageOf(folder, output);
  return { name, judged, ...(record && { record }), ...(page !== undefined && { page }) };
}

/** Linked only where both are published together. */
function pageOf(folder: string, output: string): string | undefined {
  const path = relative(resolve(output), join(folder, PAGE));
  if (path.startsWith('..') || !existsSync(join(folder, PAGE))) return undefined;
  return path.split(sep).map(encodeURIComponent).join('/');
}

/** Of two with one name, the later counts. */
function expectedBy(inventories: readonly InventoryRecord[]): ExpectedDeployment[] | undefined {
  if (inventories.length === 0) return undefined;
  const byTime = inventories.toSorted(
    (one, other) => Date.parse(one.writtenAt) - Date.parse(other.writtenAt),
  );
  return [
    ...new Map(byTime.flatMap(({ deployments }) => deployments).map((one) => [one.name, one])).values(),
  ];
}
