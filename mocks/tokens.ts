/** Tokens: opaque texts. The mock remembers each, so that an expired token differs from an unknown one (MRS-7a). */
import { createHmac } from 'node:crypto';
import type { Client } from './clients.ts';
import { withinCalendar } from './clock.ts';
import type { TokenStatus } from './contract/control-contract.ts';

/** `unknown`: never issued, or revoked. */
export type { TokenStatus };

/** A token, without its text; the same object as long as the mock knows the token. Times are in milliseconds of the mock's clock. */
export interface IssuedToken {
  readonly client: Client;
  /** The client's first token is number 1. */
  readonly number: number;
  readonly issuedAt: number;
  readonly expiresAt: number;
  /** How and when the token was ended before its lifetime was over. Never absent, so that a restore also takes it away. */
  ended: TokenEnd | undefined;
  endedAt: number | undefined;
}

/** `acme#3` is the third token of the client acme. */
export const nameOf = ({ client, number }: IssuedToken): string => `${client.id}#${number}`;

/** An `expired` token is still known; a `revoked` one is not. */
export type TokenEnd = 'expired' | 'revoked';

export interface TokenLookup {
  readonly status: TokenStatus;
  /** Absent for a token that the mock never issued. */
  readonly issued?: IssuedToken | undefined;
}

export type Tokens = ReturnType<typeof createTokens>;
type TokenListener = (value: string, issued: IssuedToken) => void;

const TOKEN_BYTES = 24;
/** In characters. */
export const TOKEN_LENGTH = (TOKEN_BYTES / 3) * 4;

/** `now` is the mock's clock, in milliseconds. Tokens are unpredictable without the seed, which is the key of an HMAC (RFC 2104). */
export function createTokens(now: () => number, seed: string | Uint8Array) {
  const known = new Map<string, IssuedToken>();
  /** By client id, which several clients may have had, in the order of their numbers. */
  const histories = new Map<string, IssuedToken[]>();
  const listeners = new Set<TokenListener>();

  const historyOf = ({ id }: Client) => histories.get(id) ?? [];

  function remember(value: string, issued: IssuedToken): void {
    known.set(value, issued);
    const { id } = issued.client;
    if (!histories.has(id)) histories.set(id, []);
    histories.get(id)?.push(issued);
  }

  /** A token is valid until its lifetime is over, and expired from then on (MRS-5.6a). */
  function statusOf({ expiresAt, ended }: IssuedToken): TokenStatus {
    if (ended === 'revoked') return 'unknown';
    return !ended && now() < expiresAt ? 'valid' : 'expired';
  }

  /** Ends a token and returns how many were valid: 0 or 1. Revoking also applies to an expired token. */
  function end(issued: IssuedToken, ended: TokenEnd): number {
    const status = statusOf(issued);
    if (status === 'valid' || (status === 'expired' && ended === 'revoked'))
      Object.assign(issued, { ended, endedAt: now() });
    return status === 'valid' ? 1 : 0;
  }

  /** Those of one client, or of all that have had tokens. */
  const chosen = (client?: Client): IssuedToken[] =>
    client ? historyOf(client).filter((one) => one.client === client) : [...known.values()];

  return {
    /** Returns a new opaque token (base64url). */
    issue({ client, lifetimeSeconds }: { client: Client; lifetimeSeconds: number }): string {
      const number = historyOf(client).length + 1;
      const issuedAt = now();
      const expiresAt = withinCalendar(issuedAt + lifetimeSeconds * 1000);
      const digest = createHmac('sha256', seed).update(`${number} ${issuedAt} ${client.id}`).digest();
      const value = digest.toString('base64url', 0, TOKEN_BYTES);
      const issued = { client, number, issuedAt, expiresAt, ended: undefined, endedAt: undefined };
      remember(value, issued);
      for (const listener of listeners) listener(value, issued);
      return value;
    },
    find(token: string): TokenLookup {
      const issued = known.get(token);
      return { status: issued ? statusOf(issued) : 'unknown', issued };
    },
    /** The number of tokens issued to clients of this id; a new client with an old id continues the numbers. */
    countOf: (client: Client): number => historyOf(client).length,
    newestOf(client: Client): IssuedToken | undefined {
      const newest = historyOf(client).at(-1);
      return newest?.client === client ? newest : undefined;
    },
    /** The client's tokens, oldest first; with `most`, the latest of them. */
    listOf: (client: Client, most = Number.POSITIVE_INFINITY): readonly IssuedToken[] =>
      chosen(client).slice(-most),
    statusOf,
    end,
    /** The same for the tokens of one client, or of all, but for one. */
    endAll({ client, except }: { client?: Client; except?: IssuedToken | undefined }, as: TokenEnd): number {
      let valid = 0;
      for (const one of chosen(client)) if (one !== except) valid += end(one, as);
      return valid;
    },
    /** When the next token expires; undefined if none is valid. */
    nextExpiry(client?: Client): number | undefined {
      const expiries = chosen(client).flatMap((one) => (statusOf(one) === 'valid' ? one.expiresAt : []));
      return expiries.length === 0 ? undefined : expiries.reduce((a, b) => Math.min(a, b));
    },
    /** Calls `listener` with each token, and its text, when it is issued; returns a function that ends it. */
    listen(listener: TokenListener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    /** Returns a function that restores the tokens as they are now. */
    save() {
      const saved = [...known].map(([value, issued]) => [value, issued, { ...issued }] as const);
      return () => {
        known.clear();
        histories.clear();
        for (const [value, issued, before] of saved) remember(value, Object.assign(issued, before));
      };
    },
  };
}
