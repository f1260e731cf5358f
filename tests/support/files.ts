/** Files and folders on this machine: reads those that a user or a folder names, and writes whole ones or none. */
import { randomUUID } from 'node:crypto';
import {
  closeSync,
  constants,
  existsSync,
  fstatSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { UsageError } from './usage-error.ts';

const MIB = 1024 * 1024;

/** The most bytes of a secret or a key. */
export const SECRET_BYTES = MIB / 16;
/** The most bytes of what people write or install, such as a baseline or certificates. */
export const TEXT_BYTES = 16 * MIB;
/** The most bytes of what a run writes: one that met the limits of every body is smaller. */
export const REPORT_BYTES = 256 * MIB;

/** Thrown for a file that is not read. The message says why, after the name of the file. */
export class UnreadableError extends Error {
  override name = 'UnreadableError';

  /** `code`: of the system, or why the file is not read, in words. */
  constructor(
    message: string,
    readonly code = `it ${message}`,
  ) {
    super(message);
  }
}

/**
 * Reads at most `mostBytes` of a file that the user named. Never waits for a pipe, and never reads a device, which may have
 * no end. Throws UnreadableError.
 */
export function readBounded(file: string, mostBytes: number): Buffer {
  let descriptor: number;
  try {
    descriptor = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK);
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    throw new UnreadableError(`cannot be read (${code})`, code);
  }
  try {
    const status = fstatSync(descriptor);
    if (status.isDirectory()) throw new UnreadableError('is a directory', 'EISDIR');
    if (!status.isFile()) throw new UnreadableError('is not a regular file');
    const most = mostBytes < MIB ? `${mostBytes / 1024} KiB` : `${mostBytes / MIB} MiB`;
    if (status.size > mostBytes) throw new UnreadableError(`is larger than ${most}`);
    return readFileSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/** A text in a file that the user named. Throws UsageError if it cannot be read; `subject` begins its sentence. */
export function readNamed(file: string, mostBytes: number, subject: string): string {
  try {
    return readBounded(file, mostBytes).toString();
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new UsageError(`${subject} cannot be read (${code}). Name a file you can read.`);
  }
}

/**
 * The secret in a file (MRS_CLIENT_SECRET_FILE, --client-secret-file), without the line end after it. Throws UsageError
 * for a file that cannot be read, or is empty; `what` names the secret.
 */
export function readSecretFile(file: string, what = 'client secret'): string {
  const subject = `The ${what} file "${file}"`;
  const secret = readNamed(file, SECRET_BYTES, subject).replace(/\r?\n$/, '');
  if (secret !== '') return secret;
  throw new UsageError(`${subject} is empty. Write the secret into it.`);
}

/** Writes a file as a whole or not at all, and makes its folder. Throws what the file system does, and leaves the file as it was. */
export function replaceFile(file: string, text: string): void {
  const unfinished = `${file}.${randomUUID()}.tmp`;
  makeDirectory(dirname(file));
  try {
    writeFileSync(unfinished, text, { flag: 'wx' });
    renameSync(unfinished, file);
  } finally {
    rmSync(unfinished, { force: true });
  }
}

/**
 * Makes a directory, with those that it is in. Throws what the file system does. The option of Node.js for this never
 * returns where a parent refuses, as /proc does.
 */
export function makeDirectory(directory: string): void {
  const parent = dirname(directory);
  if (parent !== directory && !existsSync(parent)) makeDirectory(parent);
  try {
    mkdirSync(directory);
  } catch (error) {
    if (!statSync(directory, { throwIfNoEntry: false })?.isDirectory()) throw error;
  }
}

/** Creates a private folder in the temporary directory, with a name that begins with `prefix`. Throws UsageError if it cannot. */
export function createTemporaryFolder(prefix: string): string {
  try {
    return mkdtempSync(join(tmpdir(), prefix));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new UsageError(
      `The temporary directory ${tmpdir()} cannot be used (${code}). Set TMPDIR to a directory that you can write to.`,
    );
  }
}
