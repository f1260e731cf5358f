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
const commandLine = new URL('../../command-line.ts', import.meta.url).href;

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

/** The same from the arguments to the exit code, in this process. It has no standard input. */
export async function mrsHere(
  args: readonly string[],
  { env = {}, cwd }: Omit<Place, 'input'> = {},
): Promise<Ended> {
  const { argv, env: ofTests, exitCode } = process;
  const folder = process.cwd();
  const streams = [process.stdout, process.stderr] as const;
  const before = streams.map((stream) => ({ write: stream.write, listeners: stream.listeners('error') }));
  const printed = ['', ''];
  for (const [nth, stream] of streams.entries())
    stream.write = (part: string | Uint8Array, ...rest: unknown[]) => {
      printed[nth] += typeof part === 'string' ? part : Buffer.from(part).toString();
      const callback = rest.at(-1);
      if (typeof callback === 'function') callback();
      return true;
    };
  process.argv = [process.execPath, program, ...args];
  process.env = environment(env);
  if (cwd !== undefined) process.chdir(cwd);
  process.exitCode = 0;
  try {
    await import(`${commandLine}?run=${++runs}`); // Each address is a module of its own, and runs the command anew.
    const [stdout = '', stderr = ''] = printed;
    return { code: Number(process.exitCode), stdout, stderr };
  } finally {
    process.chdir(folder);
    Object.assign(process, { argv, env: ofTests, exitCode });
    for (const [nth, stream] of streams.entries()) {
      stream.write = before[nth]?.write ?? stream.write;
      for (const added of stream.listeners('error'))
        if (!before[nth]?.listeners.includes(added)) stream.off('error', added as () => void);
    }
  }
}
