/** The package, packed from a fresh copy of the repository. */
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

/** What is made from the sources, and what a clone in use has in addition to them. */
const MADE = new Set([
  'node_modules',
  'dist',
  'reports',
  'test-results',
  '.git',
  'openapi.d.ts',
  'control.openapi.d.ts',
]);

/** A copy of the sources that uses the installed packages. Neither an old dist/ nor a build that runs meanwhile gets into it. */
export function copySources(copy: string): void {
  cpSync(root, copy, { recursive: true, filter: (path) => !MADE.has(basename(relative(root, path))) });
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'));
}

/** Makes the tarball in `folder`, from a copy in `folder/repository`. Returns its path. */
export async function pack(folder: string): Promise<string> {
  const copy = join(folder, 'repository');
  copySources(copy);
  await run('npm', ['pack', '--pack-destination', folder], copy);
  const [tarball, ...others] = readdirSync(folder).filter((name) => name.endsWith('.tgz'));
  expect(others).toEqual([]);
  return join(folder, tarball ?? '');
}
