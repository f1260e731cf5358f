/** How the client talks HTTP: on node:http, which adds no header that a request does not name, and bends none. */
import * as http from 'node:http';
import * as https from 'node:https';
import type { Clock } from '../../support/clock.ts';
import { withPatience } from './patience.ts';

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
export const PATIENCE_MS = 10_000;

export function openConnections(signal: AbortSignal, clock: Clock): Connections {
  const agents = {
    'http:': new http.Agent({ keepAlive: true }),
    'https:': new https.Agent({ keepAlive: true }),
  };
  signal.addEventListener('abort', () => {
    for (const agent of Object.values(agents)) agent.destroy();
  });

  function exchange({ method, url, headers, body }: Outgoing, signal: AbortSignal): Promise<Answered> {
    const { request } = url.startsWith('https:') ? https : http;
    const agent = agents[url.startsWith('https:') ? 'https:' : 'http:'];
    const length = body === undefined ? {} : { 'Content-Length': String(Buffer.byteLength(body)) };
    return new Promise((resolve, reject) => {
      const options = { method, headers: { ...headers, ...length }, agent, signal };
      const sent = request(url, options, (answer) => {
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

export function answered(status: number, retryAfter: string | undefined, text: string): Answered {
  const seconds = Number(retryAfter);
  return { status, text, ...(retryAfter !== undefined && seconds >= 0 && { retryAfterSeconds: seconds }) };
}
