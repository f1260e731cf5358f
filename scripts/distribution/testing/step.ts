/** Steps of CI jobs, run as a runner runs them, with stand-ins for what would need a registry. */
import { execFile } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parse } from 'yaml';
import { outputPath } from '../../../tests/support/testing/output-path.ts';

export const root = fileURLToPath(new URL('./', import.meta.resolve('mrs-contract/package.json')));

export const readYaml = (path: string) => parse(readFileSync(join(root, path), 'utf8'));

export interface Ended {
  code: number;
  stdout: string;
  stderr: string;
}

/** What the stand-ins saw of one process: its arguments, and its environment as JSON. */
interface Seen {
  program: string;
  pid: number;
  argv: string[];
  env: Record<string, string>;
}

/** Where steps run: a workspace, and programs that come first in PATH. */
export interface Workshop {
  /** The workspace of the job. */
  folder: string;
  temporary: string;
  /** PATH, HOME, and what the stand-ins need. */
  env: Record<string, string>;
  /** Every process of `npm` and `node` that the step started, in order. */
  seen(): Seen[];
}

/**
 * `npm install` takes this build instead of a package, and `npm ci` does nothing; both fail with `failInstall`. `npm` and `node`
 * write down what they get; `node` then does its work.
 */
export function createWorkshop({ failInstall = false } = {}): Workshop {
  const folder = outputPath('workspace');
  const bin = outputPath('bin');
  const temporary = outputPath('temp');
  for (const path of [folder, bin, temporary]) mkdirSync(path, { recursive: true });
  const log = join(temporary, 'seen.jsonl');
  const note = join(bin, 'note.cjs');
  writeFileSync(
    note,
    `const { NOTED: program, ...env } = process.env;
if (!program) return; // A process that a noted one started: it has the same options.
delete process.env.NOTED;
const argv = program === 'npm' ? process.argv.slice(2) : [...process.execArgv.slice(2), ...process.argv.slice(1)];
require('node:fs').appendFileSync(process.env.SEEN, JSON.stringify({ program, pid: process.pid, argv, env }) + '\\n');
if (program === 'node' && /build\\.mjs$/.test(argv.at(-1))) process.exit(0); // This build is one.
if (program === 'npm') {
  if (process.env.FAIL_INSTALL) { console.error('npm error 404'); process.exit(1); }
  if (process.env.HANG_INSTALL) setInterval(() => {}, 1000);
  if (process.env.HANG_INSTALL) return;
  if (argv[0] === 'ci') process.exit(0);
  const { mkdirSync, rmSync, symlinkSync } = require('node:fs');
  const packages = argv[argv.indexOf('--prefix') + 1] + '/node_modules';
  mkdirSync(packages, { recursive: true });
  rmSync(packages + '/mrs-contract', { force: true });
  symlinkSync(process.env.BUILD, packages + '/mrs-contract');
}
`,
  );
  const scripts = {
    npm: `NOTED=npm exec "$REAL_NODE" '${note}' "$@"`,
    node: `NOTED=node exec "$REAL_NODE" --require '${note}' "$@"`,
  };
  for (const [name, script] of Object.entries(scripts)) {
    writeFileSync(join(bin, name), `#!/bin/sh\n${script}\n`);
    chmodSync(join(bin, name), 0o755);
  }
  const env = {
    PATH: `${bin}:${process.env.PATH}`,
    HOME: temporary,
    SEEN: log,
    BUILD: root,
    REAL_NODE: process.execPath,
    ...(failInstall && { FAIL_INSTALL: '1' }),
  };
  const lines = () => (existsSync(log) ? readFileSync(log, 'utf8').trim().split('\n') : []);
  return { folder, temporary, env, seen: () => lines().map((line) => JSON.parse(line)) };
}

/** How long a runner waits after SIGINT, and then after SIGTERM, before it kills the process of a step. */
const GRACE_MS = [7500, 2500];

/**
 * A command in the workspace. Where `cancelled` resolves, it is cancelled as a runner does it. Never rejects; the output is all
 * that was written before every process with the same standard output had ended.
 */
export function runStep(
  workshop: Workshop,
  command: string[],
  variables: Record<string, string>,
  cancelled?: Promise<unknown>,
): Promise<Ended> {
  const [program = '', ...args] = command;
  const env = { ...workshop.env, ...variables };
  return new Promise((resolve) => {
    const timers: NodeJS.Timeout[] = [];
    const options = { cwd: workshop.folder, env, timeout: 280_000 };
    const child = execFile(program, args, options, (error, stdout, stderr) => {
      for (const timer of timers) clearTimeout(timer);
      resolve({ code: error ? Number(error.code ?? -1) : 0, stdout, stderr });
    });
    void cancelled?.then(() => {
      child.kill('SIGINT');
      timers.push(setTimeout(() => child.kill('SIGTERM'), GRACE_MS[0]));
      timers.push(setTimeout(() => child.kill('SIGKILL'), (GRACE_MS[0] ?? 0) + (GRACE_MS[1] ?? 0)));
    });
  });
}

/** The values in a file of GITHUB_OUTPUT, which the runner reads in this way. */
export function outputsIn(text: string): Record<string, string> {
  const outputs: Record<string, string> = {};
  const lines = text.split('\n');
  for (let at = 0; at < lines.length - 1; ) {
    const [, name = '', mark = ''] = /^([\w-]+)<<(\S+)$/.exec(lines[at] ?? '') ?? [];
    if (name === '') throw new Error(`The runner cannot read "${lines[at]}".`);
    const end = lines.indexOf(mark, at + 1);
    if (end < 0) throw new Error(`The value of ${name} does not end.`);
    outputs[name] = lines.slice(at + 1, end).join('\n');
    at = end + 1;
  }
  return outputs;
}
