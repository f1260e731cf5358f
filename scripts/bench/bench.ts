/**
 * `npm run bench [mock] [proxy] [feed]`: the mock, the proxy and the judge of feeds, each next to the least that does the
 * same. Requests are compared by the processor time that a server uses for each, which other programs do not change much.
 */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { Agent, createServer, request as requestOver } from 'node:http';
import { createRequire } from 'node:module';
import { type AddressInfo, createServer as createListener } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import autocannon from 'autocannon';
import { loadProfile } from '../../mocks/contract/profile.ts';
import { feedContractOf } from '../../tests/feed/feed-contract.ts';
import { reportOn } from '../../tests/feed/report/report.ts';
import { openFeed } from '../../tests/feed/source.ts';

const self = fileURLToPath(import.meta.url);
const mrs = fileURLToPath(new URL('../mrs.js', import.meta.url));
const prism = createRequire(import.meta.url).resolve('@stoplight/prism-cli');
const root = fileURLToPath(new URL('./', import.meta.resolve('mrs-contract/package.json')));

const ROUNDS = 7;
/** On a busy machine, a server may rest for longer than the ten seconds that autocannon waits by default. */
const LOAD = { connections: 10, pipelining: 10, amount: 5000, timeout: 60 };
const WARM_UP = { ...LOAD, amount: 20_000 };
const FEED_RECORDS = 1_000_000;
const MIB = 1024 * 1024;

interface Goal {
  what: string;
  /** Of one round each. */
  figures: readonly number[];
  /** What the median of the figures must not exceed. */
  most: number;
}
const PARTS: Record<string, () => Promise<Goal[]>> = {
  mock: measureMock,
  proxy: measureProxy,
  feed: measureFeed,
};

async function measureMock(): Promise<Goal[]> {
  await using mock = await startMock();
  const question = await questionTo(mock.url);
  await using bare = await startServer((port) => [self, 'bare', port], await (await exampleOf()).answer);
  await using other = await startServer((port) => [prism, 'mock', '-m', 'false', '-p', port, 'openapi.yaml']);
  const servers = [mock, bare, other];
  const starts = await inRounds([startMock, () => startServer(other.args)], async (start) => {
    await using server = await start();
    return [server.startMs, (await server.usage()).rssBytes];
  });
  for (const server of servers) await cpuOf(server, question, WARM_UP);
  const turns = await inRounds(servers, async (server) => [await cpuOf(server, question, LOAD)]);
  const loaded = await Promise.all([mock.usage(), other.usage()]);
  return [
    { what: 'CPU per request, mock : bare server', figures: ratios(turns, 0, 0, 1), most: 1.5 },
    { what: 'CPU per request, mock : prism mock', figures: ratios(turns, 0, 0, 2), most: 0.1 },
    { what: 'start, mock : prism mock', figures: ratios(starts, 0, 0, 1), most: 0.7 },
    { what: 'memory after the start, mock : prism mock', figures: ratios(starts, 1, 0, 1), most: 1 },
    {
      what: 'memory after the load, mock : prism mock',
      figures: [loaded[0].rssBytes / loaded[1].rssBytes],
      most: 1,
    },
  ];
}

async function measureProxy(): Promise<Goal[]> {
  const folder = mkdtempSync(join(tmpdir(), 'mrs-bench-'));
  try {
    const { question, answer } = await exampleOf();
    await using service = await startServer((port) => [self, 'bare', port], answer);
    await using proxy = await startServer((port) => [
      ...[mrs, 'proxy', '--target', service.url, '--port', port],
      ...['--no-control', '--quiet', '--report-dir', folder],
    ]);
    await using plain = await startServer((port) => [self, 'bare', port, service.url]);
    const servers = [proxy, plain];
    for (const server of servers) await cpuOf(server, question, { ...WARM_UP, pipelining: 1 });
    const load = { ...LOAD, pipelining: 1 };
    const turns = await inRounds(servers, async (server) => [await cpuOf(server, question, load)]);
    return [{ what: 'CPU per request, mrs proxy : bare proxy', figures: ratios(turns, 0, 0, 1), most: 2 }];
  } finally {
    rmSync(folder, { recursive: true });
  }
}

async function measureFeed(): Promise<Goal[]> {
  const folder = mkdtempSync(join(tmpdir(), 'mrs-bench-'));
  const file = join(folder, 'feed.json');
  try {
    writeFeed(file, FEED_RECORDS);
    const turns = await inRounds(
      ['judge', 'parse'],
      async (what): Promise<[number, number]> =>
        JSON.parse(execFileSync(process.execPath, [self, what, file], { encoding: 'utf8' })),
    );
    return [
      { what: 'CPU time, mrs feed : JSON.parse', figures: ratios(turns, 0, 0, 1), most: 2.5 },
      {
        what: 'memory of mrs feed, MiB',
        figures: turns.map(([judge]) => (judge?.[1] ?? 0) / MIB),
        most: 256,
      },
    ];
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Each item has its turn in every round, so that a ratio within a round is of the same machine. */
async function inRounds<Item>(items: readonly Item[], turn: (item: Item) => Promise<number[]>) {
  const rounds: number[][][] = [];
  for (let round = 1; round <= ROUNDS; round++) {
    if (process.stderr.isTTY) process.stderr.write(`\r\x1b[2Kround ${round} of ${ROUNDS}`);
    const figures: number[][] = [];
    for (const item of items) figures.push(await turn(item));
    rounds.push(figures);
  }
  return rounds;
}

const ratios = (rounds: number[][][], figure: number, first: number, second: number): number[] =>
  rounds.map((of) => (of[first]?.[figure] ?? Number.NaN) / (of[second]?.[figure] ?? Number.NaN));

type Started = Awaited<ReturnType<typeof startServer>>;

/** Reports what the process has used whenever it is asked, and ends it with whoever started it. */
const TELLER = `data:text/javascript,${encodeURIComponent(`
process.on('message', () => {
  const { user, system } = process.cpuUsage();
  process.send({ cpuMicros: user + system, rssBytes: process.memoryUsage.rss() });
});
process.once('disconnect', () => process.exit());`)}`;

/** Starts a program in a process of its own, as a server on a free port. Resolves with its first answer. */
async function startServer(args: (port: string) => string[], input?: object) {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const began = performance.now();
  const env = Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !/^(MRS_|NODE_OPTIONS$)/.test(name)),
  );
  const child = spawn(process.execPath, ['--import', TELLER, ...args(String(port))], {
    cwd: root,
    env,
    stdio: ['pipe', 'ignore', 'inherit', 'ipc'],
  });
  const closed = once(child, 'close');
  child.stdin?.on('error', () => {}).end(input && JSON.stringify(input));
  while (!(await isAnswering(url))) {
    if (child.exitCode !== null) throw new Error(`${args('PORT').join(' ')} ended, and never answered.`);
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
  return {
    ...{ url, args, startMs: performance.now() - began },
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

const startMock = () => startServer((port) => [mrs, 'mock', '--records', '0', '--port', port]);

const isAnswering = (url: string): Promise<boolean> =>
  fetch(`${url}/health/`, { headers: { accept: 'application/json' } }).then(
    ({ status }) => status === 200,
    () => false,
  );

/** Prism does not report which port it took, so each is given one. */
async function freePort(): Promise<number> {
  const server = createListener().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

/** Processor time of a server for each request, in microseconds. Throws where a request does not succeed. */
async function cpuOf(server: Started, headers: Record<string, string>, load: typeof LOAD): Promise<number> {
  const before = await server.usage();
  const { requests, errors, non2xx } = await autocannon({ ...load, url: `${server.url}/ods_data/`, headers });
  if (errors + non2xx > 0) throw new Error(`${errors + non2xx} requests to ${server.url} did not succeed.`);
  return ((await server.usage()).cpuMicros - before.cpuMicros) / requests.total;
}

/** The headers of a read with a token that was just issued. */
async function questionTo(url: string): Promise<Record<string, string>> {
  const accept = 'application/json';
  const body = new URLSearchParams({
    ...{ grant_type: 'client_credentials', client_id: 'demo', client_secret: 'demo-secret' },
  });
  const response = await fetch(`${url}/token/`, { method: 'POST', headers: { accept }, body });
  const { token } = (await response.json()) as { token: string };
  return { accept, authorization: `Bearer ${token}` };
}

interface Answer {
  headers: Record<string, string>;
  body: string;
}

/** What the mock answers, so that a bare server can send the same. */
async function exampleOf(): Promise<{ question: Record<string, string>; answer: Answer }> {
  await using mock = await startMock();
  const question = await questionTo(mock.url);
  const response = await fetch(`${mock.url}/ods_data/`, { headers: question });
  const { date, connection, 'keep-alive': _, ...headers } = Object.fromEntries(response.headers);
  return { question, answer: { headers, body: await response.text() } };
}

/** The least that Node.js can do: a proxy to the origin that is given, or else a server with one answer to everything. */
async function serveBare(port: string, target?: string): Promise<void> {
  const agent = new Agent({ keepAlive: true });
  const { headers, body } = target === undefined ? ((await json(process.stdin)) as Answer) : {};
  const bytes = Buffer.from(body ?? '');
  const server = createServer((request, response) => {
    if (target === undefined) return void response.writeHead(200, headers).end(bytes);
    const { method, headers: sentHeaders } = request;
    const options = { agent, method, headers: sentHeaders };
    const sent = requestOver(`${target}${request.url}`, options, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    sent.on('error', () => response.destroy());
    request.pipe(sent);
  });
  server.listen(Number(port), '127.0.0.1');
}

/** When the first of the records starts: a run judges them for that moment. */
const FEED_STARTS_MS = Date.UTC(2030, 0, 1);
const PAGE = 1000;
const SITE = {
  ...{ site_id: 'vla_D', site_lat_deg: 34.07874917, site_lon_deg: -107.6177275, site_el_m: 2124 },
  dish_diameter_m: 25,
};

/** Records of one site, in order, each of which keeps every rule; a million of them end within 300 days. */
function writeFeed(file: string, records: number): void {
  for (let first = 0; first < records; first += PAGE) {
    const page = Array.from({ length: Math.min(PAGE, records - first) }, (_, at) => recordAt(first + at));
    appendFileSync(file, `${first === 0 ? '{"ods_data":[' : ','}${JSON.stringify(page).slice(1, -1)}`);
  }
  appendFileSync(file, ']}\n');
}

function recordAt(index: number): object {
  const timeAt = (ms: number) => `${new Date(FEED_STARTS_MS + ms).toISOString().slice(0, -1)}000`;
  return {
    ...SITE,
    src_id: `S${1000 + (index % 9000)}+${index % 90}`,
    src_ra_j2000_deg: Math.round((index * 7_123_457) % 360_000_000) / 1e6,
    src_dec_j2000_deg: 60 + Math.round((index * 3_987_611) % 29_000_000) / 1e6, // Near the pole: up at any time.
    src_start_utc: timeAt(index * 25_000),
    src_end_utc: timeAt(index * 25_000 + 24_000),
    slew_sec: (index % 20) + 0.5, // A longer slew than the record would be a warning.
    ...{ trk_rate_ra_deg_per_sec: 0, trk_rate_dec_deg_per_sec: 0, corr_integ_time_sec: 3, subarray: 0 },
    ...{ freq_lower_hz: 1_990_000_000, freq_upper_hz: 1_995_000_000, version: 'v1.0.0' },
  };
}

/** Judges a feed, or parses it as a whole, and prints processor time in microseconds and the peak of memory in bytes. */
async function takeTurn(what: string, file: string): Promise<void> {
  const before = process.cpuUsage();
  if (what === 'judge') {
    const { name, title, document } = await loadProfile('ods-record');
    const contract = feedContractOf(document);
    if (!contract) throw new Error('The profile ods-record does not describe records (x-records).');
    const options = { profile: { name, title }, atMs: FEED_STARTS_MS, strict: true, bodyBytes: 1e12 };
    const { outcome } = await reportOn(await openFeed(file, 1), contract, options);
    if (outcome !== 'conformant') throw new Error(`The feed is ${outcome}, and should be conformant.`);
  } else JSON.parse(readFileSync(file, 'utf8'));
  const { user, system } = process.cpuUsage(before);
  console.log(JSON.stringify([user + system, process.resourceUsage().maxRSS * 1024]));
}

/** Prints what was measured; the exit code is 1 where a goal is missed. */
async function bench(names: readonly string[]): Promise<void> {
  const unknown = names.find((name) => !Object.hasOwn(PARTS, name));
  if (unknown !== undefined)
    throw new Error(`"${unknown}" is not a part. Name some of ${Object.keys(PARTS).join(', ')}.`);
  for (const [name, measure] of Object.entries(PARTS)) {
    if (names.length > 0 && !names.includes(name)) continue;
    for (const { what, figures, most } of await measure()) {
      const sorted = figures.toSorted((a, b) => a - b);
      const median = sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
      const isMet = median <= most;
      const range = `${sorted[0]?.toPrecision(3)} to ${sorted.at(-1)?.toPrecision(3)}`;
      console.log(
        `${isMet ? '✓ met   ' : '✗ missed'}  ${what}: ${median.toPrecision(3)} (${range}) ≤ ${most}`,
      );
      if (!isMet) process.exitCode = 1;
    }
  }
}

const [mode = '', ...given] = process.argv.slice(2);
if (mode === 'bare') await serveBare(given[0] ?? '', given[1]);
else if (mode === 'judge' || mode === 'parse') await takeTurn(mode, given[0] ?? '');
else await bench(process.argv.slice(2));
