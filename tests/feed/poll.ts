/** Reads feeds at URLs again and again: asks only for what is new, and trusts no answer. */
import { createHash } from 'node:crypto';
import { pipeline } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { Agent, type Dispatcher, EnvHttpProxyAgent, request } from 'undici';
import { type Clock, endingWith } from '../support/clock.ts';
import { isLoopback } from '../support/options.ts';
import { version } from '../support/version.ts';
import type { FeedContract } from './feed-contract.ts';
import { judgeFeed } from './reader.ts';
import { codeOf } from './source.ts';
import { type Agreed, type FeedState, newState, type Read, type WatchEvent, watchRead } from './watch.ts';

/** `bodyBytes`: the most bytes of a decoded body; `contract` says where the list of records is. */
interface PollOptions {
  headers: Readonly<Record<string, string>>;
  timeoutMs: number;
  bodyBytes: number;
  contract: FeedContract;
}

/** Reads a feed once, and never rejects. `retryMs`: how long the service asks to be left alone. */
export type Poll = (atMs: number, signal: AbortSignal) => Promise<Read & { retryMs?: number }>;

const MOST_RECORDS = 100_000;
/** A service cannot end the watch by asking for more. */
const LONGEST_RETRY_MS = 3_600_000;

const OWN = {
  accept: 'application/json',
  'accept-encoding': 'gzip',
  'user-agent': `mrs-contract/${version}`,
};

export function createPoll(url: URL, { headers, timeoutMs, bodyBytes, contract }: PollOptions): Poll {
  // Proxies are for addresses outside of this machine.
  const dispatcher = isLoopback(url.href) ? new Agent() : new EnvHttpProxyAgent();
  let validators: Record<string, string> = {};
  /** The last body that was read, and why it held no list. */
  let last: { digest: string; fault?: string } | undefined;

  async function readOnce(atMs: number, signal: AbortSignal): ReturnType<Poll> {
    const answer = await request(url, { dispatcher, signal, headers: { ...headers, ...OWN, ...validators } });
    const { statusCode: status, body } = answer;
    body.on('error', () => {}); // Reported where the body is read.
    const header = (name: string) => [answer.headers[name] ?? ''].flat()[0] ?? '';
    const unreadable = (why: string) => ({ atMs, what: 'unreadable', why }) as const;
    const asBefore = () => (last?.fault ? unreadable(last.fault) : ({ atMs, what: 'unchanged' } as const));
    if (status !== 200) {
      body.destroy();
      if (status === 304 && last) return asBefore();
      const why = `answered ${status}${header('location') && ', and redirects are not followed'}`;
      return { atMs, what: 'failed', why, retryMs: retryOf(header('retry-after')) };
    }
    const bytes = await bodyOf(body, header('content-encoding').toLowerCase());
    if (typeof bytes === 'string') return unreadable(bytes);
    const modified = header('last-modified');
    const known = Object.entries({ 'if-none-match': header('etag'), 'if-modified-since': modified });
    validators = Object.fromEntries(known.filter(([, value]) => /^[\x20-\x7e]{1,500}$/.test(value)));
    const digest = createHash('sha256').update(bytes).digest('hex');
    if (digest === last?.digest) return asBefore();
    const records = recordsIn(bytes, contract, atMs);
    last = { digest, ...(typeof records === 'string' && { fault: records }) };
    return typeof records === 'string'
      ? unreadable(records)
      : { atMs, what: 'list', records, lastModifiedMs: Date.parse(modified) || undefined };
  }

  /** The decoded body, or what is wrong with it. */
  async function bodyOf(body: Dispatcher.ResponseData['body'], coding: string): Promise<Buffer | string> {
    const isGzip = /^(x-)?gzip$/.test(coding);
    const decoded = isGzip ? pipeline(body, createGunzip(), () => {}) : body;
    const chunks: Buffer[] = [];
    let bytes = 0;
    for await (const chunk of decoded) {
      bytes += chunk.length;
      if (bytes > bodyBytes) return `it is larger than ${bodyBytes / 1024 / 1024} MiB`;
      chunks.push(chunk);
    }
    return isGzip || /^(identity)?$/.test(coding) ? Buffer.concat(chunks) : 'its content coding is not gzip';
  }

  return async (atMs, signal) => {
    // AbortSignal.any would remember each read for as long as `signal` lives.
    const limit = new AbortController();
    const end = () => limit.abort();
    const timer = setTimeout(end, timeoutMs);
    signal.addEventListener('abort', end);
    try {
      return await readOnce(atMs, limit.signal);
    } catch (error) {
      const isLate = limit.signal.aborted;
      const why = isLate ? `no whole answer within ${timeoutMs / 1000} s` : `not read (${codeOf(error)})`;
      return { atMs, what: 'failed', why };
    } finally {
      clearTimeout(timer);
      signal.removeEventListener('abort', end);
    }
  };
}

/** The records of a body, or what is wrong with it. A body that is itself a list is read as well. */
function recordsIn(body: Buffer, contract: FeedContract, nowMs: number): readonly unknown[] | string {
  let list: unknown;
  try {
    const root: unknown = JSON.parse(body.toString().replace(/^\ufeff/, ''));
    const memberOf = (node: unknown, name: string) => (node as Record<string, unknown> | null)?.[name];
    list = Array.isArray(root) ? root : contract.listPath.reduce(memberOf, root);
  } catch {} // The judge of feeds says where.
  if (Array.isArray(list)) return list.length > MOST_RECORDS ? `it has over ${MOST_RECORDS} records` : list;
  const { looks, findings } = judgeFeed(body, contract, { nowMs });
  return looks ?? findings[0]?.places[0]?.seen ?? 'it has no list of records';
}

/** By the seconds or the date of a Retry-After (RFC 9110 section 10.2.3). */
function retryOf(header: string): number {
  const ms = /^\d+$/.test(header) ? Number(header) * 1000 : Date.parse(header) - Date.now();
  return Math.min(Math.max(ms || 0, 0), LONGEST_RETRY_MS);
}

/** `untilMs` is when the watch ends; that and the time of the clock are milliseconds since 1970. */
interface WatchOptions extends Agreed {
  everyMs: number;
  untilMs: number;
  clock: Clock;
  random: () => number;
  signal: AbortSignal;
  /** Called after each read. */
  onRead(name: string, state: FeedState, events: readonly WatchEvent[]): void;
}

/** After errors, the time between two reads doubles up to this. */
const LONGEST_BACKOFF_MS = 5 * 60_000;

/** Reads each feed until the end, and one at a time of each host. `states` has what is known of each by its name, and is kept up to date. */
export async function watchFeeds(
  feeds: readonly { name: string; host: string; poll: Poll }[],
  states: Map<string, FeedState>,
  { everyMs, untilMs, clock, random, signal, onRead, ...agreed }: WatchOptions,
): Promise<void> {
  const { now, sleep } = endingWith(clock, signal);
  const isOver = () => signal.aborted || now() >= untilMs;
  const busy = new Map<string, Promise<unknown>>();
  const watchOne = async ({ name, host, poll }: (typeof feeds)[number]) => {
    for (let failures = 0; !isOver(); ) {
      const before: Promise<unknown> = busy.get(host) ?? Promise.resolve();
      const answer = before.then(() => (isOver() ? undefined : poll(now(), signal)));
      busy.set(host, answer);
      const read = await answer;
      if (!read || signal.aborted) return;
      const { state, events } = watchRead(states.get(name) ?? newState(), read, name, agreed);
      states.set(name, state);
      onRead(name, state, events);
      failures = read.what === 'failed' ? failures + 1 : 0;
      const backoffMs = Math.min(
        everyMs * 2 ** Math.max(failures - 1, 0),
        Math.max(everyMs, LONGEST_BACKOFF_MS),
      );
      const waitMs = Math.max(backoffMs * (0.9 + random() / 5), read.retryMs ?? 0);
      await sleep(Math.max(Math.min(waitMs, untilMs - now()), 0));
    }
  };
  await Promise.all(feeds.map(watchOne));
}
