/** Writes a file as a whole or not at all. */
import { randomUUID } from 'node:crypto';
import { renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { makeDirectory } from './make-directory.ts';

/** Makes its folder, too. Throws what the file system does, and leaves the file as it was. */
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
