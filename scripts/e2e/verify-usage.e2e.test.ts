/** What `mrs verify` is given: options, variables, files, and the mistakes in them. */
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, _baseTest as test } from '@playwright/test';
import { mrs, mrsHere } from './testing/mrs.ts';
import { newDirectory } from './testing/verify-run.ts';

const OLD = ['junit.xml', 'report.html', 'report.json', 'report.schema.json', 'summary.md'];

const right = { MRS_BASE_URL: 'http://127.0.0.1:9', MRS_CLIENT_ID: 'station', MRS_CLIENT_SECRET: 'hunter2' };
const mistakes: [what: string, says: RegExp, env: Record<string, string>, ...args: string[]][] = [
  ['no client', /^--client-id \(MRS_CLIENT_ID\) is not set\. /, { MRS_BASE_URL: 'http://127.0.0.1:9' }],
  ['no file', /\(ENOENT\)\. Name a file/, right, '--client-secret-file', '/nowhere/at/all'],
  ['no baseline', /cannot be read \(ENOENT\)/, right, '--baseline', '/nowhere/at/all'],
  [
    'a URL that is set to nothing',
    /^--base-url \(MRS_BASE_URL\) is set to nothing\. /,
    { MRS_BASE_URL: '', MRS_CLIENT_ID: '', MRS_CLIENT_SECRET: '', MRS_TOKEN_LIFETIME: '' },
  ],
  [
    'a secret that is set to nothing, without a URL',
    /^MRS_CLIENT_SECRET is set to nothing, and --base-url \(MRS_BASE_URL\) is not set\. /,
    { MRS_CLIENT_SECRET: '' },
  ],
  [
    'the profile of a deployment without its URL',
    /^--profile \(MRS_PROFILE\) is ".*rfc6750\.overlay\.yaml", a file that describes a deployment, but --base-url \(MRS_BASE_URL\) is not set\. /,
    {},
    '--profile',
    fileURLToPath(import.meta.resolve('mrs-contract/profiles/rfc6750.overlay.yaml')),
  ],
  [
    'a client without an address',
    /^MRS_CLIENT_ID is set, but --base-url \(MRS_BASE_URL\) is not\. /,
    { MRS_CLIENT_ID: 'station' },
  ],
  ['safety without a URL', /^MRS_SAFE is set, but --base-url \(MRS_BASE_URL\) is not\. /, {}, '--safe'],
  [
    'a secret on the command line',
    /^error: unknown option '--client-secret'/,
    right,
    '--client-secret',
    'hunter2',
  ],
];

for (const [what, says, env, ...args] of mistakes)
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
  const env = { HOME: '', NODE_OPTIONS: `--require ${JSON.stringify(preload)}`, MRS_REPORT_DIR: directory };
  const run = await mrs(['verify', '--quiet'], { env });
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
