/**
 * Runs everything that must hold: `npm test` the quick and deterministic steps, `npm run test:all` also the browsers,
 * the floods, the whole commands, the package and the whole proof. The last line counts what passed and what failed:
 * tests, requirements and proofs; a step that counts nothing is one of them. Exits with 1 if anything failed.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { stripVTControlCharacters } from 'node:util';

const isAll = process.argv.includes('--all');
const root = dirname(dirname(fileURLToPath(import.meta.url)));

const PLAYWRIGHT = 'node_modules/@playwright/test/cli.js';
const MRS = 'dist/scripts/mrs.js';
const TSC = 'node_modules/typescript-7/bin/tsc';
/** Playwright compiles tests into it, and again where the tests run the suite: a folder that no other user can write to. */
const PLAYWRIGHT_TRANSFORM_CACHE_DIR = `${root}/node_modules/.cache/playwright`;
/** After the end of a step: a process that it left behind, and that holds its output open, must not hold up the rest. */
const GRACE_MS = 10_000;
/** Of each error that is repeated at the end. */
const LINES_OF_ERROR = 30;

/** A step is a program of Node.js with its arguments, and the report or the output that shows what it counted. */
const BUILD = { name: 'build', run: ['scripts/build.mjs'] };
const SUITE = {
  name: 'the suite against the mock',
  run: [MRS, 'verify'],
  report: 'reports/verify/report.json',
  count: ({ items }) => ({
    passed: items.filter(({ verdict }) => verdict === 'passed').length,
    failed: items.filter(({ verdict }) => verdict === 'failed' || verdict === 'could-not-run').length,
  }),
};
/** A proof also compares each verdict with the stored one. */
const proofOf = (name, ...options) => ({
  name,
  run: [MRS, 'prove', ...options, '--verdicts', 'scripts/prove/verdicts.json'],
  countText: countProof,
});
/** What needs only the build: lanes side by side, and the steps of each one after another. Whole commands mostly wait. */
const LANES = [
  [{ name: 'types', run: [TSC] }],
  [{ name: 'types of the page', run: [TSC, '-p', 'tsconfig.page.json'] }],
  [{ name: 'lint', run: ['node_modules/@biomejs/biome/bin/biome', 'check'] }],
  ...(isAll
    ? [[testsOf('e2e')], [proofOf('the whole proof'), testsOf('unit'), SUITE]]
    : [[testsOf('unit'), SUITE], [proofOf('the proof on a sample', '--sample')]]),
];

/** The tests of one project of the configuration. */
function testsOf(project) {
  return {
    name: `${project} tests`,
    run: [PLAYWRIGHT, 'test', '--config', 'scripts/check/unit.config.ts', `--project=${project}`],
    env: { TEST_OUTPUT: project },
    report: `reports/${project}.json`,
    count: ({ stats }) => ({ passed: stats.expected, failed: stats.unexpected + stats.flaky }),
    failures: ({ suites }) => suites.flatMap(failedTests),
  };
}

/** The last lines of a proof: of each kind, how many subjects came to what they should. */
function countProof(output) {
  const counts = { passed: 0, failed: 0 };
  for (const [line] of output.matchAll(/^(proof|clients|readers|feeds): \d.*$/gm))
    for (const [, right, all] of line.matchAll(/(\d+)\/(\d+)/g)) {
      counts.passed += Number(right);
      counts.failed += all - right;
    }
  return counts;
}

const total = { passed: 0, failed: 0 };
/** Repeated at the end, where a long output is read first. */
const failures = [];
// Without a build, everything else would run what was built before.
if (await runStep(BUILD)) await Promise.all(LANES.map(runLane));
for (const failure of failures) console.log(`failed: ${failure}`);
console.log(`\n${total.passed} passed, ${total.failed} failed`);
if (total.failed > 0) process.exitCode = 1;

async function runLane(steps) {
  for (const step of steps) await runStep(step);
}

/** Shows what a step prints when it has ended, and counts what became of it. Resolves with whether it passed. */
async function runStep({ name, run, env: own, report, count, countText, failures: failuresIn }) {
  const begun = performance.now();
  if (report) rmSync(`${root}/${report}`, { force: true });
  const env = { ...process.env, PLAYWRIGHT_TRANSFORM_CACHE_DIR, ...own };
  const child = spawn(process.execPath, run, { cwd: root, env, stdio: ['ignore', 'pipe', 'pipe'] });
  const output = [];
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (part) => output.push(part));
  const closed = once(child, 'close').then(() => true);
  const [status] = await once(child, 'exit');
  const seconds = (performance.now() - begun) / 1000;
  const content = report && readReport(report); // At once, since the next step may write to the same file.
  const isClosed = await Promise.race([closed, setTimeout(GRACE_MS, false, { ref: false })]);
  for (const stream of [child.stdout, child.stderr]) stream.destroy();

  const text = Buffer.concat(output);
  const counted = content ? count(content) : (countText?.(text.toString()) ?? { passed: 1, failed: 0 });
  // A step may fail before it counts anything, or for another reason than what it counts.
  if ((status !== 0 || (report && !content)) && counted.failed === 0) counted.failed = 1;
  if (counted.failed > 0 && !content && !countText) counted.passed = 0;
  total.passed += counted.passed;
  total.failed += counted.failed;
  const named = (content && failuresIn?.(content)) || [];
  if (counted.failed > 0) failures.push(...(named.length > 0 ? named : [name]));
  console.log(`\n== ${name}`);
  process.stdout.write(text);
  if (!isClosed) console.log(`\n${name}: a process that it started still runs, and is not waited for.`);
  console.log(`== ${name}: ${counted.failed > 0 ? 'failed' : 'passed'} in ${seconds.toFixed(1)} s`);
  return counted.failed === 0;
}

/** Undefined where a step left none, or broke off as it wrote it. */
function readReport(file) {
  try {
    return JSON.parse(readFileSync(`${root}/${file}`, 'utf8'));
  } catch {
    return undefined;
  }
}

/** The failed tests of a suite in a report of Playwright, each by its place, its title and the start of its errors. */
function failedTests({ specs = [], suites = [] }) {
  const failed = specs
    .filter(({ ok }) => !ok)
    .map(({ file, line, title, tests }) => {
      const errors = tests.flatMap(({ results }) => results).flatMap((result) => result.errors ?? []);
      return [`${file}:${line} ${title}`, ...errors.map(({ message = '' }) => startOf(message))].join('\n');
    });
  return [...failed, ...suites.flatMap(failedTests)];
}

/** The first lines of a message, indented, without colours. */
function startOf(message) {
  const lines = stripVTControlCharacters(message).trimEnd().split('\n');
  return lines
    .slice(0, LINES_OF_ERROR)
    .map((line) => `    ${line}`)
    .join('\n');
}
