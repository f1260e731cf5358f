/**
 * Runs everything that must hold: `npm test` the quick and deterministic steps, `npm run test:all` also the browsers,
 * the floods, the whole commands, the package and the whole proof. The last line counts what passed and failed, and the line
 * before it what was skipped: tests, requirements and proofs; a step that has nothing to count is one of them. Exits with 1
 * if anything failed.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { stripVTControlCharacters } from 'node:util';

const isAll = process.argv.includes('--all');
const root = dirname(dirname(fileURLToPath(import.meta.url)));

const PLAYWRIGHT = 'node_modules/@playwright/test/cli.js';
const VITEST = 'node_modules/vitest/vitest.mjs';
const MRS = 'dist/scripts/mrs.js';
const FOLDERS = ['mocks', 'tests', 'scripts'];
const TSC = 'node_modules/typescript-7/bin/tsc';
/** Playwright compiles tests into it, and again where the tests run the suite: a folder that no other user can write to. */
const PLAYWRIGHT_TRANSFORM_CACHE_DIR = `${root}/node_modules/.cache/playwright`;

/** A step is a program of Node.js with its arguments, and what finds the counts in its output. */
const BUILD = { name: 'build', run: ['scripts/build.mjs'] };
const SUITE = { name: 'the suite against the mock', run: [MRS, 'verify', '--mock'], count: countSuite };
/** A proof also compares each verdict with the stored one. */
const proofOf = (name, ...options) => ({
  name,
  run: [MRS, 'prove', ...options, '--verdicts', 'scripts/prove/verdicts.json'],
  count: countProof,
});
/** The tests of one project of vitest.config.ts. */
const testsOf = (project) => ({
  name: `${project} tests`,
  run: [VITEST, 'run', '--project', project],
  count: countTests,
});
const PAGES = {
  name: 'tests of pages',
  run: [PLAYWRIGHT, 'test', '--config', 'scripts/check/pages.config.ts'],
  count: countPages,
  isOptional: true, // They need a browser, and say so where there is none.
};
/** What needs only the build: lanes side by side, and the steps of each one after another. Whole commands mostly wait. */
const LANES = [
  [{ name: 'types', run: [TSC] }],
  [{ name: 'types of the page', run: [TSC, '-p', 'tsconfig.page.json'] }],
  [{ name: 'lint', run: ['node_modules/@biomejs/biome/bin/biome', 'check'] }],
  [
    { name: 'lint of regular expressions', run: ['node_modules/eslint/bin/eslint.js', '.'] },
    { name: 'imports', run: ['node_modules/dependency-cruiser/bin/dependency-cruise.mjs', ...FOLDERS] },
  ],
  ...(isAll
    ? [
        [testsOf('e2e'), PAGES],
        [proofOf('the whole proof'), testsOf('unit'), SUITE],
      ]
    : [[testsOf('unit'), SUITE], [proofOf('the proof on a sample', '--sample')]]),
];

/** The last number before a word in a text, or 0. */
const lastBefore = (word, text) =>
  Number([...text.matchAll(new RegExp(`(\\d+) ${word}\\b`, 'g'))].at(-1)?.[1] ?? 0);

/** The line of Vitest on tests, such as `Tests  1 failed | 12 passed | 2 skipped (15)`: passed, failed and skipped. */
export function countTests(output) {
  const line = output.match(/^ +Tests .*$/gm)?.at(-1) ?? '';
  return ['passed', 'failed', 'skipped'].map((word) => lastBefore(word, line));
}

/** The last lines of Playwright, such as `  12 passed (3.4s)`. */
export function countPages(output) {
  const lines = output.match(/^ +\d+ \w+/gm)?.join('\n') ?? '';
  const [passed, failed, flaky, skipped] = ['passed', 'failed', 'flaky', 'skipped'].map((word) =>
    lastBefore(word, lines),
  );
  return [passed, failed + flaky, skipped];
}

export function countSuite(output) {
  const [, passed, failed, open] =
    /^outcome: .*\((\d+) passed, (\d+) failed, (\d+) could not run/m.exec(output) ?? [];
  return [Number(passed ?? 0), Number(failed ?? 0) + Number(open ?? 0)];
}

/** The last lines of a proof: of each kind, how many subjects came to what they should. */
export function countProof(output) {
  const lines = [...output.matchAll(/^(?:proof|clients|readers|feeds): \d.*$/gm)].join('\n');
  const counts = [...lines.matchAll(/\b(\d+)\/(\d+)/g)].map(([, right, all]) => [Number(right), all - right]);
  return counts.reduce(([passed, failed], [right, wrong]) => [passed + right, failed + wrong], [0, 0]);
}

/**
 * What passed, failed and was skipped in a step that ended with this exit status: no count has shown nothing, unless all of an
 * optional step was skipped.
 */
export function countsOf(status, output, count, isOptional = false) {
  const [passed, failed, skipped = 0] = count?.(stripVTControlCharacters(output)) ?? [
    Number(status === 0),
    0,
  ];
  const showsNothing = passed === 0 && !(isOptional && skipped > 0);
  // A step may fail before it counts anything, or for another reason than what it counts.
  return [passed, failed === 0 && (status !== 0 || showsNothing) ? 1 : failed, skipped];
}

const isRun = process.argv[1] === fileURLToPath(import.meta.url);
const folder = isRun ? mkdtempSync(join(tmpdir(), 'mrs-test-')) : '';
const total = { passed: 0, failed: 0, skipped: 0 };
/** Sentences for the end: what was skipped and why, and what failed. */
const ends = [];
if (isRun) {
  // Without a build, everything else would run what was built before.
  if (await runStep(BUILD)) await Promise.all(LANES.map(runLane));
  rmSync(folder, { recursive: true });
  for (const one of ends) console.log(one);
  console.log(total.skipped > 0 ? `\n${total.skipped} skipped` : '');
  console.log(`${total.passed} passed, ${total.failed} failed`);
  if (total.failed > 0) process.exitCode = 1;
}

async function runLane(steps) {
  for (const step of steps) await runStep(step);
}

/** Shows what a step prints when it has ended, and counts what became of it. Resolves with whether it passed. */
async function runStep({ name, run, count, isOptional }) {
  const begun = performance.now();
  const env = { ...process.env, PLAYWRIGHT_TRANSFORM_CACHE_DIR };
  // A file: a pipe would stay open as long as a process that the step left behind.
  const file = join(folder, name);
  const output = openSync(file, 'w');
  const child = spawn(process.execPath, run, { cwd: root, env, stdio: ['ignore', output, output] });
  closeSync(output);
  const [status] = await once(child, 'exit');
  const text = readFileSync(file, 'utf8');
  const [passed, failed, skipped] = countsOf(status, text, count, isOptional);
  total.skipped += skipped;
  total.passed += passed;
  total.failed += failed;
  const seconds = ((performance.now() - begun) / 1000).toFixed(1);
  console.log(`\n== ${name}\n${text}== ${name}: ${failed > 0 ? 'failed' : 'passed'} in ${seconds} s`);
  ends.push(...(text.match(/^skipped: .*/gm) ?? []));
  if (failed > 0) ends.push(`failed: ${name}`);
  return failed === 0;
}
