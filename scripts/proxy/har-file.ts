/** Writes what passes to a HAR 1.2 file, an exchange at a time. No secret is in it. */
import { closeSync, openSync, renameSync, rmSync, writeSync } from 'node:fs';
import { harEntry } from '../../mocks/journal/har.ts';
import type { Exchange } from '../../mocks/state/journal.ts';
import type { Secrets } from '../../tests/support/secrets.ts';
import { UsageError } from '../../tests/support/usage-error.ts';
import { version } from '../../tests/support/version.ts';
import { fieldNamed, type RecordedExchange } from '../../tests/traffic/exchange.ts';

export interface HarFile {
  add(shown: Exchange, exchange: RecordedExchange, secrets: Secrets): void;
  /** Puts the file in its place. Returns what went wrong, as a sentence. */
  finish(): string | undefined;
  /** Removes what has been written. */
  discard(): void;
}

/** Of a body, in bytes. A client of this service reads less than that. */
const MOST_BYTES = 1024 * 1024;
const TEXT = /^(application\/([\w.+-]+\+)?(json|xml)|text\/)/;

/** It is written next to `file` until it is whole. Throws UsageError where it cannot be written. */
export function createHarFile(file: string, baseUrl: string): HarFile {
  const draft = `${file}.${process.pid}.tmp`;
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

  const discard = () => rmSync(draft, { force: true });
  process.once('exit', discard); // a second Ctrl-C

  return {
    add(shown, exchange, secrets) {
      // A new token is written by its name.
      const isIssue = shown.reason === 'issued' && shown.issued !== undefined;
      const body = isIssue ? undefined : exchange.answer && publicBody(exchange.answer, secrets);
      const entry = {
        ...harEntry({ ...shown, body }, baseUrl),
        ...(exchange.proxyAnswer !== undefined && { _proxyAnswer: exchange.proxyAnswer }),
      };
      write(`${isFirst ? '' : ','}\n${JSON.stringify(entry)}`);
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

/** The body without secrets; undefined where that is not certain, or it is not text. */
function publicBody(answer: NonNullable<RecordedExchange['answer']>, secrets: Secrets): Buffer | undefined {
  const body = answer.readBody();
  if (!body || body.length > MOST_BYTES) return undefined;
  if (body.length > 0 && !TEXT.test(fieldNamed(answer.headers, 'content-type') ?? '')) return undefined;
  const text = secrets.redact(body.toString('utf8'));
  return secrets.leaks(text).length > 0 ? undefined : Buffer.from(text);
}
