/**
 * The conformance suite as tests of Playwright, for the deployment in MRS_BASE_URL or else for the bundled mock. One
 * project sends the requests of the run, once; in the other, each requirement is a test of their answers. What runs is
 * the build: Playwright would take longer to compile the suite than to run it.
 */
import { readFileSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { test as base, defineConfig } from '@playwright/test';
import { profileOf } from './dist/scripts/verify/gather-evidence.js';
import { SECRET_VARIABLES } from './dist/tests/server/probe/target.js';
import { type EvidenceFixture, runAsTests } from './dist/tests/server/suite.js';
import { foreignEvidence } from './dist/tests/server/support/evidence-file.js';

checkCache();

const test = base.extend<object, EvidenceFixture>({
  evidence: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright asks for an object pattern
    async ({}, use, { project }) => {
      const file = join(project.outputDir, 'evidence.har');
      await use(foreignEvidence(readFileSync(file, 'utf8'), file).evidence);
    },
    { scope: 'worker' },
  ],
});
runAsTests(test, await profileOf(process.env.MRS_PROFILE));

/**
 * Playwright takes what it compiled before from a folder that, unless one is named, any user of the machine can make:
 * code in it would run with the secret. `mrs verify` compiles nothing.
 */
function checkCache(): void {
  const isSecret = SECRET_VARIABLES.some((name) => process.env[name]) || process.env.MRS_HEADER;
  const cache = process.env.PLAYWRIGHT_TRANSFORM_CACHE_DIR;
  if (!isSecret || (cache && isPrivate(resolve(cache)))) return;
  const what = cache
    ? `PLAYWRIGHT_TRANSFORM_CACHE_DIR is "${cache}", which another user can write to`
    : 'PLAYWRIGHT_TRANSFORM_CACHE_DIR is not set';
  console.error(
    `${what}: others could leave code there that runs with the secret. Set it to a folder of your own, or use npx mrs verify.`,
  );
  process.exit(2); // Playwright would print a stack, and end with 1.
}

/** Whether only this user can write there. A folder that is missing is made by this user, in one that exists. */
function isPrivate(folder: string): boolean {
  const here = statSync(folder, { throwIfNoEntry: false });
  if (!here) return dirname(folder) !== folder && isPrivate(dirname(folder));
  return here.uid === process.getuid?.() && (here.mode & 0o022) === 0;
}

export default defineConfig({
  outputDir: 'reports/playwright',
  build: { external: ['**/dist/**'] },
  projects: [
    // The wait for a token to expire has a limit of its own: MRS_MAX_WAIT.
    { name: 'run', testDir: './scripts/verify', testMatch: 'run.setup.ts', timeout: 0 },
    { name: 'requirements', testDir: './dist/tests', testMatch: '*.spec.js', dependencies: ['run'] },
  ],
  forbidOnly: !!process.env.CI,
  retries: 0, // A verdict that needs a retry is not a verdict.
});
