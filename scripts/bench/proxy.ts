/** What `mrs proxy` costs, next to a bare proxy and to no proxy. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Goal, inWords, quantile, ratioOf, renderGoals } from './figure.ts';
import { type LoadMeasure, startGenerator } from './load.ts';
import { inRounds, quietest, type Round, valuesIn } from './rounds.ts';
import { answerTo, at, bareProgram, mockProgram, questionTo, startServer } from './server.ts';

const PLAN = {
  ...{ rounds: 14, kept: 7, warmUpRequests: 8000 },
  ...{ connections: 10, pipelining: 1, seconds: 0.6, timedRequests: 500 },
} as const;
/** Of the requests a second of a bare proxy. */
const LEAST = 0.5;
/** To the p99 of a client that waits for each answer. */
const MOST_ADDED_MS = 2;

/** `mrs proxy` and the bare proxy, each in front of the bare server, and that server. */
export type ProxyRound = Round<'proxy' | 'plain' | 'direct', LoadMeasure>;

export async function measureProxy(report: (what: string) => void): Promise<ProxyRound[]> {
  const folder = mkdtempSync(join(tmpdir(), 'mrs-bench-'));
  try {
    const { question, answer } = await exampleOf();
    await using service = await startServer(bareProgram(answer));
    const target = service.url;
    await using proxy = await startServer({
      name: 'proxy' as const,
      args: (port) => [
        ...[at('../mrs.js'), 'proxy', '--target', target, '--port', String(port)],
        ...['--no-control', '--quiet', '--report-dir', folder],
      ],
    });
    await using plain = await startServer({
      name: 'plain' as const,
      args: (port) => [at('./bare.js'), String(port), target],
    });
    const servers = [proxy, plain, { ...service, name: 'direct' as const }];
    await using generator = startGenerator(question.headers);
    const { connections, pipelining, rounds } = PLAN;
    for (const server of servers)
      await generator.load(server, { connections, pipelining, until: { requests: PLAN.warmUpRequests } });
    return await inRounds(rounds, servers, async (server, round) => {
      report(`proxy, round ${round} of ${rounds}: ${server.name}`);
      const before = (await service.usage()).cpuSeconds;
      const { own, figures } = await generator.turn(server, PLAN);
      const ofService = server.name === 'direct' ? 0 : (await service.usage()).cpuSeconds - before;
      return { own: own + ofService, figures };
    });
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** What a client asks the mock, and what it answers. */
async function exampleOf() {
  await using mock = await startServer(mockProgram);
  const question = await questionTo(mock.url);
  return { question, answer: await answerTo(question) };
}

/** By CPU time, since the service and the load share the cores with the proxy. */
export function judgeProxy(rounds: readonly ProxyRound[]): { goals: Goal[]; text: string } {
  const values = valuesIn(quietest(rounds, PLAN.kept));
  const toPlain = ratioOf(values('plain', 'cpuPerRequest'), values('proxy', 'cpuPerRequest'));
  const onThisMachine = ratioOf(values('proxy', 'requestsPerSecond'), values('plain', 'requestsPerSecond'));
  const [added, plainAdded] = (['proxy', 'plain'] as const).map((by) => {
    const direct = values('direct', 'p99');
    return quantile(
      values(by, 'p99').map((p99, round) => p99 - (direct[round] ?? Number.NaN)),
      0.5,
    );
  }) as [number, number];
  const goals = [
    {
      what: `mrs proxy ≥ ${LEAST} × bare proxy, by CPU`,
      figure: inWords(toPlain),
      met: toPlain.median >= LEAST,
    },
    { what: 'the same, requests per second', figure: inWords(onThisMachine) },
    {
      what: `added to p99, one client < ${MOST_ADDED_MS} ms`,
      figure: `${added.toFixed(2)} ms`,
      met: added < MOST_ADDED_MS,
    },
    { what: 'added by the bare proxy', figure: `${plainAdded.toFixed(2)} ms` },
  ];
  return {
    goals,
    text: `mrs proxy, in front of the bare server, and a bare proxy there\n\n${renderGoals(goals)}`,
  };
}
