/** Reads a file of which nothing is known. */
import { closeSync, constants, fstatSync, openSync, readFileSync } from 'node:fs';

/** Thrown for a file that is not read; the message says why, after the name of the file. */
export class UnreadableError extends Error {
  override name = 'UnreadableError';
}

/** Follows no link, waits for no pipe, and reads at most `limit` bytes. Throws UnreadableError. */
export function readBounded(file: string, limit: number): Buffer {
  let descriptor: number;
  try {
    descriptor = openSync(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new UnreadableError(
      code === 'ELOOP' ? 'is a link, which is not followed' : `cannot be read (${code})`,
    );
  }
  try {
    const stat = fstatSync(descriptor);
    if (!stat.isFile()) throw new UnreadableError('is not a file');
    if (stat.size > limit) throw new UnreadableError(`is larger than ${limit / 1024 / 1024} MiB`);
    return readFileSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
