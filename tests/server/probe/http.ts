/**
 * Every exchange with a deployment goes through here, one attempt each, on a connection of its own. The peer is not
 * trusted: no redirect is followed, one deadline covers the whole exchange, and head and decoded body have a size limit.
 */
import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import {
  type ClientRequest,
  type IncomingMessage,
  request as plainRequest,
  validateHeaderValue,
} from 'node:http';
import { request as secureRequest } from 'node:https';
import { connect as connectPlain, isIP, type Socket } from 'node:net';
import {
  connect as connectSecure,
  createSecureContext,
  rootCertificates,
  type SecureContext,
} from 'node:tls';
import { getProxyForUrl } from 'proxy-from-env';
import type { Clock } from '../../support/clock.ts';
import { isLoopback } from '../../support/options.ts';
import { codingsIn, decoderOf, MOST_CODINGS } from '../../traffic/content-coding.ts';

export interface HttpRequest {
  method: 'GET' | 'HEAD' | 'OPTIONS' | 'POST' | 'PUT';
  url: string;
  /** Sent in this order, after Host and Connection. */
  headers: Record<string, string>;
  body?: string;
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

/** The most of them that are kept. */
const ASIDES = 200;

export interface Http {
  exchange(request: HttpRequest): Promise<HttpResponse | HttpFailure>;
  close(): Promise<void>;
}

/** `authorities` are PEM certificates that are trusted in addition to those that Node.js trusts. */
export function createHttp(limits: HttpLimits = defaultLimits, authorities: readonly string[] = []): Http {
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
        if (deadline.aborted)
          return { failure: `gave no complete answer within ${limits.deadlineSeconds} s` };
        return { failure: failureOf(error) };
      }
    },
    close: async () => closed.abort(),
  };
}

async function attempt(
  request: HttpRequest,
  limits: HttpLimits,
  signal: AbortSignal,
  trust: SecureContext | undefined,
): Promise<HttpResponse> {
  for (const [name, value] of Object.entries(request.headers)) validateHeaderValue(name, value);
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
      headers.filter(([name]) => name === 'content-encoding').map(([, value]) => value),
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
    const isOverflow = (cause as { code?: unknown }).code === 'HPE_HEADER_OVERFLOW';
    if (hasHead && (cause as { code?: unknown }).code === 'ECONNRESET') throw new Failure(INCOMPLETE);
    throw isOverflow ? new Failure(`sent a head of more than ${limits.headBytes / 1024} KiB`) : cause;
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

function headersOf({ rawHeaders }: IncomingMessage): [string, string][] {
  return rawHeaders.flatMap((name, at) =>
    at % 2 === 0 ? [[name.toLowerCase(), rawHeaders[at + 1] ?? '']] : [],
  );
}

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

/** HTTP that spares a deployment: paced, within a budget, and repeated where the deployment sends Retry-After. */
interface ThrottledHttp extends Http {
  /** How many requests were sent, repeated ones included. */
  sent(): number;
}

export interface Throttle {
  /** Between the beginnings of two requests. A deployment on this machine is not paced. */
  intervalMs: number;
  /** Requests in a whole run, repeated ones included. */
  budget: number;
  /** The longest `Retry-After` that is waited for. */
  maxRetryAfterSeconds: number;
  /** The most that a run waits in all: the forms of a run where ten a minute are answered. */
  maxWaitedSeconds: number;
}

/** The requests of a plan, and almost all of them once more. */
export const defaultThrottle: Throttle = {
  intervalMs: 200,
  budget: 160,
  maxRetryAfterSeconds: 60,
  maxWaitedSeconds: 180,
};

/** How often a request is repeated because the deployment asked for it. */
const REPEATS = 2;

export function createThrottledHttp(
  http: Http,
  clock: Clock,
  { intervalMs, budget, maxRetryAfterSeconds, maxWaitedSeconds }: Throttle = defaultThrottle,
): ThrottledHttp {
  let sent = 0;
  let nextAtMs = Number.NEGATIVE_INFINITY;
  let waitLeft = maxWaitedSeconds;

  async function exchangeOnce(request: HttpRequest) {
    if (sent === budget) return { failure: `was not asked, since this run has sent its ${budget} requests` };
    if (!isLoopback(request.url)) {
      const early = nextAtMs - clock.now();
      if (early > 0) await clock.sleep(early);
      nextAtMs = clock.now() + intervalMs;
    }
    sent += 1;
    return http.exchange(request);
  }

  return {
    async exchange(request) {
      let answer = await exchangeOnce(request);
      for (let repeat = 0; repeat < REPEATS && 'status' in answer; repeat++) {
        const seconds = retryAfter(answer);
        if (seconds === undefined || seconds > Math.min(maxRetryAfterSeconds, waitLeft)) break;
        waitLeft -= seconds;
        await clock.sleep(seconds * 1000);
        const waitedSeconds = (answer.waitedSeconds ?? 0) + seconds;
        answer = { ...(await exchangeOnce(request)), waitedSeconds };
      }
      return answer;
    },
    close: () => http.close(),
    sent: () => sent,
  };
}

/** Seconds in `Retry-After` of a 429 or 503: a number, or a date (RFC 9110 section 10.2.3). */
function retryAfter({ status, headers }: HttpResponse): number | undefined {
  if (status !== 429 && status !== 503) return undefined;
  const value = headers.find(([name]) => name === 'retry-after')?.[1]?.trim() ?? '';
  if (/^\d{1,9}$/.test(value)) return Number(value);
  // Of any other text, Date.parse makes a day of some year.
  const date = /^[A-Za-z]+, /.test(value) ? Date.parse(value) : Number.NaN;
  return Number.isNaN(date) ? undefined : Math.max(0, (date - Date.now()) / 1000);
}

// A connection to a deployment, through a proxy where the environment names one.

/** Whether the certificates of servers are verified: Node.js has a variable to switch that off. */
export const verifiesCertificates = (env: NodeJS.ProcessEnv): boolean =>
  env.NODE_TLS_REJECT_UNAUTHORIZED !== '0';

/**
 * The connection may not be established yet: its errors are events. `trust` is for proxies too; without it, what Node.js
 * trusts counts. Throws Failure for a proxy that does not help.
 */
export async function connect(url: URL, signal: AbortSignal, trust?: SecureContext): Promise<Socket> {
  const proxy = proxyFor(url);
  if (!proxy) return connectDirectly(url, trust);
  return secured(url, await tunnel(proxy, `${url.hostname}:${portOf(url)}`, signal, trust), trust);
}

/** The same, whatever proxy the environment names. */
export const connectDirectly = (url: URL, trust?: SecureContext): Socket =>
  secured(url, connectPlain({ host: hostOf(url), port: portOf(url) }), trust);

function secured(url: URL, socket: Socket, trust: SecureContext | undefined): Socket {
  if (url.protocol !== 'https:') return socket;
  const host = hostOf(url);
  return connectSecure({
    socket,
    host,
    servername: serverName(host),
    ALPNProtocols: ['http/1.1'],
    ...(trust && { secureContext: trust }),
  });
}

const portOf = ({ port, protocol }: URL): number => Number(port || (protocol === 'https:' ? 443 : 80));

const hostOf = ({ hostname }: URL): string => hostname.replace(/^\[|\]$/g, '');

/** Of TLS: an address is not a name (RFC 6066 section 3). */
const serverName = (host: string): string => (isIP(host) ? '' : host);

/**
 * The proxy that the environment names. Proxies are for other machines. HTTP_PROXY is for https as well, where HTTPS_PROXY is not
 * set. Throws Failure for one that is invalid.
 */
export function proxyFor(url: URL): URL | undefined {
  if (isLoopback(url.href)) return undefined;
  const named = getProxyForUrl(url.href) || getProxyForUrl(`http://${url.hostname}:${portOf(url)}`);
  if (!named) return undefined;
  const proxy = URL.canParse(named) ? new URL(named) : undefined;
  if (proxy && /^https?:$/.test(proxy.protocol)) return proxy;
  // The value may hold a password, and is not repeated.
  throw new Failure('cannot be reached: HTTP_PROXY or HTTPS_PROXY does not hold an http or https URL');
}

/** CONNECT (RFC 9110 section 9.3.6), for http too: so every answer is the deployment's own, and not a proxy's. */
async function tunnel(
  proxy: URL,
  authority: string,
  signal: AbortSignal,
  trust: SecureContext | undefined,
): Promise<Socket> {
  const { username, password, protocol } = proxy;
  const credentials = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  try {
    return await new Promise<Socket>((resolve, reject) => {
      const request = (protocol === 'https:' ? secureRequest : plainRequest)(proxy.origin, {
        method: 'CONNECT',
        path: authority,
        headers: {
          host: authority,
          ...(username && {
            'proxy-authorization': `Basic ${Buffer.from(credentials).toString('base64')}`,
          }),
        },
        servername: serverName(hostOf(proxy)), // Otherwise Node.js takes that of the header host.
        agent: false,
        signal,
        ...(trust && { secureContext: trust }),
      });
      request.on('error', reject);
      request.on('connect', ({ statusCode }, socket, head) => {
        if (statusCode === 200) {
          socket.unshift(head);
          return resolve(socket);
        }
        socket.destroy();
        reject(new Failure(`refused the connection (${statusCode})`));
      });
      request.end();
    });
  } catch (error) {
    throw new Failure(`cannot be reached: the proxy ${proxy.host} ${failureOf(error)}`);
  }
}

// Certificate authorities that are trusted in addition to those that Node.js trusts.

/** For connections: authorities that are given to them replace those of Node.js, so those are given too. */
export const contextTrusting = (authorities: readonly string[]): SecureContext =>
  createSecureContext({ ca: trustedWith(authorities) });

export const trustedWith = (authorities: readonly string[]): string[] => [
  ...rootCertificates,
  ...extraCertificates(),
  ...authorities,
];

/** What Node.js trusts by NODE_EXTRA_CA_CERTS; it warns by itself of a file that it cannot read. */
function extraCertificates(): string[] {
  const file = process.env.NODE_EXTRA_CA_CERTS;
  if (!file) return [];
  try {
    return certificatesIn(readFileSync(file, 'utf8')).filter(isCertificate);
  } catch {
    return [];
  }
}

export const certificatesIn = (text: string): string[] =>
  text.match(/-----BEGIN CERTIFICATE-----.*?-----END CERTIFICATE-----/gs) ?? [];

export function isCertificate(pem: string): boolean {
  try {
    return new X509Certificate(pem).raw.length > 0;
  } catch {
    return false;
  }
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
      decoded = (await decoderOf(coding)?.decode(decoded, { maxOutputLength: limit })) ?? decoded;
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

export const tooLarge = (limit: number): Failure =>
  new Failure(`sent a body of more than ${limit / 1024} KiB`);

/** Why no complete answer came: its message is the rest of a sentence that begins with "the deployment". */
class Failure extends Error {}

export function failureOf(error: unknown): string {
  if (error instanceof Failure) return error.message;
  const { code = '', errno, rawPacket } = error as { code?: unknown; errno?: number; rawPacket?: Buffer };
  const name = String(code);
  if (name.startsWith('HPE_'))
    return rawPacket && isHttp2(rawPacket) ? HTTP2_ONLY : `sent something that is not HTTP (${name})`;
  // A server that does not offer HTTP/1.1 refuses the handshake (RFC 7301 section 3.2).
  if (/no.application.protocol/i.test((error as Error).message)) return HTTP2_ONLY;
  // Only an error of the operating system has a number: a peer that ends the connection makes none.
  if (name === 'ECONNRESET' && errno === undefined) return NO_ANSWER;
  return SENTENCES[name] ?? `could not be reached or understood (${name || (error as Error).name})`;
}

const NO_ANSWER = 'closed the connection without an answer';
const RESET = 'reset the connection';
/** The connection ended after the head of an answer: part of its body may have come. */
export const INCOMPLETE = 'closed the connection before its answer was complete';

/** Whether a deployment ended the connection instead of an answer; `failure` is what `failureOf` returned. */
export const isHangUp = (failure: string): boolean => failure === RESET || failure === NO_ANSWER;

const HTTP2_ONLY = 'speaks only HTTP/2: let it speak HTTP/1.1 as well, or put a gateway in front of it';

/** HTTP/2 begins with a frame of settings, of stream 0 (RFC 9113 section 3.4). */
const isHttp2 = (bytes: Buffer): boolean =>
  bytes.length >= 9 && bytes[0] === 0 && bytes[3] === 4 && bytes.readUInt32BE(5) === 0;

const ADD_CA = 'give --ca (MRS_CA) the PEM file of';

const SENTENCES: Record<string, string> = {
  ECONNREFUSED: 'refused the connection',
  ECONNRESET: RESET,
  EPIPE: RESET,
  ENOTFOUND: 'has a host name that does not resolve',
  EAI_AGAIN: 'has a host name that does not resolve',
  EHOSTUNREACH: 'cannot be reached',
  ENETUNREACH: 'cannot be reached',
  ETIMEDOUT: 'did not accept the connection in time',
  ERR_INVALID_CHAR: 'issued a token that no Authorization header can carry',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: `has a certificate of an unknown authority: ${ADD_CA} that authority, or let the server send its intermediate certificates`,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: `has a certificate of an unknown authority: ${ADD_CA} that authority`,
  SELF_SIGNED_CERT_IN_CHAIN: `has a certificate of a private authority: ${ADD_CA} that authority`,
  DEPTH_ZERO_SELF_SIGNED_CERT: `has a self-signed certificate: ${ADD_CA} that certificate`,
  CERT_HAS_EXPIRED: 'has an expired certificate: renew it (--ca does not help)',
  ERR_TLS_CERT_ALTNAME_INVALID:
    'has a certificate for another host name: correct the base URL or the certificate (--ca does not help)',
};
