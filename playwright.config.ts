/** The conformance suite: against the deployment in MRS_BASE_URL, or else against a mock of its own. */
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { defineConfig } from '@playwright/test';
import { createRunFolder, enterRun, runFolder } from './tests/server/run/hand-over.ts';

/** A file of this tree, which is TypeScript in the repository and JavaScript in the package. */
const here = (path: string) =>
  fileURLToPath(new URL(path + extname(fileURLToPath(import.meta.url)), import.meta.url));

const embedded = !('MRS_BASE_URL' in process.env);

/** Under `mrs verify`, and in the workers of a run, there is a folder already. */
const folder = runFolder() ?? (await ownFolder());
enterRun(folder);

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
