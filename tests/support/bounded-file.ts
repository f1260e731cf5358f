/** Reads a file that an option names: it may be anything, and of any size. */
import { closeSync, constants, fstatSync, openSync, readFileSync } from 'node:fs';

const MIB = 1024 * 1024;

/** The most bytes of a secret or a key. */
export const SECRET_BYTES = MIB / 16;
/** The most bytes of what people write or install, such as a baseline or certificates. */
export const TEXT_BYTES = 16 * MIB;
/** The most bytes of what a run writes: one that met the limits of every body is smaller. */
export const REPORT_BYTES = 256 * MIB;

/**
 * Throws an Error whose `code` says why it is not read: that of the system, or words. Never waits for a pipe, and never reads a
 * device, which may have no end.
 */
export function readBoundedFile(file: string, mostBytes: number): Buffer {
  const descriptor = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const status = fstatSync(descriptor);
    if (status.isDirectory()) throw refusal('EISDIR');
    if (!status.isFile()) throw refusal('it is not a regular file');
    if (status.size > mostBytes)
      throw refusal(
        `it is larger than ${mostBytes < MIB ? `${mostBytes / 1024} KiB` : `${mostBytes / MIB} MiB`}`,
      );
    return readFileSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

const refusal = (code: string) => Object.assign(new Error(code), { code, syscall: 'read' });
