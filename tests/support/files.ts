/** Files and folders on this machine: reads those that a user or a folder names, and writes whole ones or none. */
import { isUtf8 } from 'node:buffer';
import { randomUUID } from 'node:crypto';
import fs from 'node:fs';
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

/**
 * Reads at most `mostBytes` of a file that the user named. Never waits for a pipe, and never reads a device, which may have
 * no end. Throws UsageError: `subject` begins its sentence, and `advice` follows it.
 */
export function readBounded(
  file: string,
  mostBytes: number,
  subject: string,
  advice = 'Name a file you can read.',
): Buffer {
  let descriptor: number | undefined;
  let why: string | undefined;
  try {
    descriptor = fs.openSync(file, fs.constants.O_RDONLY | fs.constants.O_NONBLOCK);
    const status = fs.fstatSync(descriptor);
    const most = mostBytes < MIB ? `${mostBytes / 1024} KiB` : `${mostBytes / MIB} MiB`;
    if (status.isDirectory()) why = 'EISDIR';
    else if (!status.isFile()) why = 'it is not a regular file';
    else if (status.size > mostBytes) why = `it is larger than ${most}`;
    else return fs.readFileSync(descriptor);
  } catch (error) {
    why = (error as NodeJS.ErrnoException).code;
  } finally {
    if (descriptor !== undefined) fs.closeSync(descriptor);
  }
  throw new UsageError(`${subject} cannot be read (${why}). ${advice}`);
}

/** The secret in a file, without the line end after it. Throws UsageError, also if it is empty; `what` names the secret. */
export function readSecretFile(file: string, what = 'client secret'): string {
  const subject = `The ${what} file "${file}"`;
  const bytes = readBounded(file, SECRET_BYTES, subject);
  if (!isUtf8(bytes)) throw new UsageError(`${subject} is not UTF-8. Save it as UTF-8.`);
  // Some editors begin a file with a byte order mark.
  const secret = bytes.toString().replace(/^\ufeff|\r?\n$/g, '');
  if (secret !== '') return secret;
  throw new UsageError(`${subject} is empty. Write the secret into it.`);
}

/**
 * Writes a file as a whole or not at all, and makes its folder. `text` may come in parts; `mode` are the permissions of the
 * file. Throws what the file system does, and leaves the file as it was.
 */
export function replaceFile(file: string, text: string | Iterable<string>, mode = 0o666): void {
  const unfinished = `${file}.${randomUUID()}.tmp`;
  makeDirectory(dirname(file));
  try {
    const descriptor = fs.openSync(unfinished, 'wx', mode);
    try {
      for (const part of typeof text === 'string' ? [text] : text) fs.writeFileSync(descriptor, part);
    } finally {
      fs.closeSync(descriptor);
    }
    fs.renameSync(unfinished, file);
  } finally {
    fs.rmSync(unfinished, { force: true });
  }
}

/** With its parents: the option of Node.js for this never returns where one refuses. Throws what the file system does. */
export function makeDirectory(directory: string): void {
  const parent = dirname(directory);
  if (parent !== directory && !fs.existsSync(parent)) makeDirectory(parent);
  try {
    fs.mkdirSync(directory);
  } catch (error) {
    if (!fs.statSync(directory, { throwIfNoEntry: false })?.isDirectory()) throw error;
  }
}

/** Creates a private folder in the temporary directory, with a name that begins with `prefix`. Throws UsageError if it cannot. */
export function createTemporaryFolder(prefix: string): string {
  try {
    return fs.mkdtempSync(join(tmpdir(), prefix));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new UsageError(
      `The temporary directory ${tmpdir()} cannot be used (${code}). Set TMPDIR to a directory that you can write to.`,
    );
  }
}
