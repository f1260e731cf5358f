/** The conformance suite: against the deployment in MRS_BASE_URL, or else against a mock of its own. */
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { defineConfig } from '@playwright/test';

/** A file of this tree, which is TypeScript in the repository and JavaScript in the package. */
const here = (path: string) =>
  fileURLToPath(new URL(path + extname(fileURLToPath(import.meta.url)), import.meta.url));

const embedded = !('MRS_BASE_URL' in process.env);

/** What a run keeps for itself, evidence and all, is in a folder of its own: two runs may share a report directory. */
if (!process.env.MRS_SCRATCH) {
  process.env.MRS_SCRATCH = mkdtempSync(join(tmpdir(), 'mrs-contract-'));
  process.env.MRS_SCRATCH_IS_OURS = '1';
}

if (process.env.MRS_PROFILE && !process.env.MRS_CONTRACT) {
  const { handOnProfile } = await import('./scripts/verify/profile-contract.ts');
  Object.assign(process.env, await handOnProfile(process.env.MRS_PROFILE, process.env.MRS_SCRATCH));
}

export default defineConfig({
  testDir: './tests',
  testMatch: /\.spec\.[tj]s$/,
  globalSetup: [
    ...(embedded ? [here('./scripts/verify/embedded-setup')] : []),
    here('./tests/server/run/setup'),
  ],
  outputDir: join(process.env.MRS_SCRATCH, 'playwright'),
  reporter: [[here('./tests/server/run/reporter')]],
  fullyParallel: true,
  forbidOnly: !!process.env.CI,
  retries: 0, // A verdict that needs a retry is none.
});
