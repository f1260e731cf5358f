/**
 * `npm run bench`: the commands, each next to the least that does the same. Where two are compared, it is by the processor
 * time that they use, which other programs do not change much.
 */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { type AddressInfo, connect, createServer as createListener } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import autocannon from 'autocannon';
import type { Answers } from './bare-server.ts';

const bareServer = fileURLToPath(new URL('./bare-server.js', import.meta.url));
const mrs = fileURLToPath(new URL('../mrs.js', import.meta.url));
const root = fileURLToPath(new URL('./', import.meta.resolve('mrs-contract/package.json')));

const ROUNDS = 7;
/** On a busy machine, a server may rest for longer than the ten seconds that autocannon waits by default. */
const LOAD = { connections: 10, pipelining: 10, amount: 2000, timeout: 60 };
/** Many short rounds: what else the machine does meanwhile then changes a figure less. */
const ROUNDS_OF_LOAD = 21;

/** By the names of the parts. */
const PARTS: Record<string, (folder: string) => Promise<void>> = {
  async commands(folder) {
    const usual = ['--quiet', '--report-dir', join(folder, 'reports')];
    const feed = ['feed', 'tests/feed/examples/ods.json', '--at', '2030-01-01', ...usual];
    const rows: [what: string, bound: Bound, args?: string[], exitCode?: number][] = [
      ['mrs --version', '≤ 2.5', ['--version']],
      ['mrs --help', '≤ 2.5', ['--help']],
      ['mrs verfy, a typo', '≤ 2.5', ['verfy'], 2],
      ['mrs feed, one record', '≤ 5', feed, 1],
      ['mrs verify of its mock', '≤ 18', ['verify', '--mock', ...usual]],
      ['mrs mock, ready', '≤ 8'],
    ];
    const turns = await inRounds([undefined, ...rows], (row) => {
      if (!row) return usageOfProgram(['-e', '0']);
      const [, , args, exitCode] = row;
      return args ? usageOfProgram([mrs, ...args], exitCode) : usageAtStart(startMock);
    });
    for (const [at, [what, bound]] of rows.entries())
      show(`${what} : node -e 0`, bound, ratios(turns, at + 1, 0));
  },

  async mock() {
    await using mock = await startMock();
    const { question, answers } = await readsOf(mock.url);
    await using bare = await startServer((port) => [bareServer, port], answers);
    const turns = await underLoad([mock, bare], question);
    show('bare server : mock, small answers', '≥ 0.85', ratios(turns, 1, 0));
  },
};

type Bound = `${'≤' | '≥'} ${number}`;

/**
 * Prints the figures of the rounds in 80 columns; the exit code is 1 where their median exceeds the bound, or falls below it.
 */
function show(what: string, bound: Bound, figures: readonly number[]): void {
  const sorted = figures.toSorted((a, b) => a - b).map((figure) => figure.toPrecision(3));
  const median = sorted[Math.floor(sorted.length / 2)] ?? '';
  const limit = Number(bound.slice(2));
  const isMet = bound.startsWith('≤') ? Number(median) <= limit : Number(median) >= limit;
  const range = figures.length > 1 ? `${sorted[0]} to ${sorted.at(-1)}` : '';
  console.log(`${isMet ? '✓' : '✗'} ${median.padStart(8)}  ${bound.padEnd(9)}${range.padEnd(16)}${what}`);
  if (!isMet) process.exitCode = 1;
}

/** Each item has its turn in every round, so that a ratio within a round is of the same machine. */
async function inRounds<Item>(
  items: readonly Item[],
  turn: (item: Item) => number | Promise<number>,
  times = ROUNDS,
) {
  const rounds: number[][] = [];
  for (let round = 1; round <= times; round++) {
    if (process.stderr.isTTY) process.stderr.write(`\r\x1b[2Kround ${round} of ${times}\r`);
    const figures: number[] = [];
    for (const item of items) figures.push(await turn(item));
    rounds.push(figures);
  }
  return rounds;
}

/** Of a figure of two items, in each round. */
const ratios = (rounds: number[][], first: number, second: number): number[] =>
  rounds.map((of) => Number(of[first]) / Number(of[second]));

/** What the environment says to this program is not meant for those that it measures. */
const env = Object.fromEntries(
  Object.entries(process.env).filter(([name]) => !/^(MRS_|NODE_OPTIONS$)/.test(name)),
);
const moduleOf = (code: string) => ['--import', `data:text/javascript,${encodeURIComponent(code)}`];
/** Writes processor time in microseconds to descriptor 3 when the process ends. */
const AT_END = moduleOf(`
import { writeSync } from 'node:fs';
process.on('exit', () => {
  const { userCPUTime, systemCPUTime } = process.resourceUsage();
  writeSync(3, String(userCPUTime + systemCPUTime));
});`);
/** Reports processor time whenever it is asked, and ends the process with whoever started it. */
const ON_REQUEST = moduleOf(`
process.on('message', () => {
  const { user, system } = process.cpuUsage();
  process.send(user + system);
});
process.once('disconnect', () => process.exit());`);

/** Of a program from its start to its end. Throws if it ends with another exit code. */
function usageOfProgram(args: string[], exitCode = 0): number {
  const { output, status } = spawnSync(process.execPath, [...AT_END, ...args], {
    ...{ cwd: root, env, encoding: 'utf8' },
    stdio: ['ignore', 'ignore', 'ignore', 'pipe'],
  });
  if (status !== exitCode) throw new Error(`${args.join(' ')} ended with exit code ${status}.`);
  return Number(output[3]);
}

type Started = Awaited<ReturnType<typeof startServer>>;

/** Starts a program in a process of its own, as a server on a free port. Resolves when it listens. */
async function startServer(args: (port: string) => string[], input?: object) {
  const free = createListener().listen(0, '127.0.0.1');
  await once(free, 'listening');
  const { port } = free.address() as AddressInfo;
  await once(free.close(), 'close');
  const child = spawn(process.execPath, [...ON_REQUEST, ...args(String(port))], {
    ...{ cwd: root, env },
    stdio: ['pipe', 'ignore', 'inherit', 'ipc'],
  });
  const closed = once(child, 'close');
  child.stdin?.on('error', () => {}).end(input && JSON.stringify(input));
  // A request would cost the server processor time.
  while (!(await isListening(port))) {
    if (child.exitCode !== null) throw new Error(`${args('PORT').join(' ')} ended, and never listened.`);
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
  return {
    url: `http://127.0.0.1:${port}`,
    async usage(): Promise<number> {
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

const startMock = () => startServer((port) => [mrs, 'mock', '--records', '0', '--port', port]);

async function usageAtStart(start: () => Promise<Started>): Promise<number> {
  await using server = await start();
  return await server.usage(); // Before it ends.
}

const isListening = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => resolve(!!socket.destroy()));
    socket.once('error', () => resolve(false));
  });

/** Processor time for each request, of each server in each round, when all are warm. Throws where a request does not succeed. */
async function underLoad(servers: readonly Started[], headers: Record<string, string>) {
  const usageOf = async ({ usage, url }: Started, amount: number) => {
    const before = await usage();
    const asked = { ...LOAD, amount, url: `${url}/ods_data/`, headers };
    const { requests, errors, non2xx } = await autocannon(asked);
    if (errors + non2xx > 0) throw new Error(`${errors + non2xx} requests to ${url} did not succeed.`);
    return ((await usage()) - before) / requests.total;
  };
  for (const server of servers) await usageOf(server, LOAD.amount * 8);
  return inRounds(servers, (server) => usageOf(server, LOAD.amount), ROUNDS_OF_LOAD);
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

/** Measures the parts of these names, or all. */
async function bench(names: readonly string[]): Promise<void> {
  const unknown = names.find((name) => !Object.hasOwn(PARTS, name));
  if (unknown !== undefined)
    throw new Error(`"${unknown}" is not a part. Name some of: ${Object.keys(PARTS).join(', ')}.`);
  console.log(`  ${'median'.padStart(8)}  ${'goal'.padEnd(9)}${'least to most'.padEnd(16)}what`);
  for (const [name, measure] of Object.entries(PARTS)) {
    if (names.length > 0 && !names.includes(name)) continue;
    const folder = mkdtempSync(join(tmpdir(), 'mrs-bench-'));
    await measure(folder).finally(() => rmSync(folder, { recursive: true }));
  }
}

await bench(process.argv.slice(2)).catch((error: Error) => {
  console.error(`It could not be measured: ${error.message}`);
  process.exitCode = 2;
});
