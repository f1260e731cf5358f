/** `mrs` as tests run it: in a process of its own, or in this one, which saves the start of a process. */
import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { expect } from 'vitest';
import type { Report } from '../../../tests/report/report.ts';
import { outputPath } from '../../../tests/support/testing/output-path.ts';

export interface Ended {
  code: number | null;
  stdout: string;
  stderr: string;
}

export interface Place {
  /** Where it runs; the folder of the tests, if absent. */
  cwd?: string;
  /** All that it knows of the environment, except PATH and HOME. */
  env?: NodeJS.ProcessEnv;
  /** Its standard input. */
  input?: string;
}

/** The built program. */
export const program = fileURLToPath(new URL('../../../dist/scripts/mrs.js', import.meta.url));
const commandLine = new URL('../../../dist/scripts/command-line.js', import.meta.url).href;

const environment = (env: NodeJS.ProcessEnv): NodeJS.ProcessEnv => ({
  ...{ PATH: process.env.PATH, HOME: process.env.HOME },
  ...env,
});

export function startMrs(
  args: readonly string[],
  { env = {}, input = '', ...place }: Place = {},
): { child: ChildProcess; ended: Promise<Ended> } {
  const child = spawn(process.execPath, [program, ...args], { ...place, env: environment(env) });
  child.stdin.on('error', () => {}).end(input);
  const ended = Promise.all([
    text(child.stdout),
    text(child.stderr),
    new Promise<number | null>((resolve) => child.on('close', resolve)),
  ]).then(([stdout, stderr, code]) => ({ code, stdout, stderr }));
  return { child, ended };
}

/** The same, started by a shell that reads `end` after the command. */
export async function runInShell(
  args: readonly string[],
  end: string,
  place: Place & { cwd: string },
): Promise<Left> {
  const { cwd, env = {} } = place;
  const child = spawn('bash', ['-c', `"$@" ${end}`, 'bash', process.execPath, program, ...args], {
    cwd,
    env: environment(env),
  });
  const printed = Promise.all([text(child.stdout), text(child.stderr)]);
  const code = await new Promise<number | null>((resolve) => child.on('close', resolve));
  const [stdout, stderr] = await printed;
  return leftIn(cwd, { code, stdout, stderr });
}

export const mrs = (...run: Parameters<typeof startMrs>): Promise<Ended> => startMrs(...run).ended;

let runs = 0;
let isRunning = false;

/**
 * The same from the arguments to the exit code, in this process: one at a time, without standard input, and without an end
 * by a signal.
 */
export async function mrsHere(
  args: readonly string[],
  { env = {}, cwd }: Omit<Place, 'input'> = {},
): Promise<Ended> {
  if (isRunning) throw new Error('Another command runs in this process: await it first.');
  isRunning = true;
  const { argv, env: ofTests, exitCode, stdout, stderr } = process;
  const [folder, writes] = [process.cwd(), [stdout.write, stderr.write] as const];
  const forget = noteListeners();
  const printed = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const)
    process[name].write = (part: string | Uint8Array, ...rest: unknown[]) => {
      printed[name] += typeof part === 'string' ? part : Buffer.from(part).toString();
      const written = rest.at(-1);
      if (typeof written === 'function') written();
      return true;
    };
  Object.assign(process, { argv: [process.execPath, program, ...args], env: environment(env), exitCode: 0 });
  if (cwd !== undefined) process.chdir(cwd);
  try {
    await import(`${commandLine}?run=${++runs}`); // Each address is a module of its own, and runs the command anew.
    return { code: Number(process.exitCode), ...printed };
  } finally {
    process.chdir(folder);
    Object.assign(process, { argv, env: ofTests, exitCode });
    [stdout.write, stderr.write] = writes;
    forget();
    isRunning = false;
  }
}

/** Returns what removes the listeners that are added from now on: a process that ends does not need to. */
function noteListeners(): () => void {
  const places = [
    ...[process.stdout, process.stderr].map((emitter) => ({ emitter, event: 'error' })),
    ...['SIGINT', 'SIGTERM', 'SIGHUP', 'exit'].map((event) => ({
      emitter: process as NodeJS.EventEmitter,
      event,
    })),
  ];
  const before = new Set(places.flatMap(({ emitter, event }) => emitter.listeners(event)));
  return () => {
    for (const { emitter, event } of places)
      for (const one of emitter.listeners(event)) if (!before.has(one)) emitter.off(event, one as () => void);
  };
}

/** What a command left: what it printed, and the files of the folder in which it ran. */
export interface Left extends Ended {
  folder: string;
  /** The text of each file below the folder, by its path. */
  files: Record<string, string>;
  lastLine: string | undefined;
  /** The report.json that it wrote; the first by its path, if there are several. */
  report?: Report;
}

/** A new folder of the test. */
export function newFolder(): string {
  const folder = outputPath(randomUUID());
  mkdirSync(folder, { recursive: true });
  return folder;
}

export function leftIn(folder: string, ended: Ended): Left {
  const files = filesIn(folder);
  const path = Object.keys(files).find((name) => /(^|\/)report\.json$/.test(name));
  const report = path === undefined ? {} : { report: JSON.parse(files[path] ?? '') as Report };
  return { ...ended, folder, files, lastLine: ended.stdout.trimEnd().split('\n').at(-1), ...report };
}

/** The text of each file below a folder, by its path; without those that are being removed. */
export function filesIn(folder: string): Record<string, string> {
  const paths = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((one) => one.isFile())
    .map(({ parentPath, name }) => join(parentPath, name))
    .toSorted();
  return Object.fromEntries(
    paths.flatMap((path) => {
      try {
        return [[relative(folder, path), readFileSync(path, 'utf8')]];
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
        throw error;
      }
    }),
  );
}

/** Runs a command in this process, in a new folder, and collects what it left. */
export async function run(args: readonly string[], place: Omit<Place, 'input'> = {}): Promise<Left> {
  const cwd = place.cwd ?? newFolder();
  return leftIn(cwd, await mrsHere(args, { ...place, cwd }));
}

/** Fails, with the place, if one of these values is in what a command printed or left. */
export function expectNowhere({ stdout, stderr, files }: Left, values: readonly string[]): void {
  const places = { ...files, 'standard output': stdout, 'standard error': stderr };
  const found = Object.entries(places).flatMap(([place, text]) =>
    values.filter((value) => text.includes(value)).map((value) => `${value} in ${place}`),
  );
  expect(found).toEqual([]);
}
