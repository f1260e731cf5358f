/**
 * Every exchange with a deployment goes through here, one attempt each. The peer is not trusted: no redirect is
 * followed, one deadline covers the whole exchange, and head and decoded body have a size limit.
 */
import { addAbortSignal, pipeline, type Readable } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import { Agent, type Dispatcher, EnvHttpProxyAgent, errors } from 'undici';
import { isLoopback } from '../../support/loopback.ts';

export interface HttpRequest {
  method: 'GET' | 'HEAD' | 'OPTIONS' | 'POST' | 'PUT';
  url: string;
  headers: Record<string, string>;
  body?: string;
  /** Where the answer must be smaller than the limits of the run allow. */
  bodyBytes?: number;
}

export interface HttpResponse {
  status: number;
  /** Names in lower case, in the order in which they came. */
  headers: [name: string, value: string][];
  /** The content with its content codings removed (RFC 9110 section 8.4). */
  body: Buffer;
  /** How long the deployment asked to wait before it gave this answer. */
  waitedSeconds?: number;
}

/** Why no complete answer came, as the rest of a sentence that begins with "the deployment". */
export interface HttpFailure {
  failure: string;
  waitedSeconds?: number;
}

export interface HttpLimits {
  /** From the first byte sent to the last byte received. */
  deadlineSeconds: number;
  /** Of the decoded body. */
  bodyBytes: number;
  headBytes: number;
}

export const defaultLimits: HttpLimits = {
  deadlineSeconds: 10,
  bodyBytes: 32 * 1024 * 1024,
  headBytes: 64 * 1024,
};

export interface Http {
  exchange(request: HttpRequest): Promise<HttpResponse | HttpFailure>;
  close(): Promise<void>;
}

export function createHttp(baseUrl: string, limits: HttpLimits = defaultLimits): Http {
  const dispatcher = createDispatcher(baseUrl, limits);
  return {
    async exchange({ method, url, headers, body, bodyBytes = limits.bodyBytes }) {
      const signal = AbortSignal.timeout(Math.ceil(limits.deadlineSeconds * 1000));
      try {
        const options = { method, path: pathOf(url), origin: new URL(url).origin, headers, signal };
        const answer = await dispatcher.request({ ...options, ...(body !== undefined && { body }) });
        return {
          status: answer.statusCode,
          headers: headerList(answer.headers),
          body: await readBody(answer.body, answer.headers['content-encoding'], bodyBytes, signal),
        };
      } catch (error) {
        return { failure: inWords(error, signal, { ...limits, bodyBytes }) };
      }
    },
    close: () => dispatcher.destroy(),
  };
}

/** Proxies are for what lies outside: a loopback address is always reached directly. */
function createDispatcher(baseUrl: string, limits: HttpLimits): Dispatcher {
  const options = { maxHeaderSize: limits.headBytes, pipelining: 1 };
  return isLoopback(baseUrl) ? new Agent(options) : new EnvHttpProxyAgent(options);
}

const pathOf = (url: string) => new URL(url).pathname + new URL(url).search;

function headerList(headers: Record<string, string | string[] | undefined>): [string, string][] {
  return Object.entries(headers).flatMap(([name, value]) =>
    [value ?? []].flat().map((one): [string, string] => [name, one]),
  );
}

async function readBody(
  body: Readable,
  coding: string | string[] | undefined,
  limit: number,
  signal: AbortSignal,
): Promise<Buffer> {
  const decoders = decodersFor(coding, body);
  let isEmpty = decoders.length > 0;
  if (isEmpty) body.once('data', () => (isEmpty = false));
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of through(body, decoders, signal)) {
      size += chunk.length;
      if (size > limit) throw new TooLarge();
      chunks.push(chunk);
    }
  } catch (error) {
    // No content at all is complete, whatever coding its header names.
    if (!isEmpty || signal.aborted || !body.readableEnded) throw error;
  }
  return Buffer.concat(chunks);
}

/** Content codings are undone in the reverse of the order in which the header lists them. */
function decodersFor(coding: string | string[] | undefined, body: Readable) {
  const codings = [coding ?? []].flat().flatMap((line) => line.toLowerCase().split(','));
  try {
    const decoders = codings
      .map((name) => decoderFor(name.trim()))
      .filter((decoder) => decoder !== undefined);
    if (decoders.length > MAX_CODINGS) throw new UnknownCoding(codings.join(','));
    return decoders.reverse();
  } catch (error) {
    body.on('error', () => {}).destroy();
    throw error;
  }
}

/** Each part ends with the signal by itself: a decoder can be at work for long on what has arrived already. */
function through(body: Readable, decoders: ReturnType<typeof decodersFor>, signal: AbortSignal): Readable {
  return decoders.reduce<Readable>(
    (stream, decoder) => pipeline(stream, addAbortSignal(signal, decoder), () => {}),
    body,
  );
}

const MAX_CODINGS = 2;

function decoderFor(coding: string) {
  if (coding === '' || coding === 'identity') return undefined;
  if (coding === 'gzip' || coding === 'x-gzip') return createGunzip();
  if (coding === 'deflate') return createInflate();
  if (coding === 'br') return createBrotliDecompress();
  throw new UnknownCoding(coding);
}

class TooLarge extends Error {}
class UnknownCoding extends Error {}

function inWords(error: unknown, signal: AbortSignal, limits: HttpLimits): string {
  if (signal.aborted) return `gave no complete answer within ${limits.deadlineSeconds} s`;
  if (error instanceof TooLarge) return `sent a body of more than ${limits.bodyBytes / 1024} KiB`;
  if (error instanceof UnknownCoding)
    return `sent a content coding that is not accepted: ${error.message.slice(0, 100)}`;
  if (error instanceof errors.HeadersOverflowError)
    return `sent a head of more than ${limits.headBytes / 1024} KiB`;
  const code = String((error as { code?: unknown }).code ?? '');
  if (error instanceof errors.HTTPParserError) return 'sent something that is not HTTP';
  if (code.startsWith('HPE_')) return `sent something that is not HTTP (${code})`;
  if (/^(ERR_BROTLI|ERR__ERROR_FORMAT)/.test(code)) return WORDS.Z_DATA_ERROR ?? code;
  return WORDS[code] ?? `could not be talked to (${code || (error as Error).name})`;
}

const WORDS: Record<string, string> = {
  ECONNREFUSED: 'refused the connection',
  ECONNRESET: 'reset the connection',
  EPIPE: 'reset the connection',
  UND_ERR_SOCKET: 'closed the connection before its answer was complete',
  ENOTFOUND: 'has a host name that does not resolve',
  EAI_AGAIN: 'has a host name that does not resolve',
  EHOSTUNREACH: 'cannot be reached',
  ENETUNREACH: 'cannot be reached',
  ETIMEDOUT: 'did not accept the connection in time',
  UND_ERR_CONNECT_TIMEOUT: 'did not accept the connection in time',
  UND_ERR_INVALID_ARG: 'issued a token that no Authorization header can carry',
  Z_DATA_ERROR: 'sent a body that does not decode by its content coding',
  Z_BUF_ERROR: 'sent a body that ends before its content coding does',
};
