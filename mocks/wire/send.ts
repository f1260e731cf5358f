/** The ways in which a reply goes out. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Reply } from './reply.ts';

/** What a script makes of the way. Times are real ones. */
export interface Delivery {
  delayMs?: number;
  drip?: { bytes: number; everyMs: number };
  /** The connection ends after so many bytes of the body, where it has more. */
  cut?: number;
  /** The connection is reset instead. */
  reset?: true;
}

/** How the connection ended if the answer was not sent completely; `gone`: the client had left. */
export type ConnectionOutcome = 'reset' | 'cut' | 'gone' | undefined;

/** Name and value in turn. */
export type HeaderList = readonly string[];

/** A body up to this size goes out together with its head, as one piece. */
const SMALL_BYTES = 16 * 1024;

/** Sends at once and whole. */
export function send(
  response: ServerResponse,
  reply: Reply,
  headers: HeaderList = listOf(reply.headers),
): void {
  response.writeHead(reply.status, headers as string[]);
  const { bytes } = reply;
  // As text, of which each character is one byte; Node would write a buffer as a second piece.
  if (bytes.length <= SMALL_BYTES) response.end(bytes.toString('latin1'), 'latin1');
  else response.end(bytes);
}

export const listOf = (headers: Reply['headers']): HeaderList => Object.entries(headers).flat();

/** Sends as a script wants it; resolves when that is done. */
export async function sendSlowly(
  response: ServerResponse,
  reply: Reply,
  headers: HeaderList,
  delivery: Delivery,
): Promise<ConnectionOutcome> {
  const { delayMs = 0, drip, cut, reset } = delivery;
  if (delayMs > 0) await pause(delayMs, response);
  if (reset || cut !== undefined) await turn(response);
  if (response.req.socket.destroyed) return 'gone';
  if (reset) {
    response.socket?.resetAndDestroy();
    return 'reset';
  }
  const bytes = response.req.method === 'HEAD' ? Buffer.alloc(0) : reply.bytes;
  const whole = Math.min(cut ?? bytes.length, bytes.length);
  response.writeHead(reply.status, headers as string[]);
  const piece = drip?.bytes ?? Math.max(1, whole);
  for (let start = 0; start < whole; start += piece) {
    if (drip && start > 0) await pause(drip.everyMs, response);
    if (response.destroyed) return 'gone';
    response.write(bytes.subarray(start, Math.min(whole, start + piece)));
  }
  if (whole === bytes.length) {
    response.end();
    return undefined;
  }
  response.flushHeaders();
  response.socket?.end(); // what was written goes out first
  return 'cut';
}

const LONGEST_MS = 2 ** 31 - 1; // of a timer

/** Ends early when the client leaves, so that nothing is waited for in vain. */
function pause(forMs: number, response: ServerResponse): Promise<void> {
  const { socket } = response.req;
  if (socket.destroyed) return Promise.resolve();
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      socket.off('close', done);
      resolve();
    };
    const timer = setTimeout(done, Math.min(forMs, LONGEST_MS));
    socket.once('close', done); // of the response there may be no end: it waits behind those before it
  });
}

/** An answer gets the connection once those before it have gone out: a client may send calls without waiting. */
function turn(response: ServerResponse): Promise<void> {
  const { socket } = response.req;
  if (response.socket || socket.destroyed) return Promise.resolve();
  return new Promise((resolve) => {
    response.once('socket', () => resolve());
    socket.once('close', () => resolve());
  });
}

/**
 * Answers a request whose body is still arriving, and closes. To close at once would reset the connection,
 * and the client could lose the answer; so what still comes is received and thrown away, for a short while.
 */
export function sendEarly(
  request: IncomingMessage,
  response: ServerResponse,
  reply: Reply,
  headers: HeaderList,
  lingerMs: number,
): void {
  response.writeHead(reply.status, [...headers, 'connection', 'close']).write(reply.bytes);
  const close = () => response.end();
  const late = setTimeout(close, lingerMs);
  request
    .once('end', close)
    .once('close', () => clearTimeout(late))
    .resume();
}
