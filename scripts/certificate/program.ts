/** A client that is a program: started with what it needs to know, ended with its whole process group. */
import { type ChildProcess, spawn } from 'node:child_process';
import type { End } from '../../mocks/certificate/scene.ts';
import { UsageError } from '../../tests/support/usage-error.ts';
import {
  type Aliases,
  type ClientVariables,
  clientEnvironment,
  withPlaceholders,
} from './client-variables.ts';
import type { StartClient } from './examine.ts';
import type { Guardian } from './guardian.ts';
import { keepOutput } from './output.ts';

/** After SIGTERM, until SIGKILL. */
const GRACE_MS = 2000;

/** For what was printed and not read yet. */
const LAST_WORDS_MS = 500;

/** Starts `command`, the program and its arguments. Throws UsageError where it cannot be started. */
export function programClient(command: readonly string[], aliases: Aliases, guardian: Guardian): StartClient {
  return async (variables: ClientVariables) => {
    const [program = '', ...args] = withPlaceholders(command, variables);
    const child = spawn(program, args, {
      env: clientEnvironment(process.env, variables, aliases),
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true, // a process group of its own
    });
    const output = keepOutput(child.stdout, child.stderr);
    await started(child, program);
    const pid = child.pid ?? 0;
    guardian.watch(pid);
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
        guardian.forget(pid);
        await Promise.race([closed, pause(LAST_WORDS_MS)]); // who left its group may hold the pipes open
      },
    };
  };
}

function started(child: ChildProcess, program: string): Promise<void> {
  return new Promise((resolve, reject) => {
    child.once('spawn', resolve);
    child.once('error', ({ code }: NodeJS.ErrnoException) =>
      reject(
        new UsageError(
          `"${program}" could not be started (${code}). ` +
            'Give the program and its arguments behind --, as in: mrs certify -- node client.js',
        ),
      ),
    );
  });
}

function signalGroup(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-pid, signal);
  } catch {
    // it is gone
  }
}

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
