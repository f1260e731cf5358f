/** Unit tests: every `*.test.ts`, beside the code that it tests. */
import { availableParallelism } from 'node:os';
import { defineConfig } from '@playwright/test';

export default defineConfig({
  testDir: '../..',
  testMatch: ['{mocks,scripts,tests}/**/*.test.ts'],
  testIgnore: ['dist/**'],
  outputDir: '../../reports/unit',
  fullyParallel: false, // A file to a worker: each test by itself would cost its file's set-up, some 5 ms, anew.
  workers: availableParallelism(), // Playwright would take half of them.
  forbidOnly: !!process.env.CI,
  retries: 0, // A test that needs a retry is a finding.
  reporter: [['line'], ['json', { outputFile: '../../reports/unit.json' }]],
});
