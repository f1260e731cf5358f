/** The load on a server, which a process of its own sends, and what the server used for it. */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import autocannon from 'autocannon';
import { UsageError } from '../../tests/support/usage-error.ts';
import { quantile } from './figure.ts';
import type { Turn } from './rounds.ts';
import type { Question, RunningServer } from './server.ts';

interface Order extends Question {
  connections: number;
  /** How many requests are under way on each connection: with one, a fast server would wait for the load. */
  pipelining: number;
  until: { seconds: number } | { requests: number };
  /** Whether to report how long each request took. */
  timed?: boolean;
}

interface Sent {
  requests: number;
  seconds: number;
  /** Requests without an answer 200 to 299. */
  failed: number;
  /** CPU time of the process that sends. */
  generatorCpuSeconds: number;
  /** Of each request, if `timed`. */
  latenciesMs: number[];
}

/** `cpuPerRequest` is in microseconds, p50 and p99 are those of the single client in milliseconds. */
export type LoadMeasure = 'requestsPerSecond' | 'cpuPerRequest' | 'coresInUse' | 'p50' | 'p99';

/** One for all servers, so that it is as warm for the first as for the last. */
export function startGenerator(headers: Question['headers']) {
  const child = fork(fileURLToPath(import.meta.url));
  const closed = once(child, 'close');
  const broken = closed.then(() => {
    throw new UsageError('The load generator ended. What it printed above says why.');
  });
  broken.catch(() => {}); // It also ends when it is stopped.

  /** Throws UsageError if a request is not answered with success: it would be another measurement. */
  async function load(server: RunningServer, order: Omit<Order, keyof Question>) {
    const before = await server.usage();
    const reply = once(child, 'message');
    child.send({ ...order, url: `${server.url}/ods_data/`, headers } satisfies Order);
    const [sent]: Sent[] = await Promise.race([reply, broken]);
    const after = await server.usage();
    if (!sent || sent.failed > 0 || sent.requests === 0)
      throw new UsageError(
        `${server.name} left ${sent?.failed} requests without a success, next to ${sent?.requests} answers.`,
      );
    return { ...sent, cpuSeconds: after.cpuSeconds - before.cpuSeconds };
  }

  return {
    load,
    /** After the load, a single client waits for each answer, and times it. */
    async turn(
      server: RunningServer,
      plan: { connections: number; pipelining: number; seconds: number; timedRequests: number },
    ): Promise<Turn<LoadMeasure>> {
      const { connections, pipelining, seconds, timedRequests } = plan;
      const many = await load(server, { connections, pipelining, until: { seconds } });
      const until = { requests: timedRequests };
      const single = await load(server, { connections: 1, pipelining: 1, until, timed: true });
      return {
        own: [many, single].reduce((sum, one) => sum + one.cpuSeconds + one.generatorCpuSeconds, 0),
        figures: {
          requestsPerSecond: many.requests / many.seconds,
          cpuPerRequest: (many.cpuSeconds / many.requests) * 1e6,
          coresInUse: many.cpuSeconds / many.seconds,
          p50: quantile(single.latenciesMs, 0.5),
          p99: quantile(single.latenciesMs, 0.99),
        },
      };
    },
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL');
      await closed;
    },
  };
}

async function carryOut({ url, headers, connections, pipelining, until, timed }: Order): Promise<Sent> {
  const latenciesMs: number[] = [];
  const before = process.cpuUsage();
  const { requests, errors, non2xx, start, finish } = await autocannon({
    url,
    headers,
    connections,
    pipelining,
    sampleInt: 50, // In milliseconds: it ends with a sample.
    ...('seconds' in until ? { duration: until.seconds } : { amount: until.requests }),
    // The latencies that it reports itself are in whole milliseconds.
    ...(timed && {
      setupClient: (client) => client.on('response', (_status, _bytes, ms) => latenciesMs.push(ms)),
    }),
  });
  const seconds = (finish.getTime() - start.getTime()) / 1000;
  const { user, system } = process.cpuUsage(before);
  const generatorCpuSeconds = (user + system) / 1e6;
  return { requests: requests.total, seconds, failed: errors + non2xx, latenciesMs, generatorCpuSeconds };
}

// The process that sends.
if (process.argv[1] === fileURLToPath(import.meta.url)) {
  process.on('message', async (order: Order) => process.send?.(await carryOut(order)));
  process.once('disconnect', () => process.exit());
}
