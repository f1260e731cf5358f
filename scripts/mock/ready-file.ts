/** A file that says that the mock listens, for the program that started it. */
import { lstatSync, readFileSync, renameSync, rmSync, type Stats, writeFileSync } from 'node:fs';
import { UsageError } from '../../tests/support/usage-error.ts';

/** Bytes; a ready file has some hundred. */
const LIMIT = 64 * 1024;

/** What a program needs to use the mock. */
export interface Ready {
  /** The base URL. */
  url: string;
  /** Of the control API; absent where it is disabled. */
  key?: string;
  pid: number;
}

/**
 * Writes `ready` as JSON, at once and as a whole, readable only by this user: it holds the key. Replaces only a file of an
 * earlier mock or an empty one, and never a device or what else a path may name. Returns a function that removes the file, unless it is
 * another mock's by then. Throws UsageError where it cannot be written.
 */
export function writeReadyFile(file: string, ready: Ready): () => void {
  const found = lstatSync(file, { throwIfNoEntry: false });
  const isEmpty = found?.isFile() && found.size === 0; // As mktemp leaves it.
  if (found && !isEmpty && pidIn(file, found) === undefined)
    throw new UsageError(
      `--ready-file ${file} exists, and is not the file of an earlier mock. Name another, or remove it.`,
    );
  const draft = `${file}.${ready.pid}`;
  try {
    writeFileSync(draft, `${JSON.stringify(ready)}\n`, { mode: 0o600, flag: 'wx' });
    renameSync(draft, file);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== 'EEXIST') rmSync(draft, { force: true });
    throw new UsageError(
      `--ready-file ${file} cannot be written (${code}). Name a file in a directory that you can write to.`,
    );
  }
  return () => {
    if (pidIn(file, lstatSync(file, { throwIfNoEntry: false })) === ready.pid) rmSync(file, { force: true });
  };
}

/** The process of the mock that wrote the file; undefined where no mock did. */
function pidIn(file: string, found: Stats | undefined): number | undefined {
  if (!found?.isFile() || found.size > LIMIT) return undefined;
  try {
    const { url, pid } = JSON.parse(readFileSync(file, 'utf8'));
    return typeof url === 'string' && typeof pid === 'number' ? pid : undefined;
  } catch {
    return undefined;
  }
}
