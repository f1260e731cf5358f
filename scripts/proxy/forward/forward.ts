/** Forwards one request and its answer as they arrive, and notes what passed. */
import { type ClientRequest, type IncomingMessage, request as requestOver } from 'node:http';
import { failureOf, INCOMPLETE } from '../../../tests/server/probe/http.ts';
import type { CaptureLimits } from './capture.ts';
import { endToEnd, headForService, pairsOf } from './hop-by-hop.ts';
import { errorOf, ownFailure } from './own-answer.ts';
import type { Passed } from './passed.ts';
import type { Service } from './service.ts';
import { answerOwn, nowMs, resetClient, type UnderWay } from './under-way.ts';

export interface Forwarding {
  service: Service;
  captures: CaptureLimits;
  /** Called once, when the exchange is over; releases it. */
  onPassed(passed: Passed): void;
  /** Called when a request of the proxy arrives at itself. */
  onLoop?(): void;
  /** Of a head, in bytes. */
  headBytes: number;
}

/** Methods whose requests have no body unless their head says so. */
const WITHOUT_BODY = new Set(['GET', 'HEAD', 'DELETE', 'OPTIONS', 'TRACE']);
/** Interim answers are dropped once so many bytes wait for the client. */
const MOST_WAITING = 64 * 1024;

/** Sends the request to the service. `read` is its body, where that was read already. */
export function forward(exchange: UnderWay, forwarding: Forwarding, read?: Buffer): void {
  const { request, response, requestBody, notes } = exchange;
  const { service } = forwarding;
  if (request.socket.destroyed) return; // The client did not wait until it was known what to do.
  const coding = request.headers['transfer-encoding'];
  if (coding !== undefined && !isOnlyChunked(coding)) {
    const sentence = `The proxy does not know the transfer coding "${coding.slice(0, 40)}". Send the body chunked, or with a Content-Length.`;
    const what = 'not forwarded: unknown transfer coding';
    answerOwn(exchange, ownFailure(501, 'http_request_error', sentence, what));
    return;
  }
  const { method = '' } = request;
  const isChunked = coding !== undefined;
  const hasBody = isChunked || request.headers['content-length'] !== undefined;
  const path = exchange.target === '*' ? '*' : service.basePath + exchange.target;
  let sent: ClientRequest;
  try {
    sent = requestOver({
      agent: service.agentOf(request.socket),
      method,
      path,
      setHost: false,
      headers: headForService(request.rawHeaders, {
        host: service.host,
        isChunked,
        needsLength: !hasBody && !WITHOUT_BODY.has(method),
        isRead: read !== undefined,
      }),
      maxHeaderSize: forwarding.headBytes,
    });
  } catch (error) {
    const { code = '' } = error as { code?: string };
    const sentence = `The proxy cannot forward this request (${code}). Correct its request line and headers.`;
    answerOwn(exchange, ownFailure(400, 'http_request_error', sentence, `not forwarded: ${code}`));
    return;
  }
  sent.maxHeadersCount = 0; // Their size is limited. By default, Node.js drops those after the 2000th.
  const abort = () => void (response.writableFinished || sent.destroy());
  response.once('close', abort);
  request.socket.once('close', abort);
  sent.once('close', () => {
    response.off('close', abort);
    request.socket.off('close', abort);
    if (!request.complete) request.unpipe(sent).resume(); // The service did not want the rest.
  });

  let answer: IncomingMessage | undefined;
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
    answer = received;
    passAnswer(received, exchange, fail);
  });
  sent.on('error', (error) => {
    if (!answer) fail(error, failureOf(error));
  });

  function fail(error: Error, failure: string): void {
    if (notes.failure !== undefined || notes.proxyAnswer !== undefined || request.socket.destroyed) return;
    notes.failure = failure;
    notes.problem = errorOf(error);
    sent.destroy();
    const { code = '' } = error as NodeJS.ErrnoException;
    // What the client would see without the proxy, it sees with it.
    const isBroken = isConnected && (code === 'ECONNRESET' || code === 'EPIPE');
    if (isBroken || response.headersSent) {
      resetClient(exchange);
      return;
    }
    const sentence = `The proxy got no answer that it could pass on: the service at ${service.baseUrl} ${failure}.`;
    answerOwn(exchange, ownFailure(502, notes.problem, sentence, 'no answer from the service'));
  }

  if (read) {
    sent.end(read);
    return;
  }
  request.on('data', requestBody.add);
  request.pipe(sent, { end: false });
  if (hasBody) sent.flushHeaders();
  request.once('end', () => {
    if (request.rawTrailers.length > 0 && isChunked) sent.addTrailers(pairsOf(request.rawTrailers));
    sent.end();
  });
}

function passAnswer(
  answer: IncomingMessage,
  exchange: UnderWay,
  fail: (error: Error, failure: string) => void,
): void {
  const { request, response, answerBody, notes } = exchange;
  const { statusCode = 0, statusMessage = '', rawHeaders, headers } = answer;
  const coding = headers['transfer-encoding'];
  if (coding !== undefined && !isOnlyChunked(coding)) {
    fail(new Error(coding), `sent the transfer coding "${coding.slice(0, 40)}", which is not known`);
    return;
  }
  const passed = endToEnd(rawHeaders);
  // A client that still waits to send its body must not take this connection for its next request.
  if (request.headers.expect !== undefined && !request.complete) response.shouldKeepAlive = false;
  response.sendDate = false;
  try {
    response.writeHead(statusCode, statusMessage, passed);
  } catch (error) {
    const { code = '' } = error as { code?: string };
    fail(error as Error, `sent a head that cannot be passed on (${code})`);
    return;
  }
  notes.answer = { status: statusCode, headers: rawHeaders };
  answer.on('data', answerBody.add);
  answer.pipe(response, { end: false });
  setImmediate(() => response.headersSent && !response.writableEnded && response.flushHeaders());
  answer.once('end', () => {
    notes.completeMs = nowMs();
    if (answer.rawTrailers.length > 0) response.addTrailers(pairsOf(answer.rawTrailers));
    response.end();
  });
  answer.once('error', (error) => fail(error, INCOMPLETE));
}

/** 100 Continue and its like (RFC 9110 section 15.2), as they were sent. Node.js can send only some of them. */
function passInterim(
  {
    statusCode,
    statusMessage,
    rawHeaders,
  }: { statusCode: number; statusMessage: string; rawHeaders: string[] },
  { request, response }: UnderWay,
): void {
  const { socket } = response;
  if (!socket || response.headersSent || request.httpVersion === '1.0') return;
  if (socket.writableLength > MOST_WAITING) return;
  const lines = pairsOf(endToEnd(rawHeaders)).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.write(`HTTP/1.1 ${statusCode} ${statusMessage}\r\n${lines.join('')}\r\n`, 'latin1');
}

const isOnlyChunked = (coding: string): boolean => coding.trim().toLowerCase() === 'chunked';
