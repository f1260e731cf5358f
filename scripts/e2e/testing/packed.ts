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

/** What a clone in use has in addition to what it is built of, and to the build. */
const LEFT_OUT = ['node_modules', 'reports', 'test-results', '.git', 'proof.json'];
const BUILT = ['dist', 'openapi.d.ts', 'control.openapi.d.ts'];

/** A copy of the sources that uses the installed packages. Only `built`, it has what was built of them before. */
export function copySources(copy: string, { built = false } = {}): void {
  const leftOut = new Set(built ? LEFT_OUT : [...LEFT_OUT, ...BUILT]);
  cpSync(root, copy, { recursive: true, filter: (path) => !leftOut.has(basename(relative(root, path))) });
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'));
}

/**
 * Makes the tarball in `folder`, from a copy in `folder/repository`. Returns its path. From one that is `built`, it takes
 * a moment, and may show less: only a fresh copy shows that a release builds.
 */
export async function pack(folder: string, copied?: { built: boolean }): Promise<string> {
  const copy = join(folder, 'repository');
  copySources(copy, copied);
  await run('npm', ['pack', '--pack-destination', folder], copy);
  const [tarball, ...others] = readdirSync(folder).filter((name) => name.endsWith('.tgz'));
  expect(others).toEqual([]);
  return join(folder, tarball ?? '');
}
