/**
 * Tokens. Each holds its client, its number and its times, and is signed: so an expired token differs from an unknown one (MRS-7a)
 * by more than chance, and mocks with the same key accept each other's.
 */
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Client, Clients } from './clients.ts';
import { withinCalendar } from './clock.ts';
import type { TokenStatus } from './contract/control-contract.ts';
import { MockError, oneReplica } from './contract/mock-error.ts';

/** `unknown`: never issued, or revoked. */
export type { TokenStatus };

/** A token, without its text. Immutable: a change makes another object. Times are in milliseconds of the mock's clock. */
export interface IssuedToken {
  readonly client: Client;
  /** The client's first token is number 1; with a token key, numbers are random. */
  readonly number: number;
  readonly issuedAt: number;
  readonly expiresAt: number;
  /** How and when the token was ended before its lifetime was over. */
  readonly ended?: TokenEnd;
  readonly endedAt?: number;
}

/** `acme#3` is the third token of the client acme. */
export const nameOf = ({ client, number }: IssuedToken): string => `${client.id}#${number}`;

/** An `expired` token is still known; a `revoked` one is not. */
export type TokenEnd = 'expired' | 'revoked';

export interface TokenLookup {
  readonly status: TokenStatus;
  /** Absent for a token that the mock does not know. */
  readonly issued?: IssuedToken;
}

export type Tokens = ReturnType<typeof createTokens>;
type TokenListener = (value: string, issued: IssuedToken) => void;

/** 32 bytes for a purpose, always the same ones. They reveal neither the seed nor those for another purpose. */
export type Keys = (purpose: string) => Buffer;

/** Unpredictable without the seed, which is the key of an HMAC (RFC 2104). */
export const keysOf =
  (seed: string | Uint8Array): Keys =>
  (purpose) =>
    createHmac('sha256', seed).update(purpose).digest();

const LEAST_BYTES = 32;

/** A command that makes a key in a file that only its owner can read. */
export const MAKE_KEY = '(umask 077 && head -c 32 /dev/urandom | base64 > token.key)';

/** The keys that replicas of a mock share. Throws MockError, which never repeats the key, for one that could be guessed. */
export function readTokenKey(given: string | Uint8Array): Keys {
  const bytes = Buffer.from(given as string); // Of a text: its UTF-8.
  if (bytes.length >= LEAST_BYTES) return keysOf(bytes);
  throw new MockError(
    `The token key has ${bytes.length} of at least ${LEAST_BYTES} bytes, and whoever guesses it can make tokens. ` +
      `Make one: ${MAKE_KEY}`,
  );
}

interface TokenParts {
  /** The mock's clock, in milliseconds. */
  now: () => number;
  keys: Keys;
  clients: Pick<Clients, 'list'>;
  /** Whether other mocks issue tokens by the same key. Then no token can be ended: the others would not know. */
  isShared?: boolean;
}

/** Tokens whose signature need not be computed again. */
const MOST_OPENED = 10_000;

export function createTokens({ now, keys, clients, isShared = false }: TokenParts) {
  const { sign, open } = createSignature(keys('tokens'));
  /** By client id, which several clients may have had, in the order of their numbers. Of shared ones, only the newest. */
  let histories = new Map<string, IssuedToken[]>();
  const opened = new Map<string, IssuedToken>();
  const byTag = new Map<string, Client>();
  const listeners = new Set<TokenListener>();

  const tagOf = (id: string): Buffer => keys(`client ${id}`).subarray(0, TAG_BYTES);
  const tokensOf = ({ id }: Client) => histories.get(id) ?? [];

  function clientOf(tag: Buffer): Client | undefined {
    const key = tag.toString('hex');
    if (!byTag.has(key))
      for (const client of clients.list()) byTag.set(tagOf(client.id).toString('hex'), client);
    return byTag.get(key);
  }

  function remember(value: string, issued: IssuedToken): IssuedToken {
    if (opened.size >= MOST_OPENED) opened.clear();
    opened.set(value, issued);
    for (const listener of listeners) listener(value, issued);
    return issued;
  }

  function read(value: string): IssuedToken | undefined {
    const claims = open(value);
    const client = claims && clientOf(claims.tag);
    if (!client) return undefined;
    const { number, issuedAt, expiresAt } = claims;
    return remember(value, { client, number, issuedAt, expiresAt });
  }

  /** The token as it is now: with its ending, if it was ended. */
  function lookUp(given: IssuedToken): TokenLookup {
    const { client, number, issuedAt, expiresAt } = given;
    const issued = isShared ? given : histories.get(client.id)?.[number - 1];
    // It may have been issued in a course of events that was undone since.
    if (issued?.issuedAt !== issuedAt || issued.expiresAt !== expiresAt) return { status: 'unknown' };
    if (issued.ended === 'revoked') return { status: 'unknown', issued };
    return { status: !issued.ended && now() < expiresAt ? 'valid' : 'expired', issued };
  }

  const statusOf = (issued: IssuedToken): TokenStatus => lookUp(issued).status;

  function refuseIfShared(what: string): void {
    if (isShared) throw new MockError(oneReplica(what));
  }

  /** Ends a token and returns how many were valid: 0 or 1. Revoking also applies to an expired token. */
  function end(issued: IssuedToken, ended: TokenEnd): number {
    refuseIfShared('the end of a token');
    const status = statusOf(issued);
    if (status === 'valid' || (status === 'expired' && ended === 'revoked'))
      tokensOf(issued.client)[issued.number - 1] = { ...issued, ended, endedAt: now() };
    return status === 'valid' ? 1 : 0;
  }

  /** Those of one client, or of all that have had tokens. */
  const chosen = (client?: Client): IssuedToken[] =>
    client ? tokensOf(client).filter((one) => one.client === client) : [...histories.values()].flat();

  return {
    /** Returns a new opaque token (base64url). */
    issue({ client, lifetimeSeconds }: { client: Client; lifetimeSeconds: number }): string {
      const before = tokensOf(client);
      const number = isShared ? randomBytes(NUMBER_BYTES).readUInt32BE() : before.length + 1;
      const issuedAt = now();
      const expiresAt = withinCalendar(issuedAt + lifetimeSeconds * 1000);
      const tag = tagOf(client.id);
      const value = sign({ tag, number, issuedAt, expiresAt });
      byTag.set(tag.toString('hex'), client);
      before[isShared ? 0 : number - 1] = remember(value, { client, number, issuedAt, expiresAt });
      histories.set(client.id, before);
      return value;
    },
    /** A token is valid until its lifetime is over, and expired from then on (MRS-5.6a). */
    find(token: string): TokenLookup {
      const issued = opened.get(token) ?? read(token);
      return issued ? lookUp(issued) : { status: 'unknown' };
    },
    /** The number of tokens issued to clients of this id; a new client with an old id continues the numbers. */
    countOf: (client: Client): number => tokensOf(client).length,
    newestOf(client: Client): IssuedToken | undefined {
      const newest = tokensOf(client).at(-1);
      return newest?.client === client ? newest : undefined;
    },
    /** The client's tokens, oldest first; with `most`, the latest of them. */
    listOf: (client: Client, most = Number.POSITIVE_INFINITY): readonly IssuedToken[] =>
      chosen(client).slice(-most),
    /** The token with the endings that have come since it was looked up. */
    current: (issued: IssuedToken): IssuedToken => lookUp(issued).issued ?? issued,
    statusOf,
    end,
    /** The same for the tokens of one client, or of all, but for one. */
    endAll({ client, except }: { client?: Client; except?: IssuedToken | undefined }, as: TokenEnd): number {
      refuseIfShared('the end of a token');
      let valid = 0;
      for (const one of chosen(client))
        if (one.number !== except?.number || one.client !== except.client) valid += end(one, as);
      return valid;
    },
    /** When the next token expires; undefined if none is valid. */
    nextExpiry(client?: Client): number | undefined {
      refuseIfShared('the next expiry');
      const expiries = chosen(client).flatMap((one) => (statusOf(one) === 'valid' ? one.expiresAt : []));
      return expiries.length === 0 ? undefined : expiries.reduce((a, b) => Math.min(a, b));
    },
    /** Calls `listener` with each token, and its text, when it is issued or first presented; returns a function that ends it. */
    listen(listener: TokenListener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    /** Returns a function that restores the tokens as they are now. */
    save() {
      const saved = copied(histories);
      return () => {
        histories = copied(saved);
      };
    },
  };
}

const copied = (histories: Map<string, IssuedToken[]>): Map<string, IssuedToken[]> =>
  new Map([...histories].map(([id, tokens]) => [id, [...tokens]]));

/** What a token holds; the tag names the client. */
interface Claims extends Pick<IssuedToken, 'number' | 'issuedAt' | 'expiresAt'> {
  tag: Buffer;
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
