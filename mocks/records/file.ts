/** Records out of a file, served as they stand there, and read again when the file has changed. */
import { statSync } from 'node:fs';
import { MockError } from '../contract/mock-error.ts';
import { readRegularFile } from '../contract/regular-file.ts';
import type { Records } from './fill.ts';

/** How often the file is looked at, in real time: a busy mock is asked for it much more often. */
const EVERY_MS = 100;
const MOST_MIB = 256;

/**
 * While a file is half written or missing, the last whole one is served; `onFault` is called once for each such state.
 * `realNow` is in milliseconds. Throws MockError if the file has no JSON at first.
 */
export function readRecordsFile(
  file: string,
  onFault: (error: MockError) => void,
  realNow: () => number = () => performance.now(),
): Records {
  let seen = markOf(file);
  let bytes = read(file);
  let lookedAt = realNow();

  function look(): void {
    const mark = markOf(file);
    if (mark === seen) return;
    seen = mark;
    try {
      bytes = read(file);
    } catch (error) {
      onFault(new MockError(`${(error as Error).message} The mock serves what it read last.`));
    }
  }

  return {
    body() {
      if (realNow() - lookedAt >= EVERY_MS) {
        lookedAt = realNow();
        look();
      }
      return bytes;
    },
  };
}

/** Another text whenever the file is another, or has been written to. */
function markOf(file: string): string {
  try {
    const { dev, ino, size, mtimeNs, ctimeNs } = statSync(file, { bigint: true });
    return [dev, ino, size, mtimeNs, ctimeNs].join();
  } catch {
    return 'gone';
  }
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

function read(file: string): Buffer {
  const bytes = bytesOf(file);
  if (isJson(bytes)) return bytes;
  throw new MockError(
    `The file ${file} of the records is not valid JSON: it ends too early or does not parse. ` +
      'Use a valid file, or a number of records.',
  );
}

/** The parser's message quotes the file, so it is not repeated. */
function isJson(bytes: Buffer): boolean {
  try {
    JSON.parse(utf8.decode(bytes));
    return true;
  } catch {
    return false;
  }
}

function bytesOf(file: string): Buffer {
  try {
    return readRegularFile(file, MOST_MIB);
  } catch (error) {
    throw new MockError(
      `The file ${file} of the records cannot be read: ${(error as NodeJS.ErrnoException).code}. Check its name.`,
    );
  }
}
