/** One exchange that passes through the proxy: what is noted of it until it is over, and how the proxy itself ends it. */
import { type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Field } from '../../tests/traffic/exchange.ts';

/** One exchange, from the first byte of its request until it is recorded. It holds secrets. */
export interface Exchange {
  request: IncomingMessage;
  response: ServerResponse;
  /** In milliseconds since 1970, with fractions, on a clock that only moves forwards. */
  startMs: number;
  endMs: number;
  method: string;
  /** As the client sent it: path and query. */
  target: string;
  /** As the client sent them: names and values in turn. */
  rawHeaders: readonly string[];
  body: Body;
  answer?: Answer;
  /** Why the service gave no complete answer, as the rest of a sentence that begins with "the deployment". */
  failure?: string;
  /** How the connection of the client ended, if it did not get a complete answer. */
  ended?: 'gone' | 'reset';
  /** What went wrong, where the proxy answered in place of the service. */
  proxyAnswer?: string;
  /** Called when it is over, before it is recorded. */
  onOver?(): void;
}

export interface Answer {
  status: number;
  /** Names and values in turn. */
  rawHeaders: readonly string[];
  body: Body;
  /** When all of it had come; a client may call again before it is known that it got it. */
  completeMs?: number;
}

/** Begins to note an exchange. It is over when the answer has been sent, or the client has disconnected. */
export function begin(
  request: IncomingMessage,
  response: ServerResponse,
  newBody: () => Body,
  onPassed: (exchange: Exchange) => void,
): Exchange {
  const exchange: Exchange = {
    request,
    response,
    startMs: nowMs(),
    endMs: Number.NaN,
    method: request.method ?? '',
    target: originForm(request.url ?? ''),
    rawHeaders: request.rawHeaders,
    body: newBody(),
  };
  const { socket } = request;
  let isOver = false;
  const end = () => {
    if (isOver) return; // A connection that closes first closes its response, and then calls its own listeners.
    isOver = true;
    response.off('close', end);
    socket.off('close', end); // A response that waits for earlier ones does not close with its connection.
    const { answer, body } = exchange;
    if (!response.writableFinished) exchange.ended ??= 'gone';
    exchange.endMs = (exchange.ended === undefined ? answer?.completeMs : undefined) ?? nowMs();
    if (!request.complete) body.drop();
    if (answer?.completeMs === undefined) answer?.body.drop();
    exchange.onOver?.();
    onPassed(exchange);
  };
  response.once('close', end);
  socket.once('close', end);
  response.on('error', ignore); // The client has disconnected.
  request.on('error', ignore);
  return exchange;
}

const ignore = () => {};

/** In milliseconds since 1970, on a clock that only moves forwards. */
export const nowMs = (): number => performance.timeOrigin + performance.now();

/** Of an absolute form, the path and query (RFC 9112 section 3.2). */
const originForm = (target: string): string => {
  if (target.startsWith('/')) return target;
  const [, rest] = /^https?:\/\/[^/?#]*(.*)$/is.exec(target) ?? [];
  return rest === undefined ? target : rest.startsWith('/') ? rest : `/${rest}`;
};

/** As Node.js gives heads: names and values in turn. */
export function pairsOf(raw: readonly string[]): [name: string, value: string][] {
  const pairs: [string, string][] = [];
  for (let at = 0; at < raw.length; at += 2) pairs.push([raw[at] as string, raw[at + 1] as string]);
  return pairs;
}

/** The same, with names in lower case. */
export const fieldsOf = (raw: readonly string[]): Field[] =>
  pairsOf(raw).map(([name, value]) => [name.toLowerCase(), value]);

// Answers of the proxy itself, in place of the service. They are marked by Proxy-Status (RFC 9209).

/**
 * Answers in place of the service, in the format of the mock's errors; closes the connection afterwards if the request is
 * still arriving. `sentence` says what happened and what to do; `what` is recorded.
 */
export function answerFailure(exchange: Exchange, status: number, sentence: string, what: string): void {
  const { request, response } = exchange;
  const head = { 'content-type': 'application/json', 'proxy-status': 'mrs-proxy' };
  const body = Buffer.from(`${JSON.stringify({ error: 'proxy_error', error_description: sentence })}\n`);
  const rawHeaders = Object.entries(head).flat();
  const content = request.method === 'HEAD' ? Buffer.alloc(0) : body;
  const copy: Body = { bytes: content.length, content: () => content, add() {}, drop() {} };
  Object.assign(exchange, {
    answer: { status, rawHeaders, body: copy, completeMs: nowMs() },
    proxyAnswer: what,
  });
  if (!request.complete) response.shouldKeepAlive = false;
  // With its reason: the response may have kept one of the service that cannot be sent.
  response.writeHead(status, STATUS_CODES[status], { ...head, 'content-length': String(body.length) });
  response.end(body);
  request.resume();
}

/** Ends the connection of the client as the service would have ended it. */
export function resetClient(exchange: Exchange): void {
  exchange.ended ??= 'reset';
  exchange.request.socket.resetAndDestroy();
}

/** A copy of a body that passes. */
export interface Body {
  add(chunk: Buffer): void;
  /** How much passed. */
  readonly bytes: number;
  /** Undefined if it was too large to keep, did not pass completely, or was dropped. */
  content(): Buffer | undefined;
  /** Gives the memory back; keeps nothing from now on. */
  drop(): void;
}

export interface CaptureLimits {
  /** Of one body, in bytes. */
  each: number;
  /** Of all bodies that are under way, in bytes. */
  total: number;
}

/** Makes copies that share the limit `total`. */
export function createCaptures(limits: CaptureLimits): () => Body {
  const held = { bytes: 0 };
  return () => new Capture(limits, held);
}

class Capture implements Body {
  readonly #limits: CaptureLimits;
  /** By all copies. */
  readonly #held: { bytes: number };
  #chunks: Buffer[] | undefined = [];
  #kept = 0;
  bytes = 0;

  constructor(limits: CaptureLimits, held: { bytes: number }) {
    this.#limits = limits;
    this.#held = held;
  }

  add(chunk: Buffer): void {
    const { length } = chunk;
    this.bytes += length;
    if (!this.#chunks) return;
    this.#kept += length;
    this.#held.bytes += length;
    this.#chunks.push(chunk);
    if (this.#kept > this.#limits.each || this.#held.bytes > this.#limits.total) this.drop();
  }

  content(): Buffer | undefined {
    const chunks = this.#chunks;
    return chunks && (chunks.length === 1 ? chunks[0] : Buffer.concat(chunks));
  }

  drop(): void {
    this.#held.bytes -= this.#kept;
    this.#kept = 0;
    this.#chunks = undefined;
  }
}
