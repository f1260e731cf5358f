/** A server under measurement: a process of its own, whoever wrote it. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { UsageError } from '../../tests/support/usage-error.ts';

export const NAMES = ['mock', 'bare', 'prism', 'quiet'] as const;
export type Name = (typeof NAMES)[number];

export interface Program<Of extends string = Name> {
  name: Of;
  /** What Node.js runs, for a server on this port of 127.0.0.1. */
  args: (port: number) => string[];
  /** What it reads on standard input. */
  input?: string;
}

/** What a server has used since its start, all of its threads and processes. */
export interface Usage {
  cpuSeconds: number;
  /** The same of each of its processes: one, or the first and its workers in the order of their start. */
  processes: readonly number[];
  /** The memory that it holds at the moment, as the system counts it for each process. */
  rssBytes: number;
}

export interface RunningServer<Of extends string = Name> extends AsyncDisposable {
  name: Of;
  url: string;
  /** From the start of the process to its first answer. */
  startMs: number;
  usage(): Promise<Usage>;
}

/** How long a server may take to answer first, and how long it rests between two questions. */
const PATIENCE_MS = 30_000;
const PAUSE_MS = 2;

const root = fileURLToPath(new URL('./', import.meta.resolve('mrs-contract/package.json')));
const teller = fileURLToPath(new URL('./usage.cjs', import.meta.url));

/** What the environment says to other programs is not meant for these. */
const env = Object.fromEntries(
  Object.entries(process.env).filter(([name]) => !/^(MRS_|NODE_OPTIONS$)/.test(name)),
);

/** Resolves with its first answer 200. Throws UsageError, with what the program said, if there is none. */
export async function startServer<Of extends string>({
  name,
  args,
  input,
}: Program<Of>): Promise<RunningServer<Of>> {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const began = performance.now();
  const child = spawn(process.execPath, ['--require', teller, ...args(port)], {
    cwd: root,
    env,
    stdio: ['pipe', 'pipe', 'pipe', 'ipc'],
  });
  const closed = once(child, 'close');
  let said = '';
  child.stdout?.resume();
  child.stderr?.on('data', (text: Buffer) => {
    said = `${said}${text}`.slice(-2000);
  });
  child.stdin?.on('error', () => {}).end(input); // It may have ended already, which is reported below.

  const hasEnded = () => child.exitCode !== null || child.signalCode !== null;
  const stop = async () => {
    child.kill('SIGKILL');
    await closed;
  };
  const refuse = async (what: string): Promise<never> => {
    await stop();
    throw new UsageError(`${name} ${what}. It said: ${said.trim() || 'nothing'}`);
  };

  while (!(await answers(`${url}/health/`))) {
    if (hasEnded())
      return refuse(`ended with ${child.signalCode ?? `exit code ${child.exitCode}`}, and never answered`);
    if (performance.now() - began > PATIENCE_MS)
      return refuse(`did not answer within ${PATIENCE_MS / 1000} s`);
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
  return {
    name,
    url,
    startMs: performance.now() - began,
    async usage() {
      if (hasEnded()) return refuse('ended under the load');
      const reply = once(child, 'message');
      child.send('usage');
      const [usage] = await Promise.race([reply, closed.then(() => refuse('ended under the load'))]);
      return usage;
    },
    [Symbol.asyncDispose]: stop,
  };
}

async function answers(url: string): Promise<boolean> {
  try {
    const response = await fetch(url, { headers: { accept: 'application/json' } });
    await response.arrayBuffer();
    return response.status === 200;
  } catch {
    return false; // It does not listen yet.
  }
}

/** Prism does not report which port it took, so it is given one. */
async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}
