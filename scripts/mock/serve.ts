/** Serves until the process is ended: in this process, or in several workers. */
import cluster from 'node:cluster';
import type { MockFlags } from '../commands/mock-flags.ts';
import { writeReadyFile } from './ready-file.ts';
import { givenControlKey, printCalls, startFromFlags } from './start-from-flags.ts';
import { givenTokenKey } from './token-key.ts';
import { work } from './worker.ts';
import { runWorkers } from './workers.ts';

/** Throws UsageError or MockError for faults that the user can fix. */
export async function serve(flags: MockFlags): Promise<void> {
  if (cluster.isWorker) return work(flags);
  const keys = { tokenKey: givenTokenKey(flags.tokenKey, process.env), controlKey: givenControlKey() };
  if (flags.workers > 1) return runWorkers(flags, keys);
  const { mock, ready, opening } = await startFromFlags(flags, keys);
  try {
    const removeReadyFile =
      flags.readyFile === undefined ? undefined : writeReadyFile(flags.readyFile, ready);
    console.log(opening);
    printCalls(mock, flags);
    await new Promise((resolve) => process.once('SIGINT', resolve).once('SIGTERM', resolve));
    removeReadyFile?.();
  } finally {
    await mock.close();
  }
}
