/** Passes requests to the service and answers to clients as they arrive, and notes what passed. */
import {
  Agent,
  createServer,
  type IncomingMessage,
  request as requestOver,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { Socket } from 'node:net';
import type { SecureContext } from 'node:tls';
import { dropStalledConnections } from '../../mocks/server.ts';
import { connect, contextTrusting, Failure, failureOf } from '../../tests/server/probe/connection.ts';
import { INCOMPLETE } from '../../tests/server/probe/http.ts';

interface Forwarding {
  /** Base URL of the service, without a slash at its end. */
  target: string;
  /** PEM certificates that are trusted in addition to those that Node.js trusts. */
  authorities?: readonly string[] | undefined;
  /** Limits of the copies of bodies, in bytes: of one, and of all that are under way. */
  copies?: { each: number; total: number };
  /** Called once for each exchange, when it is over; releases its copies. */
  onPassed(exchange: Forwarded): void;
}

/** One exchange. It holds secrets. */
export interface Forwarded {
  request: Pick<IncomingMessage, 'method' | 'url' | 'rawHeaders'>;
  /** In milliseconds since 1970, with fractions, on a clock that only moves forwards. */
  startMs: number;
  endMs: number;
  body: Copy;
  /** `rawHeaders` are names and values in turn. */
  answer?: { status: number; rawHeaders: readonly string[]; body: Copy };
  /** Why the service gave no complete answer, as the rest of a sentence that begins with "the deployment". */
  failure?: string;
  /** How the connection of the client ended, if it did not get a complete answer. */
  ended?: 'gone' | 'reset';
  /** What went wrong, where the proxy answered in place of the service. */
  proxyAnswer?: string;
}

const CONNECTIONS = 2000; // Each may have one to the service: together below 4096, a common limit of open files.
const STALL_MS = 300_000;
const HEAD_BYTES = 64 * 1024;
const COPIES = { each: 16 * 1024 * 1024, total: 128 * 1024 * 1024 };
const LIMITS = {
  maxHeaderSize: HEAD_BYTES,
  keepAliveTimeout: 75_000,
  /** A head that has not come by then is no longer waited for; how often that is checked. */
  headersTimeout: 20_000,
  connectionsCheckingInterval: 5000,
};

/** Creates the server that clients connect to; it does not listen yet. */
export function createProxyServer({ target, authorities, copies = COPIES, onPassed }: Forwarding): Server {
  const service = new URL(target);
  const trust = authorities && contextTrusting(authorities);
  const agents = new WeakMap<Socket, Agent>();
  const newCopy = createCopies(copies);

  function serve(request: IncomingMessage, response: ServerResponse): void {
    const { socket, url = '', method } = request;
    if (!url.startsWith('/')) throw new Error('not a path');
    const sent = requestOver({
      ...{ agent: agents.get(socket), method, setHost: false, maxHeaderSize: HEAD_BYTES },
      path: service.pathname.replace(/\/$/, '') + url,
      headers: headForService(request, service.host),
    });
    const exchange: Forwarded = { request, startMs: nowMs(), endMs: 0, body: newCopy() };
    let completeMs: number | undefined;

    function over(): void {
      if (exchange.endMs > 0) return; // A connection closes its response, and then calls its own listeners.
      socket.off('close', over); // A response that waits for earlier ones does not close with its connection.
      if (!response.writableFinished) {
        exchange.ended ??= 'gone';
        sent.destroy();
      }
      exchange.endMs = (exchange.ended === undefined && completeMs) || nowMs();
      if (!request.complete) exchange.body.drop();
      if (completeMs === undefined) exchange.answer?.body.drop();
      onPassed(exchange);
    }

    function fail(error: NodeJS.ErrnoException): void {
      if (exchange.failure !== undefined || exchange.endMs > 0) return;
      exchange.failure = failureOf(error).message;
      sent.destroy();
      // What the client would see without the proxy, it sees with it.
      const isBroken = /^(ECONNRESET|EPIPE)$/.test(error.code ?? '') && error.syscall !== 'connect';
      if (isBroken || response.headersSent) {
        exchange.ended = 'reset';
        socket.resetAndDestroy();
        return;
      }
      exchange.proxyAnswer = 'no answer from the service';
      exchange.answer = { status: 502, rawHeaders: OWN_HEAD, body: newCopy() };
      answer(
        response,
        502,
        `The proxy got no answer that it could pass on: the service at ${target} ${exchange.failure}.`,
      );
    }

    function pass(received: IncomingMessage): void {
      const { statusCode: status = 0, rawHeaders } = received;
      try {
        response.sendDate = false;
        response.writeHead(status, endToEnd(received));
      } catch {
        fail(new Failure('sent a head that cannot be passed on'));
        return;
      }
      const body = newCopy();
      exchange.answer = { status, rawHeaders, body };
      received.on('data', body.add).once('end', () => {
        completeMs = nowMs(); // A client may call again before it is known that it got all.
      });
      received.on('error', () => fail(new Failure(INCOMPLETE)));
      received.pipe(response);
      response.write(Buffer.alloc(0)); // The head need not wait for the body.
    }

    response.once('close', over).on('error', ignore); // The client has disconnected.
    socket.once('close', over);
    request.on('data', exchange.body.add).on('error', ignore).pipe(sent);
    // An error of the answer is its own; a service may answer, and not want the rest of the request.
    sent.on('response', pass).on('error', (error) => exchange.answer ?? fail(error));
    sent.once('close', () => {
      request.resume(); // The service did not want the rest.
      if (!exchange.answer) fail(new Failure('closed the connection without an answer'));
    });
  }

  const server = createServer(LIMITS, (request, response) => {
    try {
      serve(request, response);
    } catch {
      answer(
        response,
        400,
        'The proxy cannot forward this request. Send a path, such as /token/, and valid headers.',
      );
    }
  });
  server.on('connection', (socket) => {
    socket.setMaxListeners(0); // Pipelined requests each wait for its end.
    agents.set(socket, createAgent(service, socket, trust));
  });
  server.maxHeadersCount = 0; // Their size is limited.
  server.maxConnections = CONNECTIONS;
  dropStalledConnections(server, STALL_MS);
  return server;
}

const ignore = () => {};

/** In milliseconds since 1970, on a clock that only moves forwards. */
const nowMs = (): number => performance.timeOrigin + performance.now();

const OWN_HEAD = ['content-type', 'application/json', 'proxy-status', 'mrs-proxy'];

/** Answers in place of the service, in the format of the mock's errors, marked by Proxy-Status (RFC 9209). */
function answer(response: ServerResponse, status: number, sentence: string): void {
  const body = Buffer.from(`${JSON.stringify({ error: 'proxy_error', error_description: sentence })}\n`);
  if (!response.req.complete) response.shouldKeepAlive = false;
  response.writeHead(status, [...OWN_HEAD, 'content-length', `${body.length}`]).end(body);
  response.req.resume();
}

/**
 * The connection of a client has one to the service, so that both end and are reused alike. It is made as those of mrs verify: TLS
 * and the proxies of the environment are the same.
 */
function createAgent(service: URL, client: Socket, trust: SecureContext | undefined): Agent {
  const gone = new AbortController();
  const agent = new Agent({ keepAlive: true });
  client.once('close', () => {
    gone.abort();
    agent.destroy();
  });
  return Object.assign(agent, {
    createConnection(_: object, done: (error: Error | null, socket?: Socket) => void): undefined {
      connect(service, gone.signal, trust).then((socket) => done(null, socket.setNoDelay(true)), done);
    },
  });
}

// Which header fields pass, and which are for one connection only (RFC 9110 section 7.6.1).

const OF_CONNECTION = 'connection,keep-alive,proxy-connection,te,trailer,transfer-encoding,upgrade';

/** Names and values in turn of the fields that pass, as they were written and in their order. */
function endToEnd({ headers, rawHeaders }: IncomingMessage, replaced = ''): string[] {
  const names = `${OF_CONNECTION},${replaced},${headers.connection ?? ''}`.toLowerCase().split(',');
  const dropped = new Set(names.map((name) => name.trim()));
  return rawHeaders.flatMap((name, at) =>
    at % 2 === 1 || dropped.has(name.toLowerCase()) ? [] : [name, rawHeaders[at + 1] ?? ''],
  );
}

/** Methods whose requests have no body unless their head says so. */
const WITHOUT_BODY = /^(GET|HEAD|DELETE|OPTIONS|TRACE)$/;

/** The head for the service: Host is that of the service, and the body is framed as the client framed it. */
function headForService(request: IncomingMessage, host: string): string[] {
  const { 'transfer-encoding': coding, 'content-length': length } = request.headers;
  const head = ['Host', host, ...endToEnd(request, 'host,content-length,expect')];
  if (coding !== undefined) head.push('Transfer-Encoding', 'chunked');
  else if (length !== undefined) head.push('Content-Length', length);
  else if (!WITHOUT_BODY.test(request.method ?? '')) head.push('Content-Length', '0');
  return [...head, 'Connection', 'keep-alive'];
}

/** A copy of a body that passes. */
interface Copy {
  add(chunk: Buffer): void;
  /** Undefined if it was too large to keep, did not pass completely, or was dropped. */
  content(): Buffer | undefined;
  /** Gives the memory back; keeps nothing from now on. */
  drop(): void;
}

/** Makes copies that share the limit `total`. */
function createCopies({ each, total }: typeof COPIES): () => Copy {
  let held = 0;
  return () => {
    let chunks: Buffer[] | undefined = [];
    let kept = 0;
    const drop = () => {
      held -= kept;
      kept = 0;
      chunks = undefined;
    };
    return {
      add(chunk) {
        if (!chunks) return;
        kept += chunk.length;
        held += chunk.length;
        chunks.push(chunk);
        if (kept > each || held > total) drop();
      },
      content: () => chunks && Buffer.concat(chunks),
      drop,
    };
  };
}
