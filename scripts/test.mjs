/**
 * Runs everything that must hold: `npm test` the quick and deterministic steps, `npm run test:all` also the browsers,
 * the floods, the whole commands, the package and the whole proof. The last line counts what passed and what failed:
 * tests, requirements and proofs; a step that counts nothing is one of them. Exits with 1 if anything failed.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';

const isAll = process.argv.includes('--all');
const root = dirname(dirname(fileURLToPath(import.meta.url)));

const PLAYWRIGHT = 'node_modules/@playwright/test/cli.js';
const MRS = 'dist/scripts/mrs.js';

/** Each is a program of Node.js with its arguments, and the report that shows what it counted. */
const STEPS = [
  { name: 'build', run: ['scripts/build.mjs'] },
  { name: 'types', run: ['node_modules/typescript/bin/tsc'] },
  { name: 'types of the page', run: ['node_modules/typescript/bin/tsc', '-p', 'tsconfig.page.json'] },
  { name: 'lint', run: ['node_modules/@biomejs/biome/bin/biome', 'check'] },
  {
    name: 'tests',
    run: [
      PLAYWRIGHT,
      'test',
      '--config',
      'scripts/check/unit.config.ts',
      ...(isAll ? [] : ['--project=unit']),
    ],
    report: 'reports/unit.json',
    count: ({ stats }) => ({ passed: stats.expected, failed: stats.unexpected + stats.flaky }),
  },
  {
    name: 'the suite against the mock',
    run: [MRS, 'verify'],
    report: 'reports/report.json',
    count: ({ counts }) => ({ passed: counts.passed, failed: counts.failed + counts['could-not-run'] }),
  },
  { name: 'the proof on a sample', run: [MRS, 'prove', '--sample'], isLeftOut: isAll },
  {
    name: 'the whole proof',
    run: [MRS, 'prove'],
    report: 'dist/proof.json', // There only if it holds.
    count: ({ defects, variants }) => ({ passed: defects.caught + variants.accepted, failed: 0 }),
    isLeftOut: !isAll,
  },
];

const total = { passed: 0, failed: 0 };
for (const { name, run, report, count, isLeftOut } of STEPS) {
  if (isLeftOut) continue;
  console.log(`\n== ${name}`);
  const begun = performance.now();
  if (report) rmSync(`${root}/${report}`, { force: true });
  const { status } = spawnSync(process.execPath, run, { cwd: root, stdio: 'inherit' });
  const hasReport = report && existsSync(`${root}/${report}`);
  const counted = hasReport
    ? count(JSON.parse(readFileSync(`${root}/${report}`, 'utf8')))
    : { passed: 1, failed: 0 };
  // A step may fail before it counts anything, or for another reason than what it counts.
  if ((status !== 0 || (report && !hasReport)) && counted.failed === 0) counted.failed = 1;
  if (counted.failed > 0 && !hasReport) counted.passed = 0;
  total.passed += counted.passed;
  total.failed += counted.failed;
  console.log(
    `== ${name}: ${counted.failed > 0 ? 'failed' : 'passed'} in ${((performance.now() - begun) / 1000).toFixed(1)} s`,
  );
  if (name === 'build' && counted.failed > 0) break; // Everything else would run what was built before.
}
console.log(`\n${total.passed} passed, ${total.failed} failed`);
if (total.failed > 0) process.exitCode = 1;
