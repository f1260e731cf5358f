/** HTTP/1.0 by hand: one connection for each request, and the answer ends with it. */
import { connect } from 'node:net';
import type { Parts } from '../client.ts';
import { type Answered, answered, type Outgoing, PATIENCE_MS } from '../connections.ts';
import { withPatience } from '../patience.ts';

export const rawSocket: Pick<Parts, 'send'> = {
  send: ({ clock, connections: { signal } }, request) =>
    withPatience({ clock, signal, milliseconds: PATIENCE_MS }, (given) => exchange(request, given)),
};

const exchange = (request: Outgoing, signal: AbortSignal): Promise<Answered> =>
  new Promise((resolve, reject) => {
    const { hostname, port } = new URL(request.url);
    const socket = connect(Number(port || 80), hostname.replace(/^\[|\]$/g, ''));
    const chunks: Buffer[] = [];
    const cut = () => socket.destroy(new Error('stopped'));
    signal.addEventListener('abort', cut);
    socket.on('data', (chunk) => chunks.push(chunk));
    socket.on('error', reject);
    socket.on('close', () => {
      signal.removeEventListener('abort', cut);
      const answer = read(Buffer.concat(chunks).toString());
      if (answer) resolve(answer);
      else reject(new Error('no answer'));
    });
    socket.write(written(request));
  });

function written({ method, url, headers, body = '' }: Outgoing): string {
  const { host, pathname, search } = new URL(url);
  const all = { Host: host, ...headers, ...(body && { 'Content-Length': String(Buffer.byteLength(body)) }) };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  return `${method} ${pathname}${search} HTTP/1.0\r\n${lines.join('')}\r\n${body}`;
}

function read(text: string): Answered | undefined {
  const [head = '', ...rest] = text.split('\r\n\r\n');
  const status = /^HTTP\/1\.[01] (\d{3})/.exec(head)?.[1];
  if (status === undefined) return undefined;
  const retryAfter = /^retry-after: *(.*)$/im.exec(head)?.[1];
  return answered(Number(status), retryAfter?.trim(), rest.join('\r\n\r\n'));
}
