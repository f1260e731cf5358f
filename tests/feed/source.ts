/** Reads a feed from a file, standard input, or a URL. None of them is trusted. */
import { createReadStream } from 'node:fs';
import { addAbortSignal, pipeline, type Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { earlyEnd } from '../support/clock.ts';
import { isLoopback } from '../support/options.ts';
import { UsageError } from '../support/usage-error.ts';
import { version } from '../support/version.ts';

export interface Feed {
  /** Its name in reports; of a URL, the part before the query. */
  name: string;
  /** Decoded, and whole; or why it is not, as a sentence. */
  body: Buffer | string;
  /** The Content-Type of an answer with a body, empty if it had none. */
  contentType?: string;
  /** The service's time by its Date header and the Age of a cache, in milliseconds since 1970. */
  servedMs?: number;
  /** How long before that this machine's clock says it was, where it is too long to be the difference of two clocks. */
  staleMs?: number;
}

interface Limits {
  /** For a URL, to its last byte. */
  timeoutSeconds: number;
  /** The most bytes of the decoded body. */
  mostBytes: number;
  /** Aborted where the run ends; the message of its reason begins a sentence. */
  signal: AbortSignal;
}

export const MEBIBYTE = 1024 * 1024;

/** Whether a feed is at a URL, be it an invalid one; otherwise it is in a file. */
export const isUrl = (feed: string): boolean => /^\s*(https?:|[a-z][a-z\d+.-]+:\/\/)/i.test(feed);

/** Throws UsageError for what `mrs feed` does not read. The URL may hold a key: no message repeats it. */
export function feedUrl(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !/^https?:$/.test(url.protocol))
    throw new UsageError('The URL of the feed is not an http or https URL. Correct it, or name a file.');
  if (url.username || url.password)
    throw new UsageError(
      'The URL of the feed contains a user name or a password. Remove them: mrs feed sends no credentials. ' +
        'For a feed that needs a token, fetch it yourself and pipe it: curl … | mrs feed -',
    );
  return url;
}

/** `where` is a URL, a file, or `-`. Throws UsageError with the reason if there is no feed. */
export async function readFeed(where: string, limits: Limits): Promise<Feed> {
  if (isUrl(where)) return readUrl(feedUrl(where), limits);
  const isFile = where !== '-';
  const name = isFile ? where : 'Standard input';
  const why = (error: unknown) =>
    `${name} cannot be read (${codeOf(error)}). Name a file, a URL, or - for standard input.`;
  const stream = isFile ? createReadStream(where) : process.stdin;
  return { name, body: await readToEnd(stream, limits, why) };
}

export const NOT_EMPTY =
  'A failed fetch is not an empty schedule: keep the data that you have, and try again.';

async function readUrl(url: URL, limits: Limits): Promise<Feed> {
  const { Agent, EnvHttpProxyAgent, request } = await import('undici'); // Most feeds are files.
  const name = `${url.origin}${url.pathname}${url.search && '?…'}`;
  const limit = new AbortController();
  const { timeoutSeconds, signal: ended } = limits;
  setTimeout(() => limit.abort(new Error('Ended by --timeout')), Math.ceil(timeoutSeconds * 1000)).unref();
  const signal = AbortSignal.any([limit.signal, ended]);
  const beganMs = performance.now();
  const why = (error: unknown) =>
    limit.signal.aborted
      ? `${name} sent no complete response within ${timeoutSeconds} s. ${NOT_EMPTY}`
      : `${name} could not be read (${codeOf(error)}). ${NOT_EMPTY}`;
  // Proxies are for addresses outside of this machine.
  const dispatcher = isLoopback(url.href) ? new Agent() : new EnvHttpProxyAgent();
  const headers = {
    accept: 'application/json',
    'accept-encoding': 'gzip',
    'user-agent': `mrs-contract/${version}`,
  };
  try {
    const answer = await request(url, { dispatcher, signal, headers }).catch((error) => {
      if (ended.aborted) return undefined;
      throw new UsageError(why(error));
    });
    if (!answer) return { name, body: notWhole(ended, beganMs) };
    const { statusCode: status, body } = answer;
    body.on('error', () => {}); // Reported where the body is read.
    const linesOf = (field: string): string[] => [answer.headers[field] ?? []].flat();
    const coding = linesOf('content-encoding').join().trim().toLowerCase();
    const problem = refusalOf(status, linesOf('location')[0], coding, url);
    if (problem !== undefined) throw new UsageError(`${name} ${problem}`);
    const times = timesOf(linesOf('date')[0], linesOf('age')[0], Date.now());
    if (status === 204 || status === 205)
      return { name, ...times, body: `The answer ${status} has no body, so there is no feed to judge.` };
    const decoded = coding.endsWith('gzip') ? pipeline(body, createGunzip(), () => {}) : body;
    // Readers differ in which of several they take.
    const types = [...new Set(linesOf('content-type'))].join(', ').slice(0, 100);
    return { name, ...times, contentType: types, body: await readToEnd(decoded, { ...limits, signal }, why) };
  } finally {
    await dispatcher.destroy();
  }
}

/** Why an answer has no feed, as the rest of a sentence about its address. */
function refusalOf(
  status: number,
  location: string | undefined,
  coding: string,
  url: URL,
): string | undefined {
  if (status >= 300 && status <= 399)
    return `answered ${status}${leadsTo(location, url)}. mrs feed follows no redirects.`;
  // 202 announces a later answer, and 206 is a part.
  if (![200, 203, 204, 205].includes(status)) return `answered ${status}. ${NOT_EMPTY}`;
  if (['', 'identity', 'gzip', 'x-gzip'].includes(coding)) return undefined;
  return `sent the content coding "${coding}", not gzip. ${NOT_EMPTY}`;
}

const notWhole = (signal: AbortSignal, beganMs: number): string =>
  `${earlyEnd(signal, beganMs)}: the feed was not read to its end, and not judged.`;

/** All bytes of a stream, or why they are not all. Throws UsageError for an error of the stream. */
async function readToEnd(
  stream: Readable,
  { mostBytes, signal }: Limits,
  why: (error: unknown) => string,
): Promise<Buffer | string> {
  const beganMs = performance.now();
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  try {
    for await (const chunk of addAbortSignal(signal, stream)) {
      bytes += chunk.length;
      if (bytes > mostBytes)
        return `The feed is larger than ${mostBytes / MEBIBYTE} MiB. Raise --body-limit.`;
      chunks.push(chunk);
    }
    return Buffer.concat(chunks);
  } catch (error) {
    if (signal.aborted) return notWhole(signal, beganMs);
    throw new UsageError(why(error));
  }
}

/** Clocks of machines differ by less. */
const CLOCKS_DIFFER_MS = 5 * 60_000;

/**
 * When an answer was served. A cache keeps the Date of the service and counts the seconds since in Age (RFC 9111 section
 * 5.1); an Age that leads into the future is not believed.
 */
export function timesOf(date = '', age = '', nowMs: number): Pick<Feed, 'servedMs' | 'staleMs'> {
  const sentMs = Date.parse(date);
  if (Number.isNaN(sentMs)) return {};
  const ageMs = /^\d{1,10}$/.test(age) ? Number(age) * 1000 : 0;
  const servedMs = Math.max(sentMs, Math.min(sentMs + ageMs, nowMs));
  const staleMs = nowMs - servedMs;
  return { servedMs, ...(staleMs > CLOCKS_DIFFER_MS && { staleMs }) };
}

function leadsTo(location: string | undefined, from: URL): string {
  if (location === undefined || !URL.canParse(location, from.href)) return '';
  const { origin, pathname, protocol } = new URL(location, from);
  if (!['http:', 'https:'].includes(protocol)) return ' and points to no http address';
  return ` and points to ${`${origin}${pathname}`.slice(0, 200)}: give that address`;
}

/** `ENOENT`, `UND_ERR_SOCKET`: not the message, which may quote a secret. */
export function codeOf(error: unknown): string {
  const { code, cause, name } = error as { code?: unknown; cause?: unknown; name?: string };
  if (typeof code === 'string') return code.startsWith('Z_') ? 'its gzip coding is damaged' : code;
  return cause ? codeOf(cause) : (name ?? 'Error');
}
