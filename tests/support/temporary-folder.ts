/** A private folder below the temporary directory. */
import { mkdtempSync, rmSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { UsageError } from './usage-error.ts';

/** Its name begins with `prefix`. Throws UsageError if it cannot be created, or lacks `neededBytes` of space. */
export function createTemporaryFolder(prefix: string, neededBytes = 0): string {
  const place = `The temporary directory ${tmpdir()}`;
  let folder: string;
  try {
    folder = mkdtempSync(join(tmpdir(), prefix));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new UsageError(
      `${place} cannot be used (${code}). Set TMPDIR to a directory that you can write to.`,
    );
  }
  const { bavail, bsize } = statfsSync(folder);
  if (bavail * bsize >= neededBytes) return folder;
  rmSync(folder, { recursive: true });
  throw new UsageError(
    `${place} has ${Math.floor((bavail * bsize) / 1024)} KiB of free space, and a run needs ${neededBytes / 1024} KiB. Free some, or set TMPDIR to another directory.`,
  );
}
