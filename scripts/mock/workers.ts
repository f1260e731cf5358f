/** The first of several processes that serve one address: it starts the workers, replaces those that die, and ends them. */
import cluster, { type Worker } from 'node:cluster';
import { randomBytes } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import { UsageError } from '../../tests/support/usage-error.ts';
import type { MockFlags } from '../commands/mock-flags.ts';
import { writeReadyFile } from './ready-file.ts';
import type { Keys } from './start-from-flags.ts';
import type { FromWorker, ToWorker } from './worker-message.ts';

type Listening = Extract<FromWorker, { kind: 'ready' }>;

/** Replacements in a row that end before they listen, after which the mock ends. */
const MOST_FAILURES = 5;
/** Before the second attempt to replace a worker; doubled for each one after it. */
const FIRST_DELAY_MS = 500;

/** Serves until the process is ended. Throws UsageError for faults that the user can fix. */
export async function runWorkers(flags: MockFlags, { tokenKey, controlKey }: Keys): Promise<void> {
  cluster.setupPrimary({ serialization: 'advanced' }); // The key is bytes.
  const crew = createCrew({
    tokenKey: tokenKey ?? randomBytes(32),
    controlKey: controlKey ?? randomBytes(24).toString('base64url'),
  });
  let removeReadyFile: (() => void) | undefined;
  try {
    const { ready, opening } = await crew.start(); // By itself, so that a wrong option is reported once.
    await Promise.all(Array.from({ length: flags.workers - 1 }, crew.start));
    const ended = new Promise((resolve) => process.once('SIGINT', resolve).once('SIGTERM', resolve));
    removeReadyFile = flags.readyFile === undefined ? undefined : writeReadyFile(flags.readyFile, ready);
    console.log(opening);
    crew.print();
    await Promise.race([ended, crew.failed]);
  } finally {
    removeReadyFile?.();
    await crew.end();
  }
}

/** The workers that run. */
function createCrew(keys: Keys) {
  const workers = new Set<Worker>();
  let url: string | undefined;
  /** Undefined: that of the options. */
  let port: number | undefined;
  let isPrinting = false;
  const ending = new AbortController();
  /** Replacements that ended before they listened, since one that listened. */
  let failures = 0;
  let fail: (error: unknown) => void = () => {};
  const failed = new Promise<never>((_, reject) => {
    fail = reject;
  });
  failed.catch(() => {}); // It is only raced with the end.

  /** Resolves once the worker listens; it is replaced if it dies after that. Throws UsageError if it dies before. */
  function start(): Promise<Listening> {
    const worker = cluster.fork();
    workers.add(worker);
    return new Promise((resolve, reject) => {
      let isListening = false;
      worker.on('error', () => {}); // A message to a worker that has just died; its exit is handled below.
      worker.on('message', (message: FromWorker) => {
        if (message.kind === 'loaded')
          send(
            worker,
            ending.signal.aborted ? { kind: 'end' } : { kind: 'start', keys, port, pid: process.pid },
          );
        if (message.kind !== 'ready' || ending.signal.aborted) return;
        url ??= message.ready.url;
        if (url !== message.ready.url) {
          // None was left that listened, and with --port 0 the system chose another port.
          port = Number(new URL(url).port);
          worker.removeAllListeners('exit').once('exit', () => workers.delete(worker));
          worker.kill('SIGKILL');
          return resolve(start());
        }
        isListening = true;
        failures = 0;
        if (isPrinting) send(worker, { kind: 'print' });
        resolve(message);
      });
      worker.once('exit', (code: number, signal: string | null) => {
        workers.delete(worker);
        const which = `A worker (process ${worker.process.pid}) ended`;
        const how = signal ?? `exit code ${code}`;
        if (ending.signal.aborted) return;
        if (!isListening)
          return reject(
            new UsageError(
              `${which} before it listened (${how}). ${signal ? KILLED : 'What it printed says why.'}`,
            ),
          );
        console.error(`${which} (${how}). Another one takes its place.`);
        replace().catch(fail);
      });
    });
  }

  /** Resolves once another worker listens. Throws UsageError after the last attempt. */
  async function replace(): Promise<void> {
    for (;;) {
      try {
        await start();
        return;
      } catch (error) {
        const { message } = error as UsageError;
        if (++failures >= MOST_FAILURES)
          throw new UsageError(`${message} It was the last of ${failures} attempts to replace a worker.`);
        const delayMs = FIRST_DELAY_MS * 2 ** (failures - 1);
        console.error(`${message} Another one starts in ${delayMs / 1000} s.`);
        await setTimeout(delayMs, undefined, ending);
      }
    }
  }

  return {
    start,
    /** Rejects if a worker could not be replaced. */
    failed,
    /** Lets the workers print their calls. */
    print() {
      isPrinting = true;
      for (const worker of workers) send(worker, { kind: 'print' });
    },
    /** Resolves once all have ended. */
    async end(): Promise<void> {
      ending.abort();
      const all = [...workers].map(exited);
      for (const worker of workers) send(worker, { kind: 'end' });
      await Promise.all(all);
    },
  };
}

const KILLED =
  'Something else ended it, as the system does when memory runs out: with fewer workers, less is needed.';

/** Resolves once the worker has ended. The function `once` of Node would reject if a message to a dead worker fails. */
const exited = (worker: Worker): Promise<void> =>
  new Promise((resolve) => worker.once('exit', () => resolve()));

function send(worker: Worker, message: ToWorker): void {
  if (worker.isConnected()) worker.send(message);
}
