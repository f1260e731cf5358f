/** The body of a request, up to a limit. */
import type { IncomingMessage } from 'node:http';

/** The text of the body, or `undefined`: as `readBytes`. */
export const readBody = async (request: IncomingMessage, limitBytes: number): Promise<string | undefined> =>
  (await readBytes(request, limitBytes))?.toString();

/**
 * The bytes of the body, or `undefined` as soon as it is known to be longer than `limitBytes`; what has not
 * arrived by then stays unread. Rejects if the client goes away.
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

/** The body of a request for data or health, which should have none; `undefined` where it has none, or too long a one. */
export function strayBody(
  request: IncomingMessage,
  limitBytes: number,
): Promise<string | undefined> | undefined {
  const { method, headers } = request;
  if (method !== 'GET' && method !== 'HEAD') return undefined;
  if (!headers['transfer-encoding'] && !(Number(headers['content-length'] ?? 0) > 0)) return undefined;
  // What is left of one that is too long would keep the next request of its connection waiting.
  return readBody(request, limitBytes)
    .catch(() => undefined) // the client has gone, and what it asked for is written down all the same
    .finally(() => request.resume());
}
