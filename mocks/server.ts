/** The HTTP server: its limits, and the ways to send a reply. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { setTimeout as sleepInRealTime } from 'node:timers/promises';
import type { ConnectionOutcome } from './api.ts';
import { secondsIn } from './clock.ts';
import type { Duration } from './contract/control-contract.ts';
import { MockError } from './contract/mock-error.ts';
import { type Control, isControl } from './control/control.ts';
import { type Delivery, fault, type Reply } from './http.ts';
import { createResponder, type Parts } from './respond.ts';

export interface ServerParts extends Parts {
  /** Undefined if the control API is disabled. */
  control?: Control | undefined;
  /** Called with an exception inside the mock; the client gets a 500. */
  onFault: (error: unknown) => void;
  limits?: Limits;
  /** How a delayed answer waits; default: real time. */
  sleep?: Sleep | undefined;
}

const LIMITS = {
  /** A longer request body is answered with 413. */
  bodyBytes: 64 * 1024,
  /** The time in which a request has to arrive, head and body. */
  requestMs: 10_000,
  /** Simultaneous connections; one more is closed at once. Below 4096, a common limit of open files per process. */
  connections: 4_000,
  /** A client that reads nothing of its answers for this long is disconnected. */
  stallMs: 30_000,
};

export type Limits = typeof LIMITS;

/**
 * How long an idle connection stays open, as with nginx. With Node's default of 5 s, a client that was held up for longer, or
 * that reads every 5 s, finds its connection reset where the mock was not asked for that.
 */
const IDLE_MS = 75_000;

/** Creates the server; it does not listen yet. */
export function createMockServer(parts: ServerParts): Server {
  const { control, onFault, limits = LIMITS, sleep } = parts;
  const respond = createResponder(parts, send, limits.bodyBytes);

  /** Sends at once and completely, unless a script has it otherwise. */
  async function send(response: ServerResponse, reply: Reply): Promise<ConnectionOutcome> {
    const { status, bytes, headers, delivery } = reply;
    if (delivery) return sendSlowly(response, reply, delivery, sleep);
    response.writeHead(status, headers).end(bytes);
    return undefined;
  }

  function failed(request: IncomingMessage, response: ServerResponse, error: unknown): void {
    if (request.destroyed && !request.complete) return; // the client has disconnected
    onFault(error);
    if (response.headersSent) response.destroy();
    else void send(response, fault());
  }

  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    try {
      if (control && isControl(request.url)) await send(response, await control(request));
      else await respond(request, response);
    } catch (error) {
      failed(request, response, error);
    }
  };

  const timeouts = {
    keepAliveTimeout: IDLE_MS,
    requestTimeout: limits.requestMs, // Node also limits the head by it
    connectionsCheckingInterval: limits.requestMs / 10, // how often Node checks the timeouts
  };
  const server = createServer(timeouts, serve);
  server.maxConnections = limits.connections;
  dropStalledConnections(server, limits.stallMs);
  return server;
}

/**
 * Closes each connection whose client has read nothing of what is waiting for it for `stallMs`, or up to twice as long.
 * All connections are checked at intervals: a timer for each would have to be reset with every request. A connection
 * that waits for its answer has nothing to read yet, and stays open.
 */
export function dropStalledConnections(server: Server, stallMs: number): void {
  const bytesRead = new Map<Socket, number>();
  server.on('connection', (socket: Socket) => {
    bytesRead.set(socket, -1);
    socket.once('close', () => bytesRead.delete(socket));
  });
  const check = setInterval(() => {
    for (const [socket, before] of bytesRead) {
      const now = socket.writableLength > 0 ? socket.bytesWritten - socket.writableLength : -1;
      if (now !== -1 && now === before) socket.destroy();
      else bytesRead.set(socket, now);
    }
  }, stallMs).unref();
  server.once('close', () => clearInterval(check));
}

/** Waits; rejects when `signal` is aborted. */
type Sleep = (milliseconds: number, signal: AbortSignal) => Promise<void>;

/** Sends as the script demands; resolves when done. */
async function sendSlowly(
  response: ServerResponse,
  reply: Reply,
  { delay = 0, cut, reset }: Delivery,
  sleep: Sleep = inRealTime,
): Promise<ConnectionOutcome> {
  await pause(delay, response, sleep);
  if (response.req.socket.destroyed) return 'gone';
  if (reset) {
    response.req.socket.resetAndDestroy();
    return 'reset';
  }
  const bytes = response.req.method === 'HEAD' ? Buffer.alloc(0) : reply.bytes;
  const whole = Math.min(cut ?? bytes.length, bytes.length);
  response.writeHead(reply.status, reply.headers);
  if (whole === bytes.length) {
    response.end(bytes);
    return undefined;
  }
  response.write(bytes.subarray(0, whole));
  response.flushHeaders();
  response.socket?.end(); // what was written is sent first
  return 'cut';
}

const LONGEST_MS = 2 ** 31 - 1; // the longest that a timer can wait

const inRealTime: Sleep = (milliseconds, signal) =>
  sleepInRealTime(Math.min(milliseconds, LONGEST_MS), undefined, { signal });

/** Ends early if the client disconnects. */
async function pause(time: Duration, { req: { socket } }: ServerResponse, sleep: Sleep): Promise<void> {
  const forMs = secondsIn(time) * 1000;
  if (forMs <= 0 || socket.destroyed) return;
  const gone = new AbortController();
  const leave = () => gone.abort();
  socket.once('close', leave); // the response may never close: it queues after earlier ones
  await sleep(forMs, gone.signal).catch(() => {});
  socket.off('close', leave);
}

/** Returns the origin that clients can connect to. Throws MockError if the address cannot be used. */
export async function listen(server: Server, port: number, host: string): Promise<string> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', ({ code, message }: NodeJS.ErrnoException) =>
      reject(
        new MockError(
          code === 'EADDRINUSE'
            ? `Port ${port} of ${host} is in use. Free it, or use another port; 0 picks any free port.`
            : `It is not possible to listen on port ${port} of ${host}: ${message}. Use an address of this machine and a port above 1023.`,
        ),
      ),
    );
    server.listen(port, host, resolve);
  });
  // An address that clients can connect to: not a wildcard, and IPv6 in brackets.
  const address = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host;
  const name = address.includes(':') ? `[${address}]` : address;
  return `http://${name}:${(server.address() as AddressInfo).port}`;
}

/** Stops listening and closes every connection. May be called again. */
export const close = (server: Server): Promise<void> =>
  new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
