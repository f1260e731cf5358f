/** A client that is a program: started with what it needs to know, ended with its process group and its session; and what it prints. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { stripVTControlCharacters } from 'node:util';
import type { End } from '../../tests/client/traffic.ts';
import { visible } from '../../tests/report/text.ts';
import { variablesOf } from '../../tests/server/probe/options.ts';
import { headerVariables } from '../../tests/server/probe/target.ts';
import type { Secrets } from '../../tests/support/secrets.ts';
import { UsageError } from '../../tests/support/usage-error.ts';
import { endSession, unlessGone } from './reaper.ts';

/** A client that runs. */
export interface RunningClient {
  /** Resolves when it has ended, by itself or not. */
  ended: Promise<End>;
  stop(): Promise<void>;
  /** What it printed. */
  output?(): string;
}

/** Starts the client for one scenario. `report` is called with the number of records that a reader of a feed says that it holds. */
export type StartClient = (
  variables: ClientVariables,
  scenario: string,
  report: (records: number) => void,
) => Promise<RunningClient>;

/** After SIGTERM, until SIGKILL. */
const GRACE_MS = 2000;

/** For what was printed and not read yet. */
const LAST_WORDS_MS = 500;

/** Starts `command`, the program and its arguments. Throws UsageError where it cannot be started. */
export function programClient(
  [program = '', ...args]: readonly string[],
  reaper: ProcessReaper,
): StartClient {
  return async (variables, _scenario, report) => {
    const child = await startGroup(program, args, clientEnvironment(process.env, variables));
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
      output,
      async stop() {
        signalGroup(pid, 'SIGTERM');
        const late = setTimeout(() => signalGroup(pid, 'SIGKILL'), GRACE_MS);
        await exited;
        clearTimeout(late);
        endSession(pid); // what it started and left behind
        reaper.forget(pid);
        await Promise.race([closed, pause(LAST_WORDS_MS)]);
        for (const stream of [child.stdout, child.stderr]) stream.destroy(); // a daemon may hold them open
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
    throw new UsageError(
      `"${program}" could not be started (${code}). Give the program and its arguments after --, as in: mrs certify -- ` +
        'node client.js. Where the machine cannot start more processes, --at-once 4 runs fewer scenarios at once.',
    );
  }
}

const signalGroup = (pid: number, signal: NodeJS.Signals) => unlessGone(() => process.kill(-pid, signal));

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms).unref());

type ProcessReaper = ReturnType<typeof startProcessReaper>;

/**
 * Ends the clients when this program is killed before it could, and what they left behind in their groups and sessions.
 * `scratch` is a folder that goes with this program, too.
 */
export function startProcessReaper(scratch: string) {
  const reaper = spawn(process.execPath, [fileURLToPath(import.meta.resolve('#reaper')), scratch], {
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true, // a signal from the terminal to this program is not for it
  });
  reaper.unref();
  reaper.on('error', () => {}).stdin.on('error', () => {});
  return {
    watch: (pid: number): void => void reaper.stdin.write(`+${pid}\n`),
    forget: (pid: number): void => void reaper.stdin.write(`-${pid}\n`),
    close: (): void => void reaper.stdin.end(),
  };
}

/** What a client needs to know; tests/client/README.md says what each is. */
export type ClientVariables = Record<
  | 'MRS_BASE_URL'
  | 'MRS_DATA_URL'
  | 'MRS_CLIENT_ID'
  | 'MRS_CLIENT_SECRET'
  | 'MRS_CLIENT_SECRET_FILE'
  | 'MRS_TOKEN_LIFETIME',
  string
>;

/** What may be set for `mrs verify`: it is of another deployment, and partly secret. */
const OF_ANOTHER: readonly string[] = [
  ...variablesOf(({ isForMock }) => !isForMock),
  ...['MRS_CLIENT', 'MRS_FEED', 'MRS_BASELINE', 'MRS_TOKEN_KEY_FILE'],
];

/** The environment of a client: that of this process, without the variables of another deployment, and with the mock's. */
export function clientEnvironment(own: NodeJS.ProcessEnv, variables: ClientVariables): NodeJS.ProcessEnv {
  const withheld = [...OF_ANOTHER, ...headerVariables(own)];
  const inherited = Object.entries(own).filter(([name]) => !withheld.includes(name));
  const direct = [own.NO_PROXY ?? own.no_proxy, '127.0.0.1', 'localhost'].filter(Boolean).join(',');
  return {
    ...Object.fromEntries(inherited),
    NO_PROXY: direct, // the mock is on this machine, wherever other calls have to go
    no_proxy: direct,
    ...variables,
  };
}

/** In characters. */
const KEPT = 64 * 1024;

/**
 * Reads both streams to their end, so that no client waits for a reader. Returns a function for the last of what was printed
 * so far. It begins after the first space, so that no half of a secret is kept.
 */
export function keepOutput(...streams: readonly Readable[]): () => string {
  let last = '';
  let isCut = false;
  for (const stream of streams)
    stream
      .setEncoding('utf8') // a character may come in two pieces
      .on('data', (chunk: string) => {
        isCut ||= last.length + chunk.length > KEPT;
        last = (last + chunk).slice(-KEPT);
      })
      .on('error', () => {}); // the client is gone
  return () => (isCut ? `… earlier output is left out\n${last.replace(/^\S+/, '')}` : last);
}

/** The output of a client without the secrets and tokens that are registered, and without control sequences. */
export const redactOutput = (text: string, secrets: Secrets): string =>
  visible(secrets.redact(stripVTControlCharacters(text)));

/** A longer line is something else. */
const LONGEST = 200;

/** Calls `report` for each line such as `{"records": 20}` among what a reader of a feed prints. `stream` is text. */
export function readStatements(stream: Readable, report: (records: number) => void): void {
  let rest = '';
  stream.on('data', (chunk: string) => {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop() ?? '';
    if (rest.length > LONGEST) rest = rest.slice(0, LONGEST + 1); // the line stays too long
    for (const line of lines) {
      const records = recordsIn(line);
      if (records !== undefined) report(records);
    }
  });
}

function recordsIn(line: string): number | undefined {
  if (line.length > LONGEST || !line.trimStart().startsWith('{')) return undefined;
  try {
    const { records } = JSON.parse(line);
    return Number.isInteger(records) && records >= 0 ? records : undefined;
  } catch {
    return undefined;
  }
}
