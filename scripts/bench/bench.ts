/**
 * `npm run bench`: the commands, each next to the least that does the same. Where two are compared, it is by the processor
 * time that they use, which other programs do not change much.
 */
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { Agent, get } from 'node:http';
import { createRequire } from 'node:module';
import { type AddressInfo, connect, createServer as createListener } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import autocannon from 'autocannon';
import { Argument, Command, CommanderError } from 'commander';
import { writeFeed } from './feed.ts';
import type { Answers } from './programs.ts';

const programs = fileURLToPath(new URL('./programs.js', import.meta.url));
const mrs = fileURLToPath(new URL('../mrs.js', import.meta.url));
const prism = createRequire(import.meta.url).resolve('@stoplight/prism-cli');
const root = fileURLToPath(new URL('./', import.meta.resolve('mrs-contract/package.json')));

const ROUNDS = 7;
/** On a busy machine, a server may rest for longer than the ten seconds that autocannon waits by default. */
const LOAD = { connections: 10, pipelining: 10, amount: 5000, timeout: 60 };
const LARGE_LOAD = { ...LOAD, pipelining: 1, amount: 1000 };
const MEBIBYTE = 1024 * 1024;
const MEGABYTE = 1e6;

interface Goal {
  what: string;
  /** One of each round. */
  figures: readonly number[];
  /** What the median of the figures must not exceed, or fall below. */
  bound: `${'≤' | '≥'} ${number}`;
  unit?: string;
}

const PARTS: Record<string, { help: string; measure(folder: string): Promise<Goal[]> }> = {
  commands: { help: 'how long commands take to start', measure: measureCommands },
  mock: { help: 'mrs mock, next to a bare server and to prism mock', measure: measureMock },
  proxy: { help: 'mrs proxy, next to a bare proxy', measure: measureProxy },
  feed: { help: 'mrs feed on a million records, next to JSON.parse', measure: measureFeed },
  package: { help: 'what npm installs', measure: measurePackage },
  proof: { help: 'the whole proof', measure: measureProof },
};

async function measureCommands(folder: string): Promise<Goal[]> {
  const feed = join(folder, 'feed.json');
  writeFeed(feed, 3);
  const usual = ['--quiet', '--report-dir', join(folder, 'reports')];
  const rows: [what: string, bound: Goal['bound'], args: string[], exitCode?: number][] = [
    ['mrs --version', '≤ 2.5', ['--version']],
    ['mrs --help', '≤ 2.5', ['--help']],
    ['mrs verfy, a typo', '≤ 2.5', ['verfy'], 2],
    ['mrs feed, 3 records', '≤ 5', ['feed', feed, '--at', '2030-01-01T00:00:00Z', ...usual]],
    ['mrs verify of its mock', '≤ 18', ['verify', ...usual]],
  ];
  const turns = await inRounds([undefined, ...rows], async (row) => [
    row ? await cpuOfProgram([mrs, ...row[2]], row[3]) : await cpuOfProgram(['-e', '0']),
  ]);
  const starts = await inRounds([['-e', '0'], undefined], async (args) => {
    if (args) return [await cpuOfProgram(args)];
    await using mock = await startMock();
    return [(await mock.usage()).cpuMicros];
  });
  return [
    ...rows.map(([what, bound], at) => ({
      what: `${what} : node -e 0`,
      figures: ratios(turns, at + 1, 0),
      bound,
    })),
    { what: 'mrs mock, ready : node -e 0', figures: ratios(starts, 1, 0), bound: '≤ 8' },
  ];
}

async function measureMock(): Promise<Goal[]> {
  await using mock = await startMock();
  const { question, answers } = await readsOf(mock.url);
  await using bare = await startServer((port) => [programs, 'serve', port], answers);
  await using other = await startServer((port) => [prism, 'mock', '-m', 'false', '-p', port, 'openapi.yaml']);
  const small = await underLoad([mock, bare, other], question, LOAD);
  await using full = await startMock('1000');
  const reads = await readsOf(full.url);
  await using bareFull = await startServer((port) => [programs, 'serve', port], reads.answers);
  const large = await underLoad([full, bareFull], reads.question, LARGE_LOAD);
  const starts = await inRounds([() => startMock(), () => startServer(other.args)], async (start) => {
    await using server = await start();
    const { cpuMicros, rssBytes } = await server.usage();
    return [cpuMicros, rssBytes];
  });
  return [
    { what: 'bare server : mock, small answers', figures: ratios(small, 1, 0), bound: '≥ 0.85' },
    { what: 'bare server : mock, 1,000 records', figures: ratios(large, 1, 0), bound: '≥ 0.95' },
    { what: 'prism mock : mock, small answers', figures: ratios(small, 2, 0), bound: '≥ 10' },
    { what: 'start, mock : prism mock', figures: ratios(starts, 0, 1), bound: '≤ 0.5' },
    { what: 'memory at the start, mock : prism mock', figures: ratios(starts, 0, 1, 1), bound: '≤ 0.8' },
  ];
}

async function measureProxy(folder: string): Promise<Goal[]> {
  await using mock = await startMock();
  const { answers } = await readsOf(mock.url);
  await using service = await startServer((port) => [programs, 'serve', port], answers);
  await using proxy = await startServer((port) => [
    ...[mrs, 'proxy', '--target', service.url, '--port', port],
    ...['--quiet', '--report-dir', join(folder, 'reports')],
  ]);
  await using bare = await startServer((port) => [programs, 'forward', port, service.url]);
  const { question } = await readsOf(proxy.url);
  const load = { ...LOAD, pipelining: 1 };
  const turns = await underLoad([proxy, bare], question, load);
  const waits = await inRounds([proxy, bare], async ({ url }) => [await p99Of(url, question)]);
  return [
    { what: 'mrs proxy : bare proxy', figures: ratios(turns, 0, 1), bound: '≤ 1.3' },
    {
      what: 'p99 of a read, more than by a bare proxy',
      figures: waits.map(([ours = [], theirs = []]) => (ours[0] ?? Number.NaN) - (theirs[0] ?? Number.NaN)),
      ...{ bound: '≤ 1', unit: 'ms' },
    },
  ];
}

async function measureFeed(folder: string): Promise<Goal[]> {
  const file = join(folder, 'feed.json');
  writeFeed(file, 1_000_000);
  const turns = await inRounds(
    ['judge', 'parse'],
    async (what): Promise<[number, number]> =>
      JSON.parse(execFileSync(process.execPath, [programs, what, file], { encoding: 'utf8' })),
  );
  return [
    { what: 'JSON.parse : mrs feed, 1,000,000 records', figures: ratios(turns, 1, 0), bound: '≥ 0.6' },
    {
      what: 'memory of mrs feed',
      figures: turns.map(([judged]) => (judged?.[1] ?? Number.NaN) / MEBIBYTE),
      ...{ bound: '≤ 256', unit: 'MiB' },
    },
  ];
}

/** Of the package as it is packed now. */
async function measurePackage(folder: string): Promise<Goal[]> {
  const npm = (args: string[], cwd: string) => execFileSync('npm', args, { cwd, encoding: 'utf8' });
  const packed = npm(['pack', '--ignore-scripts', '--silent', '--pack-destination', folder], root).trim();
  writeFileSync(join(folder, 'package.json'), '{"private":true}');
  npm(['install', '--ignore-scripts', '--prefer-offline', '--no-audit', '--no-fund', `./${packed}`], folder);
  const modules = join(folder, 'node_modules');
  const { packages } = JSON.parse(readFileSync(join(modules, '.package-lock.json'), 'utf8'));
  const sizes = readdirSync(modules, { recursive: true, encoding: 'utf8' }).map(
    (path) => statSync(join(modules, path)).blocks * 512,
  );
  const size = sizes.reduce((total, one) => total + one, 0) / MEGABYTE;
  return [
    { what: 'installed size', figures: [size], bound: '≤ 60', unit: 'MB' },
    { what: 'installed packages', figures: [Object.keys(packages).length], bound: '≤ 60' },
  ];
}

async function measureProof(): Promise<Goal[]> {
  const began = performance.now();
  const { status } = spawnSync(process.execPath, [mrs, 'prove'], { cwd: root, env, stdio: 'ignore' });
  if (status !== 0) throw new Error(`mrs prove ended with exit code ${status}. Run it to see why.`);
  const seconds = (performance.now() - began) / 1000;
  return [{ what: 'the whole proof, two cores', figures: [seconds], bound: '≤ 40', unit: 's' }];
}

/** Each item has its turn in every round, so that a ratio within a round is of the same machine. */
async function inRounds<Item>(items: readonly Item[], turn: (item: Item) => Promise<number[]>) {
  const rounds: number[][][] = [];
  for (let round = 1; round <= ROUNDS; round++) {
    if (process.stderr.isTTY) process.stderr.write(`\r\x1b[2Kround ${round} of ${ROUNDS}\r`);
    const figures: number[][] = [];
    for (const item of items) figures.push(await turn(item));
    rounds.push(figures);
  }
  return rounds;
}

/** Of a figure of two items, in each round. */
const ratios = (rounds: number[][][], first: number, second: number, figure = 0): number[] =>
  rounds.map((of) => (of[first]?.[figure] ?? Number.NaN) / (of[second]?.[figure] ?? Number.NaN));

/** What the environment says to this program is not meant for those that it measures. */
const env = Object.fromEntries(
  Object.entries(process.env).filter(([name]) => !/^(MRS_|NODE_OPTIONS$)/.test(name)),
);
/** Writes the processor time of the process to descriptor 3 when it ends. */
const AT_END = `data:text/javascript,${encodeURIComponent(`
import { writeSync } from 'node:fs';
process.on('exit', () => {
  const { user, system } = process.cpuUsage();
  writeSync(3, String(user + system));
});`)}`;

/** Processor time of a program from its start to its end, in microseconds. Throws if it ends with another exit code. */
async function cpuOfProgram(args: string[], exitCode = 0): Promise<number> {
  const { output, status } = spawnSync(process.execPath, ['--import', AT_END, ...args], {
    ...{ cwd: root, env, encoding: 'utf8' },
    stdio: ['ignore', 'ignore', 'ignore', 'pipe'],
  });
  if (status !== exitCode) throw new Error(`${args.join(' ')} ended with exit code ${status}.`);
  return Number(output[3]);
}

type Started = Awaited<ReturnType<typeof startServer>>;

/** Reports what the process has used whenever it is asked, and ends it with whoever started it. */
const ON_REQUEST = `data:text/javascript,${encodeURIComponent(`
process.on('message', () => {
  const { user, system } = process.cpuUsage();
  process.send({ cpuMicros: user + system, rssBytes: process.memoryUsage.rss() });
});
process.once('disconnect', () => process.exit());`)}`;

/** Starts a program in a process of its own, as a server on a free port. Resolves with its first answer. */
async function startServer(args: (port: string) => string[], input?: object) {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const child = spawn(process.execPath, ['--import', ON_REQUEST, ...args(String(port))], {
    ...{ cwd: root, env },
    stdio: ['pipe', 'ignore', 'inherit', 'ipc'],
  });
  const closed = once(child, 'close');
  child.stdin?.on('error', () => {}).end(input && JSON.stringify(input));
  while (!(await isListening(port))) {
    if (child.exitCode !== null) throw new Error(`${args('PORT').join(' ')} ended, and never listened.`);
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
  return {
    ...{ url, args },
    async usage(): Promise<{ cpuMicros: number; rssBytes: number }> {
      const reply = once(child, 'message');
      child.send('usage');
      return (await reply)[0];
    },
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL');
      await closed;
    },
  };
}

const startMock = (records = '0') =>
  startServer((port) => [mrs, 'mock', '--records', records, '--port', port]);

/** A request would cost the server processor time. */
async function isListening(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1');
  return await once(socket, 'connect')
    .then(
      () => true,
      () => false,
    )
    .finally(() => socket.destroy());
}

/** Prism does not report which port it took, so each is given one. */
async function freePort(): Promise<number> {
  const server = createListener().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

/** Processor time for each request in microseconds, of each server in each round, when all are warm. */
async function underLoad(servers: readonly Started[], headers: Record<string, string>, load: typeof LOAD) {
  for (const server of servers) await cpuOf(server, headers, { ...load, amount: load.amount * 4 });
  return inRounds(servers, async (server) => [await cpuOf(server, headers, load)]);
}

/** Throws where a request does not succeed. */
async function cpuOf(server: Started, headers: Record<string, string>, load: typeof LOAD): Promise<number> {
  const before = await server.usage();
  const { requests, errors, non2xx } = await autocannon({ ...load, url: `${server.url}/ods_data/`, headers });
  if (errors + non2xx > 0) throw new Error(`${errors + non2xx} requests to ${server.url} did not succeed.`);
  return ((await server.usage()).cpuMicros - before.cpuMicros) / requests.total;
}

/** Of 2,000 reads, one after the other, in milliseconds. */
async function p99Of(url: string, headers: Record<string, string>): Promise<number> {
  const agent = new Agent({ keepAlive: true });
  const times: number[] = [];
  for (let read = 0; read < 2000; read++) {
    const began = performance.now();
    const [answer] = await once(get(`${url}/ods_data/`, { agent, headers }), 'response');
    await once(answer.resume(), 'end');
    times.push(performance.now() - began);
  }
  agent.destroy();
  return times.sort((a, b) => a - b)[Math.floor(times.length * 0.99)] ?? Number.NaN;
}

/** The headers of a read with a token that was just issued, and all that a bare server needs to answer the same. */
async function readsOf(url: string): Promise<{ question: Record<string, string>; answers: Answers }> {
  const accept = 'application/json';
  const body = new URLSearchParams({
    ...{ grant_type: 'client_credentials', client_id: 'demo', client_secret: 'demo-secret' },
  });
  const issued = await answerTo(fetch(`${url}/token/`, { method: 'POST', headers: { accept }, body }));
  const question = { accept, authorization: `Bearer ${JSON.parse(issued.body).token}` };
  const data = await answerTo(fetch(`${url}/ods_data/`, { headers: question }));
  return { question, answers: { '/token/': issued, '/ods_data/': data } };
}

async function answerTo(sent: Promise<Response>): Promise<Answers[string]> {
  const response = await sent;
  const { date, connection, 'keep-alive': _, ...headers } = Object.fromEntries(response.headers);
  return { headers, body: await response.text() };
}

/** Prints what was measured, in 80 columns; the exit code is 1 where a goal is missed. */
async function bench(names: readonly string[]): Promise<void> {
  console.log(`  ${'median'.padStart(8)}  ${'goal'.padEnd(9)}${'least to most'.padEnd(16)}what`);
  for (const [name, { measure }] of Object.entries(PARTS)) {
    if (names.length > 0 && !names.includes(name)) continue;
    const folder = mkdtempSync(join(tmpdir(), 'mrs-bench-'));
    const goals = await measure(folder).finally(() => rmSync(folder, { recursive: true }));
    for (const { what, figures, bound, unit } of goals) {
      const sorted = figures.toSorted((a, b) => a - b);
      const [least = Number.NaN, most = Number.NaN] = [sorted[0], sorted.at(-1)];
      const median = sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
      const limit = Number(bound.slice(2));
      const isMet = bound.startsWith('≤') ? median <= limit : median >= limit;
      const range = figures.length > 1 ? `${short(least)} to ${short(most)}` : '';
      console.log(
        `${isMet ? '✓' : '✗'} ${short(median).padStart(8)}  ${bound.padEnd(9)}${range.padEnd(16)}` +
          `${what}${unit === undefined ? '' : `, ${unit}`}`,
      );
      if (!isMet) process.exitCode = 1;
    }
  }
}

const short = (figure: number): string => (figure < 100 ? figure.toPrecision(3) : figure.toFixed(0));

const parts = Object.entries(PARTS).map(([name, { help }]) => `  ${name.padEnd(10)}${help}`);
const command = new Command('bench')
  .description('Measures the commands, each next to the least that does the same.')
  .addArgument(new Argument('[part...]', 'measure only this part').choices(Object.keys(PARTS)))
  .addHelpText(
    'after',
    `\nParts:\n${parts.join('\n')}\n\nExit codes: 0 all goals are met, 1 one is missed, 2 it could not be measured.`,
  )
  .exitOverride()
  .action(bench);
try {
  await command.parseAsync();
} catch (error) {
  if (!(error instanceof CommanderError))
    console.error(`It could not be measured: ${(error as Error).message}`);
  process.exitCode = error instanceof CommanderError && error.exitCode === 0 ? 0 : 2;
}
