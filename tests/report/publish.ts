/** The one place from which a run writes and prints: nothing leaves it that holds a secret. */
import { appendFileSync, rmSync } from 'node:fs';
import { replaceFile } from '../support/files.ts';
import { ledger } from '../support/requirements.ts';
import type { Secrets } from '../support/secrets.ts';
import { suite } from '../support/version.ts';

export interface Publisher {
  /**
   * Replaces the file by a whole one, unless a secret is in the text: then there is no such file, and a problem is noted.
   */
  write(file: string, text: string): void;
  /** Adds to a file that others write to as well. */
  append(file: string, text: string): void;
  print(text: string): void;
  /** What was held back or could not be written, as sentences. */
  problems: string[];
}

/** What else the reports say of themselves. */
const OWN_WORDS =
  'Open points seen on the wire, none judged. Expected Seen FAILED requests in client outcome authorization ' +
  'user-agent content-type application/x-www-form-urlencoded application/json client_credentials password';

/** Control and direction characters that came from outside, as JSON writes them: a viewer must not obey them. */
const asciiControls = (text: string) =>
  text.replace(/[\x7f-\x9f\p{Cf}\u2028\u2029]/gu, (character) =>
    Array.from(
      { length: character.length },
      (_, at) => `\\u${character.charCodeAt(at).toString(16).padStart(4, '0')}`,
    ).join(''),
  );

/**
 * The names of all members of what is written as JSON, and its literals: they are in the file whatever a deployment sends.
 * The names in a shape are those of the deployment.
 */
export function namesIn(written: object): string {
  const names = new Set(['true', 'false', 'null', suite.name, suite.version]);
  const visit = (value: unknown): void => {
    if (Array.isArray(value)) for (const item of value) visit(item);
    else if (typeof value === 'object' && value !== null)
      for (const [name, member] of Object.entries(value)) {
        names.add(name);
        if (name !== 'members') visit(member);
      }
  };
  visit(written);
  return [...names].join(' ');
}

/** Create it once the secrets are known. `frame` is what the reports contain whatever a run saw: schema, own words. */
export function createPublisher(secrets: Secrets, frame = ''): Publisher {
  const problems: string[] = [];
  // A secret that is a word of every report looks like that word.
  const ordinary = [JSON.stringify(ledger), OWN_WORDS, frame].join(' ');

  const isClean = (text: string, where: string) => {
    const found = secrets.leaks(text, ordinary);
    if (found.length === 0) return true;
    problems.push(`${where} would have shown ${found.join(' and ')}, and was held back.`);
    return false;
  };

  const note = (file: string, write: () => void) => {
    try {
      write();
    } catch (error) {
      problems.push(`${file} could not be written (${(error as NodeJS.ErrnoException).code}).`);
    }
  };

  return {
    write(file, text) {
      if (!isClean(text, file)) return rmSync(file, { force: true });
      note(file, () => replaceFile(file, asciiControls(text)));
    },
    append(file, text) {
      if (isClean(text, file)) note(file, () => appendFileSync(file, asciiControls(text)));
    },
    print(text) {
      if (isClean(text, 'The output')) console.log(text);
    },
    problems,
  };
}
