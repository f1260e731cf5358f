/** The command, from end to end on a few deployments. */
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, test } from '@playwright/test';

const program = fileURLToPath(new URL('../dist/scripts/mrs.js', import.meta.url));

test('a few deployments are proved, and nothing is said of the others', async () => {
  const { code, stdout } = await mrs('prove', '--only', 'expired-401', '--only', 'missing-token-redirect');
  const lines = stdout.trimEnd().split('\n');
  expect(lines).toContainEqual(expect.stringMatching(/^expired-401( ·)+ ✗$/));
  expect(lines.at(-1)).toMatch(/^proof: 1\/1 defects caught for the stated reason, 1\/1 variants accepted$/);
  expect(code).toBe(0);
});

test('--list names every deployment, in 80 columns', async () => {
  const { code, stdout } = await mrs('prove', '--list');
  expect(stdout).toMatch(/^\d+ defects\. /);
  expect(stdout).toContain('\nnever-expires\n    accepts a token for ever.\n');
  expect(Math.max(...stdout.split('\n').map((line) => line.length))).toBeLessThanOrEqual(80);
  expect(code).toBe(0);
});

for (const args of [
  ['prove', '--only', 'never-expire'],
  ['mock', '--defect', 'never-expire'],
])
  test(`${args.join(' ')}: an unknown name is told with the nearest, and the exit code is 2`, async () => {
    const { code, stderr } = await mrs(...args);
    expect(stderr).toMatch(
      /^There is no defect.* "never-expire"\. The nearest is "never-expires"; mrs .*\n$/,
    );
    expect(code).toBe(2);
  });

/** In a shell without any of the suite's variables. */
function mrs(...args: string[]): Promise<{ code: number; stdout: string; stderr: string }> {
  const env = Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !/^(MRS_|TEST_|FORCE_COLOR$)/.test(name)),
  );
  return new Promise((resolve) => {
    execFile(process.execPath, [program, ...args], { env }, (error, stdout, stderr) =>
      resolve({ code: typeof error?.code === 'number' ? error.code : 0, stdout, stderr }),
    );
  });
}
