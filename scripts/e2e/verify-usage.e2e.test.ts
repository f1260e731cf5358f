/** What `mrs verify` is given: options, variables, files, and the mistakes in them. */
import { spawnSync } from 'node:child_process';
import { chmodSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, _baseTest as test } from '@playwright/test';
import { mrsHere } from './testing/mrs.ts';
import { newDirectory, verify } from './testing/verify-run.ts';

const OLD = ['junit.xml', 'report.html', 'report.json', 'report.schema.json', 'summary.md'];

const right = { MRS_BASE_URL: 'http://127.0.0.1:9', MRS_CLIENT_ID: 'station', MRS_CLIENT_SECRET: 'hunter2' };
const mistakes: Record<string, { env: Record<string, string>; args?: string[]; says: RegExp }> = {
  'no client': {
    env: { MRS_BASE_URL: 'http://127.0.0.1:9' },
    says: /^--client-id \(MRS_CLIENT_ID\) is not set\. /,
  },
  'no URL': {
    env: right,
    args: ['--base-url', 'mrs.example'],
    says: /^--base-url \(MRS_BASE_URL\) is not a URL that begins with http:\/\/ or https:\/\/\. /,
  },
  'no path': {
    env: right,
    args: ['--health-paths', 'health'],
    says: /^--health-paths \(MRS_HEALTH_PATHS\) holds "health"\. /,
  },
  'no file': {
    env: right,
    args: ['--client-secret-file', '/nowhere/at/all'],
    says: /\(ENOENT\)\. Name a file/,
  },
  'no baseline': {
    env: right,
    args: ['--baseline', '/nowhere/at/all'],
    says: /cannot be read \(ENOENT\)/,
  },
  'a URL that is set to nothing': {
    env: { MRS_BASE_URL: '', MRS_CLIENT_ID: '', MRS_CLIENT_SECRET: '', MRS_TOKEN_LIFETIME: '' },
    says: /^--base-url \(MRS_BASE_URL\) is set to nothing\. /,
  },
  'a secret that is set to nothing, without a URL': {
    env: { MRS_CLIENT_SECRET: '' },
    says: /^MRS_CLIENT_SECRET is set to nothing, and --base-url \(MRS_BASE_URL\) is not set\. /,
  },
  'the profile of a deployment without its URL': {
    env: {},
    args: ['--profile', fileURLToPath(import.meta.resolve('mrs-contract/profiles/rfc6750.overlay.yaml'))],
    says: /^--profile \(MRS_PROFILE\) is ".*rfc6750\.overlay\.yaml", a file that describes a deployment, but --base-url \(MRS_BASE_URL\) is not set\. /,
  },
  'safety without a URL': {
    env: {},
    args: ['--safe'],
    says: /^MRS_SAFE is set, but --base-url \(MRS_BASE_URL\) is not\. /,
  },
  'a client without an address': {
    env: { MRS_CLIENT_ID: 'station' },
    says: /^MRS_CLIENT_ID is set, but --base-url \(MRS_BASE_URL\) is not\. /,
  },
};

for (const [what, { env, args = [], says }] of Object.entries(mistakes))
  test(`${what}: one sentence, exit code 2, and the reports from before are kept`, async () => {
    const directory = newDirectory();
    for (const file of OLD) writeFileSync(join(directory, file), '{}');
    const run = await mrsHere(['verify', ...args], { env: { ...env, MRS_REPORT_DIR: directory } });
    expect(run).toMatchObject({ code: 2, stdout: '' });
    expect(run.stderr).toMatch(says);
    expect(run.stderr).not.toMatch(/^\s+at |node:|hunter2/m);
    expect(run.stderr.trimEnd().split('\n').length, run.stderr).toBeLessThanOrEqual(2);
    expect(readdirSync(directory).sort()).toEqual(OLD);
  });

for (const [what, cache, says] of [
  ['that all users share', undefined, 'PLAYWRIGHT_TRANSFORM_CACHE_DIR is not set'],
  ['that others can write to', 0o777, 'which another user can write to'],
] as const)
  test(`Playwright itself takes no secret with a cache ${what}`, async () => {
    const directory = newDirectory();
    if (cache !== undefined) chmodSync(directory, cache);
    const run = spawnSync(process.execPath, ['node_modules/@playwright/test/cli.js', 'test'], {
      cwd: fileURLToPath(new URL('./', import.meta.resolve('mrs-contract/package.json'))),
      env: {
        ...{ PATH: process.env.PATH, HOME: process.env.HOME, MRS_REPORT_DIR: newDirectory(), ...right },
        ...(cache !== undefined && { PLAYWRIGHT_TRANSFORM_CACHE_DIR: directory }),
      },
      encoding: 'utf8',
    });
    expect(run).toMatchObject({ status: 2, stdout: '' });
    expect(run.stderr).toContain(says);
    expect(run.stderr).not.toMatch(/hunter2|^\s+at /m);
  });

test('a user without a home directory can run the suite', async () => {
  const directory = newDirectory();
  const preload = join(directory, 'no-home.cjs');
  // As Node.js answers a user id that the system does not know.
  writeFileSync(
    preload,
    `const os = require('node:os');
    os.homedir = () => process.env.HOME || (() => { throw new Error('uv_os_homedir returned ENOENT'); })();
    require('node:module').syncBuiltinESMExports();`,
  );
  const run = await verify({ HOME: '', NODE_OPTIONS: `--require ${JSON.stringify(preload)}` }, [], directory);
  expect(run, run.stderr).toMatchObject({ code: 0, stderr: '' });
});

test('a dry run needs no deployment, and leaves the reports of before', async () => {
  const directory = newDirectory();
  for (const file of OLD) writeFileSync(join(directory, file), '{}');
  const run = await mrsHere(['verify', '--dry-run'], { env: { MRS_REPORT_DIR: directory } });
  expect(run).toMatchObject({ code: 0, stderr: '' });
  expect(run.stdout).toMatch(/^http:\/\/127\.0\.0\.1:\d+, client demo\. Nothing was sent\. /);
  expect(readdirSync(directory).sort()).toEqual(OLD);
});

test('no secret is taken from the command line', async () => {
  const run = await verify(right, ['--client-secret', 'hunter2']);
  expect(run).toMatchObject({ code: 2, stdout: '' });
  expect(run.stderr).toMatch(/^error: unknown option '--client-secret'/);
  expect(run.stderr).not.toContain('hunter2');
});
