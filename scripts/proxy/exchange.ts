/** One exchange that passes through the proxy: what is noted of it until it is over, and how the proxy itself ends it. */
import { type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http';

/** One exchange, from the first byte of its request until it is recorded. It holds secrets. */
export interface Exchange {
  request: IncomingMessage;
  response: ServerResponse;
  /** In milliseconds since 1970, with fractions, on a clock that only moves forwards. */
  startMs: number;
  endMs: number;
  /** As the client sent it: path and query. */
  target: string;
  body: Body;
  answer?: Answer;
  /** Why the service gave no complete answer, as the rest of a sentence that begins with "the deployment". */
  failure?: string;
  /** How the connection of the client ended, if it did not get a complete answer. */
  ended?: 'gone' | 'reset';
  /** What went wrong, where the proxy answered in place of the service. */
  proxyAnswer?: string;
}

interface Answer {
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
  onOver: (exchange: Exchange) => void,
): Exchange {
  const target = originForm(request.url ?? '');
  const exchange: Exchange = { request, response, startMs: nowMs(), endMs: 0, target, body: newBody() };
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
    onOver(exchange);
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
const originForm = (target: string): string =>
  target.replace(/^https?:\/\/[^/?#]*(\/?)/i, (_, slash) => slash || '/');

/** Names and values in turn, as Node.js gives heads, in pairs. */
export const pairsOf = (raw: readonly string[]): [name: string, value: string][] =>
  raw.flatMap((name, at) => (at % 2 === 0 ? [[name, raw[at + 1] as string]] : []));

/**
 * Answers in place of the service, in the format of the mock's errors, marked by Proxy-Status (RFC 9209); closes the
 * connection afterwards if the request is still arriving. `sentence` says what happened and what to do; `what` is recorded.
 */
export function answerFailure(exchange: Exchange, status: number, sentence: string, what: string): void {
  const { request, response } = exchange;
  const head = { 'content-type': 'application/json', 'proxy-status': 'mrs-proxy' };
  const body = Buffer.from(`${JSON.stringify({ error: 'proxy_error', error_description: sentence })}\n`);
  const content = request.method === 'HEAD' ? Buffer.alloc(0) : body;
  const copy: Body = { bytes: content.length, content: () => content, add() {}, drop() {} };
  exchange.answer = { status, rawHeaders: Object.entries(head).flat(), body: copy, completeMs: nowMs() };
  exchange.proxyAnswer = what;
  if (!request.complete) response.shouldKeepAlive = false;
  // With its reason: the response may have kept one of the service that cannot be sent.
  response.writeHead(status, STATUS_CODES[status], { ...head, 'content-length': String(body.length) });
  response.end(body);
  request.resume();
}

/** A copy of a body that passes. */
export interface Body {
  add(chunk: Buffer): void;
  /** How much passed. */
  bytes: number;
  /** Undefined if it was too large to keep, did not pass completely, or was dropped. */
  content(): Buffer | undefined;
  /** Gives the memory back; keeps nothing from now on. */
  drop(): void;
}

/** In bytes: of one body, and of all that are under way. */
export interface CaptureLimits {
  each: number;
  total: number;
}

/** Makes copies that share the limit `total`. */
export function createCaptures({ each, total }: CaptureLimits): () => Body {
  let held = 0;
  return () => {
    let chunks: Buffer[] | undefined = [];
    let kept = 0;
    const body: Body = {
      bytes: 0,
      add(chunk) {
        body.bytes += chunk.length;
        if (!chunks) return;
        kept += chunk.length;
        held += chunk.length;
        chunks.push(chunk);
        if (kept > each || held > total) body.drop();
      },
      content: () => chunks && (chunks.length === 1 ? chunks[0] : Buffer.concat(chunks)),
      drop() {
        held -= kept;
        kept = 0;
        chunks = undefined;
      },
    };
    return body;
  };
}
