/** Reads a file that an option or a folder names: it may be anything, and of any size. */
import { closeSync, constants, fstatSync, openSync, readFileSync } from 'node:fs';

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
  /** That of the system, or why the file is not read, in words. */
  readonly code: string;

  constructor(message: string, code = `it ${message}`) {
    super(message);
    this.code = code;
  }
}

/**
 * Reads at most `mostBytes`. Never waits for a pipe, and never reads a device, which may have no end. Follows a link only
 * where `followsLink` is set, for a file that the user named. Throws UnreadableError.
 */
export function readBounded(file: string, mostBytes: number, { followsLink = false } = {}): Buffer {
  const descriptor = open(file, followsLink);
  try {
    const status = fstatSync(descriptor);
    if (status.isDirectory()) throw new UnreadableError('is a directory', 'EISDIR');
    if (!status.isFile()) throw new UnreadableError('is not a regular file');
    if (status.size > mostBytes)
      throw new UnreadableError(
        `is larger than ${mostBytes < MIB ? `${mostBytes / 1024} KiB` : `${mostBytes / MIB} MiB`}`,
      );
    return readFileSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

function open(file: string, followsLink: boolean): number {
  try {
    return openSync(
      file,
      constants.O_RDONLY | constants.O_NONBLOCK | (followsLink ? 0 : constants.O_NOFOLLOW),
    );
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    throw new UnreadableError(
      code === 'ELOOP' && !followsLink ? 'is a link, which is not followed' : `cannot be read (${code})`,
      code,
    );
  }
}
