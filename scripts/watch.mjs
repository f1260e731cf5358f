/** Runs the unit tests that a change affects, until it is stopped: `npm run test:watch`. Press `h` for its keys. */
process.env.PWTEST_WATCH = '1'; // The switch of Playwright's watch mode, which has no flag on its command line.
process.argv.splice(2, 0, 'test', '--config', 'scripts/check/unit.config.ts', '--project=unit');
await import('@playwright/test/cli');
