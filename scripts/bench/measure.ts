/** The measurements, in rounds: each round measures every server, so that a disturbance affects all. */
import { answerTo, questionTo } from './answer.ts';
import { type Generator, startGenerator, type Until } from './generator.ts';
import { bareProgram, mockProgram, prismProgram, quietProgram } from './programs.ts';
import type { Start, Turn } from './results.ts';
import { type Round, watchOthers } from './rounds.ts';
import { type Name, type Program, type RunningServer, startServer } from './server.ts';
import { quantile } from './spread.ts';

/** Many short rounds, since disturbances come and go; only the quietest count, `kept` of them. */
export const PLAN = {
  starts: { rounds: 7, kept: 5 },
  load: { rounds: 30, kept: 12, seconds: 0.3 },
  warmUpSeconds: 4,
  connections: 10,
  /** Requests under way on each: with one, a fast server would wait for the load. */
  pipelining: 10,
  /** Of a single client, in each round. */
  timedRequests: 500,
  /** Of the mock, in all. */
  requests: 1_000_000,
} as const;

export interface Measured {
  starts: Round<Start>[];
  turns: Round<Turn>[];
  /** Of the mock, in bytes. */
  memory: { warm: number; million: number };
}

/** Reports its progress. Throws UsageError if a server fails. */
export async function measure(report: (what: string) => void): Promise<Measured> {
  await using mock = await startServer(mockProgram);
  const question = await questionTo(mock.url);
  const bareOne = bareProgram(await answerTo(question));
  const starts = await measureStarts([mockProgram, bareOne, prismProgram, quietProgram], report);

  await using bare = await startServer(bareOne);
  await using prism = await startServer(prismProgram);
  await using quiet = await startServer(quietProgram);
  await using generator = startGenerator(question.headers);
  const servers = [mock, bare, prism, quiet];
  for (const server of servers) {
    report(`warm-up: ${server.name}`);
    await send(generator, server, { seconds: PLAN.warmUpSeconds });
  }
  const { rssBytes: warm } = await mock.usage();
  const turns = await measureLoad(servers, generator, report);

  report(`the mock: up to ${PLAN.requests} requests`);
  const left = PLAN.requests - generator.sent('mock');
  if (left > 0) await send(generator, mock, { requests: left });
  return { starts, turns, memory: { warm, million: (await mock.usage()).rssBytes } };
}

async function measureStarts(programs: Program[], report: (what: string) => void): Promise<Round<Start>[]> {
  return inRounds(PLAN.starts.rounds, programs, async (program, round) => {
    report(`start ${round} of ${PLAN.starts.rounds}: ${program.name}`);
    const othersIn = watchOthers();
    await using server = await startServer(program);
    const { cpuSeconds, rssBytes } = await server.usage();
    return { others: othersIn(cpuSeconds), figures: { start: server.startMs, memoryStarted: rssBytes } };
  });
}

async function measureLoad(
  servers: RunningServer[],
  generator: Generator,
  report: (what: string) => void,
): Promise<Round<Turn>[]> {
  const { rounds, seconds } = PLAN.load;
  return inRounds(rounds, servers, async (server, round) => {
    report(`round ${round} of ${rounds}: ${server.name}`);
    const othersIn = watchOthers();
    const loaded = await send(generator, server, { seconds });
    const until = { requests: PLAN.timedRequests };
    const { latenciesMs, ...single } = await generator.load(server, {
      connections: 1,
      pipelining: 1,
      until,
      timed: true,
    });
    const own = [loaded, single].reduce((sum, one) => sum + one.cpuSeconds + one.generatorCpuSeconds, 0);
    const figures = {
      requestsPerSecond: loaded.requests / loaded.seconds,
      cpuPerRequest: (loaded.cpuSeconds / loaded.requests) * 1e6,
      coresInUse: loaded.cpuSeconds / loaded.seconds,
      p50: quantile(latenciesMs, 0.5),
      p99: quantile(latenciesMs, 0.99),
      memoryLoaded: (await server.usage()).rssBytes,
    };
    return { others: othersIn(own), figures };
  });
}

const send = (generator: Generator, server: RunningServer, until: Until) =>
  generator.load(server, {
    connections: PLAN.connections,
    pipelining: PLAN.pipelining,
    until,
    timed: false,
  });

/** Each round starts with another server, since a turn may affect the next one. */
async function inRounds<Item extends { name: Name }, Figures>(
  count: number,
  items: readonly Item[],
  turn: (item: Item, round: number) => Promise<{ others: number; figures: Figures }>,
): Promise<Round<Figures>[]> {
  const rounds: Round<Figures>[] = [];
  for (let round = 1; round <= count; round++) {
    const first = round % items.length;
    const of: Partial<Record<Name, Figures>> = {};
    let most = 0;
    for (const item of [...items.slice(first), ...items.slice(0, first)]) {
      const { others, figures } = await turn(item, round);
      of[item.name] = figures;
      most = Math.max(most, others);
    }
    rounds.push({ others: most, of: of as Round<Figures>['of'] });
  }
  return rounds;
}
