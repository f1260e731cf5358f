/** The body of a request that is looked at before it is forwarded. */
import type { UnderWay } from './under-way.ts';

/** A token request has a few hundred bytes. */
const MOST_BYTES = 64 * 1024;

/** Undefined for a larger body, which is then to be forwarded as it arrives, and where the client disconnects. */
export function readBody({ request, response, requestBody }: UnderWay): Promise<Buffer | undefined> {
  if (Number(request.headers['content-length']) > MOST_BYTES) return Promise.resolve(undefined);
  if (request.headers.expect !== undefined) response.writeContinue();
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    const done = (body: Buffer | undefined) => {
      request.off('data', add).off('end', end).off('close', gone);
      resolve(body);
    };
    const add = (chunk: Buffer) => {
      chunks.push(chunk);
      bytes += chunk.length;
      if (bytes <= MOST_BYTES) return;
      request.pause();
      done(undefined);
      request.unshift(Buffer.concat(chunks));
    };
    const end = () => {
      const body = Buffer.concat(chunks);
      requestBody.add(body);
      done(body);
    };
    const gone = () => done(undefined);
    request.on('data', add).once('end', end).once('close', gone);
  });
}
