/** Passes requests to the service and answers to clients, byte by byte as they arrive, and notes what passed. */
import {
  type ClientRequest,
  createServer,
  type IncomingMessage,
  request as requestOver,
  type Server,
  type ServerResponse,
} from 'node:http';
import { dropStalledConnections } from '../../mocks/server.ts';
import { failureOf } from '../../tests/server/probe/connection.ts';
import { INCOMPLETE } from '../../tests/server/probe/http.ts';
import {
  type Answer,
  answerFailure,
  type Body,
  begin,
  type CaptureLimits,
  createCaptures,
  type Exchange,
  nowMs,
  pairsOf,
  resetClient,
} from './exchange.ts';
import type { Service } from './service.ts';

interface Forwarding {
  service: Service;
  captures: CaptureLimits;
  /** Of a head, in bytes. */
  headBytes: number;
  /** Called once for each exchange, when it is over; releases it. */
  onPassed(exchange: Exchange): void;
  /** Called when a request of the proxy arrives at itself. */
  onLoop?(): void;
}

const CONNECTIONS = 2000; // Each may have one to the service: together below 4096, a common limit of open files.
const STALL_MS = 300_000;
const IDLE_MS = 75_000;
/** Methods whose requests have no body unless their head says so. */
const WITHOUT_BODY = new Set(['GET', 'HEAD', 'DELETE', 'OPTIONS', 'TRACE']);
/** Interim answers are dropped once so many bytes wait for the client. */
const MOST_WAITING = 64 * 1024;

/** Creates the server that clients connect to; it does not listen yet. */
export function createProxyServer(forwarding: Forwarding): Server {
  const { service, onLoop } = forwarding;
  const newBody = createCaptures(forwarding.captures);
  const serve = (request: IncomingMessage, response: ServerResponse) => {
    if (service.has(request.socket)) {
      onLoop?.();
      request.socket.destroy();
      return;
    }
    const exchange = begin(request, response, newBody, forwarding.onPassed);
    const problem = targetProblem(exchange);
    if (problem) answerFailure(exchange, 400, problem, 'not forwarded: invalid');
    else forward(exchange, newBody(), forwarding);
  };
  const server = createServer({ maxHeaderSize: forwarding.headBytes, keepAliveTimeout: IDLE_MS }, serve);
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

function targetProblem({ rawHeaders, method, target }: Exchange): string | undefined {
  if (valuesIn(rawHeaders, 'host').length > 1)
    return 'The request has several Host headers. Send one (RFC 9112 section 3.2).';
  if (target.startsWith('/') || (target === '*' && method === 'OPTIONS')) return undefined;
  return 'The request target is not a path. Send a path, such as /token/.';
}

/** Sends the request to the service. `answerBody` takes the body of the answer. */
function forward(exchange: Exchange, answerBody: Body, { service, headBytes }: Forwarding): void {
  const { request, response, method, target, body } = exchange;
  const coding = request.headers['transfer-encoding'];
  if (coding !== undefined && !isOnlyChunked(coding)) {
    const sentence = `The proxy does not know the transfer coding "${coding.slice(0, 40)}". Send the body chunked, or with a Content-Length.`;
    answerFailure(exchange, 501, sentence, 'not forwarded: unknown transfer coding');
    return;
  }
  const isChunked = coding !== undefined;
  const hasBody = isChunked || request.headers['content-length'] !== undefined;
  let sent: ClientRequest;
  try {
    sent = requestOver({
      agent: service.agentOf(request.socket),
      method,
      path: target === '*' ? '*' : service.basePath + target,
      setHost: false,
      headers: headForService(exchange.rawHeaders, {
        host: service.host,
        isChunked,
        needsLength: !hasBody && !WITHOUT_BODY.has(method),
      }),
      maxHeaderSize: headBytes,
    });
  } catch (error) {
    const { code = '' } = error as { code?: string };
    const sentence = `The proxy cannot forward this request (${code}). Correct its request line and headers.`;
    answerFailure(exchange, 400, sentence, `not forwarded: ${code}`);
    return;
  }
  sent.maxHeadersCount = 0; // Their size is limited. By default, Node.js drops those after the 2000th.
  exchange.onOver = () => void (response.writableFinished || sent.destroy());
  sent.once('close', () => {
    if (!request.complete) request.unpipe(sent).resume(); // The service did not want the rest.
  });

  let isAnswered = false;
  let isConnected = false;
  sent.once('socket', (socket) => {
    const isSecure = 'encrypted' in socket;
    isConnected = sent.reusedSocket || (!socket.connecting && !isSecure);
    if (!isConnected)
      socket.once(isSecure ? 'secureConnect' : 'connect', () => {
        isConnected = true;
      });
  });
  sent.on('information', (interim) => passInterim(interim, exchange));
  sent.on('upgrade', (_, socket) => {
    socket.destroy();
    fail(new Error('101'), 'switched to another protocol, which was not requested (101)');
  });
  sent.on('response', (received) => {
    isAnswered = true;
    passAnswer(received, exchange, answerBody, fail);
  });
  sent.on('error', (error) => {
    if (!isAnswered) fail(error, failureOf(error).message);
  });

  function fail(error: Error, failure: string): void {
    if (exchange.failure !== undefined || exchange.proxyAnswer !== undefined || request.socket.destroyed)
      return;
    exchange.failure = failure;
    sent.destroy();
    const { code = '' } = error as NodeJS.ErrnoException;
    // What the client would see without the proxy, it sees with it.
    const isBroken = isConnected && (code === 'ECONNRESET' || code === 'EPIPE');
    if (isBroken || response.headersSent) {
      resetClient(exchange);
      return;
    }
    const sentence = `The proxy got no answer that it could pass on: the service at ${service.baseUrl} ${failure}.`;
    answerFailure(exchange, 502, sentence, 'no answer from the service');
  }

  if (!hasBody) {
    request.resume();
    sent.end();
    return;
  }
  request.on('data', (chunk: Buffer) => body.add(chunk));
  request.pipe(sent, { end: false });
  sent.flushHeaders();
  request.once('end', () => {
    if (request.rawTrailers.length > 0 && isChunked) sent.addTrailers(pairsOf(request.rawTrailers));
    sent.end();
  });
}

function passAnswer(
  received: IncomingMessage,
  exchange: Exchange,
  body: Body,
  fail: (error: Error, failure: string) => void,
): void {
  const { request, response } = exchange;
  const { statusCode: status = 0, statusMessage = '', rawHeaders } = received;
  const coding = received.headers['transfer-encoding'];
  if (coding !== undefined && !isOnlyChunked(coding)) {
    fail(new Error(coding), `sent the transfer coding "${coding.slice(0, 40)}", which is not known`);
    return;
  }
  // A client that still waits to send its body must not take this connection for its next request.
  if (request.headers.expect !== undefined && !request.complete) response.shouldKeepAlive = false;
  response.sendDate = false;
  try {
    response.writeHead(status, statusMessage, endToEnd(rawHeaders));
  } catch (error) {
    const { code = '' } = error as { code?: string };
    fail(error as Error, `sent a head that cannot be passed on (${code})`);
    return;
  }
  const answer: Answer = { status, rawHeaders, body };
  exchange.answer = answer;
  // The end of a body of a known length goes with its last bytes: one write for most answers.
  const length = coding === undefined ? Number(received.headers['content-length']) : Number.NaN;
  received.on('data', (chunk: Buffer) => {
    body.add(chunk);
    if (body.bytes === length) {
      answer.completeMs = nowMs();
      response.end(chunk);
    } else if (!response.write(chunk)) received.pause();
  });
  response.on('drain', () => received.resume());
  setImmediate(() => response.headersSent && !response.writableEnded && response.flushHeaders());
  received.once('end', () => {
    if (response.writableEnded) return;
    answer.completeMs = nowMs();
    if (received.rawTrailers.length > 0) response.addTrailers(pairsOf(received.rawTrailers));
    response.end();
  });
  received.once('error', (error) => fail(error, INCOMPLETE));
}

interface Interim {
  statusCode: number;
  statusMessage: string;
  rawHeaders: string[];
}

/** 100 Continue and its like (RFC 9110 section 15.2), as they were sent. Node.js can send only some of them. */
function passInterim({ statusCode, statusMessage, rawHeaders }: Interim, exchange: Exchange): void {
  const { request, response } = exchange;
  const { socket } = response;
  if (!socket || response.headersSent || request.httpVersion === '1.0') return;
  if (socket.writableLength > MOST_WAITING) return;
  const lines = pairsOf(endToEnd(rawHeaders)).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.write(`HTTP/1.1 ${statusCode} ${statusMessage}\r\n${lines.join('')}\r\n`, 'latin1');
}

const isOnlyChunked = (coding: string): boolean => coding.trim().toLowerCase() === 'chunked';

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

/** Names and values in turn of the fields that pass, as they were written and in their order. */
function endToEnd(raw: readonly string[]): string[] {
  const named = optionsIn(raw, 'connection');
  const passing: string[] = [];
  for (let at = 0; at < raw.length; at += 2) {
    const name = raw[at] as string;
    const lower = name.toLowerCase();
    if (OF_CONNECTION.has(lower) || (named.includes(lower) && !ALWAYS.has(lower))) continue;
    passing.push(name, raw[at + 1] as string);
  }
  return passing;
}

/** The values of all lines of a field. */
function valuesIn(raw: readonly string[], wanted: string): string[] {
  const values: string[] = [];
  for (let at = 0; at < raw.length; at += 2) {
    const name = raw[at] as string;
    if (name.length === wanted.length && name.toLowerCase() === wanted) values.push(raw[at + 1] as string);
  }
  return values;
}

/** The items of all lines of a list such as Connection, in lower case. */
const optionsIn = (raw: readonly string[], wanted: string): string[] =>
  valuesIn(raw, wanted).flatMap((value) =>
    value
      .toLowerCase()
      .split(',')
      .map((one) => one.trim()),
  );

interface Framing {
  /** Of the service. */
  host: string;
  isChunked: boolean;
  /** Whether a request without a body says so. */
  needsLength: boolean;
}

/** The head for the service: Host is that of the service, and the body is framed as the client framed it. */
function headForService(raw: readonly string[], { host, isChunked, needsLength }: Framing): string[] {
  const head = endToEnd(raw);
  const at = head.findIndex((text, nth) => nth % 2 === 0 && text.toLowerCase() === 'host');
  if (at === -1) head.unshift('Host', host);
  else head[at + 1] = host;
  if (isChunked) head.push('Transfer-Encoding', 'chunked');
  if (needsLength) head.push('Content-Length', '0');
  // Trailers pass, so the client's wish for them does too.
  if (optionsIn(raw, 'te').some((one) => /^trailers( *;|$)/.test(one)))
    head.push('TE', 'trailers', 'Connection', 'TE, keep-alive');
  else head.push('Connection', 'keep-alive');
  return head;
}
