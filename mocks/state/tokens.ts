/** The tokens that the mock has issued, and whether each still opens the data. */
import type { Client } from './clients.ts';
import { withinCalendar } from './clock.ts';
import { createQueue, type Queue } from './queue.ts';
import type { Random } from './random.ts';

/** `unknown` is a token that was never issued, one that was revoked, or one let go as the oldest of too many. */
export type TokenStatus = 'valid' | 'expired' | 'unknown';

/** A token. Never changed: what becomes of it is another one in its place. */
export interface IssuedToken {
  readonly value: string;
  readonly client: Client;
  /** The client's first token is number 1. */
  readonly number: number;
  /** In milliseconds of the client's time, as `expiresAt`. */
  readonly issuedAt: number;
  readonly expiresAt: number;
  /** Counts from 1, in the order of issue. */
  readonly serial: number;
  /** What somebody made of it before its time. */
  readonly ended?: RevokedAs;
  /** When they did, on the clock of `expiresAt`. */
  readonly endedAt?: number;
}

/** `acme#3` is the third token of the client acme. */
export const nameOf = ({ client, number }: IssuedToken): string => `${client.id}#${number}`;

export type RevokedAs = 'expired' | 'revoked';

export interface TokenLookup {
  readonly standing: TokenStatus;
  /** Absent for a token that the mock does not know. */
  readonly issued?: IssuedToken;
}

export interface IssueOptions {
  client: Client;
  lifetimeSeconds: number;
}

export interface Tokens {
  /** A fresh opaque token, base64url, valid from now on the client's clock for `lifetimeSeconds`. */
  issue(order: IssueOptions): string;
  /** A token is valid until its lifetime has passed, and expired from that moment on (MRS-5.6a). */
  find(token: string): TokenLookup;
  /** How many tokens clients of this id were issued: who has an id again has other tokens than who had it before. */
  countOf(client: Client): number;
  newestOf(client: Client): IssuedToken | undefined;
  /** The client's latest tokens, at most a hundred, oldest first. */
  latestOf(client: Client): readonly IssuedToken[];
  statusOf(issued: IssuedToken): TokenStatus;
  /**
   * Ends the life of each live token that `which` says, and says how many these were. What is revoked is known no
   * more, and so the dead are revoked with the living; a token that was let go stays unknown.
   */
  end(which: IssuedToken | ((issued: IssuedToken) => boolean), ended: RevokedAs): number;
  /** When the next token expires, in milliseconds of the mock's clock; undefined if none is alive. */
  nextExpiry(client?: Client): number | undefined;
  /** Returns what brings the tokens back to where they are now. */
  save(): () => void;
}

const LATEST = 100;

/**
 * `now` is the clock, in milliseconds. At most `capacity` tokens are remembered: an expired token has to be
 * told from an unknown one (MRS-7a), yet memory must not grow with every token that was ever issued.
 */
export function createTokens(now: () => number, random: Random, capacity = 1_000_000): Tokens {
  let issued = new Map<string, IssuedToken>();
  /** Those of about one lifetime expire in about the order of issue: the first to go is the head of a queue. */
  let queues = new Map<number, Queue<string>>();
  let ofClients = new Map<string, { count: number; latest: readonly string[] }>();
  let serial = 0;

  const timeOf = ({ aheadMs, skewMs }: Client) => now() + aheadMs + skewMs;
  const statusOf = ({ client, expiresAt, ended }: IssuedToken): TokenStatus => {
    if (ended) return ended === 'revoked' ? 'unknown' : 'expired';
    return timeOf(client) < expiresAt ? 'valid' : 'expired';
  };

  /** The token of this value, unless it was let go, or issued to a client of the same id that was there before. */
  const ownOf = (client: Client, value = ''): IssuedToken[] => {
    const one = issued.get(value);
    return one?.client === client ? [one] : [];
  };

  /** Lets go of the oldest token that has expired; or, since lifetimes differ, of the oldest of all. */
  function evict(): void {
    const heads = [...queues.values()].flatMap((queue) => {
      const head = issued.get(queue.head() ?? '');
      if (!head) return [];
      const isAlive = statusOf(head) === 'valid';
      return [{ queue, rank: isAlive ? head.serial : head.serial - Number.MAX_SAFE_INTEGER }];
    });
    const [first] = heads.sort((a, b) => a.rank - b.rank);
    issued.delete(first?.queue.take() ?? '');
  }

  return {
    issue({ client, lifetimeSeconds }) {
      if (issued.size >= capacity) evict();
      const { count, latest } = ofClients.get(client.id) ?? { count: 0, latest: [] };
      const number = count + 1;
      const delayMs = random.bytes(`token ${number} of ${client.id}`);
      const value = Buffer.from(delayMs.subarray(0, 24)).toString('base64url');
      const issuedAt = now() + client.aheadMs;
      const expiresAt = withinCalendar(issuedAt + lifetimeSeconds * 1000);
      issued.set(value, { value, client, number, issuedAt, expiresAt, serial: ++serial });
      ofClients.set(client.id, { count: number, latest: [...latest.slice(1 - LATEST), value] });
      const bucket = Math.ceil(Math.log2(lifetimeSeconds + 1));
      const queue = queues.get(bucket) ?? createQueue<string>();
      queues.set(bucket, queue);
      queue.add(value);
      return value;
    },
    find(token) {
      const found = issued.get(token);
      return found ? { standing: statusOf(found), issued: found } : { standing: 'unknown' };
    },
    countOf: (client) => ofClients.get(client.id)?.count ?? 0,
    newestOf: (client) => ownOf(client, ofClients.get(client.id)?.latest.at(-1)).at(0),
    latestOf: (client) => (ofClients.get(client.id)?.latest ?? []).flatMap((value) => ownOf(client, value)),
    statusOf,
    end(which, ended) {
      const chosen =
        typeof which === 'function'
          ? [...issued.values()].filter(which)
          : [issued.get(which.value) ?? []].flat();
      const alive = chosen.filter((one) => statusOf(one) === 'valid');
      for (const one of ended === 'revoked' ? chosen : alive)
        issued.set(one.value, { ...one, ended, endedAt: timeOf(one.client) });
      return alive.length;
    },
    nextExpiry(client) {
      let next: number | undefined;
      for (const one of issued.values()) {
        if ((client && one.client !== client) || statusOf(one) !== 'valid') continue;
        const { aheadMs, skewMs } = one.client;
        next = Math.min(next ?? Number.POSITIVE_INFINITY, one.expiresAt - aheadMs - skewMs);
      }
      return next;
    },
    save() {
      const saved = {
        serial,
        issued: new Map(issued),
        queues: copied(queues),
        ofClients: new Map(ofClients),
      };
      return () => {
        serial = saved.serial;
        issued = new Map(saved.issued);
        queues = copied(saved.queues);
        ofClients = new Map(saved.ofClients);
      };
    },
  };
}

const copied = (queues: Map<number, Queue<string>>): Map<number, Queue<string>> =>
  new Map([...queues].map(([bucket, queue]) => [bucket, queue.copy()]));
