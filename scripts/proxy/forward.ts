/** Passes requests to the service and answers to clients, byte by byte as they arrive, and notes what passed. */
import {
  type ClientRequest,
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  request as requestOver,
  type Server,
  type ServerResponse,
} from 'node:http';
import { TLSSocket } from 'node:tls';
import { dropStalledConnections } from '../../mocks/server.ts';
import { failureOf } from '../../tests/server/probe/connection.ts';
import { INCOMPLETE } from '../../tests/server/probe/http.ts';
import {
  answerFailure,
  type Body,
  begin,
  type CaptureLimits,
  createCaptures,
  type Exchange,
  nowMs,
  pairsOf,
} from './exchange.ts';
import type { createService } from './service.ts';

interface Forwarding {
  service: ReturnType<typeof createService>;
  captures: CaptureLimits;
  /** Of a head, in bytes. */
  headBytes: number;
  /** Called once for each exchange, when it is over; releases it. */
  onPassed(exchange: Exchange): void;
}

const CONNECTIONS = 2000; // Each may have one to the service: together below 4096, a common limit of open files.
const STALL_MS = 300_000;
const IDLE_MS = 75_000;
/** A head that has not come by then is no longer waited for; how often that is checked. */
const HEAD_MS = 20_000;
const CHECK_MS = 5000;
/** Methods whose requests have no body unless their head says so. */
const WITHOUT_BODY = new Set(['GET', 'HEAD', 'DELETE', 'OPTIONS', 'TRACE']);
/** A body up to this size is sent in one piece with its head, as Latin-1 text, in which each character is one byte. */
const SMALL_BYTES = 16 * 1024;

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
function problemIn({ request, target }: Exchange): [number, string, string] | undefined {
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
function forward(exchange: Exchange, sent: ClientRequest, copy: Body, baseUrl: string): void {
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
        if (chunk.length <= SMALL_BYTES) response.end(chunk.toString('latin1'), 'latin1');
        else response.end(chunk);
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
      if (received.rawTrailers.length > 0) response.addTrailers(pairsOf(received.rawTrailers));
      response.end();
    });
    received.once('error', (error) => fail(error, INCOMPLETE));
  }

  const isChunked = request.headers['transfer-encoding'] !== undefined;
  if (!isChunked && request.headers['content-length'] === undefined) {
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
  request.once('end', () => {
    if (request.rawTrailers.length > 0 && isChunked) sent.addTrailers(pairsOf(request.rawTrailers));
    sent.end();
  });
}

/** Whether the connection to the service, in TLS where it is, had been established before this error. */
function wasConnected({ socket }: ClientRequest, { syscall }: NodeJS.ErrnoException): boolean {
  return socket instanceof TLSSocket ? socket.authorized : syscall !== 'connect';
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

type Head = Pick<IncomingMessage, 'headers' | 'rawHeaders'>;

/** Names and values in turn of the fields that pass, as they were written and in their order. */
function endToEnd({ headers, rawHeaders }: Head): string[] {
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
  // Trailers pass, so the client's wish for them does too.
  if (/(^|,)\s*trailers\s*(;|,|$)/i.test(String(headers.te)))
    head.push('TE', 'trailers', 'Connection', 'TE, keep-alive');
  else head.push('Connection', 'keep-alive');
  return head;
}
