/** How much more two workers of the mock answer than one process, both with a token key. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { answerTo, questionTo } from './answer.ts';
import { type Generator, startGenerator, type Until } from './generator.ts';
import { bareProgram, mockProgram } from './programs.ts';
import { watchOthers } from './rounds.ts';
import { type Program, type RunningServer, startServer } from './server.ts';
import { ratioOf, type Spread } from './spread.ts';
import { inWords } from './table.ts';

export const WORKERS_PLAN = { rounds: 14, kept: 7, seconds: 0.6, warmUpRequests: 60_000 } as const;
const LEAST = 1.6;

/** Two workers, one process, and the bare server. */
type Of = 'two' | 'one' | 'bare';

interface Figures {
  requestsPerSecond: number;
  /** In a second of CPU time of the process that used most: what the server could answer with enough cores. */
  requestsPerBusySecond: number;
}

export interface WorkersRound {
  /** How many cores other programs had in use, in the turn that they disturbed most. */
  others: number;
  of: Record<Of, Figures>;
}

export async function measureWorkers(report: (what: string) => void): Promise<WorkersRound[]> {
  const folder = mkdtempSync(join(tmpdir(), 'mrs-bench-'));
  const key = join(folder, 'token.key');
  writeFileSync(key, 'k'.repeat(32));
  const program = (name: Of, ...options: string[]): Program<Of> => ({
    name,
    args: (port) => [...mockProgram.args(port), '--token-key', key, ...options],
  });
  try {
    await using one = await startServer(program('one'));
    await using two = await startServer(program('two', '--workers', '2'));
    const question = await questionTo(one.url); // Its token is valid on all.
    await using bare = await startServer(bareProgram(await answerTo(question)));
    await using generator = startGenerator(question.headers);
    const servers: readonly RunningServer<Of>[] = [one, two, bare];
    for (const server of servers) await send(generator, server, { requests: WORKERS_PLAN.warmUpRequests });
    const rounds: WorkersRound[] = [];
    for (let round = 1; round <= WORKERS_PLAN.rounds; round++) {
      report(`workers, round ${round} of ${WORKERS_PLAN.rounds}`);
      const first = round % servers.length;
      const of: Partial<WorkersRound['of']> = {};
      let most = 0;
      for (const server of [...servers.slice(first), ...servers.slice(0, first)]) {
        const { others, ...figures } = await turn(generator, server);
        of[server.name] = figures;
        most = Math.max(most, others);
      }
      rounds.push({ others: most, of: of as WorkersRound['of'] });
    }
    return rounds;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

async function turn(
  generator: Generator,
  server: RunningServer<string>,
): Promise<Figures & { others: number }> {
  const othersIn = watchOthers();
  const load = await send(generator, server, { seconds: WORKERS_PLAN.seconds });
  return {
    requestsPerSecond: load.requests / load.seconds,
    requestsPerBusySecond: load.requests / load.busiestCpuSeconds,
    others: othersIn(load.cpuSeconds + load.generatorCpuSeconds),
  };
}

const send = (generator: Generator, server: RunningServer<string>, until: Until) =>
  generator.load(server, { connections: 10, pipelining: 10, until, timed: false });

export interface ReplicaGoals {
  /** By the CPU time of the busiest process. */
  speedup: Spread;
  /** By requests per second, for which workers and load need a core each. */
  onThisMachine: Spread;
  /** One process without a journal, by requests per second. */
  toBare: Spread;
  met: boolean;
}

/** Two workers to one process, and one process to the bare server. */
export function replicaGoals(rounds: readonly WorkersRound[]): ReplicaGoals {
  const ratio = (first: Of, second: Of, figure: keyof Figures): Spread =>
    ratioOf(
      rounds.map(({ of }) => of[first][figure]),
      rounds.map(({ of }) => of[second][figure]),
    );
  const speedup = ratio('two', 'one', 'requestsPerBusySecond');
  return {
    speedup,
    onThisMachine: ratio('two', 'one', 'requestsPerSecond'),
    toBare: ratio('one', 'bare', 'requestsPerSecond'),
    met: speedup.median >= LEAST,
  };
}

export function renderReplicas({ speedup, onThisMachine, toBare, met }: ReplicaGoals): string {
  const line = (mark: string, what: string, spread: Spread) =>
    `${mark}  ${what.padEnd(35)}  ${inWords(spread)}`;
  return [
    'mrs mock --token-key, which has no journal: two workers, and one process',
    '',
    line(met ? '✓ met   ' : '✗ missed', `two workers ≥ ${LEAST} × one process`, speedup),
    line('· shown ', 'two : one, requests per second', onThisMachine),
    line('· shown ', 'one : bare, requests per second', toBare),
  ].join('\n');
}
