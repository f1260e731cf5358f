/** Content codings (RFC 9110 section 8.4.1) that the judges undo. */
import { promisify } from 'node:util';
import * as zlib from 'node:zlib';

/** Throws what `node:zlib` does. */
type Decode = (body: Buffer, options: { maxOutputLength: number }) => Promise<Buffer>;

/** No service needs more, and each costs a decoding. */
export const MOST_CODINGS = 2;

/** What a request to a deployment accepts. */
export const ACCEPT_ENCODING = 'gzip, deflate, br';

const DECODERS = new Map<string, Decode>([
  ['gzip', promisify(zlib.gunzip)],
  ['x-gzip', promisify(zlib.gunzip)],
  // Some servers leave out the zlib header, and clients are advised to accept that.
  [
    'deflate',
    (body, options) => promisify(hasZlibHeader(body) ? zlib.inflate : zlib.inflateRaw)(body, options),
  ],
  ['br', promisify(zlib.brotliDecompress)],
]);

/** Undefined for a coding that is not known. */
export const decoderOf = (coding: string): Decode | undefined => DECODERS.get(coding);

/** Compression method 8, and a checksum (RFC 1950 section 2.2). */
const hasZlibHeader = (body: Buffer): boolean =>
  body.length >= 2 && body.readUInt8(0) % 16 === 8 && body.readUInt16BE(0) % 31 === 0;

/** In the order in which the lines of Content-Encoding list them, in lower case. */
export const codingsIn = (lines: readonly string[]): string[] =>
  lines
    .flatMap((line) => line.toLowerCase().split(','))
    .map((name) => name.trim())
    .filter((name) => name !== '' && name !== 'identity');
