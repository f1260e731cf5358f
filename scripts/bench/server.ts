/** A server under measurement: a process of its own, whoever wrote it; and what it is asked. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, get, type IncomingMessage, type OutgoingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { UsageError } from '../../tests/support/usage-error.ts';

export interface Program<Name extends string = string> {
  name: Name;
  /** What Node.js runs, for a server on this port of 127.0.0.1. */
  args: (port: number) => string[];
  /** What it reads on standard input. */
  input?: string;
}

export interface RunningServer<Name extends string = string> extends AsyncDisposable {
  name: Name;
  url: string;
  /** From the start of the process to its first answer. */
  startMs: number;
  /** The CPU time since its start, of all of its threads, and the memory that it holds at the moment. */
  usage(): Promise<{ cpuSeconds: number; rssBytes: number }>;
}

/** The path of a program of this build. */
export const at = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

/** As `mrs mock` starts it, with the small answer that the others send too. */
export const mockProgram: Program<'mock'> = {
  name: 'mock',
  args: (port) => [at('../mrs.js'), 'mock', '--records', '0', '--port', String(port)],
};

/** Sends what the mock sends, without any thought. */
export const bareProgram = (answer: Answer): Program<'bare'> => ({
  name: 'bare',
  args: (port) => [at('./bare.js'), String(port)],
  input: JSON.stringify(answer),
});

/** What a client asks, and the answer that all servers are measured by. */
export interface Question {
  url: string;
  headers: Record<string, string>;
}
export interface Answer {
  status: number;
  /** Without those that Node.js adds to every answer. */
  headers: OutgoingHttpHeaders;
  body: string;
}

/** What a client of the mock at `url` asks for its data, with a token just issued. */
export async function questionTo(url: string): Promise<Question> {
  const accept = 'application/json';
  const form = { grant_type: 'client_credentials', client_id: 'demo', client_secret: 'demo-secret' };
  const body = new URLSearchParams(form);
  const response = await fetch(`${url}/token/`, { method: 'POST', headers: { accept }, body });
  const { token } = (await response.json()) as { token?: string };
  if (!token)
    throw new UsageError(`The mock issued no token, but answered ${response.status}. Try: npm run mock`);
  return { url: `${url}/ods_data/`, headers: { accept, authorization: `Bearer ${token}` } };
}

export async function answerTo({ url, headers: asked }: Question): Promise<Answer> {
  const response = await new Promise<IncomingMessage>((resolve, reject) =>
    get(url, { headers: asked, agent: false }, resolve).on('error', reject),
  );
  const { date, connection, 'keep-alive': _, ...headers } = response.headers;
  return { status: response.statusCode ?? 0, headers, body: await text(response) };
}

/** How long a server may take to answer first, and how long it rests between two questions. */
const PATIENCE_MS = 30_000;
const PAUSE_MS = 2;

const root = fileURLToPath(new URL('./', import.meta.resolve('mrs-contract/package.json')));
const teller = at('./usage.cjs');

/** What the environment says to other programs is not meant for these. */
const env = Object.fromEntries(
  Object.entries(process.env).filter(([name]) => !/^(MRS_|NODE_OPTIONS$)/.test(name)),
);

/** Resolves with its first answer 200. Throws UsageError, with what the program said, if there is none. */
export async function startServer<Name extends string>({
  name,
  args,
  input,
}: Program<Name>): Promise<RunningServer<Name>> {
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
  child.stderr?.on('data', (part: Buffer) => {
    said = `${said}${part}`.slice(-2000);
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
