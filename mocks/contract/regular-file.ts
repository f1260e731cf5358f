/** Reads a file that an option names: it may be anything, and of any size. */
import { closeSync, constants, fstatSync, openSync, readFileSync } from 'node:fs';

const MIB = 1024 * 1024;

/**
 * Throws an Error whose `code` says why it is not read: that of the system, or words. Opening a pipe would block the whole mock,
 * and a device may have no end.
 */
export function readRegularFile(file: string, mostMiB: number): Buffer {
  const descriptor = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const status = fstatSync(descriptor);
    if (!status.isFile()) throw refusal('it is not a regular file');
    if (status.size > mostMiB * MIB) throw refusal(`it is larger than ${mostMiB} MiB`);
    return readFileSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

const refusal = (code: string) => Object.assign(new Error(code), { code });
