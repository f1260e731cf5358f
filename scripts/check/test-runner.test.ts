/** What `npm test` counts: a step that shows nothing is not a pass. */
import { expect, test } from 'vitest';

// Without types: it runs before anything is compiled.
const { href } = new URL('../test.mjs', import.meta.url);
const { countPages, countProof, countSuite, countsOf, countTests } = await import(href);

const SUITE = 'outcome: conformant (21 passed, 0 failed, 0 could not run, 2 not applicable; bundled mock)\n';
const PROOF =
  'proof: 352/352 defects caught for the stated reason, 248/248 variants accepted\nverdicts: as in the file\n';

for (const [what, status, output, count, passed, failed, skipped = 0] of [
  ['types without a word', 0, '', undefined, 1, 0],
  ['types with an error', 2, 'error TS2304', undefined, 0, 1],
  ['tests that pass', 0, '      Tests  12 passed (12)\n', countTests, 12, 0],
  ['tests of which some fail', 1, '      Tests  2 failed | 12 passed (14)\n', countTests, 12, 2],
  ['tests in color', 0, '      Tests  \x1b[32m12 passed\x1b[39m (12)\n', countTests, 12, 0],
  ['tests that pass, and an exit code of 1', 1, '      Tests  12 passed (12)\n', countTests, 12, 1],
  ['no tests', 0, 'No test files found\n', countTests, 0, 1],
  ['tests of which some are skipped', 0, '      Tests  12 passed | 3 skipped (15)\n', countTests, 12, 0, 3],
  ['tests that are all skipped', 0, '      Tests  12 skipped (12)\n', countTests, 0, 1, 12],
  ['tests of pages of which some fail', 1, '  2 failed\n  12 passed (3.4s)\n', countPages, 12, 2],
  ['tests of pages of which some are skipped', 0, '  3 skipped\n  12 passed (3.4s)\n', countPages, 12, 0, 3],
  ['no tests of pages', 0, 'Error: No tests found\n', countPages, 0, 1],
  ['a suite that passes', 0, SUITE, countSuite, 21, 0],
  ['a suite whose last line has other words', 0, SUITE.replace('passed', 'met'), countSuite, 0, 1],
  ['a proof that holds', 0, PROOF, countProof, 600, 0],
  ['a proof of nothing', 0, PROOF.replace(/\d+/g, '0'), countProof, 0, 1],
  ['a proof whose lines have other words', 0, PROOF.replace('proof:', 'shown:'), countProof, 0, 1],
] as const)
  test(`${what}: ${passed} passed, ${failed} failed, ${skipped} skipped`, () => {
    expect(countsOf(status, output, count)).toEqual([passed, failed, skipped]);
  });

test('tests of pages that are all skipped, for want of a browser, are not a failure', () => {
  expect(countsOf(0, '  17 skipped\n', countPages, true)).toEqual([0, 0, 17]);
  expect(countsOf(1, '  17 skipped\n', countPages, true)).toEqual([0, 1, 17]);
  expect(countsOf(0, 'Error: No tests found\n', countPages, true)).toEqual([0, 1, 0]);
});
