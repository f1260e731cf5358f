/** Reproducible randomness: a value depends on the seed and its purpose, not on the order of calls. */
import { createHmac } from 'node:crypto';

export interface Random {
  /** 32 bytes for `purpose`, always the same ones. */
  bytes(purpose: string): Uint8Array;
  /** A number from 0 up to, but not including, 1. */
  share(purpose: string): number;
}

/** Unpredictable without the seed, which is the key of an HMAC (RFC 2104). */
export function createRandom(seed: string | Uint8Array): Random {
  const draw = (purpose: string) => createHmac('sha256', seed).update(purpose).digest();
  return { bytes: draw, share: (purpose) => draw(purpose).readUIntBE(0, 6) / 2 ** 48 };
}
