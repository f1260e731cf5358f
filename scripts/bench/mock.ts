/** What the mock costs, next to a bare server that sends the same bytes and to Prism on the same contract. */
import { createRequire } from 'node:module';
import { type Goal, inWords, ratioOf, renderGoals, spreadOf } from './figure.ts';
import { type LoadMeasure, startGenerator } from './load.ts';
import { inRounds, quietest, type Round, valuesIn } from './rounds.ts';
import { answerTo, bareProgram, mockProgram, type Program, questionTo, startServer } from './server.ts';

const NAMES = ['mock', 'bare', 'prism', 'quiet'] as const;
type Name = (typeof NAMES)[number];

/** `start` is in milliseconds, to the first answer; memory is in bytes, after that answer and after the load. */
type StartMeasure = 'start' | 'memoryStarted';
type TurnMeasure = LoadMeasure | 'memoryLoaded';

/** Many short rounds, since disturbances come and go; only the quietest count, `kept` of them. */
const PLAN = {
  starts: { rounds: 7, kept: 5 },
  load: { rounds: 30, kept: 12, seconds: 0.3, connections: 10, pipelining: 10, timedRequests: 500 },
  warmUpSeconds: 4,
} as const;

export interface MockResults {
  starts: Round<Name, StartMeasure>[];
  turns: Round<Name, TurnMeasure>[];
}

/** In one process, as the mock; else as its users start it. */
const prismProgram = <Of extends Name>(name: Of, ...options: string[]): Program<Of> => ({
  name,
  args: (port) => [
    ...[createRequire(import.meta.url).resolve('@stoplight/prism-cli'), 'mock', '-m', 'false'],
    ...[...options, '-p', String(port), 'openapi.yaml'],
  ],
});

/** Reports its progress. Throws UsageError if a server fails. */
export async function measureMock(report: (what: string) => void): Promise<MockResults> {
  await using mock = await startServer(mockProgram);
  const question = await questionTo(mock.url);
  const bareOne = bareProgram(await answerTo(question));
  const prismOne = prismProgram('prism');
  const quietOne = prismProgram('quiet', '-v', 'error');
  const programs: Program<Name>[] = [mockProgram, bareOne, prismOne, quietOne];
  const starts = await inRounds(PLAN.starts.rounds, programs, async (program, round) => {
    report(`start ${round} of ${PLAN.starts.rounds}: ${program.name}`);
    await using server = await startServer(program);
    const { cpuSeconds, rssBytes } = await server.usage();
    return { own: cpuSeconds, figures: { start: server.startMs, memoryStarted: rssBytes } };
  });

  await using bare = await startServer(bareOne);
  await using prism = await startServer(prismOne);
  await using quiet = await startServer(quietOne);
  await using generator = startGenerator(question.headers);
  const { connections, pipelining, rounds } = PLAN.load;
  const servers = [mock, bare, prism, quiet];
  for (const server of servers) {
    report(`warm-up: ${server.name}`);
    await generator.load(server, { connections, pipelining, until: { seconds: PLAN.warmUpSeconds } });
  }
  const turns = await inRounds(rounds, servers, async (server, round) => {
    report(`round ${round} of ${rounds}: ${server.name}`);
    const { own, figures } = await generator.turn(server, PLAN.load);
    return { own, figures: { ...figures, memoryLoaded: (await server.usage()).rssBytes } };
  });
  return { starts, turns };
}

/** With less of a core than this a server had time left: its throughput is that of the load. */
const SATURATED = 0.9;

/** What the mock shall reach, as ratios, which hold on a fast machine and on a slow one; and the text next to it. */
export function judgeMock({ starts, turns }: MockResults): { goals: Goal[]; text: string } {
  const counted = {
    starts: quietest(starts, PLAN.starts.kept),
    turns: quietest(turns, PLAN.load.kept),
  };
  const start = valuesIn(counted.starts);
  const turn = valuesIn(counted.turns);
  const idle = NAMES.filter((name) => spreadOf(turn(name, 'coresInUse')).median < SATURATED);

  function throughput(than: Name, least?: number): Goal {
    const byCpu = idle.includes('mock') || idle.includes(than);
    const ratio = byCpu
      ? ratioOf(turn(than, 'cpuPerRequest'), turn('mock', 'cpuPerRequest'))
      : ratioOf(turn('mock', 'requestsPerSecond'), turn(than, 'requestsPerSecond'));
    const figure = `${inWords(ratio)}${byCpu ? ' by CPU time' : ''}`;
    if (least === undefined) return { what: `requests per second : ${than}`, figure };
    return { what: `requests per second ≥ ${least} × ${than}`, figure, met: ratio.median >= least };
  }
  function atMost(most: number, what: string, values: (name: Name) => number[]): Goal {
    const ratio = ratioOf(values('mock'), values('prism'));
    const bound = most === 1 ? 'prism' : `${most} × prism`;
    return { what: `${what} ≤ ${bound}`, figure: inWords(ratio), met: ratio.median <= most };
  }
  const goals = [
    throughput('bare', 0.75),
    throughput('prism', 10),
    throughput('quiet'),
    atMost(0.7, 'start', (name) => start(name, 'start')),
    atMost(1, 'memory, started', (name) => start(name, 'memoryStarted')),
    atMost(1, 'memory, under load', (name) => turn(name, 'memoryLoaded')),
  ];

  const rows: [label: string, values: (name: Name) => number[], show: (value: number) => string][] = [
    ['requests a second', (name) => turn(name, 'requestsPerSecond'), whole],
    ['CPU per request', (name) => turn(name, 'cpuPerRequest'), (micros) => `${micros.toFixed(1)} µs`],
    ['cores in use', (name) => turn(name, 'coresInUse'), (cores) => cores.toFixed(2)],
    ['p50, one client', (name) => turn(name, 'p50'), milliseconds],
    ['p99, one client', (name) => turn(name, 'p99'), milliseconds],
    ['start', (name) => start(name, 'start'), milliseconds],
    ['memory, started', (name) => start(name, 'memoryStarted'), megabytes],
    ['memory, under load', (name) => turn(name, 'memoryLoaded'), megabytes],
  ];
  const lines = rows.map(([label, values, show]) => [
    label.padEnd(18),
    ...NAMES.map((name) => show(spreadOf(values(name)).median).padStart(8)),
    ...(label === 'cores in use' ? [] : (['bare', 'prism'] as const)).map((than) =>
      inWords(ratioOf(values('mock'), values(than))).padStart(12),
    ),
  ]);
  const head = [' '.repeat(18), ...NAMES.map((name) => name.padStart(8)), '     to bare', '    to prism'];

  const others = Math.max(...[...counted.starts, ...counted.turns].map((round) => round.others));
  const doubts = [
    ...idle.map((name) => `${name} was not saturated: go by its CPU per request.`),
    ...(others < 0.1 ? [] : [`Other programs had up to ${others.toFixed(2)} cores in use meanwhile.`]),
  ];
  const { load } = PLAN;
  const text = `GET /ods_data/ with a valid token, ${load.connections} connections, ${load.pipelining} requests under way on each

${[head, ...lines].map((cells) => cells.join(' ')).join('\n')}

prism is prism mock; quiet is the same with -v error, without a log of requests.
Medians: of the ${load.kept} quietest of ${load.rounds} rounds, for the start of ${PLAN.starts.kept} of ${PLAN.starts.rounds}. A ratio
is taken within a round; half of all lie within ±. One client waits for each
answer.
${doubts.length > 0 ? `\n${doubts.join('\n')}\n` : ''}
${renderGoals(goals)}`;
  return { goals, text };
}

const whole = (value: number): string => Math.round(value).toLocaleString('en').replaceAll(',', ' ');
const megabytes = (bytes: number): string =>
  bytes < 1e10 ? `${whole(bytes / 1e6)} MB` : `${(bytes / 1e9).toFixed(1)} GB`;
const milliseconds = (ms: number): string =>
  ms < 1e4 ? `${ms < 10 ? ms.toFixed(2) : whole(ms)} ms` : `${(ms / 1000).toFixed(1)} s`;
