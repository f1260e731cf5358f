/** The key that replicas of a mock share: each accepts, expires and refuses the tokens of the others. */
import { MockError } from '../contract/mock-error.ts';
import { createRandom } from './random.ts';

/** What is derived from the key. Neither reveals the key or the other. */
export interface TokenKey {
  /** The key of the HMAC (RFC 2104) in a token. */
  readonly signing: Uint8Array;
  /** The same 12 bytes in the tokens of a client on every replica. */
  clientTag(id: string): Uint8Array;
  /** The seed of replicas that are given none, so that they serve the same records. */
  readonly seed: Uint8Array;
}

const LEAST_BYTES = 32;

/** Throws MockError for a key that could be guessed. The key is never repeated in the error. */
export function readTokenKey(given: string | Uint8Array): TokenKey {
  const bytes = Buffer.from(given as string); // Of a text: its UTF-8.
  if (bytes.length < LEAST_BYTES)
    throw new MockError(
      `The token key has ${bytes.length} of at least ${LEAST_BYTES} bytes, and whoever guesses it can make tokens. ` +
        `Make one: ${MAKE_KEY}`,
    );
  const { bytes: derive } = createRandom(bytes);
  return {
    signing: derive('tokens'),
    clientTag: (id) => derive(`client ${id}`).subarray(0, 12),
    seed: derive('seed'),
  };
}

/** A command that makes a key in a file that only its owner can read. */
export const MAKE_KEY = '(umask 077 && head -c 32 /dev/urandom | base64 > token.key)';
