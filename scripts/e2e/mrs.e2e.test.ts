/** What `mrs` makes of its environment and of mistyped options. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from '@playwright/test';

const program = new URL('../../dist/scripts/mrs.js', import.meta.url).pathname;

async function mrs(args: string[], variables: Record<string, string>) {
  const { PATH = '' } = process.env;
  const run = promisify(execFile)(process.execPath, [program, ...args], {
    env: { PATH, ...variables },
    timeout: 60_000,
  });
  return await run.then(
    ({ stdout, stderr }) => ({ code: 0, stdout, stderr }),
    (error) => error as { code: number; stdout: string; stderr: string },
  );
}

test('an empty variable is as one that is not set', async () => {
  // An empty host would be every address, and an empty seed the same tokens everywhere.
  const { stderr } = await mrs(['mock', '--starts-at', 'never'], {
    MRS_HOST: '',
    MRS_RECORDS: '',
    MRS_SEED: '',
    MRS_PORT: '',
  });
  expect(stderr).toMatch(/^startsAt is "never"/);
});

test('what stands behind a mistyped option is not repeated', async () => {
  const { code, stderr } = await mrs(['mock', '--clent=a:hunter2'], {});
  expect([code, stderr]).toEqual([2, expect.stringContaining("unknown option '--clent=…'")]);
  expect(stderr).not.toContain('hunter2');
});
