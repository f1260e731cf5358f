/**
 * Every exchange with a deployment goes through here, one attempt each, on a connection of its own. The peer is not
 * trusted: no redirect is followed, one deadline covers the whole exchange, and head and decoded body have a size limit.
 */
import { type ClientRequest, type IncomingMessage, request as plainRequest } from 'node:http';
import type { Socket } from 'node:net';
import type { SecureContext } from 'node:tls';
import type { Clock } from '../../support/clock.ts';
import { isLoopback } from '../../support/options.ts';
import { codingsIn, decoderOf, MOST_CODINGS } from '../../traffic/content-coding.ts';
import { fieldNamed, secondsToWait } from '../../traffic/exchange.ts';
import { connect, contextTrusting, Failure, type FailureCode, failureOf } from './connection.ts';

export interface HttpRequest {
  method: 'GET' | 'HEAD' | 'OPTIONS' | 'POST' | 'PUT';
  url: string;
  /** Sent in this order, after Host and Connection. */
  headers: Record<string, string>;
  body?: string;
  /** Whether it must be accepted, so that 403 with Retry-After asks to wait, as 429 does. */
  isValid?: boolean;
  /** Where the answer must be smaller than the limits of the run allow. */
  bodyBytes?: number;
}

export interface HttpResponse {
  status: number;
  /** Names in lower case, in the order in which they came. */
  headers: readonly (readonly [name: string, value: string])[];
  /** What an answer says elsewhere: the reason phrase, headers of interim responses, and trailers. */
  asides?: string[];
  /** The content with its content codings removed (RFC 9110 section 8.4). */
  body: Buffer;
  /** How long the deployment asked to wait before it gave this answer. */
  waitedSeconds?: number;
  /** The answers that asked to wait. */
  before?: readonly HttpResponse[];
}

/** Why no complete answer came, as the rest of a sentence that begins with "the deployment". */
export interface HttpFailure {
  failure: string;
  failureCode?: FailureCode;
  waitedSeconds?: number;
  before?: readonly HttpResponse[];
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

/** The most of them that are kept. */
const ASIDES = 200;

export interface Http {
  exchange(request: HttpRequest): Promise<HttpResponse | HttpFailure>;
  /** Aborts what is under way. */
  close(): void;
}

/** `authorities`: PEM certificates that are trusted in addition to those that Node.js trusts. */
export function createHttp(limits: HttpLimits, authorities: readonly string[] = []): Http {
  const trust = authorities.length > 0 ? contextTrusting(authorities) : undefined;
  const closed = new AbortController();
  return {
    async exchange(request) {
      const { bodyBytes = limits.bodyBytes } = request;
      const deadline = AbortSignal.timeout(Math.ceil(limits.deadlineSeconds * 1000));
      const signal = AbortSignal.any([deadline, closed.signal]);
      try {
        return await attempt(request, { ...limits, bodyBytes }, signal, trust);
      } catch (error) {
        const { message, code } = deadline.aborted
          ? new Failure(`gave no complete answer within ${limits.deadlineSeconds} s`, 'timeout')
          : failureOf(error);
        return { failure: message, failureCode: code };
      }
    },
    close: () => closed.abort(),
  };
}

async function attempt(
  request: HttpRequest,
  limits: HttpLimits,
  signal: AbortSignal,
  trust: SecureContext | undefined,
): Promise<HttpResponse> {
  for (const value of Object.values(request.headers)) {
    const [character] = /[^\t\x20-\x7e\x80-\xff]/u.exec(value) ?? [];
    if (character !== undefined)
      throw new Failure(
        `issued a token with ${JSON.stringify(character)} in it, which no Authorization header can carry`,
      );
  }
  const socket = await connect(new URL(request.url), signal, trust);
  const sent = send(request, socket, limits.headBytes, signal);
  const asides: string[] = [];
  sent.on('information', ({ rawHeaders }) => {
    if (asides.length < ASIDES) asides.push(...rawHeaders);
  });
  let problem: unknown;
  let hasHead = false;
  sent.on('error', (error) => {
    problem ??= error;
  });
  try {
    const response = await responseTo(sent);
    hasHead = true;
    const headers = headersOf(response);
    const codings = acceptedCodings(
      headers.flatMap(([name, value]) => (name === 'content-encoding' ? value : [])),
    );
    const body = await decode(await bodyOf(response, limits.bodyBytes), codings, limits.bodyBytes);
    signal.throwIfAborted();
    // Only the end of the connection says where a body without a length ends (RFC 9112 section 8). Node.js reports a
    // reset that arrives with the last bytes as an ordinary end: such a body counts as whole.
    const fault = problem ?? socket.errored;
    if (fault && endsWithConnection(response, request.method)) throw fault;
    asides.push(response.statusMessage ?? '', ...response.rawTrailers);
    return { status: response.statusCode ?? 0, headers, asides: asides.slice(0, ASIDES), body };
  } catch (error) {
    // The first problem is the cause: what follows from it is only that the connection has ended.
    const cause = error instanceof Failure ? error : (problem ?? error);
    const { code } = cause as { code?: unknown };
    if (hasHead && code === 'ECONNRESET') throw new Failure(INCOMPLETE);
    if (code === 'HPE_HEADER_OVERFLOW')
      throw new Failure(`sent a head of more than ${limits.headBytes / 1024} KiB`);
    throw cause;
  } finally {
    sent.destroy();
  }
}

function send(
  { method, url, headers, body }: HttpRequest,
  socket: Socket,
  maxHeaderSize: number,
  signal: AbortSignal,
): ClientRequest {
  const { host, pathname, search } = new URL(url);
  const fields: Record<string, string> = {
    host,
    connection: 'close',
    ...headers,
    ...((method === 'POST' || method === 'PUT') && { 'content-length': `${Buffer.byteLength(body ?? '')}` }),
  };
  const sent = plainRequest({
    createConnection: () => socket,
    method,
    path: pathname + search,
    // As a list, they are sent as they are.
    headers: Object.entries(fields).flat(),
    maxHeaderSize,
    signal,
  });
  sent.maxHeadersCount = 0; // Their size is limited. By default, Node.js drops those after the 2000th.
  sent.end(body);
  return sent;
}

/** The final response: interim ones (RFC 9110 section 15.2) come before it, as many as there is time for. */
function responseTo(sent: ClientRequest): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    sent.on('response', resolve);
    sent.on('error', reject);
    sent.on('upgrade', (_, socket) => {
      socket.destroy();
      reject(new Failure('switched to another protocol, which was not requested (101)'));
    });
  });
}

const endsWithConnection = ({ statusCode = 0, headers }: IncomingMessage, method: string): boolean =>
  method !== 'HEAD' &&
  ![204, 205, 304].includes(statusCode) &&
  headers['content-length'] === undefined &&
  headers['transfer-encoding'] === undefined;

const headersOf = ({ rawHeaders }: IncomingMessage): [string, string][] =>
  rawHeaders.flatMap((name, at) => (at % 2 === 0 ? [[name.toLowerCase(), rawHeaders[at + 1] ?? '']] : []));

async function bodyOf(response: IncomingMessage, limit: number): Promise<Buffer> {
  // A 205 has no content (RFC 9110 section 15.3.6), and some servers do not give its length.
  const { 'content-length': length, 'transfer-encoding': coding } = response.headers;
  if (response.statusCode === 205 && length === undefined && coding === undefined) return Buffer.alloc(0);
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of response) {
    size += chunk.length;
    if (size > limit) throw tooLarge(limit);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** Requests in a whole run, repeated ones included: those of a plan, and almost all of them once more. */
export const BUDGET = 160;
/** Between the beginnings of two requests. A deployment on this machine is not paced. */
const INTERVAL_MS = 200;
/** How often a request is repeated because the deployment asked for it by `Retry-After`, and the longest that is waited for. */
const REPEATS = 2;
const MOST_SECONDS = 60;
/** The most that a run waits in all: the forms of a run where ten a minute are answered. */
const MOST_SECONDS_IN_ALL = 180;

/** HTTP that spares a deployment: paced, within a budget, and repeated where the deployment sends Retry-After. */
export function createThrottledHttp(http: Pick<Http, 'exchange'>, clock: Clock, budget = BUDGET) {
  let sent = 0;
  let nextAtMs = Number.NEGATIVE_INFINITY;
  let waitLeft = MOST_SECONDS_IN_ALL;

  async function exchangeOnce(request: HttpRequest) {
    if (sent === budget)
      return {
        failure: `was not asked, since this run has sent its ${budget} requests`,
        failureCode: 'not-asked' as const,
      };
    if (!isLoopback(request.url)) {
      await clock.sleep(Math.max(0, nextAtMs - clock.now()));
      nextAtMs = clock.now() + INTERVAL_MS;
    }
    sent += 1;
    return http.exchange(request);
  }

  return {
    async exchange(request: HttpRequest): Promise<HttpResponse | HttpFailure> {
      let answer: HttpResponse | HttpFailure = await exchangeOnce(request);
      for (let repeat = 0; repeat < REPEATS && 'status' in answer; repeat++) {
        const seconds = retryAfter(answer, request);
        if (seconds > Math.min(MOST_SECONDS, waitLeft)) break;
        waitLeft -= seconds;
        await clock.sleep(seconds * 1000);
        const { waitedSeconds = 0, before = [], ...busy } = answer;
        answer = {
          ...(await exchangeOnce(request)),
          waitedSeconds: waitedSeconds + seconds,
          before: [...before, busy],
        };
      }
      return answer;
    },
    /** The number of requests, repeated ones included. */
    sent: () => sent,
  };
}

/**
 * Seconds in `Retry-After` of a 429 or 503, or of a 403 to a valid request. Infinite where there is none, and for a date that has
 * passed by our clock: without a date of the answer itself, one of the two clocks may be wrong.
 */
function retryAfter({ status, headers }: HttpResponse, { isValid }: HttpRequest): number {
  const [text = '', date = ''] = ['retry-after', 'date'].map((name) => fieldNamed(headers, name));
  const own = Date.parse(date);
  const seconds = secondsToWait(text, Number.isNaN(own) ? Date.now() : own);
  const isDoubtful = Number.isNaN(own) && /[a-z]/i.test(text) && seconds === 0;
  const asks = [429, 503].includes(status) || (status === 403 && isValid);
  return seconds === undefined || isDoubtful || !asks ? Number.POSITIVE_INFINITY : seconds;
}

/** In the order in which the lines of Content-Encoding list them. Throws Failure for one that is not accepted. */
export function acceptedCodings(lines: readonly string[]): string[] {
  const codings = codingsIn(lines);
  const unknown = codings.find((name) => !decoderOf(name));
  if (unknown === undefined && codings.length <= MOST_CODINGS) return codings;
  throw new Failure(
    `sent a content coding that is not accepted: ${(unknown ?? codings.join(', ')).slice(0, 100)}`,
  );
}

/** `body` with `codings` removed. Throws Failure where that, or a step on the way, takes more than `limit` bytes. */
export async function decode(body: Buffer, codings: readonly string[], limit: number): Promise<Buffer> {
  if (body.length === 0) return body; // No content is complete, whatever codings are named.
  try {
    let decoded = body;
    for (const coding of codings.toReversed())
      decoded = (await decoderOf(coding)?.(decoded, { maxOutputLength: limit })) ?? decoded;
    return decoded;
  } catch (error) {
    const { code } = error as { code?: string };
    if (code === 'ERR_BUFFER_TOO_LARGE') throw tooLarge(limit);
    throw new Failure(
      code === 'Z_BUF_ERROR'
        ? 'sent a body that ends before its content coding does'
        : 'sent a body that does not decode by its content coding',
    );
  }
}

const tooLarge = (limit: number): Failure => new Failure(`sent a body of more than ${limit / 1024} KiB`);

/** The connection ended after the head of an answer: part of its body may have come. */
export const INCOMPLETE = 'closed the connection before its answer was complete';
