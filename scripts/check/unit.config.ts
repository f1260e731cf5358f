/** The project's own tests: `unit` is every `*.test.ts` next to the code that it tests, `e2e` every `*.e2e.test.ts`. */
import { availableParallelism } from 'node:os';
import { defineConfig } from '@playwright/test';

const FILES = '{mocks,scripts,tests}/**/*';

export default defineConfig({
  testDir: '../..',
  testIgnore: ['dist/**'],
  projects: [
    { name: 'unit', testMatch: [`${FILES}.test.ts`], testIgnore: ['dist/**', '**/*.e2e.test.ts'] },
    { name: 'e2e', testMatch: [`${FILES}.e2e.test.ts`] },
  ],
  outputDir: '../../reports/unit',
  fullyParallel: false, // A file to a worker: each test by itself would cost its file's set-up, some 5 ms, anew.
  workers: availableParallelism(), // Playwright would take half of them.
  forbidOnly: !!process.env.CI,
  retries: 0, // A test that needs a retry is a finding.
  reporter: [['dot'], ['json', { outputFile: '../../reports/unit.json' }]],
});
