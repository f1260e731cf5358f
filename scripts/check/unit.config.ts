/** The project's own tests: `unit` is every `*.test.ts` next to the code that it tests, `e2e` every `*.e2e.test.ts`. */
import { availableParallelism } from 'node:os';
import { defineConfig } from '@playwright/test';

shortenStacksOfSteps();

const FILES = '{mocks,scripts,tests}/**/*';

const cores = availableParallelism();

export default defineConfig({
  testDir: '../..',
  build: { external: ['**/dist/**'] }, // It is built already, and large.
  // Playwright would take half of the cores. Whole commands mostly wait: for tokens to expire, or for each other.
  workers: 2 * cores,
  projects: [
    {
      name: 'unit',
      workers: cores,
      testMatch: [`${FILES}.test.ts`],
      testIgnore: ['**/*.e2e.test.ts'],
    },
    { name: 'e2e', testMatch: [`${FILES}.e2e.test.ts`] },
  ],
  // Stored verdicts, next to the other test material; written anew by --update-snapshots only.
  snapshotPathTemplate: '{testDir}/{testFileDir}/testing/{arg}{ext}',
  updateSnapshots: 'none',
  outputDir: `../../reports/${process.env.TEST_OUTPUT ?? 'unit'}`, // Both projects can run at the same time.
  fullyParallel: false, // A file to a worker: each test by itself would cost its file's set-up, some 5 ms, anew.
  // They only end what hangs: no test may depend on how busy the machine is.
  timeout: 600_000,
  globalTimeout: 3_600_000,
  expect: { timeout: 120_000 },
  forbidOnly: !!process.env.CI,
  retries: 0, // A test that needs a retry is a finding.
  reporter: 'dot',
});

/**
 * Playwright takes a stack for each `expect`, and maps all of its frames: a quarter of a worker's time. Here it maps those of
 * this project only. The stack of an error stays whole.
 */
function shortenStacksOfSteps(): void {
  const prepare = Error.prepareStackTrace;
  if (!prepare) return;
  const isOfProject = (frame: NodeJS.CallSite) =>
    !/^node:|\/node_modules\//.test(frame.getFileName() ?? 'node:');
  Error.prepareStackTrace = (error, frames) =>
    prepare(error, frames[0]?.getFunctionName() === 'captureRawStack' ? frames.filter(isOfProject) : frames);
}
