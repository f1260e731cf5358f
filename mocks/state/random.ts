/** Chance that comes again: what is drawn depends on the seed and on what it is drawn for, and on no order. */
import { createHmac } from 'node:crypto';

export interface Random {
  /** 32 bytes, drawn for `purpose`: always the same for the same. */
  bytes(purpose: string): Uint8Array;
  /** From 0 up to 1, 1 left out. */
  share(purpose: string): number;
}

/** Nobody who does not know the seed can tell what is drawn: it is the key of an HMAC (RFC 2104). */
export function createRandom(seed: string | Uint8Array): Random {
  const draw = (purpose: string) => createHmac('sha256', seed).update(purpose).digest();
  return { bytes: draw, share: (purpose) => draw(purpose).readUIntBE(0, 6) / 2 ** 48 };
}
