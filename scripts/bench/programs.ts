/** The programs that the benchmark compares with, each of which it runs in a process of its own. */
import { readFileSync } from 'node:fs';
import { Agent, createServer, request as requestOver } from 'node:http';
import { json } from 'node:stream/consumers';
import { loadProfile } from '../../mocks/contract/profile.ts';
import { feedContractOf } from '../../tests/feed/feed-contract.ts';
import { reportOn } from '../../tests/feed/report.ts';
import { openFeed } from '../../tests/feed/source.ts';
import { FEED_STARTS_MS } from './feed.ts';

/** What a bare server sends, by path. */
export type Answers = Record<string, { headers: Record<string, string>; body: string }>;

const PROGRAMS: Record<string, (...args: string[]) => Promise<void>> = { serve, forward, judge, parse };

/** The least that a server of Node.js does: the answers are given on standard input. */
async function serve(port: string): Promise<void> {
  const given = (await json(process.stdin)) as Answers;
  const answers = new Map(
    Object.entries(given).map(([path, { headers, body }]) => [path, { headers, bytes: Buffer.from(body) }]),
  );
  createServer((request, response) => {
    const answer = answers.get(request.url ?? '');
    if (answer) response.writeHead(200, answer.headers).end(answer.bytes);
    else response.writeHead(404).end();
  }).listen(Number(port), '127.0.0.1');
}

/** The least that a proxy of Node.js does. */
async function forward(port: string, target: string): Promise<void> {
  const agent = new Agent({ keepAlive: true });
  createServer((request, response) => {
    const { method, headers } = request;
    const sent = requestOver(`${target}${request.url}`, { agent, method, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    sent.on('error', () => response.destroy());
    request.pipe(sent);
  }).listen(Number(port), '127.0.0.1');
}

async function judge(file: string): Promise<void> {
  const { name, title, document } = await loadProfile('ods-record');
  const contract = feedContractOf(document);
  if (!contract) throw new Error('The profile ods-record does not describe records (x-records).');
  const options = { profile: { name, title }, atMs: FEED_STARTS_MS, strict: true, bodyBytes: 1e12 };
  const before = process.cpuUsage();
  const { outcome } = await reportOn(await openFeed(file, 1), contract, options);
  if (outcome !== 'conformant') throw new Error(`The feed is ${outcome}, and should be conformant.`);
  printUsage(before);
}

async function parse(file: string): Promise<void> {
  const before = process.cpuUsage();
  JSON.parse(readFileSync(file, 'utf8'));
  printUsage(before);
}

/** Processor time since then in microseconds, and the peak of memory in bytes. */
function printUsage(before: NodeJS.CpuUsage): void {
  const { user, system } = process.cpuUsage(before);
  console.log(JSON.stringify([user + system, process.resourceUsage().maxRSS * 1024]));
}

const [name = '', ...args] = process.argv.slice(2);
await PROGRAMS[name]?.(...args);
