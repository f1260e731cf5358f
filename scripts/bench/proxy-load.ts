/** What `mrs proxy` costs, next to a bare proxy and to no proxy. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { answerTo, questionTo } from './answer.ts';
import { type Generator, startGenerator } from './generator.ts';
import { bareProgram, mockProgram } from './programs.ts';
import { watchOthers } from './rounds.ts';
import { type RunningServer, startServer } from './server.ts';
import { quantile, ratioOf, type Spread } from './spread.ts';
import { inWords } from './table.ts';

export const PROXY_PLAN = {
  rounds: 14,
  kept: 7,
  seconds: 0.6,
  warmUpRequests: 8000,
  timedRequests: 500,
} as const;
/** Of the requests a second of a bare proxy. */
const LEAST = 0.5;
/** To the p99 of a client that waits for each answer. */
const MOST_ADDED_MS = 2;

/** `mrs proxy` and the bare proxy, each in front of the bare server, and that server. */
type Of = 'proxy' | 'plain' | 'direct';

interface Figures {
  requestsPerSecond: number;
  /** In a second of its own CPU time: the service and the load share the cores. */
  requestsPerBusySecond: number;
  /** Of a client that waits for each answer, in milliseconds. */
  p99: number;
}

export interface ProxyRound {
  /** How many cores other programs had in use, in the turn that they disturbed most. */
  others: number;
  of: Record<Of, Figures>;
}

export async function measureProxy(report: (what: string) => void): Promise<ProxyRound[]> {
  const folder = mkdtempSync(join(tmpdir(), 'mrs-bench-'));
  const at = (path: string) => fileURLToPath(new URL(path, import.meta.url));
  try {
    const { question, answer } = await exampleOf();
    await using service = await startServer(bareProgram(answer));
    const target = service.url;
    await using proxy = await startServer<Of>({
      name: 'proxy',
      args: (port) => [
        ...[at('../mrs.js'), 'proxy', '--target', target, '--port', String(port)],
        ...['--no-control', '--quiet', '--report-dir', folder],
      ],
    });
    await using plain = await startServer<Of>({
      name: 'plain',
      args: (port) => [at('./bare-proxy.js'), String(port), target],
    });
    const direct: RunningServer<Of> = { ...service, name: 'direct' };
    await using generator = startGenerator(question.headers);
    const servers = [proxy, plain, direct];
    for (const server of servers)
      await generator.load(server, { ...LOAD, until: { requests: PROXY_PLAN.warmUpRequests } });
    const rounds: ProxyRound[] = [];
    for (let round = 1; round <= PROXY_PLAN.rounds; round++) {
      report(`proxy, round ${round} of ${PROXY_PLAN.rounds}`);
      const first = round % servers.length;
      const of: Partial<ProxyRound['of']> = {};
      let most = 0;
      for (const server of [...servers.slice(first), ...servers.slice(0, first)]) {
        const othersIn = watchOthers();
        const before = (await service.usage()).cpuSeconds;
        const { own, ...figures } = await turn(generator, server);
        const ofService = server === direct ? 0 : (await service.usage()).cpuSeconds - before;
        of[server.name] = figures;
        most = Math.max(most, othersIn(own + ofService));
      }
      rounds.push({ others: most, of: of as ProxyRound['of'] });
    }
    return rounds;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const LOAD = { connections: 10, pipelining: 1, timed: false } as const;

/** What a client asks the mock, and what it answers. */
async function exampleOf() {
  await using mock = await startServer(mockProgram);
  const question = await questionTo(mock.url);
  return { question, answer: await answerTo(question) };
}

async function turn(generator: Generator, server: RunningServer<Of>): Promise<Figures & { own: number }> {
  const load = await generator.load(server, { ...LOAD, until: { seconds: PROXY_PLAN.seconds } });
  const until = { requests: PROXY_PLAN.timedRequests };
  const single = await generator.load(server, { connections: 1, pipelining: 1, until, timed: true });
  return {
    requestsPerSecond: load.requests / load.seconds,
    requestsPerBusySecond: load.requests / load.cpuSeconds,
    p99: quantile(single.latenciesMs, 0.99),
    own: [load, single].reduce((sum, one) => sum + one.cpuSeconds + one.generatorCpuSeconds, 0),
  };
}

export interface ProxyGoals {
  /** To the bare proxy, by CPU time. */
  toPlain: Spread;
  /** The same by requests per second. */
  onThisMachine: Spread;
  /** By how much it raises the p99 of a client that waits for each answer, in milliseconds. */
  addedMs: number;
  plainAddedMs: number;
  met: readonly boolean[];
}

export function proxyGoals(rounds: readonly ProxyRound[]): ProxyGoals {
  const ratio = (figure: 'requestsPerSecond' | 'requestsPerBusySecond'): Spread =>
    ratioOf(
      rounds.map(({ of }) => of.proxy[figure]),
      rounds.map(({ of }) => of.plain[figure]),
    );
  const added = (by: 'proxy' | 'plain') =>
    quantile(
      rounds.map(({ of }) => of[by].p99 - of.direct.p99),
      0.5,
    );
  const toPlain = ratio('requestsPerBusySecond');
  const addedMs = added('proxy');
  return {
    toPlain,
    onThisMachine: ratio('requestsPerSecond'),
    addedMs,
    plainAddedMs: added('plain'),
    met: [toPlain.median >= LEAST, addedMs < MOST_ADDED_MS],
  };
}

export function renderProxy({ toPlain, onThisMachine, addedMs, plainAddedMs, met }: ProxyGoals): string {
  const mark = (isMet: boolean | undefined) => (isMet ? '✓ met   ' : '✗ missed');
  const line = (sign: string, what: string, figure: string) => `${sign}  ${what.padEnd(35)}  ${figure}`;
  return [
    'mrs proxy, in front of the bare server, and a bare proxy there',
    '',
    line(mark(met[0]), `mrs proxy ≥ ${LEAST} × bare proxy, by CPU`, inWords(toPlain)),
    line('· shown ', 'the same, requests per second', inWords(onThisMachine)),
    line(mark(met[1]), `added to p99, one client < ${MOST_ADDED_MS} ms`, `${addedMs.toFixed(2)} ms`),
    line('· shown ', 'added by the bare proxy', `${plainAddedMs.toFixed(2)} ms`),
  ].join('\n');
}
