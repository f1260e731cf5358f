/** What the package is made of, and what is run to make and to use it. */
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

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
