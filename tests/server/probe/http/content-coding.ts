/** Content codings (RFC 9110 section 8.4.1). */
import { promisify } from 'node:util';
import { brotliDecompress, gunzip, inflate, inflateRaw } from 'node:zlib';
import { Failure } from './failure.ts';

/** What a request accepts, and `decode` undoes. */
export const ACCEPT_ENCODING = 'gzip, deflate, br';

type Decode = (body: Buffer, options: { maxOutputLength: number }) => Promise<Buffer>;

const MOST_CODINGS = 2;
const DECODERS: Record<string, Decode> = {
  gzip: promisify(gunzip),
  'x-gzip': promisify(gunzip),
  // Some servers leave out the zlib header, and clients are advised to accept that.
  deflate: (body, options) => promisify(hasZlibHeader(body) ? inflate : inflateRaw)(body, options),
  br: promisify(brotliDecompress),
};

/** Compression method 8, and a checksum (RFC 1950 section 2.2). */
const hasZlibHeader = (body: Buffer): boolean =>
  body.length >= 2 && body.readUInt8(0) % 16 === 8 && body.readUInt16BE(0) % 31 === 0;

/** In the order in which the lines of Content-Encoding list them. Throws Failure for one that is not accepted. */
export function codingsIn(lines: readonly string[]): string[] {
  const codings = lines
    .flatMap((line) => line.toLowerCase().split(','))
    .map((name) => name.trim())
    .filter((name) => name !== '' && name !== 'identity');
  const unknown = codings.find((name) => !Object.hasOwn(DECODERS, name));
  if (unknown === undefined && codings.length <= MOST_CODINGS) return codings;
  throw new Failure(
    `sent a content coding that is not accepted: ${(unknown ?? codings.join(', ')).slice(0, 100)}`,
  );
}

/** `body` with `codings` removed. Throws Failure where that, or a step on the way, takes more than `limit` bytes. */
export async function decode(body: Buffer, codings: readonly string[], limit: number): Promise<Buffer> {
  if (body.length === 0) return body; // No content is complete, whatever codings are named.
  try {
    let decoded = body;
    for (const coding of codings.toReversed())
      decoded = (await DECODERS[coding]?.(decoded, { maxOutputLength: limit })) ?? decoded;
    return decoded;
  } catch (error) {
    const { code } = error as { code?: string };
    if (code === 'ERR_BUFFER_TOO_LARGE') throw tooLarge(limit);
    throw new Failure(
      code === 'Z_BUF_ERROR'
        ? 'sent a body that ends before its content coding does'
        : 'sent a body that does not decode by its content coding',
    );
  }
}

export const tooLarge = (limit: number): Failure =>
  new Failure(`sent a body of more than ${limit / 1024} KiB`);
