/** The conformance suite: against the deployment in MRS_BASE_URL, or else against a mock of its own. */
import { statSync } from 'node:fs';
import { dirname, extname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { defineConfig } from '@playwright/test';
import { SECRET_VARIABLES } from './tests/server/probe/target-variables.ts';
import { createRunFolder, enterRun, runFolder } from './tests/server/run/hand-over.ts';

/** A file of this tree, which is TypeScript in the repository and JavaScript in the package. */
const here = (path: string) =>
  fileURLToPath(new URL(path + extname(fileURLToPath(import.meta.url)), import.meta.url));

checkCache();
const embedded = !('MRS_BASE_URL' in process.env);

/** Under `mrs verify`, and in the workers of a run, there is a folder already. */
const folder = runFolder() ?? (await ownFolder());
enterRun(folder);

/**
 * Playwright takes what it compiled before from a folder that, unless one is named, any user of the machine can make:
 * code in it would run with the secret. `mrs verify` names one.
 */
function checkCache(): void {
  const isSecret = SECRET_VARIABLES.some((name) => process.env[name]) || process.env.MRS_HEADER;
  const cache = process.env.PLAYWRIGHT_TRANSFORM_CACHE_DIR;
  if (!isSecret || (cache && isPrivate(resolve(cache)))) return;
  const what = cache
    ? `PLAYWRIGHT_TRANSFORM_CACHE_DIR is "${cache}", which another user can write to`
    : 'PLAYWRIGHT_TRANSFORM_CACHE_DIR is not set';
  console.error(
    `${what}: others could leave code there that runs with the secret. Set it to a folder of your own, or use npm run verify.`,
  );
  process.exit(2); // Playwright would print a stack, and end with 1.
}

/** Whether only this user can write there. A folder that is missing is made by this user, in one that exists. */
function isPrivate(folder: string): boolean {
  const here = statSync(folder, { throwIfNoEntry: false });
  if (!here) return dirname(folder) !== folder && isPrivate(dirname(folder));
  return here.uid === process.getuid?.() && (here.mode & 0o022) === 0;
}

async function ownFolder(): Promise<string> {
  const { profileContract } = await import('./scripts/verify/profile-contract.ts');
  return createRunFolder({
    contract: await profileContract(process.env.MRS_PROFILE),
    isOwn: true,
    bundledMock: embedded,
  });
}

export default defineConfig({
  testDir: './tests',
  testMatch: /\.spec\.[tj]s$/,
  globalSetup: [
    ...(embedded ? [here('./scripts/verify/embedded-setup')] : []),
    here('./tests/server/run/setup'),
  ],
  outputDir: join(folder, 'playwright'),
  reporter: [[here('./tests/server/run/reporter')]],
  fullyParallel: true,
  forbidOnly: !!process.env.CI,
  retries: 0, // A verdict that needs a retry is not a verdict.
});
