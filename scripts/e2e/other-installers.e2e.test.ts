/** The package as pnpm and Yarn install it: with the manifest that the README asks for, and from the registry. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, _baseTest as test } from '@playwright/test';
import { env, packBuild, run } from './testing/packed.ts';

/** Each by its newest version that runs on Node.js 20. `files` is what a project needs before it adds the package. */
const INSTALLERS = [
  { command: 'pnpm', source: 'pnpm@10.34.5', files: { 'package.json': '{"private":true}' } },
  {
    command: 'yarn',
    source: '@yarnpkg/cli-dist@4.18.1',
    files: {
      'package.json': '{"private":true,"resolutions":{"@stoplight/prism-core":"5.8.0"}}',
      '.yarnrc.yml': 'nodeLinker: node-modules\n',
      'yarn.lock': '', // Otherwise Yarn looks for a project in the folders above.
    },
  },
];

let temporary: string;
let tarball: string;

test.describe.configure({ mode: 'default' }); // They share the tarball.

test.beforeAll(async () => {
  temporary = mkdtempSync(join(tmpdir(), 'mrs-contract-installers-'));
  tarball = await packBuild(temporary);
});

test.afterAll(() => rmSync(temporary, { recursive: true, force: true, maxRetries: 5 }));

for (const { command, source, files } of INSTALLERS)
  test(`package that ${command} installed judges its mock, and finds it conformant`, async () => {
    const user = join(temporary, command);
    mkdirSync(user);
    for (const [name, text] of Object.entries(files)) writeFileSync(join(user, name), text);
    const installer = (...args: string[]) =>
      run('npm', ['exec', '--yes', '--prefer-offline', `--package=${source}`, '--', command, ...args], user, {
        ...env,
        YARN_ENABLE_TELEMETRY: '0',
        CI: '', // In CI, both refuse to change a lock file.
      });
    const { message } = (await installer('--version').catch((error: Error) => error)) as Partial<Error>;
    test.skip(message !== undefined, `${source} cannot be installed: ${message}`);
    await installer('add', `mrs-contract@file:${tarball}`);
    const { stdout } = await run('node_modules/.bin/mrs', ['verify', '--quiet'], user);
    expect(stdout.trimEnd().split('\n').at(-1)).toMatch(/^outcome: conformant/);
  });
