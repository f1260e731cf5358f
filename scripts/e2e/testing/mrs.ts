/** `mrs` as tests run it: in a process of its own, or in this one, which saves the start of a process. */
import { type ChildProcess, spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';

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
    ...['SIGINT', 'SIGTERM', 'SIGHUP'].map((event) => ({ emitter: process as NodeJS.EventEmitter, event })),
  ];
  const before = new Set(places.flatMap(({ emitter, event }) => emitter.listeners(event)));
  return () => {
    for (const { emitter, event } of places)
      for (const one of emitter.listeners(event)) if (!before.has(one)) emitter.off(event, one as () => void);
  };
}
