/** How the client talks HTTP: on node:http, which adds no header that a request does not name, and bends none. */
import * as http from 'node:http';
import { connect } from 'node:net';
import { addAbortSignal } from 'node:stream';
import { text } from 'node:stream/consumers';
import type { Clock } from '../../support/clock.ts';

export interface Outgoing {
  method: 'GET' | 'HEAD' | 'POST';
  url: string;
  /** As they shall stand on the wire. */
  headers: Record<string, string>;
  body?: string;
}

export interface Answered {
  status: number;
  /** What `Retry-After` says, in seconds. */
  retryAfterSeconds?: number;
  text: string;
}

export interface Connections {
  /** Over connections that stay open, unless the request asks to close. */
  send(request: Outgoing): Promise<Answered>;
  /** Aborted where nothing is to be sent any more. */
  readonly signal: AbortSignal;
}

/** A token request may take its time. */
const PATIENCE_MS = 10_000;

export function openConnections(signal: AbortSignal, clock: Clock): Connections {
  const agent = new http.Agent({ keepAlive: true });
  signal.addEventListener('abort', () => agent.destroy());

  function exchange({ method, url, headers, body }: Outgoing, signal: AbortSignal): Promise<Answered> {
    const length = body === undefined ? {} : { 'Content-Length': String(Buffer.byteLength(body)) };
    return new Promise((resolve, reject) => {
      const options = { method, headers: { ...headers, ...length }, agent, signal };
      const sent = http.request(url, options, (answer) => {
        const chunks: Buffer[] = [];
        answer.on('data', (chunk: Buffer) => chunks.push(chunk));
        answer.on('error', reject);
        answer.on('end', () => {
          const text = Buffer.concat(chunks).toString();
          resolve(answered(answer.statusCode ?? 0, answer.headers['retry-after'], text));
        });
      });
      sent.on('error', reject);
      sent.end(body);
    });
  }

  const send = (request: Outgoing) =>
    withPatience({ clock, signal, milliseconds: PATIENCE_MS }, (given) => exchange(request, given));
  return { send, signal };
}

function answered(status: number, retryAfter: string | undefined, text: string): Answered {
  const seconds = Number(retryAfter);
  return { status, text, ...(retryAfter !== undefined && seconds >= 0 && { retryAfterSeconds: seconds }) };
}

/** HTTP/1.0 by hand: one connection for each request, and the answer ends with it. */
export const overHttp10 = (request: Outgoing, signal: AbortSignal, clock: Clock): Promise<Answered> =>
  withPatience({ clock, signal, milliseconds: PATIENCE_MS }, async (given) => {
    const { host, hostname, port, pathname, search } = new URL(request.url);
    const { method, headers, body = '' } = request;
    const length = body && { 'Content-Length': String(Buffer.byteLength(body)) };
    const lines = Object.entries({ Host: host, ...headers, ...length }).map(
      (pair) => `${pair.join(': ')}\r\n`,
    );
    const socket = addAbortSignal(given, connect(Number(port), hostname));
    socket.write(`${method} ${pathname}${search} HTTP/1.0\r\n${lines.join('')}\r\n${body}`);
    const answer = await text(socket);
    const [head = '', ...rest] = answer.split('\r\n\r\n');
    const status = /^HTTP\/1\.[01] (\d{3})/.exec(head)?.[1];
    if (status === undefined) throw new Error('no answer');
    const retryAfter = /^retry-after:(.*)$/im.exec(head)?.[1];
    return answered(Number(status), retryAfter?.trim(), rest.join('\r\n\r\n'));
  });

/** Of an answer that takes too long. */
export const TOO_LATE = 'no answer in time';

/** Of a wait that is over; the default reason would take the time to note the stack. */
const DONE = 'done';

/** Aborts what it does when `signal` is aborted, or when it has taken too long. */
export async function withPatience<Result>(
  { clock, milliseconds, signal }: { clock: Clock; milliseconds: number; signal: AbortSignal },
  act: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  signal.throwIfAborted();
  const given = new AbortController();
  const done = new AbortController();
  const stop = () => given.abort(signal.reason);
  signal.addEventListener('abort', stop);
  clock.sleep(milliseconds, done.signal).then(
    () => given.abort(new Error(TOO_LATE)),
    () => {}, // it was done
  );
  try {
    return await (clock.during?.(() => act(given.signal)) ?? act(given.signal));
  } finally {
    signal.removeEventListener('abort', stop);
    done.abort(DONE);
  }
}
