/**
 * Runs everything that must hold: `npm test` the quick and deterministic steps, `npm run test:all` also the browsers,
 * the floods, the whole commands, the package and the whole proof. The last line counts what passed and what failed:
 * tests, requirements and proofs; a step that counts nothing is one of them. Exits with 1 if anything failed.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { stripVTControlCharacters } from 'node:util';

const isAll = process.argv.includes('--all');
const root = dirname(dirname(fileURLToPath(import.meta.url)));

const PLAYWRIGHT = 'node_modules/@playwright/test/cli.js';
const MRS = 'dist/scripts/mrs.js';
const TSC = 'node_modules/typescript-7/bin/tsc';
/** After the end of a step: a process that it left behind, and that holds its output open, must not hold up the rest. */
const GRACE_MS = 10_000;
/** Of each error that is repeated at the end. */
const LINES_OF_ERROR = 30;

/**
 * Each is a program of Node.js with its arguments, and the report that shows what it counted. A step that is
 * `atOnce` needs only the build, and runs next to those before it.
 */
const STEPS = [
  { name: 'build', run: ['scripts/build.mjs'] },
  { name: 'types', run: [TSC] },
  { name: 'types of the page', run: [TSC, '-p', 'tsconfig.page.json'], atOnce: true },
  { name: 'lint', run: ['node_modules/@biomejs/biome/bin/biome', 'check'], atOnce: true },
  testsOf('unit', { atOnce: true }),
  { name: 'the proof on a sample', run: [MRS, 'prove', '--sample'], atOnce: true, isLeftOut: isAll },
  {
    name: 'the whole proof',
    run: [MRS, 'prove'],
    report: 'dist/proof.json', // There only if it holds.
    count: ({ defects, variants }) => ({ passed: defects.caught + variants.accepted, failed: 0 }),
    atOnce: true,
    isLeftOut: !isAll,
  },
  {
    name: 'the suite against the mock',
    run: [MRS, 'verify'],
    report: 'reports/verify/report.json',
    count: ({ counts }) => ({ passed: counts.passed, failed: counts.failed + counts['could-not-run'] }),
  },
  testsOf('e2e', { isLeftOut: !isAll }),
];

/** The tests of one project of the configuration. */
function testsOf(project, when) {
  return {
    name: `${project} tests`,
    run: [PLAYWRIGHT, 'test', '--config', 'scripts/check/unit.config.ts', `--project=${project}`],
    report: 'reports/unit.json',
    count: ({ stats }) => ({ passed: stats.expected, failed: stats.unexpected + stats.flaky }),
    failures: ({ suites }) => suites.flatMap(failedTests),
    ...when,
  };
}

const steps = STEPS.filter(({ isLeftOut }) => !isLeftOut);
const total = { passed: 0, failed: 0 };
/** Repeated at the end, where a long output is read first. */
const failures = [];
while (steps.length > 0) {
  const begun = [start(steps.shift())];
  while (steps[0]?.atOnce) begun.push(start(steps.shift()));
  for (const step of begun) {
    const { passed, failed } = await finish(step);
    total.passed += passed;
    total.failed += failed;
    if (step.name === 'build' && failed > 0) steps.length = 0; // Everything else would run what was built before.
  }
}
for (const failure of failures) console.log(`failed: ${failure}`);
console.log(`\n${total.passed} passed, ${total.failed} failed`);
if (total.failed > 0) process.exitCode = 1;

/** Starts a step, and keeps what it prints until it is shown. */
function start(step) {
  const begun = performance.now();
  if (step.report) rmSync(`${root}/${step.report}`, { force: true });
  const child = spawn(process.execPath, step.run, { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] });
  const output = { shown: false, kept: [] };
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (part) => (output.shown ? process.stdout.write(part) : output.kept.push(part)));
  const closed = once(child, 'close');
  const ended = once(child, 'exit').then(async ([status]) => {
    const seconds = (performance.now() - begun) / 1000;
    const isClosed = await Promise.race([
      closed.then(() => true),
      setTimeout(GRACE_MS, false, { ref: false }),
    ]);
    for (const stream of [child.stdout, child.stderr]) stream.destroy();
    return { status, seconds, isClosed };
  });
  return { ...step, output, ended };
}

/** Shows what a step prints, and what became of it. */
async function finish({ name, report, count, failures: failuresIn, output, ended }) {
  console.log(`\n== ${name}`);
  for (const part of output.kept) process.stdout.write(part);
  output.shown = true;
  const { status, seconds, isClosed } = await ended;
  if (!isClosed) console.log(`\n${name}: a process that it started still runs, and is not waited for.`);
  const hasReport = report && existsSync(`${root}/${report}`);
  const content = hasReport && JSON.parse(readFileSync(`${root}/${report}`, 'utf8'));
  const counted = content ? count(content) : { passed: 1, failed: 0 };
  // A step may fail before it counts anything, or for another reason than what it counts.
  if ((status !== 0 || (report && !hasReport)) && counted.failed === 0) counted.failed = 1;
  if (counted.failed > 0 && !hasReport) counted.passed = 0;
  const named = (content && failuresIn?.(content)) || [];
  if (counted.failed > 0) failures.push(...(named.length > 0 ? named : [name]));
  console.log(`== ${name}: ${counted.failed > 0 ? 'failed' : 'passed'} in ${seconds.toFixed(1)} s`);
  return counted;
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
