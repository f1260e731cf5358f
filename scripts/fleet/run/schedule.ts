/** Runs jobs side by side, but never two of the same host. */

export interface Job {
  /** Undefined where it shares nothing with others. */
  host: string | undefined;
  run(): Promise<void>;
}

/**
 * Starts jobs in their order, at most `atOnce` at a time; none after `signal` is aborted or a job rejects. Rejects as the
 * first that does, when all that run have ended.
 */
export async function runJobs(jobs: readonly Job[], atOnce: number, signal: AbortSignal): Promise<void> {
  const waiting = [...jobs];
  const busy = new Set<string>();
  const running = new Set<Promise<void>>();
  const failures: unknown[] = [];
  const isFree = ({ host }: Job) => host === undefined || !busy.has(host);
  while (!signal.aborted && failures.length === 0) {
    const at = running.size < atOnce ? waiting.findIndex(isFree) : -1;
    if (at === -1) {
      if (running.size === 0) return;
      await Promise.race(running);
      continue;
    }
    const [job] = waiting.splice(at, 1);
    if (!job) return;
    const { host } = job;
    if (host !== undefined) busy.add(host);
    const ended: Promise<void> = job
      .run()
      .catch((error: unknown) => {
        failures.push(error);
      })
      .finally(() => {
        running.delete(ended);
        if (host !== undefined) busy.delete(host);
      });
    running.add(ended);
  }
  await Promise.all(running);
  if (failures.length > 0) throw failures[0];
}
