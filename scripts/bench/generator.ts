/** The load on a server, and what the server used for it. */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { UsageError } from '../../tests/support/usage-error.ts';
import type { Order, Sent, Until } from './load.ts';
import type { RunningServer } from './server.ts';

export type { Until };

export interface Load extends Sent {
  /** CPU time of the server, all of its threads and processes. */
  cpuSeconds: number;
  /** CPU time of the process that used most. */
  busiestCpuSeconds: number;
}

export interface Generator extends AsyncDisposable {
  /** Throws UsageError if a request is not answered with success: it would be another measurement. */
  load(server: RunningServer<string>, order: Omit<Order, 'url' | 'headers'>): Promise<Load>;
  /** How many requests this server has answered so far. */
  sent(name: string): number;
}

/** One for all servers, so that it is as warm for the first as for the last. */
export function startGenerator(headers: Order['headers']): Generator {
  const child = fork(fileURLToPath(new URL('./load.js', import.meta.url)));
  const closed = once(child, 'close');
  const broken = closed.then(() => {
    throw new UsageError('The load generator ended. What it printed above says why.');
  });
  broken.catch(() => {}); // It also ends when it is stopped.

  const answered = new Map<string, number>();

  return {
    sent: (name) => answered.get(name) ?? 0,
    async load(server, order) {
      const before = await server.usage();
      const reply = once(child, 'message');
      child.send({ ...order, url: `${server.url}/ods_data/`, headers } satisfies Order);
      const [sent]: Sent[] = await Promise.race([reply, broken]);
      const after = await server.usage();
      if (!sent || sent.failed > 0 || sent.requests === 0)
        throw new UsageError(
          `${server.name} left ${sent?.failed} requests without a success, next to ${sent?.requests} answers.`,
        );
      answered.set(server.name, this.sent(server.name) + sent.requests);
      const each = after.processes.map((seconds, at) => seconds - (before.processes[at] ?? 0));
      const cpuSeconds = after.cpuSeconds - before.cpuSeconds;
      return { ...sent, cpuSeconds, busiestCpuSeconds: Math.max(...each) };
    },
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL');
      await closed;
    },
  };
}
