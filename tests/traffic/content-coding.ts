/** Content codings (RFC 9110 section 8.4.1) that the judges undo. */
import { promisify } from 'node:util';
import * as zlib from 'node:zlib';

type Options = { maxOutputLength: number };

interface Decoder {
  decode(body: Buffer, options: Options): Promise<Buffer>;
  decodeSync(body: Buffer, options: Options): Buffer;
}

/** More are no use to any service, and each costs a decoding. */
export const MOST_CODINGS = 2;

/** What a request to a deployment accepts. */
export const ACCEPT_ENCODING = 'gzip, deflate, br';

const GZIP: Decoder = { decode: promisify(zlib.gunzip), decodeSync: zlib.gunzipSync };

/** By the name of the coding. All of them throw what `node:zlib` does. */
const DECODERS: Readonly<Record<string, Decoder>> = {
  gzip: GZIP,
  'x-gzip': GZIP,
  // Some servers leave out the zlib header, and clients are advised to accept that.
  deflate: {
    decode: (body, options) => promisify(hasZlibHeader(body) ? zlib.inflate : zlib.inflateRaw)(body, options),
    decodeSync: (body, options) =>
      hasZlibHeader(body) ? zlib.inflateSync(body, options) : zlib.inflateRawSync(body, options),
  },
  br: { decode: promisify(zlib.brotliDecompress), decodeSync: zlib.brotliDecompressSync },
};

/** Undefined for a coding that is not known. */
export const decoderOf = (coding: string): Decoder | undefined =>
  Object.hasOwn(DECODERS, coding) ? DECODERS[coding] : undefined;

/** Compression method 8, and a checksum (RFC 1950 section 2.2). */
const hasZlibHeader = (body: Buffer): boolean =>
  body.length >= 2 && body.readUInt8(0) % 16 === 8 && body.readUInt16BE(0) % 31 === 0;

/** In the order in which the lines of Content-Encoding list them, in lower case. */
export const codingsIn = (lines: readonly string[]): string[] =>
  lines
    .flatMap((line) => line.toLowerCase().split(','))
    .map((name) => name.trim())
    .filter((name) => name !== '' && name !== 'identity');
