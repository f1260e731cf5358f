/** Where the bytes of a feed come from: a file, standard input, or a URL. None of them is trusted. */
import { createReadStream } from 'node:fs';
import { addAbortSignal, pipeline, type Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { isLoopback } from '../support/options.ts';
import { UsageError } from '../support/usage-error.ts';
import { version } from '../support/version.ts';

export interface FeedSource {
  kind: 'file' | 'stdin' | 'url';
  /** Its name in reports; of a URL, the part before the query. */
  name: string;
  status?: number;
  contentType?: string;
  /** The service's time by its Date header and the Age of a cache, in milliseconds since 1970. */
  servedMs?: number;
  /** How long before that this machine's clock says it was, where it is too long to be the difference of two clocks. */
  staleMs?: number;
  /** Decoded. Iterating throws UsageError if they cannot be read to the end. Absent: there is no response, or it has no body. */
  bytes?: AsyncIterable<Uint8Array>;
  /** Aborted where the run ends the reading early; the message of its reason begins a sentence. */
  signal?: AbortSignal;
  close(): Promise<void>;
}

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

const CHUNK = 64 * 1024;

/** `where` is a URL, a file, or `-`. Throws UsageError with the reason if there is no feed. */
export async function openFeed(
  where: string,
  timeoutSeconds: number,
  signal: AbortSignal = new AbortController().signal,
): Promise<FeedSource> {
  if (isUrl(where)) return openUrl(feedUrl(where), timeoutSeconds, signal);
  const kind = where === '-' ? 'stdin' : 'file';
  const name = kind === 'file' ? where : 'Standard input';
  const stream = kind === 'file' ? createReadStream(where, { highWaterMark: CHUNK }) : process.stdin;
  const why = (error: unknown) =>
    `${name} cannot be read (${codeOf(error)}). Name a file, a URL, or - for standard input.`;
  const bytes = described(addAbortSignal(signal, stream), why);
  return { kind, name, signal, bytes, close: async () => void stream.destroy() };
}

export const NOT_EMPTY =
  'A failed fetch is not an empty schedule: keep the data that you have, and try again.';

async function openUrl(url: URL, timeoutSeconds: number, ended: AbortSignal): Promise<FeedSource> {
  const { Agent, EnvHttpProxyAgent, request } = await import('undici'); // Most feeds are files.
  const name = `${url.origin}${url.pathname}${url.search && '?…'}`;
  const limit = new AbortController();
  setTimeout(() => limit.abort(new Error('Ended by --timeout')), Math.ceil(timeoutSeconds * 1000)).unref();
  const signal = AbortSignal.any([limit.signal, ended]);
  const why = (error: unknown) =>
    limit.signal.aborted
      ? `${name} sent no complete response within ${timeoutSeconds} s. ${NOT_EMPTY}`
      : `${name} could not be read (${codeOf(error)}). ${NOT_EMPTY}`;
  // Proxies are for addresses outside of this machine.
  const dispatcher = isLoopback(url.href) ? new Agent() : new EnvHttpProxyAgent();
  const close = () => dispatcher.destroy();
  const refuse = async (sentence: string): Promise<never> => {
    await close();
    throw new UsageError(sentence);
  };

  const headers = {
    accept: 'application/json',
    'accept-encoding': 'gzip',
    'user-agent': `mrs-contract/${version}`,
  };
  const answer = await request(url, { dispatcher, signal, headers }).catch((error) =>
    ended.aborted ? undefined : refuse(why(error)),
  );
  if (!answer) return { kind: 'url', name, signal, close };
  const { statusCode: status, body } = answer;
  body.on('error', () => {}); // Reported where the body is read.
  const linesOf = (field: string): string[] => [answer.headers[field] ?? []].flat();

  if (status >= 300 && status <= 399)
    return refuse(
      `${name} answered ${status}${leadsTo(linesOf('location')[0], url)}. mrs feed follows no redirects.`,
    );
  // 202 announces a later answer, and 206 is a part.
  if (![200, 203, 204, 205].includes(status)) return refuse(`${name} answered ${status}. ${NOT_EMPTY}`);
  const coding = linesOf('content-encoding').join().trim().toLowerCase();
  if (!['', 'identity', 'gzip', 'x-gzip'].includes(coding))
    return refuse(`${name} sent the content coding "${coding}", not gzip. ${NOT_EMPTY}`);
  // Readers differ in which of several they take.
  const types = [...new Set(linesOf('content-type'))];
  const decoded = coding.endsWith('gzip')
    ? pipeline(body, addAbortSignal(signal, createGunzip({ chunkSize: CHUNK })), () => {})
    : body;
  return {
    ...{ kind: 'url', name, status, signal, close },
    ...(types.length > 0 && { contentType: types.join(', ').slice(0, 100) }),
    ...timesOf(linesOf('date')[0], linesOf('age')[0], Date.now()),
    ...(status !== 204 && status !== 205 && { bytes: described(decoded, why) }),
  };
}

/** Clocks of machines differ by less. */
const CLOCKS_DIFFER_MS = 5 * 60_000;

/**
 * When an answer was served. A cache keeps the Date of the service and counts the seconds since in Age (RFC 9111 section
 * 5.1); an Age that leads into the future is not believed.
 */
export function timesOf(date = '', age = '', nowMs: number): Pick<FeedSource, 'servedMs' | 'staleMs'> {
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

/** The bytes of a stream, with its errors as UsageError. */
async function* described(stream: Readable, why: (error: unknown) => string): AsyncGenerator<Uint8Array> {
  try {
    yield* stream;
  } catch (error) {
    throw new UsageError(why(error));
  }
}

/** `ENOENT`, `UND_ERR_SOCKET`: not the message, which may quote a secret. */
export function codeOf(error: unknown): string {
  const { code, cause, name } = error as { code?: unknown; cause?: unknown; name?: string };
  if (typeof code === 'string') return code.startsWith('Z_') ? 'its gzip coding is damaged' : code;
  return cause ? codeOf(cause) : (name ?? 'Error');
}
