/** The tokens that the mock has issued, and whether each still gives access to the data. */
import type { TokenStatus } from '../contract/control-types.ts';
import type { Client } from './clients.ts';
import { withinCalendar } from './clock.ts';
import { createQueue, type Queue } from './queue.ts';
import type { Random } from './random.ts';

/** `unknown`: never issued, revoked, or evicted as the oldest of too many. */
export type { TokenStatus };

/** A token. Immutable: a change replaces it with a copy. */
export interface IssuedToken {
  readonly value: string;
  readonly client: Client;
  /** The client's first token is number 1. */
  readonly number: number;
  /** In milliseconds of the client's own time, as is `expiresAt`. */
  readonly issuedAt: number;
  readonly expiresAt: number;
  /** Counts from 1, in the order of issue. */
  readonly serial: number;
  /** How the token was ended before its lifetime was over. */
  readonly ended?: RevokedAs;
  /** When it was ended, on the clock of `expiresAt`. */
  readonly endedAt?: number;
}

/** `acme#3` is the third token of the client acme. */
export const nameOf = ({ client, number }: IssuedToken): string => `${client.id}#${number}`;

/** An `expired` token is still known; a `revoked` one is not. */
export type RevokedAs = 'expired' | 'revoked';

export interface TokenLookup {
  readonly status: TokenStatus;
  /** Absent for a token that the mock does not know. */
  readonly issued?: IssuedToken;
}

export interface IssueOptions {
  client: Client;
  lifetimeSeconds: number;
}

export interface Tokens {
  /** Returns a new opaque token (base64url), valid for `lifetimeSeconds` on the client's own clock. */
  issue(options: IssueOptions): string;
  /** A token is valid until its lifetime is over, and expired from then on (MRS-5.6a). */
  find(token: string): TokenLookup;
  /** The number of tokens issued to clients of this id; a new client with an old id continues the numbers. */
  countOf(client: Client): number;
  newestOf(client: Client): IssuedToken | undefined;
  /** The client's latest tokens, at most 100, oldest first. */
  latestOf(client: Client): readonly IssuedToken[];
  statusOf(issued: IssuedToken): TokenStatus;
  /**
   * Ends the tokens that `which` selects and returns how many of them were valid. Revoking also applies to expired
   * tokens; an evicted token stays unknown.
   */
  end(which: IssuedToken | ((issued: IssuedToken) => boolean), ended: RevokedAs): number;
  /** When the next token expires, in milliseconds of the mock's clock; undefined if no token is valid. */
  nextExpiry(client?: Client): number | undefined;
  /** Returns a function that restores the tokens as they are now. */
  save(): () => void;
}

const LATEST = 100;

/**
 * `now` is the mock's clock, in milliseconds. At most `capacity` tokens are kept: an expired token has to be
 * distinguished from an unknown one (MRS-7a), but memory must not grow with every token ever issued.
 */
export function createTokens(now: () => number, random: Random, capacity = 1_000_000): Tokens {
  let issued = new Map<string, IssuedToken>();
  /** Tokens of similar lifetimes expire in about the order of issue: the first to evict is the head of a queue. */
  let queues = new Map<number, Queue<string>>();
  let ofClients = new Map<string, { count: number; latest: readonly string[] }>();
  let serial = 0;

  const timeOf = ({ aheadMs, skewMs }: Client) => now() + aheadMs + skewMs;
  const statusOf = ({ client, expiresAt, ended }: IssuedToken): TokenStatus => {
    if (ended) return ended === 'revoked' ? 'unknown' : 'expired';
    return timeOf(client) < expiresAt ? 'valid' : 'expired';
  };

  /** The token of this value, unless it was evicted or belongs to a removed client of the same id. */
  const ownOf = (client: Client, value = ''): IssuedToken[] => {
    const one = issued.get(value);
    return one?.client === client ? [one] : [];
  };

  /** Removes the oldest expired token or, if none has expired, the oldest of all. */
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
      return found ? { status: statusOf(found), issued: found } : { status: 'unknown' };
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
