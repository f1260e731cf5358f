/** The package as pnpm and Yarn install it, into an empty project, and from the registry. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, _baseTest as test } from '@playwright/test';
import { env, packBuild, run } from './testing/packed.ts';

/** Each by its newest version that runs on Node.js 20, with the settings that it has in a new project. */
const INSTALLERS = [
  { name: 'pnpm', command: 'pnpm', source: 'pnpm@10.34.5' },
  { name: "yarn with Plug'n'Play", command: 'yarn', source: '@yarnpkg/cli-dist@4.18.1' },
  { name: 'yarn 1', command: 'yarn', source: 'yarn@1.22.22' },
];

let temporary: string;
let tarball: string;

test.describe.configure({ mode: 'default' }); // They share the tarball.

test.beforeAll(async () => {
  temporary = mkdtempSync(join(tmpdir(), 'mrs-contract-installers-'));
  tarball = await packBuild(temporary);
});

test.afterAll(() => rmSync(temporary, { recursive: true, force: true, maxRetries: 5 }));

for (const { name, command, source } of INSTALLERS)
  test(`package that ${name} installed judges its mock, and finds it conformant`, async () => {
    const user = join(temporary, source.replace(/\W+/g, '-'));
    mkdirSync(user);
    writeFileSync(join(user, 'package.json'), '{"private":true}');
    writeFileSync(join(user, 'yarn.lock'), ''); // Otherwise Yarn looks for a project in the folders above.
    const installer = (...args: string[]) =>
      run('npm', ['exec', '--yes', '--prefer-offline', `--package=${source}`, '--', command, ...args], user, {
        ...env,
        YARN_ENABLE_TELEMETRY: '0',
        CI: '', // In CI, both refuse to change a lock file.
      });
    const { message } = (await installer('--version').catch((error: Error) => error)) as Partial<Error>;
    test.skip(message !== undefined, `${source} cannot be installed: ${message}`);
    await installer('add', `mrs-contract@file:${tarball}`);
    const { stdout } = await installer(
      ...(command === 'yarn' ? ['run', 'mrs'] : ['exec', 'mrs']),
      'verify',
      '--quiet',
    );
    expect(stdout).toMatch(/^outcome: conformant/m);
  });
