/**
 * Tokens. Each holds its client, its number and its times, and is signed: so an expired token differs from an unknown one (MRS-7a)
 * without a memory of all that were issued, and mocks with the same key accept each other's. Only endings are kept.
 */
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Client, Clients } from './clients.ts';
import { withinCalendar } from './clock.ts';
import type { TokenStatus } from './contract/control-types.ts';
import { MockError, oneReplica } from './contract/mock-error.ts';
import type { Random } from './random.ts';

/** `unknown`: never issued, or revoked. */
export type { TokenStatus };

/** A token. Immutable: a change makes another object. */
export interface IssuedToken {
  readonly value: string;
  readonly client: Client;
  /** The client's first token is number 1; with a token key, numbers are random. */
  readonly number: number;
  /** In milliseconds of the client's own time, as is `expiresAt`. */
  readonly issuedAt: number;
  readonly expiresAt: number;
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

/** Tokens to end: of one client or of all, but for one. */
export interface Whose {
  client?: Client;
  except?: IssuedToken | undefined;
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
  /** Ends a token and returns how many were valid: 0 or 1. Revoking also applies to an expired token. */
  end(issued: IssuedToken, ended: RevokedAs): number;
  /** The same for many. Of each client, the latest 100 are counted. */
  endAll(whose: Whose, ended: RevokedAs): number;
  /** When the next of the latest tokens expires, in milliseconds of the mock's clock; undefined if none is valid. */
  nextExpiry(client?: Client): number | undefined;
  /** Returns a function that restores the tokens as they are now. */
  save(): () => void;
}

export interface TokenParts {
  /** The mock's clock, in milliseconds. */
  now: () => number;
  /** Signs the tokens: of the seed, or of the key that several mocks share. */
  random: Random;
  clients: Pick<Clients, 'list'>;
  /** Whether other mocks issue tokens by the same key. Then no token can be ended: the others would not know. */
  isShared?: boolean;
}

const LATEST = 100;
/** Endings of single tokens that are kept of a client. */
const MOST_ENDED = 10_000;
/** Tokens whose signature need not be computed again. */
const MOST_OPENED = 10_000;

interface Ending {
  as: RevokedAs;
  at: number;
}

/** What is kept of the tokens of a client id. */
interface Ledger {
  count: number;
  latest: readonly IssuedToken[];
  /** By the number of the token. */
  ended: Map<number, Ending>;
  /** Tokens up to this number were ended together. */
  upTo: Partial<Record<RevokedAs, { number: number; at: number }>>;
}

export function createTokens({ now, random, clients, isShared = false }: TokenParts): Tokens {
  const { sign, open } = createSignature(random.bytes('tokens'));
  let ledgers = new Map<string, Ledger>();
  const opened = new Map<string, IssuedToken>();
  const byTag = new Map<string, Client>();

  const tagOf = (id: string): Buffer => Buffer.from(random.bytes(`client ${id}`)).subarray(0, TAG_BYTES);
  const timeOf = ({ aheadMs, skewMs }: Client) => now() + aheadMs + skewMs;

  function clientOf(tag: Buffer): Client | undefined {
    const key = tag.toString('hex');
    if (!byTag.has(key))
      for (const client of clients.list()) byTag.set(tagOf(client.id).toString('hex'), client);
    return byTag.get(key);
  }

  function ledgerOf(id: string): Ledger {
    const ledger = ledgers.get(id) ?? { count: 0, latest: [], ended: new Map(), upTo: {} };
    ledgers.set(id, ledger);
    return ledger;
  }

  function remember(issued: IssuedToken): IssuedToken {
    if (opened.size >= MOST_OPENED) opened.clear();
    opened.set(issued.value, issued);
    return issued;
  }

  function read(value: string): IssuedToken | undefined {
    const claims = open(value);
    const client = claims && clientOf(claims.tag);
    if (!client) return undefined;
    const { number, issuedAt, expiresAt } = claims;
    return remember({ value, client, number, issuedAt, expiresAt });
  }

  function endingOf({ ended, upTo }: Ledger, { number, expiresAt }: IssuedToken): Ending | undefined {
    const { revoked, expired } = upTo;
    if (revoked && number <= revoked.number) return { as: 'revoked', at: revoked.at };
    const own = ended.get(number);
    if (own || !expired) return own;
    return number <= expired.number && expired.at < expiresAt ? { as: 'expired', at: expired.at } : undefined;
  }

  /** The token as it is now: with its ending, if it was ended. */
  function lookUp(issued: IssuedToken): TokenLookup {
    const { client, number, value, expiresAt } = issued;
    const ledger = ledgerOf(client.id);
    const { latest, count } = ledger;
    const same = latest[number - (latest[0]?.number ?? 1)];
    // It may have been issued in a course of events that was undone since.
    if (!isShared && (number > count || (same !== undefined && same.value !== value)))
      return { status: 'unknown' };
    const ending = endingOf(ledger, issued);
    if (!ending) return { status: timeOf(client) < expiresAt ? 'valid' : 'expired', issued };
    return {
      status: ending.as === 'revoked' ? 'unknown' : 'expired',
      issued: { ...issued, ended: ending.as, endedAt: ending.at },
    };
  }

  const statusOf = (issued: IssuedToken): TokenStatus => lookUp(issued).status;

  function end(issued: IssuedToken, as: RevokedAs): number {
    if (isShared) throw new MockError(oneReplica('the end of a token'));
    const { ended, upTo } = ledgerOf(issued.client.id);
    const status = statusOf(issued);
    if (status === 'valid' || (status === 'expired' && as === 'revoked'))
      ended.set(issued.number, { as, at: timeOf(issued.client) });
    const [first] = ended;
    if (first && ended.size > MOST_ENDED) {
      // The oldest count as expired from now on, with all before them.
      ended.delete(first[0]);
      upTo.expired = { number: Math.max(first[0], upTo.expired?.number ?? 0), at: first[1].at };
    }
    return status === 'valid' ? 1 : 0;
  }

  const ownOf = (client: Client) => ledgerOf(client.id).latest.filter((one) => one.client === client);
  const latestOf = (client: Client) => ownOf(client).flatMap((one) => lookUp(one).issued ?? []);

  return {
    issue({ client, lifetimeSeconds }) {
      const ledger = ledgerOf(client.id);
      const number = isShared ? randomBytes(NUMBER_BYTES).readUInt32BE() : ledger.count + 1;
      const issuedAt = now() + client.aheadMs;
      const expiresAt = withinCalendar(issuedAt + lifetimeSeconds * 1000);
      const tag = tagOf(client.id);
      const value = sign({ tag, number, issuedAt, expiresAt });
      byTag.set(tag.toString('hex'), client);
      const issued = remember({ value, client, number, issuedAt, expiresAt });
      ledger.count++;
      ledger.latest = [...ledger.latest.slice(1 - LATEST), issued];
      return value;
    },
    find(token) {
      const issued = opened.get(token) ?? read(token);
      return issued ? lookUp(issued) : { status: 'unknown' };
    },
    countOf: (client) => ledgers.get(client.id)?.count ?? 0,
    newestOf: (client) => latestOf(client).at(-1),
    latestOf,
    statusOf,
    end,
    endAll({ client, except }, as) {
      let valid = 0;
      for (const ledger of client ? [ledgerOf(client.id)] : ledgers.values()) {
        const chosen = ledger.latest.filter((one) => client === undefined || one.client === client);
        for (const one of chosen) if (one.value !== except?.value) valid += end(one, as);
        const older = (chosen[0]?.number ?? 1) - 1;
        // Which of the older ones to leave is not kept.
        if (older > 0 && !(except && except.number <= older))
          ledger.upTo[as] = { number: older, at: timeOf((chosen[0] as IssuedToken).client) };
      }
      return valid;
    },
    nextExpiry(client) {
      if (isShared) throw new MockError(oneReplica('the next expiry'));
      const expiries = [...ledgers.values()]
        .flatMap(({ latest }) => latest)
        .filter((one) => (client === undefined || one.client === client) && statusOf(one) === 'valid')
        .map(({ expiresAt, client: { aheadMs, skewMs } }) => expiresAt - aheadMs - skewMs);
      return expiries.length === 0 ? undefined : expiries.reduce((least, one) => Math.min(least, one));
    },
    save() {
      const saved = copied(ledgers);
      return () => {
        ledgers = copied(saved);
      };
    },
  };
}

const copied = (ledgers: Map<string, Ledger>): Map<string, Ledger> =>
  new Map(
    [...ledgers].map(([id, one]) => [id, { ...one, ended: new Map(one.ended), upTo: { ...one.upTo } }]),
  );

/** What a token holds; the tag names the client. */
interface Claims {
  tag: Buffer;
  number: number;
  issuedAt: number;
  expiresAt: number;
}

const HMAC_BYTES = 20;
const TAG_BYTES = 8;
const NUMBER_BYTES = 4;
const TIME_BYTES = 8;
/** A multiple of three, so that each character of the token matters. */
const TOKEN_BYTES = HMAC_BYTES + TAG_BYTES + NUMBER_BYTES + 2 * TIME_BYTES;
/** In characters. */
export const TOKEN_LENGTH = (TOKEN_BYTES / 3) * 4;

/** Signs and opens tokens by an HMAC (RFC 2104), which stands first: no two tokens begin alike. */
function createSignature(key: Uint8Array) {
  const hmacOf = (held: Buffer) => createHmac('sha256', key).update(held).digest().subarray(0, HMAC_BYTES);

  return {
    sign({ tag, number, issuedAt, expiresAt }: Claims): string {
      const held = Buffer.alloc(TOKEN_BYTES - HMAC_BYTES);
      held.writeDoubleBE(issuedAt, 0);
      held.writeDoubleBE(expiresAt, TIME_BYTES);
      held.writeUInt32BE(number, 2 * TIME_BYTES);
      tag.copy(held, 2 * TIME_BYTES + NUMBER_BYTES);
      return Buffer.concat([hmacOf(held), held]).toString('base64url');
    },
    /** Undefined for any text that `sign` did not return for this key. */
    open(token: string): Claims | undefined {
      if (token.length !== TOKEN_LENGTH) return undefined;
      const bytes = Buffer.from(token, 'base64url');
      // Node.js also reads base64, and skips what is neither.
      if (bytes.toString('base64url') !== token) return undefined;
      const held = bytes.subarray(HMAC_BYTES);
      if (!timingSafeEqual(bytes.subarray(0, HMAC_BYTES), hmacOf(held))) return undefined;
      return {
        issuedAt: held.readDoubleBE(0),
        expiresAt: held.readDoubleBE(TIME_BYTES),
        number: held.readUInt32BE(2 * TIME_BYTES),
        tag: held.subarray(2 * TIME_BYTES + NUMBER_BYTES),
      };
    },
  };
}
