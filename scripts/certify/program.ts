/** A client that is a program: started with what it needs to know, ended with its whole process group. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { End } from '../../tests/client/scenario-traffic.ts';
import { UsageError } from '../../tests/support/usage-error.ts';
import {
  type Aliases,
  type ClientVariables,
  clientEnvironment,
  withPlaceholders,
} from './client-variables.ts';
import type { StartClient } from './examine.ts';
import { endOrphans } from './orphans.ts';
import { keepOutput } from './output.ts';
import type { ProcessReaper } from './process-reaper.ts';
import { readStatements } from './statements.ts';

/** After SIGTERM, until SIGKILL. */
const GRACE_MS = 2000;

/** For what was printed and not read yet. */
const LAST_WORDS_MS = 500;

/** Starts `command`, the program and its arguments. Throws UsageError where it cannot be started. */
export function programClient(
  command: readonly string[],
  aliases: Aliases,
  reaper: ProcessReaper,
): StartClient {
  return async (variables: ClientVariables, _scenario, report) => {
    const [program = '', ...args] = withPlaceholders(command, variables);
    const child = await startGroup(program, args, clientEnvironment(process.env, variables, aliases));
    const pid = child.pid as number; // it was started
    reaper.watch(pid);
    const output = keepOutput(child.stdout, child.stderr);
    readStatements(child.stdout, report);
    const closed = new Promise((resolve) => child.once('close', resolve));
    const exited = new Promise<End>((resolve) => {
      child.once('exit', (code, signal) => resolve(signal ? { signal } : { code: code ?? 0 }));
    });
    return {
      ended: exited,
      output: output.text,
      async stop() {
        signalGroup(pid, 'SIGTERM');
        const late = setTimeout(() => signalGroup(pid, 'SIGKILL'), GRACE_MS);
        await exited;
        clearTimeout(late);
        signalGroup(pid, 'SIGKILL'); // what it started and left behind
        endOrphans(variables.MRS_CLIENT_ID);
        reaper.forget(pid);
        await Promise.race([closed, pause(LAST_WORDS_MS)]);
        for (const stream of [child.stdout, child.stderr]) stream.destroy(); // who left its group may hold them open
      },
    };
  };
}

/** Starts a process group of its own. */
async function startGroup(program: string, args: readonly string[], env: NodeJS.ProcessEnv) {
  try {
    const child = spawn(program, args, { env, stdio: ['ignore', 'pipe', 'pipe'], detached: true });
    await once(child, 'spawn');
    return child;
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    const advice = SCARCE.has(code)
      ? 'This machine cannot start more processes. Run fewer scenarios at once, as with --at-once 4.'
      : 'Give the program and its arguments after --, as in: mrs certify -- node client.js';
    throw new UsageError(`"${program}" could not be started (${code}). ${advice}`);
  }
}

/** What a system says that has too many processes or open files. */
const SCARCE: ReadonlySet<string> = new Set(['EAGAIN', 'EMFILE', 'ENFILE', 'ENOMEM']);

function signalGroup(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-pid, signal);
  } catch {
    // it is gone
  }
}

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms).unref());
