/** Secrets of other deployments in the reports of one: its process knows only its own, and could not take them out. */
import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { reportSchema } from '../../../tests/report/report.ts';
import { readBounded, replaceFile, UnreadableError } from '../../../tests/support/files.ts';
import { ledger } from '../../../tests/support/requirements.ts';
import { createSecrets, type Secrets } from '../../../tests/support/secrets.ts';
import type { Prepared } from './prepare.ts';

/** Shorter values are in a report by chance. */
const SHORTEST = 8;
/** Bytes of one file of a report. */
const LIMIT = 64 * 1024 * 1024;
/** What every report may say. */
const ORDINARY = reportSchema() + JSON.stringify(ledger);

/** Without those that `own` has as well, and those that are words of every report. */
export function secretsOfOthers(prepared: readonly Prepared[], own: Prepared): Secrets {
  const secrets = createSecrets();
  const ordinary = ORDINARY + JSON.stringify(own.entry);
  for (const { entry, secrets: values } of prepared)
    for (const value of values)
      if (value.length >= SHORTEST && !own.secrets.includes(value) && !ordinary.includes(value))
        // Parts of it may be a name that both have.
        secrets.register(value, `secret of ${entry.name}`, { whole: true });
  return secrets;
}

/** Takes them out of all files in the folder, and returns their aliases. A file that cannot be searched is removed. */
export function hideSecrets(folder: string, others: Secrets): string[] {
  const found = new Set<string>();
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const file = join(folder, entry.name);
    if (entry.isDirectory()) continue;
    const text = textOf(file);
    if (text === undefined) {
      rmSync(file, { force: true });
      continue;
    }
    const hidden = others.redact(text);
    if (hidden === text) continue;
    for (const alias of others.leaks(text)) found.add(alias);
    if (others.leaks(hidden).length === 0) replaceFile(file, hidden);
    else rmSync(file, { force: true });
  }
  return [...found];
}

function textOf(file: string): string | undefined {
  try {
    return readBounded(file, LIMIT).toString('utf8');
  } catch (error) {
    if (error instanceof UnreadableError) return undefined;
    throw error;
  }
}
