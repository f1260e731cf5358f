/** Where the bytes of a feed come from: a file, standard input, or a URL, of which nothing is trusted. */
import { createReadStream } from 'node:fs';
import { addAbortSignal, pipeline, type Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { Agent, EnvHttpProxyAgent, request } from 'undici';
import { isLoopback } from '../support/loopback.ts';
import { UsageError } from '../support/usage-error.ts';
import { version } from '../support/version.ts';

export interface FeedSource {
  kind: 'file' | 'stdin' | 'url';
  /** What it is called in reports; of a URL what stands before the query. */
  name: string;
  status?: number;
  contentType?: string;
  /** The time of the service by its Date header, in milliseconds. */
  servedMs?: number;
  /** Decoded. Throws UsageError if they cannot be read to their end. Absent: the answer has no body. */
  bytes?: AsyncIterable<Uint8Array>;
  close(): Promise<void>;
}

/** `where` is a URL, a file, or `-`. Throws UsageError with why there is no feed. */
export async function openFeed(where: string, timeoutSeconds: number): Promise<FeedSource> {
  // One that is nearly a URL may hold a password, which the name of a file would be repeated with.
  if (/^\s*(https?:|[a-z][a-z\d+.-]+:\/\/)/i.test(where)) return openUrl(urlOf(where), timeoutSeconds);
  const isFile = where !== '-';
  const name = isFile ? where : 'standard input';
  const stream = isFile ? createReadStream(where, { highWaterMark: CHUNK }) : process.stdin;
  const inWords = (error: unknown) =>
    new UsageError(
      `${name} cannot be read (${codeOf(error)}), so that nothing is known of the feed. ` +
        'Name a file, a URL, or - for standard input.',
    );
  return {
    ...{ kind: isFile ? 'file' : 'stdin', name, bytes: telling(stream, inWords) },
    close: async () => void stream.destroy(),
  };
}

const CHUNK = 1024 * 1024;
const NOT_EMPTY = 'A failed fetch is no empty schedule: keep what you know, and ask again.';

/** What cannot be told from a secret is not repeated. */
function urlOf(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !/^https?:$/.test(url.protocol))
    throw new UsageError('The URL of the feed is not one of http or https. Correct it, or name a file.');
  if (url.username || url.password)
    throw new UsageError(
      'The URL of the feed holds a name or a password. Take it out: a feed is read without credentials here. ' +
        'For one that needs a token, fetch it yourself and pipe it: curl … | mrs feed -',
    );
  return url;
}

async function openUrl(url: URL, timeoutSeconds: number): Promise<FeedSource> {
  const name = `${url.origin}${url.pathname}${url.search && '?…'}`;
  const signal = AbortSignal.timeout(Math.ceil(timeoutSeconds * 1000));
  const inWords = (error: unknown) =>
    new UsageError(
      signal.aborted
        ? `${name} gave no complete answer within ${timeoutSeconds} s. ${NOT_EMPTY}`
        : `${name} could not be read (${codeOf(error)}). ${NOT_EMPTY}`,
    );
  // Proxies are for what lies outside.
  const dispatcher = isLoopback(url.href) ? new Agent() : new EnvHttpProxyAgent();
  const close = () => dispatcher.destroy();
  const refuse = async (sentence: string): Promise<never> => {
    await close();
    throw new UsageError(sentence);
  };

  const answer = await request(url, {
    ...{ dispatcher, signal },
    headers: {
      accept: 'application/json',
      'accept-encoding': 'gzip',
      'user-agent': `mrs-contract/${version}`,
    },
  }).catch(async (error: unknown) => refuse(inWords(error).message));
  const { statusCode: status, headers, body } = answer;
  body.on('error', () => {}); // It is told where the body is read.
  const header = (field: string): string | undefined => [headers[field] ?? []].flat()[0];

  if (status >= 300 && status <= 399)
    return refuse(
      `${name} answered ${status}${leadsTo(header('location'), url)}. No redirect is followed here.`,
    );
  // 202 and 206 are a promise and a part.
  if (![200, 203, 204, 205].includes(status)) return refuse(`${name} answered ${status}. ${NOT_EMPTY}`);
  const coding = [headers['content-encoding'] ?? []].flat().join().trim().toLowerCase();
  if (!['', 'identity', 'gzip', 'x-gzip'].includes(coding))
    return refuse(`${name} sent a content coding that was not asked for. ${NOT_EMPTY}`);
  const servedMs = Date.parse(header('date') ?? '');
  const contentType = header('content-type');
  const decoded = coding.endsWith('gzip')
    ? pipeline(body, addAbortSignal(signal, createGunzip({ chunkSize: CHUNK / 4 })), () => {})
    : body;
  return {
    ...{ kind: 'url', name, status, close },
    ...(contentType !== undefined && { contentType: contentType.slice(0, 100) }),
    ...(!Number.isNaN(servedMs) && { servedMs }),
    ...(status !== 204 && status !== 205 && { bytes: telling(decoded, inWords) }),
  };
}

function leadsTo(location: string | undefined, from: URL): string {
  if (location === undefined || !URL.canParse(location, from.href)) return '';
  const { origin, pathname } = new URL(location, from);
  return ` and points to ${`${origin}${pathname}`.slice(0, 200)}: give that address`;
}

/** The bytes of a stream, with its errors in words. */
async function* telling(
  stream: Readable,
  inWords: (error: unknown) => UsageError,
): AsyncGenerator<Uint8Array> {
  try {
    yield* stream;
  } catch (error) {
    throw inWords(error);
  }
}

/** `ENOENT`, `UND_ERR_SOCKET`: no message, which may quote what it should not. */
function codeOf(error: unknown): string {
  const { code, cause, name } = error as { code?: unknown; cause?: unknown; name?: string };
  if (typeof code === 'string') return code;
  return cause ? codeOf(cause) : (name ?? 'Error');
}
