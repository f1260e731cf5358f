/** Writes what passes to a HAR 1.2 file, an exchange at a time. No secret is in it. */
import { closeSync, openSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import type { Exchange } from '../../../mocks/exchange.ts';
import { UsageError } from '../../../tests/support/usage-error.ts';
import { version } from '../../../tests/support/version.ts';
import type { JudgedRecording } from '../../judge/judge-recording.ts';
import type { Judged } from '../../judge/read-recording.ts';
import type { KnownSecrets } from '../record/known-secrets.ts';
import { linesOf } from './file-lines.ts';
import { createEntryWriter } from './public-entry.ts';
import { redactedEntry } from './redacted-entry.ts';

export interface HarFile {
  /** `secrets`: those that are known by now. */
  add(shown: Exchange, judged: Judged, secrets: KnownSecrets): void;
  /**
   * Puts the file in its place, without the secrets that are known by the end, and with what was found where they must not
   * be: the file does not show it otherwise. Returns what went wrong, as a sentence. To
   * be called once.
   */
  finish(secrets: KnownSecrets, judged: Pick<JudgedRecording, 'misplaced'>): Promise<string | undefined>;
  /** Removes what has been written. */
  discard(): void;
}

/**
 * Until the end, the entries are in a file next to it that has no name: nothing is left of that, however this process
 * ends. Throws UsageError where the file cannot be written.
 */
export function createHarFile(file: string, baseUrl: string): HarFile {
  const draft = `${file}.${process.pid}.tmp`;
  const entryOf = createEntryWriter(baseUrl);
  let problem: string | undefined;
  const descriptor = orRefuse(() => {
    if (!isReplaceable(file))
      throw new UsageError(
        `--har is "${file}", which is not the name of a file. Name a new file, or one to replace.`,
      );
    return openSync(draft, 'wx+', 0o600);
  });
  let isOpen = true;
  removeDraft(); // A file that is open stays readable.

  function orRefuse<Result>(open: () => Result): Result {
    try {
      return open();
    } catch (error) {
      if (error instanceof UsageError) throw error;
      throw new UsageError(
        `--har ${file} cannot be written (${(error as NodeJS.ErrnoException).code}). Name a file in a directory that you can write to.`,
      );
    }
  }

  function attempt(write: () => void): void {
    if (problem !== undefined) return;
    try {
      write();
    } catch (error) {
      problem = `${file} could not be written (${(error as NodeJS.ErrnoException).code}).`;
    }
  }

  function removeDraft(): void {
    rmSync(draft, { force: true });
  }

  function discard(): void {
    process.off('exit', discard);
    if (isOpen) closeSync(descriptor);
    isOpen = false;
    removeDraft();
  }
  process.once('exit', discard); // a second Ctrl-C

  return {
    add(shown, judged, { redact }) {
      attempt(() => writeFileSync(descriptor, `${JSON.stringify(entryOf(shown, judged, redact))}\n`));
    },
    async finish(secrets, { misplaced }) {
      let whole: number | undefined;
      attempt(() => {
        whole = openSync(draft, 'wx', 0o600);
      });
      const write = (text: string) => attempt(() => writeFileSync(whole as number, text));
      write(
        `{"log":{"version":"1.2","creator":${JSON.stringify({ name: 'mrs proxy', version })},"entries":[`,
      );
      let separator = '\n';
      let entry = 0;
      for await (const line of linesOf(descriptor)) {
        if (problem !== undefined) break;
        const found = misplaced.get(++entry);
        const written = redactedEntry(JSON.parse(line), secrets, baseUrl);
        write(separator + JSON.stringify({ ...written, ...(found && { _misplaced: found }) }));
        separator = ',\n';
      }
      write('\n]}}\n');
      if (whole !== undefined) closeSync(whole);
      attempt(() => renameSync(draft, file));
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
