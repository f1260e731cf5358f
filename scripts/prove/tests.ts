/** Many deployments judged in one run of Playwright: each has its evidence and a file of tests in one folder. */
import { readdirSync, writeFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { evidenceFile } from './selection.ts';

/**
 * Leaves the tests of one deployment in `directory`, where its evidence is. A project for each deployment would need
 * a worker process for each, which takes most of a second; files share a worker. The query makes Node evaluate a spec
 * anew, so that it defines its tests once more. Nobody reads a stack of theirs, and to map each to its sources would
 * take a quarter of the whole time. `contract` is the file of the merged contract, where the deployment has a profile.
 */
export function leaveTests(
  directory: string,
  name: string,
  expectedFailures: readonly string[],
  contract = '',
): void {
  const support = new URL(`../../tests/server/support/test${extension}`, import.meta.url).href;
  const options = { evidenceFile: evidenceFile(directory, name), expectedFailures };
  const lines = [
    `import { test } from ${JSON.stringify(support)};`,
    `process.env.MRS_CONTRACT = ${JSON.stringify(contract)};`,
    'Error.prepareStackTrace = undefined;',
    `test.use(${JSON.stringify(options)});`,
    ...specs().map((spec) => `await import(${JSON.stringify(`${spec}?${name}`)});`),
  ];
  writeFileSync(join(directory, `${name}.spec.mjs`), lines.join('\n'));
}

/** The extension of the tree that runs. */
const extension = extname(fileURLToPath(import.meta.url));

/** The specs, as URLs. */
function specs(): string[] {
  const tests = new URL('../../tests/server/', import.meta.url);
  const pattern = new RegExp(`^[\\w.-]+\\.spec\\${extension}$`);
  return readdirSync(tests)
    .filter((name) => pattern.test(name))
    .map((name) => new URL(name, tests).href);
}
