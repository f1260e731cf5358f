/** Reads a file of which nothing is known: it may never end, or be too large. */
import { closeSync, constants, fstatSync, openSync, readFileSync } from 'node:fs';

/** Thrown for a file that is not read; the message says why, after the name of the file. */
export class UnreadableError extends Error {
  override name = 'UnreadableError';
}

/**
 * Waits for no pipe and no device, and reads at most `limit` bytes. Follows a link only where `followsLink` is set, for a
 * file that the user named. Throws UnreadableError.
 */
export function readBounded(file: string, limit: number, { followsLink = false } = {}): Buffer {
  let descriptor: number;
  try {
    descriptor = openSync(
      file,
      constants.O_RDONLY | constants.O_NONBLOCK | (followsLink ? 0 : constants.O_NOFOLLOW),
    );
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new UnreadableError(
      code === 'ELOOP' ? 'is a link, which is not followed' : `cannot be read (${code})`,
    );
  }
  try {
    const stat = fstatSync(descriptor);
    if (stat.isDirectory()) throw new UnreadableError('is a directory');
    if (!stat.isFile()) throw new UnreadableError('is not a file');
    if (stat.size > limit) throw new UnreadableError(`is larger than ${limit / 1024 / 1024} MiB`);
    return readFileSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
