/** A token that holds what a replica has to know about it, and an HMAC that only the token key can make. */
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';

/** What a token holds. */
export interface Claims {
  /** Different for each token. */
  id: Buffer;
  /** Names the client: see TokenKey. */
  client: Uint8Array;
  /** In milliseconds, as is `expiresAt`. */
  issuedAt: number;
  expiresAt: number;
}

const ID_BYTES = 12;
const CLIENT_BYTES = 12;
const TIME_BYTES = 8;
const HELD_BYTES = ID_BYTES + CLIENT_BYTES + 2 * TIME_BYTES;
const HMAC_BYTES = 32;
/** A multiple of three, so that each character of the token matters. */
const TOKEN_BYTES = HELD_BYTES + HMAC_BYTES;
const TOKEN_LENGTH = (TOKEN_BYTES / 3) * 4;

export const newTokenId = (): Buffer => randomBytes(ID_BYTES);

/** Returns base64url that looks like any other token of the mock. */
export function signToken({ id, client, issuedAt, expiresAt }: Claims, key: Uint8Array): string {
  const times = Buffer.alloc(2 * TIME_BYTES);
  times.writeDoubleBE(issuedAt, 0);
  times.writeDoubleBE(expiresAt, TIME_BYTES);
  const held = Buffer.concat([id, client, times], HELD_BYTES);
  return Buffer.concat([held, hmacOf(held, key)], TOKEN_BYTES).toString('base64url');
}

/** Undefined for any text that `signToken` did not return for this key. */
export function openToken(token: string, key: Uint8Array): Claims | undefined {
  if (token.length !== TOKEN_LENGTH) return undefined;
  const bytes = Buffer.from(token, 'base64url');
  // Node.js also reads base64, and skips what is neither.
  if (bytes.toString('base64url') !== token) return undefined;
  const held = bytes.subarray(0, HELD_BYTES);
  if (!timingSafeEqual(bytes.subarray(HELD_BYTES), hmacOf(held, key))) return undefined;
  return {
    id: held.subarray(0, ID_BYTES),
    client: held.subarray(ID_BYTES, ID_BYTES + CLIENT_BYTES),
    issuedAt: held.readDoubleBE(ID_BYTES + CLIENT_BYTES),
    expiresAt: held.readDoubleBE(ID_BYTES + CLIENT_BYTES + TIME_BYTES),
  };
}

const hmacOf = (held: Buffer, key: Uint8Array): Buffer => createHmac('sha256', key).update(held).digest();
