/** Sends requests, in a process of its own, so that nothing else takes its time. */
import autocannon from 'autocannon';

export type Until = { seconds: number } | { requests: number };

export interface Order {
  url: string;
  headers: Record<string, string>;
  connections: number;
  /** How many requests are under way on each connection. */
  pipelining: number;
  until: Until;
  /** Whether to report how long each request took. */
  timed: boolean;
}

export interface Sent {
  requests: number;
  seconds: number;
  /** Requests without an answer 200 to 299. */
  failed: number;
  /** CPU time of this process. */
  generatorCpuSeconds: number;
  /** Of each request, if `timed`. */
  latenciesMs: number[];
}

process.on('message', async (order: Order) => process.send?.(await carryOut(order)));
process.once('disconnect', () => process.exit());

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
