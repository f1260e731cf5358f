/** Reproducible randomness: a value depends on the seed and its purpose, not on the order of calls. */
import { createHmac } from 'node:crypto';
import { MockError } from './contract/mock-error.ts';

export interface Random {
  /** 32 bytes for `purpose`, always the same ones. They reveal neither the seed nor those for another purpose. */
  bytes(purpose: string): Uint8Array;
  /** A number from 0 up to, but not including, 1. */
  share(purpose: string): number;
}

/** Unpredictable without the seed, which is the key of an HMAC (RFC 2104). */
export function createRandom(seed: string | Uint8Array): Random {
  const draw = (purpose: string) => createHmac('sha256', seed).update(purpose).digest();
  return { bytes: draw, share: (purpose) => draw(purpose).readUIntBE(0, 6) / 2 ** 48 };
}

const LEAST_BYTES = 32;

/**
 * The key that replicas of a mock share: each accepts, expires and refuses the tokens of the others. Throws MockError for a key
 * that could be guessed. The key is never repeated in the error.
 */
export function readTokenKey(given: string | Uint8Array): Random {
  const bytes = Buffer.from(given as string); // Of a text: its UTF-8.
  if (bytes.length >= LEAST_BYTES) return createRandom(bytes);
  throw new MockError(
    `The token key has ${bytes.length} of at least ${LEAST_BYTES} bytes, and whoever guesses it can make tokens. ` +
      `Make one: ${MAKE_KEY}`,
  );
}

/** A command that makes a key in a file that only its owner can read. */
export const MAKE_KEY = '(umask 077 && head -c 32 /dev/urandom | base64 > token.key)';
