/** The tokens that the mock has issued, and whether each still opens the data. */
import { randomBytes } from 'node:crypto';
import { withinCalendar } from './clock.ts';
import { createQueue, type Queue } from './queue.ts';

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

interface Issued {
  expiry: number;
  /** Counts from 1, in the order of issue. */
  serial: number;
}

/**
 * `now` is the clock, in milliseconds. At most `capacity` tokens are remembered: an expired token has to be
 * told from an unknown one (MRS-7a), yet memory must not grow with every token that was ever issued.
 */
export function createTokens(now: () => number, capacity = 1_000_000): Tokens {
  const issued = new Map<string, Issued>();
  /** Those of one lifetime expire in the order of issue, so that the first to go stands at the head of a queue. */
  const queues = new Map<number, Queue<string>>();
  let serial = 0;

  /** Lets go of the oldest token that has expired; or, since lifetimes differ, of the oldest of all. */
  function letGo(): void {
    const at = now();
    const heads = [...queues.values()].flatMap((queue) => {
      const head = issued.get(queue.head() ?? '');
      return head
        ? [{ queue, rank: head.expiry <= at ? head.serial - Number.MAX_SAFE_INTEGER : head.serial }]
        : [];
    });
    const [first] = heads.sort((a, b) => a.rank - b.rank);
    issued.delete(first?.queue.take() ?? '');
  }

  return {
    issue(lifetimeSeconds) {
      if (issued.size >= capacity) letGo();
      const token = randomBytes(24).toString('base64url');
      issued.set(token, { expiry: withinCalendar(now() + lifetimeSeconds * 1000), serial: ++serial });
      const queue = queues.get(lifetimeSeconds) ?? createQueue<string>();
      queues.set(lifetimeSeconds, queue);
      queue.add(token);
      return token;
    },
    standing(token) {
      const known = issued.get(token);
      if (known === undefined) return 'unknown';
      return now() < known.expiry ? 'valid' : 'expired';
    },
    nextExpiry() {
      const at = now();
      let next: number | undefined;
      for (const { expiry } of issued.values())
        if (expiry > at && expiry < (next ?? Number.POSITIVE_INFINITY)) next = expiry;
      return next;
    },
  };
}
