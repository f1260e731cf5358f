/** The project's own tests: `unit` is every `*.test.ts` next to the code that it tests, `e2e` every `*.e2e.test.ts`. */
import { availableParallelism } from 'node:os';
import { configDefaults, defineConfig } from 'vitest/config';
import type { Reporter } from 'vitest/node';

const FILES = '{mocks,scripts,tests}/**/*';
const cores = availableParallelism();

/** Tests of pages need a browser: scripts/check/pages.config.ts. */
const PAGES = '**/*.page.test.ts';

/** Prints why a test skips itself, for the end of the whole run. */
const saysWhatIsSkipped: Reporter = {
  onTestCaseResult(test) {
    const { state, note } = test.result() as { state: string; note?: string };
    if (state === 'skipped' && note !== undefined) console.log(`\nskipped: ${test.name}: ${note}`);
  },
};

/** No test may depend on how busy the machine is: these limits only end a test that hangs. */
const LIMITS = { testTimeout: 600_000, hookTimeout: 600_000, teardownTimeout: 60_000 };

export default defineConfig({
  test: {
    pool: 'forks',
    // A worker loads the sources once for all of its files: no file changes what another one imports.
    isolate: false,
    // Tests of commands read what this process prints.
    disableConsoleIntercept: true,
    reporters: ['dot', saysWhatIsSkipped],
    // Stored verdicts are written anew by --update only.
    update: false,
    expect: { poll: { timeout: 120_000 } },
    coverage: {
      include: [`${FILES}.ts`],
      exclude: ['**/*.test.ts', '**/testing/**'],
      reporter: ['text', 'html'],
    },
    projects: [
      {
        extends: true,
        test: {
          name: 'unit',
          ...LIMITS,
          include: [`${FILES}.test.ts`],
          exclude: [...configDefaults.exclude, '**/*.e2e.test.ts', PAGES],
          maxWorkers: cores,
        },
      },
      {
        extends: true,
        // Whole commands mostly wait: for tokens to expire, or for each other.
        test: { name: 'e2e', ...LIMITS, include: [`${FILES}.e2e.test.ts`], maxWorkers: 2 * cores },
      },
    ],
  },
});
