/** Finds what runs of a fleet left in directories, which may come from other machines: nothing in them is trusted. */
import { type Dirent, existsSync, readdirSync, statSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import type { Found } from '../../tests/fleet/merge.ts';
import { type ExpectedDeployment, type InventoryRecord, isOfRun } from '../../tests/fleet/records.ts';
import { UsageError } from '../../tests/support/usage-error.ts';
import { DEPLOYMENTS, isInventoryName, REPORT, RUN_RECORD } from './layout.ts';
import { readDeployment } from './read-deployment.ts';
import { readInventoryRecord, readRunRecord } from './record-file.ts';

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

export interface CollectOptions {
  /** Where the report on the fleet goes. */
  output: string;
  /** The run that is reported on, where it is known. */
  runId?: string | undefined;
  /** Whether it is known which deployments must have a report. */
  isComplete?: boolean;
}

/** Throws UsageError for a directory that cannot be read. */
export function collectReports(
  directories: readonly string[],
  { output, runId, isComplete = false }: CollectOptions,
): Collected {
  const found: Found[] = [];
  const inventories: InventoryRecord[] = [];
  const remarks: string[] = [];
  const unreadable: string[] = [];
  const seen = new Set<string>();
  const add = (one: Found | string | undefined) => {
    if (typeof one === 'string') remarks.push(one);
    else if (one) found.push(one);
  };

  const visit = (folder: string, depth: number) => {
    if (seen.has(resolve(folder))) return;
    if (seen.add(resolve(folder)).size > MOST_FOLDERS)
      throw new UsageError(
        `There are more than ${MOST_FOLDERS} folders in the directories. Name those of the reports.`,
      );
    const entries = entriesIn(folder);
    // What is not a file is not read, but must be missed.
    const names = entries.map(({ name }) => name);
    for (const name of names.filter(isInventoryName)) {
      const inventory = readInventoryRecord(join(folder, name));
      if (typeof inventory === 'string') unreadable.push(`${join(folder, name)} ${inventory}`);
      else inventories.push(inventory);
    }
    if (names.includes(RUN_RECORD) || names.includes(REPORT)) {
      add(foundIn(folder, names, output));
    } else if (depth < DEEPEST)
      for (const one of entries)
        if (one.isDirectory()) visit(join(folder, one.name), depth + 1);
        else if (one.isSymbolicLink()) add(linkIn(folder, one.name));
        else if (basename(resolve(folder)) === DEPLOYMENTS && NAME.test(one.name))
          found.push({ name: one.name, judged: `${join(folder, one.name)} is not a folder.` });
  };

  for (const directory of directories) {
    checkReadable(directory);
    visit(directory, 0);
  }
  // Without any, a report that is missing is not missed.
  if (unreadable.length > 0 && inventories.length === 0 && !isComplete)
    throw new UsageError(
      `${unreadable[0]}, so it is not known which deployments must have a report. Give the fleet file by --fleet.`,
    );
  remarks.push(...unreadable.map((what) => `${what}, and was left out.`));
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
function foundIn(folder: string, names: readonly string[], output: string): Found | string {
  const record = names.includes(RUN_RECORD) ? readRunRecord(folder) : undefined;
  const name = typeof record === 'object' ? record.name : basename(resolve(folder));
  if (!NAME.test(name))
    return `The name of the folder ${folder} is not that of a deployment, and it was left out.`;
  if (typeof record === 'string') return { name, judged: `${RUN_RECORD} ${record}.` };
  return readDeployment(folder, name, record, output);
}

/** A link, which is not followed; undefined for one that leads to nothing that would have counted. */
function linkIn(folder: string, name: string): Found | string | undefined {
  const path = join(folder, name);
  const isOfDeployment =
    basename(resolve(folder)) === DEPLOYMENTS ||
    [RUN_RECORD, REPORT].some((file) => existsSync(join(path, file)));
  if (isOfDeployment && NAME.test(name))
    return { name, judged: `The folder ${path} is a link, which is not followed.` };
  if (!statSync(path, { throwIfNoEntry: false })?.isDirectory()) return undefined;
  return `The folder ${path} is a link, which is not followed. Name the directory that it leads to.`;
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
