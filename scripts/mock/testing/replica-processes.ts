/** Mocks with a token key, each in a process of its own. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

export const program = fileURLToPath(new URL('../../../dist/scripts/mrs.js', import.meta.url));

export const CREDENTIALS = { MRS_CLIENT_ID: 'acme', MRS_CLIENT_SECRET: 's3cret' };
/** Long enough for a run of the suite on a busy machine, which waits for an expiry. */
export const LIFETIME = '6';

export interface ReplicaProcess {
  child: ChildProcess;
  port: number;
  /** The number of calls that it has answered. */
  calls(): number;
  /** Kills it as soon as it has answered this number of calls. */
  killAfter(calls: number): void;
}

/** One for each key. Ends with the test: dispose. */
export async function startReplicas(folder: string, keys: readonly string[]) {
  const started = keys.map((key, at) => startReplica(folder, key, `key-${at}`));
  const end = async () => {
    for (const { child } of started) child.kill('SIGKILL');
    await Promise.all(started.map(({ closed }) => closed));
  };
  try {
    const replicas = await Promise.all(started.map(({ listening }) => listening));
    return { replicas, [Symbol.asyncDispose]: end };
  } catch (error) {
    await end();
    throw error;
  }
}

function startReplica(folder: string, key: string, name: string) {
  const file = join(folder, name);
  writeFileSync(file, key);
  const { MRS_CLIENT_ID: id, MRS_CLIENT_SECRET: secret } = CREDENTIALS;
  const child = spawn(
    process.execPath,
    [program, 'mock', '--port', '0', '--token-key', file, '--log', 'json', '--token-lifetime', LIFETIME],
    {
      env: { PATH: process.env.PATH, MRS_CLIENT: `${id}:${secret}` },
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
  const closed = once(child, 'close');
  let calls = 0;
  let most = Number.POSITIVE_INFINITY;
  const listening = new Promise<ReplicaProcess>((resolve, reject) => {
    closed.then(() => reject(new Error(`${name} ended.`)));
    createInterface(child.stdout).on('line', (line) => {
      const { event, url } = JSON.parse(line);
      if (event === 'ready')
        resolve({
          child,
          port: Number(new URL(url).port),
          calls: () => calls,
          killAfter(count) {
            most = count;
          },
        });
      else if (++calls >= most) child.kill('SIGKILL');
    });
  });
  return { child, closed, listening };
}
