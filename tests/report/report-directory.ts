/** The directory that a run leaves its reports in. */
import { accessSync, constants, realpathSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { makeDirectory } from '../support/files.ts';
import { UsageError } from '../support/usage-error.ts';

const REPORTS = [
  'report.json',
  'evidence.json',
  'report.schema.json',
  'report.html',
  'junit.xml',
  'summary.md',
  'report.sarif',
];

/** Removes what an earlier run left, but for `kept`. Throws UsageError if no report could be written there. */
export function clearReports(directory: string, kept?: string): void {
  checkDirectory(directory);
  orRefuse(directory, () => {
    for (const file of REPORTS.filter((name) => name !== kept))
      rmSync(join(directory, file), { force: true });
  });
}

/** Whether a run that reports to the directory would replace or remove this file, by whatever path it is named. */
export const isReplaced = (file: string, directory: string): boolean =>
  REPORTS.some((name) => isSameFile(file, join(directory, name)));

/** Also where one of the paths leads through a link. */
export const isSameFile = (one: string, other: string): boolean => realPath(one) === realPath(other);

function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return resolve(path);
  }
}

/** Makes the directory and deletes nothing. Throws UsageError if no report could be written there. */
export function checkDirectory(directory: string): void {
  orRefuse(directory, () => {
    makeDirectory(directory);
    accessSync(directory, constants.W_OK);
  });
}

function orRefuse(directory: string, prepare: () => void): void {
  try {
    prepare();
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new UsageError(
      `No report can be written to "${directory}" (${code}). Name another directory by --report-dir.`,
    );
  }
}
