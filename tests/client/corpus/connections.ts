/** How the client talks HTTP: on node:http, which adds no header that a request does not name, and bends none. */
import * as http from 'node:http';
import * as https from 'node:https';

export interface Outgoing {
  method: 'GET' | 'POST';
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

/** In seconds; a token request may take its time. */
const PATIENCE = 10;

export function openConnections(signal: AbortSignal): Connections {
  const agents = {
    'http:': new http.Agent({ keepAlive: true }),
    'https:': new https.Agent({ keepAlive: true }),
  };
  signal.addEventListener('abort', () => {
    for (const agent of Object.values(agents)) agent.destroy();
  });

  function send({ method, url, headers, body }: Outgoing): Promise<Answered> {
    const { request } = url.startsWith('https:') ? https : http;
    const agent = agents[url.startsWith('https:') ? 'https:' : 'http:'];
    const length = body === undefined ? {} : { 'Content-Length': String(Buffer.byteLength(body)) };
    return new Promise((resolve, reject) => {
      const options = { method, headers: { ...headers, ...length }, agent, signal, timeout: 1000 * PATIENCE };
      const sent = request(url, options, (answer) => {
        const chunks: Buffer[] = [];
        answer.on('data', (chunk: Buffer) => chunks.push(chunk));
        answer.on('error', reject);
        answer.on('end', () => {
          const text = Buffer.concat(chunks).toString();
          resolve(answered(answer.statusCode ?? 0, answer.headers['retry-after'], text));
        });
      });
      sent.on('timeout', () => sent.destroy(new Error(`no answer within ${PATIENCE} s`)));
      sent.on('error', reject);
      sent.end(body);
    });
  }

  return { send, signal };
}

export function answered(status: number, retryAfter: string | undefined, text: string): Answered {
  const seconds = Number(retryAfter);
  return { status, text, ...(retryAfter !== undefined && seconds >= 0 && { retryAfterSeconds: seconds }) };
}
