/** What is received and sent: the body of a request, and replies. */
import type { IncomingMessage } from 'node:http';
import type { Action } from './contract/control-contract.ts';

/** How a reply is sent, if not at once and completely. */
export type Delivery = Pick<Action, 'delay' | 'cut' | 'reset'>;

/** What is sent to the client. */
export interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly bytes: Buffer;
  readonly delivery?: Delivery | undefined;
}

/** A refusal, in the shape of the contract's error answers. */
export const failure = (
  status: number,
  error: string,
  sentence: string,
  headers: Record<string, string> = {},
): Reply =>
  json(status, { error, error_description: sentence }, { 'content-type': 'application/json', ...headers });

export function json(status: number, body: object, headers: Record<string, string>): Reply {
  const bytes = Buffer.from(JSON.stringify(body));
  return { status, bytes, headers: { ...headers, 'content-length': String(bytes.length) } };
}

/** A JSON reply of the control API: what was requested, or the state after a change. */
export const jsonReply = (body: object): Reply =>
  json(200, body, { 'content-type': 'application/json', 'cache-control': 'no-store' });

/** The reply when the mock itself fails. The cause is for the mock's operator only. */
export const fault = (): Reply =>
  failure(
    500,
    'server_error',
    'The mock failed because of an internal error. Its operator can see the cause.',
  );

/**
 * The body as text, or `undefined` as soon as it is known to be longer than `limitBytes`; the rest is received and dropped, since
 * a client could lose the answer otherwise, and as long as a request may take. Rejects if the client disconnects.
 */
export function readBody(request: IncomingMessage, limitBytes: number): Promise<string | undefined> {
  if (Number(request.headers['content-length'] ?? 0) > limitBytes) {
    request.resume();
    return Promise.resolve(undefined);
  }
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    request.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size <= limitBytes) chunks.push(chunk);
      else {
        request.removeAllListeners('data').resume();
        resolve(undefined);
      }
    });
    request.on('end', () => resolve(Buffer.concat(chunks).toString()));
    request.on('error', reject);
  });
}
