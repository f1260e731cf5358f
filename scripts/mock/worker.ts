/** One of several processes that serve the same address. */
import cluster from 'node:cluster';
import type { MockFlags } from '../commands/mock-flags.ts';
import { printCalls, startFromFlags } from './start-from-flags.ts';
import type { FromWorker, ToWorker } from './worker-message.ts';

/** Serves until the first process says that it should end, or has gone. Throws as `startFromFlags`. */
export async function work(flags: MockFlags): Promise<void> {
  // Ctrl-C reaches all processes; the first one ends the others, so that none is replaced.
  process.on('SIGINT', () => {}).on('SIGTERM', () => {});
  const ended = said('end');
  const started = said('start');
  const opened = said('print');
  send({ kind: 'loaded' });
  try {
    const order = await Promise.race([started, ended]);
    if (order.kind === 'end') return;
    const { keys, pid, port = flags.port } = order;
    const { mock, ready, opening } = await startFromFlags({ ...flags, port }, keys, pid);
    printCalls(mock, flags, (text) => void opened.then(() => process.stdout.write(text)));
    send({ kind: 'ready', ready, opening });
    await ended;
    await mock.close();
  } finally {
    cluster.worker?.disconnect();
  }
}

/** Resolves with the first message of this kind. */
function said<Kind extends ToWorker['kind']>(kind: Kind): Promise<Extract<ToWorker, { kind: Kind }>> {
  return new Promise((resolve) => {
    process.on('message', (message: ToWorker) => {
      if (message.kind === kind) resolve(message as Extract<ToWorker, { kind: Kind }>);
    });
  });
}

const send = (message: FromWorker): void => void process.send?.(message);
