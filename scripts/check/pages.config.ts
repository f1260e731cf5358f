/** The tests of pages, in Debian's Chromium or the browser in CHROMIUM_PATH. */
import { defineConfig } from '@playwright/test';

export default defineConfig({
  testDir: '../..',
  testMatch: '**/*.page.test.ts',
  build: { external: ['**/dist/**'] }, // It is built already, and large.
  outputDir: '../../reports/pages',
  // These limits only end a test that hangs: no test may depend on how busy the machine is.
  timeout: 600_000,
  globalTimeout: 3_600_000,
  expect: { timeout: 120_000 },
  forbidOnly: !!process.env.CI,
  retries: 0, // A test that needs a retry is a finding.
  reporter: 'dot',
});
