/** Writes what passes to a HAR 1.2 file, an exchange at a time. No secret is in it. */
import { closeSync, openSync, renameSync, rmSync, statSync, writeSync } from 'node:fs';
import type { Exchange } from '../../mocks/state/journal.ts';
import type { Secrets } from '../../tests/support/secrets.ts';
import { UsageError } from '../../tests/support/usage-error.ts';
import { version } from '../../tests/support/version.ts';
import type { Judged } from '../judge/read-recording.ts';
import { createEntryWriter } from './public-entry.ts';

export interface HarFile {
  /** `secrets`: those that are known; undefined where there are more. */
  add(shown: Exchange, judged: Judged, secrets: Secrets | undefined): void;
  /** Puts the file in its place. Returns what went wrong, as a sentence. */
  finish(): string | undefined;
  /** Removes what has been written. */
  discard(): void;
}

/** It is written next to `file` until it is whole. Throws UsageError where it cannot be written. */
export function createHarFile(file: string, baseUrl: string): HarFile {
  if (!isReplaceable(file))
    throw new UsageError(
      `--har is "${file}", which is not the name of a file. Name a new file, or one to replace.`,
    );
  const draft = `${file}.${process.pid}.tmp`;
  const entryOf = createEntryWriter(baseUrl);
  let problem: string | undefined;
  let isFirst = true;
  const descriptor = orRefuse(() => openSync(draft, 'wx', 0o600));
  write(`{"log":{"version":"1.2","creator":${JSON.stringify({ name: 'mrs proxy', version })},"entries":[`);

  function write(text: string): void {
    if (problem !== undefined) return;
    try {
      writeSync(descriptor, text);
    } catch (error) {
      problem = `${file} could not be written (${(error as NodeJS.ErrnoException).code}).`;
    }
  }

  function orRefuse<Result>(open: () => Result): Result {
    try {
      return open();
    } catch (error) {
      throw new UsageError(
        `--har ${file} cannot be written (${(error as NodeJS.ErrnoException).code}). Name a file in a directory that you can write to.`,
      );
    }
  }

  const discard = () => {
    process.off('exit', discard);
    rmSync(draft, { force: true });
  };
  process.once('exit', discard); // a second Ctrl-C

  return {
    add(shown, judged, secrets) {
      write(`${isFirst ? '' : ','}\n${JSON.stringify(entryOf(shown, judged, secrets))}`);
      isFirst = false;
    },
    finish() {
      write('\n]}}\n');
      try {
        closeSync(descriptor);
        if (problem === undefined) renameSync(draft, file);
      } catch (error) {
        problem ??= `${file} could not be written (${(error as NodeJS.ErrnoException).code}).`;
      }
      discard();
      return problem;
    },
    discard,
  };
}

/** A device or a pipe must not be replaced by a file, and a directory cannot be. */
function isReplaceable(file: string): boolean {
  if (file === '' || file.endsWith('/')) return false;
  return statSync(file, { throwIfNoEntry: false })?.isFile() ?? true;
}
