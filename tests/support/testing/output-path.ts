/** A folder for the files of one test. */
import { createHash } from 'node:crypto';
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';

const ROOT = join(import.meta.dirname, '../../../reports/tests');

/** The tests whose folder this worker has made. */
const made = new Set<string>();

/** A path in the folder of the test that runs now. The folder is empty when the test asks for it first. */
export function outputPath(...parts: string[]): string {
  const { testPath = '', currentTestName = '' } = expect.getState();
  const test = `${testPath.split('/').at(-1)} ${currentTestName}`;
  const folder = join(ROOT, `${test.replaceAll(/[^\w.-]+/g, '-').slice(0, 80)}-${hash(test)}`);
  if (!made.has(folder)) {
    made.add(folder);
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(folder, { recursive: true });
  }
  return join(folder, ...parts);
}

const hash = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 8);
