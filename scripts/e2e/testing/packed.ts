/** What the package is made of, and what is run to make and to use it. */
import { execFile } from 'node:child_process';
import { cpSync, readdirSync, symlinkSync } from 'node:fs';
import { basename, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect } from '@playwright/test';

export const root = fileURLToPath(new URL('./', import.meta.resolve('mrs-contract/package.json')));

/** What the environment says to the run around a test is not meant for the runs within it. */
export const env = Object.fromEntries(
  Object.entries(process.env).filter(
    ([name]) => !/^(MRS_|TEST_|npm_(?!config_)|FORCE_COLOR$|NODE_OPTIONS$)/.test(name),
  ),
);
const execute = promisify(execFile);

/** Rejects if the command fails, with its output and exit code. Nothing outlives the test. */
export const run = (command: string, args: string[], cwd: string, variables: NodeJS.ProcessEnv = env) =>
  execute(command, args, { cwd, env: variables, timeout: 280_000 });

/** What a clone in use has in addition to what it is built of. */
const LEFT_OUT = /^(node_modules|reports|test-results|\.git|dist|(control\.)?openapi\.d\.ts|.*\.tgz)$/;

/** A copy of the sources that uses the installed packages. */
export function copySources(copy: string): void {
  cpSync(root, copy, { recursive: true, filter: (path) => !LEFT_OUT.test(basename(relative(root, path))) });
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'));
}

/** Makes the tarball in `folder`, from what was built before the tests. Returns its path. */
export async function packBuild(folder: string): Promise<string> {
  await run('npm', ['pack', '--ignore-scripts', '--pack-destination', folder], root);
  const [tarball, ...others] = readdirSync(folder).filter((name) => name.endsWith('.tgz'));
  expect(others).toEqual([]);
  return join(folder, tarball ?? '');
}
