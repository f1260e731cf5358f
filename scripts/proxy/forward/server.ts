/** The server that clients connect to. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { dropStalledConnections } from '../../../mocks/server.ts';
import { createCaptures } from './capture.ts';
import { type Forwarding, forward } from './forward.ts';
import { ownFailure } from './own-answer.ts';
import { answerOwn, begin, type UnderWay } from './under-way.ts';

/** Answers a request in place of the service, or lets it pass by `pass`. */
export type Interfere = (exchange: UnderWay, pass: (read?: Buffer) => void) => void;

const CONNECTIONS = 2000; // Each may have one to the service: together below 4096, a common limit of open files.
const STALL_MS = 300_000;
const IDLE_MS = 75_000;

/** Creates the server; it does not listen yet. Without `interfere`, everything passes. */
export function createProxyServer(forwarding: Forwarding, interfere?: Interfere): Server {
  const capture = createCaptures(forwarding.captures);
  const serve = (request: IncomingMessage, response: ServerResponse) => {
    if (forwarding.service.has(request.socket)) {
      forwarding.onLoop?.();
      request.socket.destroy();
      return;
    }
    const exchange = begin(request, response, capture, forwarding.onPassed);
    const problem = targetProblem(request, exchange.target);
    const pass = (read?: Buffer) => forward(exchange, forwarding, read);
    if (problem)
      answerOwn(exchange, ownFailure(400, 'http_request_error', problem, 'not forwarded: invalid'));
    else if (interfere) interfere(exchange, pass);
    else pass();
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

function targetProblem({ rawHeaders, method }: IncomingMessage, target: string): string | undefined {
  const hosts = rawHeaders.filter((name, at) => at % 2 === 0 && name.toLowerCase() === 'host');
  if (hosts.length > 1) return 'The request has several Host headers. Send one (RFC 9112 section 3.2).';
  if (target.startsWith('/') || (target === '*' && method === 'OPTIONS')) return undefined;
  return 'The request target is not a path. Send a path, such as /token/.';
}
