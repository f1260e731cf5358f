/** A file that says that the mock listens, for the program that started it. */
import { renameSync, rmSync, writeFileSync } from 'node:fs';
import { UsageError } from '../../tests/support/usage-error.ts';

/** What a program needs to use the mock. */
export interface Ready {
  /** The base URL. */
  url: string;
  /** Of the control API; absent where it is disabled. */
  key?: string;
  pid: number;
}

/**
 * Writes `ready` as JSON, at once and as a whole, readable only by this user: it holds the key. Returns a function that
 * removes the file. Throws UsageError where it cannot be written.
 */
export function writeReadyFile(file: string, ready: Ready): () => void {
  const draft = `${file}.${ready.pid}`;
  try {
    writeFileSync(draft, `${JSON.stringify(ready)}\n`, { mode: 0o600, flag: 'wx' });
    renameSync(draft, file);
  } catch (error) {
    rmSync(draft, { force: true });
    const { code } = error as NodeJS.ErrnoException;
    throw new UsageError(
      `--ready-file ${file} cannot be written (${code}). Name a file in a directory that you can write to.`,
    );
  }
  return () => rmSync(file, { force: true });
}
