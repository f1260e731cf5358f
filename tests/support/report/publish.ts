/** The one place from which a run writes and prints: nothing leaves it that holds a secret. */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ledger } from '../requirements.ts';
import type { Secrets } from '../secrets.ts';

export interface Publisher {
  /** Writes the file, unless a secret is in it: then there is no such file, and a problem is noted. */
  write(file: string, text: string): void;
  print(text: string): void;
  /** What was held back, as sentences. */
  problems: string[];
}

export const reportSchema = readFileSync(
  fileURLToPath(import.meta.resolve('mrs-contract/report.schema.json')),
  'utf8',
);

/** To be made once the secrets are known. */
export function createPublisher(secrets: Secrets): Publisher {
  const problems: string[] = [];
  // A secret that is a word of every report cannot be told from that word.
  const ordinary = new Set(secrets.leaks(reportSchema + JSON.stringify(ledger)));

  const isClean = (text: string, where: string) => {
    const found = secrets.leaks(text).filter((alias) => !ordinary.has(alias));
    if (found.length === 0) return true;
    problems.push(`${where} would have shown ${[...new Set(found)].join(' and ')}, and was held back.`);
    return false;
  };

  return {
    write(file, text) {
      rmSync(file, { force: true });
      if (!isClean(text, file)) return;
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, text);
    },
    print(text) {
      if (isClean(text, 'The output')) console.log(text);
    },
    problems,
  };
}
