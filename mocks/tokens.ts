/** The tokens that the mock has issued, and whether each still opens the data. */
import { randomBytes } from 'node:crypto';

/** `unknown` is a token that was never issued, or one let go because it was the oldest of too many. */
export type Standing = 'valid' | 'expired' | 'unknown';

export interface Tokens {
  /** A fresh opaque token, base64url, valid from now for `lifetimeSeconds`. */
  issue(lifetimeSeconds: number): string;
  /** A token is valid until its lifetime has passed, and expired from that moment on (MRS-5.6a). */
  standing(token: string): Standing;
  /** When the next token expires, in milliseconds; undefined if none is alive. */
  nextExpiry(): number | undefined;
}

/**
 * `now` is the clock, in milliseconds. At most `capacity` tokens are remembered: an expired token has to be
 * told from an unknown one (MRS-7a), yet memory must not grow with every token that was ever issued.
 */
export function createTokens(now: () => number, capacity = 100_000): Tokens {
  const expiries = new Map<string, number>(); // in the order of issue

  return {
    issue(lifetimeSeconds) {
      if (expiries.size >= capacity) expiries.delete(leastUseful(expiries, now()));
      const token = randomBytes(24).toString('base64url');
      expiries.set(token, now() + lifetimeSeconds * 1000);
      return token;
    },
    standing(token) {
      const expiry = expiries.get(token);
      if (expiry === undefined) return 'unknown';
      return now() < expiry ? 'valid' : 'expired';
    },
    nextExpiry() {
      const at = now();
      let next: number | undefined;
      for (const expiry of expiries.values()) if (expiry > at && expiry < (next ?? Infinity)) next = expiry;
      return next;
    },
  };
}

/** The oldest expired token; lifetimes differ by client, so the oldest of all may well be valid still. */
function leastUseful(expiries: Map<string, number>, at: number): string {
  let oldest = '';
  for (const [token, expiry] of expiries) {
    if (expiry <= at) return token;
    oldest ||= token;
  }
  return oldest;
}
