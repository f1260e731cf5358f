/** The body of a request, up to a limit. */
import type { IncomingMessage } from 'node:http';

/** The body as text, or `undefined`: see `readBytes`. */
export const readBody = async (request: IncomingMessage, limitBytes: number): Promise<string | undefined> =>
  (await readBytes(request, limitBytes))?.toString();

/**
 * The body, or `undefined` as soon as it is known to be longer than `limitBytes`; the rest stays unread.
 * Rejects if the client disconnects.
 */
export function readBytes(request: IncomingMessage, limitBytes: number): Promise<Buffer | undefined> {
  if (Number(request.headers['content-length'] ?? 0) > limitBytes) return Promise.resolve(undefined);
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    request.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size <= limitBytes) chunks.push(chunk);
      else {
        request.removeAllListeners('data').pause();
        resolve(undefined);
      }
    });
    request.on('end', () => resolve(Buffer.concat(chunks)));
    request.on('error', reject);
  });
}

/** The body of a request for data or health, which should have none; undefined if there is none, or if it is too long. */
export function strayBody(
  request: IncomingMessage,
  limitBytes: number,
): Promise<string | undefined> | undefined {
  const { method, headers } = request;
  if (method !== 'GET' && method !== 'HEAD') return undefined;
  if (!headers['transfer-encoding'] && !(Number(headers['content-length'] ?? 0) > 0)) return undefined;
  // The unread rest of a body would block the next request of the connection.
  return readBody(request, limitBytes)
    .catch(() => undefined) // the client has disconnected; its request is recorded all the same
    .finally(() => request.resume());
}
