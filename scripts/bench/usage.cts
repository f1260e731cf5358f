/**
 * Loaded into every server before its own code, since programs of others cannot be changed: reports what the
 * process and its workers have used whenever it is asked, and ends it with whoever started it.
 */
const cluster: typeof import('node:cluster').default = require('node:cluster');

process.on('message', async (message) => {
  if (message !== 'usage') return;
  const { user, system } = process.cpuUsage();
  const cpuSeconds = (user + system) / 1e6;
  const own = { isUsage: true, cpuSeconds, rssBytes: process.memoryUsage.rss(), processes: [cpuSeconds] };
  const all = [own, ...(await Promise.all(Object.values(cluster.workers ?? {}).map(usageOf)))];
  process.send?.({
    isUsage: true,
    cpuSeconds: all.reduce((sum, one) => sum + one.cpuSeconds, 0),
    rssBytes: all.reduce((sum, one) => sum + one.rssBytes, 0),
    processes: all.flatMap((one) => one.processes),
  });
});
process.once('disconnect', () => process.exit());

interface Used {
  isUsage?: boolean;
  cpuSeconds: number;
  rssBytes: number;
  processes: number[];
}

/** A worker has this file, too. */
function usageOf(worker: import('node:cluster').Worker | undefined): Promise<Used> {
  return new Promise((resolve) => {
    worker?.on('message', function hear(reply: Used) {
      if (!reply.isUsage) return;
      worker.off('message', hear);
      resolve(reply);
    });
    worker?.send('usage');
  });
}
