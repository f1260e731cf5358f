/** Passes requests to the service and answers to clients, byte by byte as they arrive, and notes what passed. */
import {
  Agent,
  type ClientRequest,
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  request as requestOver,
  type Server,
  type ServerResponse,
  STATUS_CODES,
} from 'node:http';
import type { Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import { dropStalledConnections } from '../../mocks/server.ts';
import { connect, connectDirectly, contextTrusting, failureOf } from '../../tests/server/probe/connection.ts';
import { INCOMPLETE } from '../../tests/server/probe/http.ts';

interface Forwarding {
  service: ReturnType<typeof createService>;
  /** Limits of the copies of bodies, in bytes: of one, and of all that are under way. */
  captures: { each: number; total: number };
  /** Of a head, in bytes. */
  headBytes: number;
  /** Called once for each exchange, when it is over; releases it. */
  onPassed(exchange: Forwarded): void;
}

const CONNECTIONS = 2000; // Each may have one to the service: together below 4096, a common limit of open files.
const STALL_MS = 300_000;
const IDLE_MS = 75_000;
/** A head that has not come by then is no longer waited for; how often that is checked. */
const HEAD_MS = 20_000;
const CHECK_MS = 5000;
/** Methods whose requests have no body unless their head says so. */
const WITHOUT_BODY = new Set(['GET', 'HEAD', 'DELETE', 'OPTIONS', 'TRACE']);

/** Creates the server that clients connect to; it does not listen yet. */
export function createProxyServer(forwarding: Forwarding): Server {
  const { service, captures, headBytes, onPassed } = forwarding;
  const newBody = createCaptures(captures);

  function serve(request: IncomingMessage, response: ServerResponse) {
    let sent: ClientRequest | undefined;
    const exchange = begin(request, response, newBody, (passed) => {
      if (!response.writableFinished) sent?.destroy();
      onPassed(passed);
    });
    const problem = problemIn(exchange);
    if (problem) return answerFailure(exchange, ...problem);
    try {
      sent = requestOver({
        agent: service.agentOf(request.socket),
        method: request.method,
        path: exchange.target === '*' ? '*' : service.basePath + exchange.target,
        setHost: false,
        headers: headForService(request, service.host),
        maxHeaderSize: headBytes,
      });
    } catch (error) {
      const { code = '' } = error as { code?: string };
      const sentence = `The proxy cannot forward this request (${code}). Correct its request line and headers.`;
      return answerFailure(exchange, 400, sentence, `not forwarded: ${code}`);
    }
    forward(exchange, sent, newBody(), service.baseUrl);
  }

  const server = createServer(
    {
      ...{ maxHeaderSize: headBytes, keepAliveTimeout: IDLE_MS },
      ...{ headersTimeout: HEAD_MS, connectionsCheckingInterval: CHECK_MS },
    },
    serve,
  );
  // Pipelined requests each listen for the end of their connection.
  server.on('connection', (socket) => socket.setMaxListeners(0));
  server.on('checkContinue', serve);
  server.on('checkExpectation', serve);
  server.on('connect', (_, socket) => {
    socket.end('HTTP/1.1 501 Not Implemented\r\nConnection: close\r\nContent-Length: 0\r\n\r\n');
  });
  server.maxHeadersCount = 0; // Their size is limited.
  server.maxConnections = CONNECTIONS;
  dropStalledConnections(server, STALL_MS);
  return server;
}

/** Why a request cannot be forwarded: the status and the sentence for the client, and what is recorded. */
function problemIn({ request, target }: Forwarded): [number, string, string] | undefined {
  const { method, headers, rawHeaders } = request;
  if (rawHeaders.filter(isHost).length > 1)
    return [400, 'The request has several Host headers. Send one (RFC 9112, 3.2).', 'not forwarded: invalid'];
  if (!target.startsWith('/') && !(target === '*' && method === 'OPTIONS'))
    return [400, 'The request target is not a path. Send a path, such as /token/.', 'not forwarded: invalid'];
  const coding = unknownCoding(headers);
  return coding === undefined
    ? undefined
    : [
        501,
        `The proxy does not know the transfer coding "${coding}". Send the body chunked, or with a Content-Length.`,
        'not forwarded: unknown transfer coding',
      ];
}

const unknownCoding = ({ 'transfer-encoding': coding = 'chunked' }: IncomingHttpHeaders) =>
  coding.trim().toLowerCase() === 'chunked' ? undefined : coding.slice(0, 40);

/** Sends the body of the request to the service, and its answer to the client. `copy` takes the body of the answer. */
function forward(exchange: Forwarded, sent: ClientRequest, copy: Body, baseUrl: string): void {
  const { request, response, body } = exchange;
  sent.maxHeadersCount = 0; // Their size is limited. By default, Node.js drops those after the 2000th.
  // Once: a service may send any number of them.
  if (request.headers.expect !== undefined && request.httpVersion !== '1.0')
    sent.once('continue', () => response.headersSent || response.writeContinue());
  sent.on('upgrade', (_, socket) => {
    socket.destroy();
    fail(new Error('101'), 'switched to another protocol, which was not requested (101)');
  });
  sent.on('response', passAnswer);
  sent.on('error', (error) => {
    if (!exchange.answer) fail(error, failureOf(error).message);
  });

  function fail(error: NodeJS.ErrnoException, failure: string): void {
    if (exchange.failure !== undefined || exchange.proxyAnswer !== undefined || request.socket.destroyed)
      return;
    exchange.failure = failure;
    sent.destroy();
    // What the client would see without the proxy, it sees with it.
    const isBroken = /^(ECONNRESET|EPIPE)$/.test(error.code ?? '') && wasConnected(sent, error);
    if (isBroken || response.headersSent) {
      exchange.ended ??= 'reset';
      request.socket.resetAndDestroy();
      return;
    }
    const sentence = `The proxy got no answer that it could pass on: the service at ${baseUrl} ${failure}.`;
    answerFailure(exchange, 502, sentence, 'no answer from the service');
  }

  function passAnswer(received: IncomingMessage) {
    const { statusCode: status = 0, statusMessage = '', headers, rawHeaders } = received;
    const coding = unknownCoding(headers);
    if (coding !== undefined)
      return fail(new Error(coding), `sent the transfer coding "${coding}", which is not known`);
    // A client that still waits to send its body must not take this connection for its next request.
    if (request.headers.expect !== undefined && !request.complete) response.shouldKeepAlive = false;
    response.sendDate = false;
    try {
      response.writeHead(status, statusMessage, endToEnd(received));
    } catch (error) {
      const { code = '' } = error as { code?: string };
      return fail(error as Error, `sent a head that cannot be passed on (${code})`);
    }
    exchange.answer = { status, rawHeaders, body: copy };
    const { answer } = exchange;
    // The end of a body of a known length goes with its last bytes: one write for most answers.
    const length =
      headers['transfer-encoding'] === undefined ? Number(headers['content-length']) : Number.NaN;
    received.on('data', (chunk: Buffer) => {
      copy.add(chunk);
      if (copy.bytes === length) {
        answer.completeMs = nowMs();
        response.end(chunk);
      } else if (!response.write(chunk)) {
        received.pause();
        response.once('drain', () => received.resume());
      }
    });
    // After the part of the body that came with the head.
    setImmediate(() => response.headersSent && !response.writableEnded && response.flushHeaders());
    received.once('end', () => {
      if (response.writableEnded) return;
      answer.completeMs = nowMs();
      response.end();
    });
    received.once('error', (error) => fail(error, INCOMPLETE));
  }

  const { 'transfer-encoding': coding, 'content-length': length } = request.headers;
  if (coding === undefined && length === undefined) {
    request.resume();
    sent.end();
    return;
  }
  request.on('data', (chunk: Buffer) => body.add(chunk));
  request.pipe(sent, { end: false });
  sent.once('close', () => {
    if (!request.complete) request.unpipe(sent).resume(); // The service did not want the rest.
  });
  sent.flushHeaders();
  request.once('end', () => sent.end());
}

/** Whether the connection to the service, in TLS where it is, had been established before this error. */
function wasConnected({ socket }: ClientRequest, { syscall }: NodeJS.ErrnoException): boolean {
  return socket instanceof TLSSocket ? socket.authorized : syscall !== 'connect';
}

// Connections to the service: one for each of a client, so that both end and are reused alike.

/** `authorities` are PEM certificates that are trusted in addition to those that Node.js trusts. */
export function createService(baseUrl: string, authorities: readonly string[] = []) {
  const url = new URL(baseUrl);
  const trust = authorities.length > 0 ? contextTrusting(authorities) : undefined;
  const mayBeTunneled = Object.keys(process.env).some((name) => /_proxy$/i.test(name));
  const agents = new WeakMap<Socket, Agent>();

  function agentOf(client: Socket): Agent {
    const before = agents.get(client);
    if (before) return before;
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const gone = new AbortController();
    // In its place, so that TLS and the proxies of the environment are as for mrs verify.
    Object.assign(agent, {
      createConnection(_: object, done: (error: Error | null, socket?: Socket) => void) {
        // At once where that is possible: the agent counts only connections that it has.
        if (!mayBeTunneled) return connectDirectly(url, trust).setNoDelay(true);
        connect(url, gone.signal, trust).then((socket) => done(null, socket.setNoDelay(true)), done);
        return undefined;
      },
    });
    client.once('close', () => {
      gone.abort();
      agent.destroy();
    });
    agents.set(client, agent);
    return agent;
  }

  return {
    /** Without a slash at its end. */
    baseUrl,
    /** Of the header Host. */
    host: url.host,
    /** Without a slash at its end; empty for none. */
    basePath: url.pathname.replace(/(?<!\/)\/+$/, ''),
    /** For the requests of one connection of a client. */
    agentOf,
  };
}

// Which header fields pass, and which are for one connection only (RFC 9110 section 7.6.1).

const OF_CONNECTION = new Set([
  'connection',
  'keep-alive',
  'proxy-connection',
  'te',
  'transfer-encoding',
  'upgrade',
]);
/** They frame or address the message, or are judged as what the service got: Connection cannot take them out. */
const ALWAYS = new Set(['accept', 'authorization', 'content-length', 'content-type', 'host']);

const isHost = (text: string, at: number): boolean => at % 2 === 0 && /^host$/i.test(text);

/** Names and values in turn of the fields that pass, as they were written and in their order. */
function endToEnd({ headers, rawHeaders }: IncomingMessage): string[] {
  const named = new Set(headers.connection?.split(',').map((name) => name.trim().toLowerCase()));
  const passing: string[] = [];
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const [name = '', value = ''] = [rawHeaders[at], rawHeaders[at + 1]];
    const lower = name.toLowerCase();
    if (OF_CONNECTION.has(lower) || (named.has(lower) && !ALWAYS.has(lower))) continue;
    passing.push(name, value);
  }
  return passing;
}

/** The head for the service: Host is that of the service, and the body is framed as the client framed it. */
function headForService(request: IncomingMessage, host: string): string[] {
  const { method = '', headers } = request;
  const head = endToEnd(request);
  const at = head.findIndex(isHost);
  if (at === -1) head.unshift('Host', host);
  else head[at + 1] = host;
  if (headers['transfer-encoding'] !== undefined) head.push('Transfer-Encoding', 'chunked');
  else if (headers['content-length'] === undefined && !WITHOUT_BODY.has(method))
    head.push('Content-Length', '0');
  head.push('Connection', 'keep-alive');
  return head;
}

// One exchange that passes: what is noted of it until it is over, and how the proxy itself ends it.

/** One exchange, from the first byte of its request until it is recorded. It holds secrets. */
export interface Forwarded {
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
function begin(
  request: IncomingMessage,
  response: ServerResponse,
  newBody: () => Body,
  onOver: (exchange: Forwarded) => void,
): Forwarded {
  const target = originForm(request.url ?? '');
  const exchange: Forwarded = { request, response, startMs: nowMs(), endMs: 0, target, body: newBody() };
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
const nowMs = (): number => performance.timeOrigin + performance.now();

/** Of an absolute form, the path and query (RFC 9112 section 3.2). */
const originForm = (target: string): string =>
  target.replace(/^https?:\/\/[^/?#]*(\/?)/i, (_, slash) => slash || '/');

/**
 * Answers in place of the service, in the format of the mock's errors, marked by Proxy-Status (RFC 9209); closes the
 * connection afterwards if the request is still arriving. `sentence` says what happened and what to do; `what` is recorded.
 */
function answerFailure(exchange: Forwarded, status: number, sentence: string, what: string): void {
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
interface Body {
  add(chunk: Buffer): void;
  /** How much passed. */
  bytes: number;
  /** Undefined if it was too large to keep, did not pass completely, or was dropped. */
  content(): Buffer | undefined;
  /** Gives the memory back; keeps nothing from now on. */
  drop(): void;
}

/** Makes copies that share the limit `total`. */
function createCaptures({ each, total }: Forwarding['captures']): () => Body {
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
