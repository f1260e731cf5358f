/** The verdict files of earlier runs, in a folder that someone keeps. */
import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { readVerdictFile, type VerdictFile, verdictFile } from '../../tests/fleet/history.ts';
import type { Fleet } from '../../tests/fleet/report/wording.ts';
import type { Publisher } from '../../tests/report/publish.ts';
import { checkDirectory } from '../../tests/report/publish.ts';
import { readBounded, UnreadableError } from '../../tests/support/files.ts';

/** More than a year of nights. The oldest are removed. */
const MOST_FILES = 400;
/** As many as a trend and a comparison can make use of. */
const READ_FILES = 60;
const LIMIT = 4 * 1024 * 1024;

/** A day first, so that names are in the order of time. */
const NAME = /^\d{4}-\d\d-\d\dT[\d.Z-]+-[0-9a-f]{12}\.json$/;

/** The latest runs before this one, which was at `at`. Throws UsageError if the folder cannot be used. */
export function readHistory(
  folder: string,
  fleet: Fleet,
  at?: string,
): { past: VerdictFile[]; remarks: string[] } {
  checkDirectory(folder);
  const own = verdictFile(fleet, at).name;
  const remarks: string[] = [];
  const past = filesIn(folder)
    .filter((name) => name < own)
    .slice(-READ_FILES)
    .flatMap((name) => {
      const file = readOne(join(folder, name));
      if (!file) remarks.push(`The verdict file ${name} cannot be read, and was left out.`);
      return file ?? [];
    });
  return { past, remarks };
}

/** Adds the run, once, and removes the oldest. */
export function keepRun(folder: string, fleet: Fleet, publisher: Publisher, at?: string): void {
  const { name, text } = verdictFile(fleet, at);
  publisher.write(join(folder, name), text);
  for (const old of filesIn(folder).slice(0, -MOST_FILES)) rmSync(join(folder, old), { force: true });
}

const filesIn = (folder: string): string[] =>
  readdirSync(folder)
    .filter((name) => NAME.test(name))
    .toSorted();

function readOne(file: string): VerdictFile | undefined {
  try {
    return readVerdictFile(readBounded(file, LIMIT).toString('utf8'));
  } catch (error) {
    if (error instanceof UnreadableError) return undefined;
    throw error;
  }
}
