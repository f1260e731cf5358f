/** The ways to send a reply. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { setTimeout as sleepInRealTime } from 'node:timers/promises';
import type { ConnectionOutcome } from './connection-outcome.ts';
import type { Reply } from './reply.ts';

/** Waits; rejects when `signal` is aborted. */
export type Sleep = (milliseconds: number, signal: AbortSignal) => Promise<void>;

/** How a script has a reply sent. */
export interface Delivery {
  delayMs?: number;
  drip?: { bytes: number; everyMs: number };
  /** Closes the connection after this number of bytes of the body, if it has more. */
  cut?: number;
  /** Resets the connection instead. */
  reset?: true;
}

/** Names and values in turn. */
export type HeaderList = readonly string[];

/** A body up to this size is sent in one piece with the head. */
const SMALL_BYTES = 16 * 1024;

/** Sends at once and completely. */
export function send(
  response: ServerResponse,
  reply: Reply,
  headers: HeaderList = listOf(reply.headers),
): void {
  response.writeHead(reply.status, headers as string[]);
  const { bytes } = reply;
  // As Latin-1 text, in which each character is one byte; Node would send a buffer as a second piece.
  if (bytes.length <= SMALL_BYTES) response.end(bytes.toString('latin1'), 'latin1');
  else response.end(bytes);
}

export const listOf = (headers: Reply['headers']): HeaderList => Object.entries(headers).flat();

/** Sends as the script demands; resolves when done. */
export async function sendSlowly(
  response: ServerResponse,
  reply: Reply,
  headers: HeaderList,
  delivery: Delivery,
  sleep: Sleep = inRealTime,
): Promise<ConnectionOutcome> {
  const { delayMs = 0, drip, cut, reset } = delivery;
  if (delayMs > 0) await pause(delayMs, response, sleep);
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
    if (drip && start > 0) await pause(drip.everyMs, response, sleep);
    if (response.destroyed) return 'gone';
    response.write(bytes.subarray(start, Math.min(whole, start + piece)));
  }
  if (whole === bytes.length) {
    response.end();
    return undefined;
  }
  response.flushHeaders();
  response.socket?.end(); // what was written is sent first
  return 'cut';
}

const LONGEST_MS = 2 ** 31 - 1; // the longest that a timer can wait

const inRealTime: Sleep = (milliseconds, signal) =>
  sleepInRealTime(Math.min(milliseconds, LONGEST_MS), undefined, { signal });

/** Ends early if the client disconnects. */
async function pause(forMs: number, response: ServerResponse, sleep: Sleep): Promise<void> {
  const { socket } = response.req;
  if (socket.destroyed) return;
  const gone = new AbortController();
  const leave = () => gone.abort();
  socket.once('close', leave); // the response may never close: it queues after earlier ones
  await sleep(forMs, gone.signal).catch(() => {});
  socket.off('close', leave);
}

/** With pipelined requests, an answer gets the connection after those before it. */
function turn(response: ServerResponse): Promise<void> {
  const { socket } = response.req;
  if (response.socket || socket.destroyed) return Promise.resolve();
  return new Promise((resolve) => {
    response.once('socket', () => resolve());
    socket.once('close', () => resolve());
  });
}

/**
 * Answers a request whose body is still arriving, and closes the connection. Closing at once would reset it, and the
 * client could lose the answer; so the rest of the body is received and discarded for a short while.
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
