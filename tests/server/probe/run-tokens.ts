/** The tokens that a run has obtained, by their names in its rows. */
import type { Clock } from '../../support/clock.ts';
import type { TokenName } from '../requests.ts';

export interface RunTokens {
  /** The token of this name, if it was obtained; an expired one only if no later form returned it again. */
  get(name: TokenName): string | undefined;
  /** The one that was obtained last: a deployment may keep only that one alive. */
  newest(): string | undefined;
  /** Notes a token, whose answer has just come. */
  add(name: TokenName, token: string): void;
  /** Notes the token that has expired. */
  expire(token: string): void;
  /** Forgets what turned out not to be a token. */
  remove(name: TokenName): void;
  has(token: string): boolean;
  /** When the answer with the first token had come, by the clock; NaN without one. */
  obtainedAtMs(): number;
  /** Of the newest token, in lifetimes: at 1 it has expired. 0 where the lifetime is not known. */
  age(): number;
}

export function createRunTokens(clock: Clock, lifetimeSeconds = Number.POSITIVE_INFINITY): RunTokens {
  const tokens: Partial<Record<TokenName, string>> = {};
  let firstAtMs = Number.NaN;
  let newestAtMs = Number.NaN;
  return {
    get: (name) => (name === 'expired' && tokens.expired === tokens.renewed ? undefined : tokens[name]),
    newest: () => tokens.newest ?? tokens.another ?? tokens.renewed ?? tokens.first,
    add(name, token) {
      tokens[name] = token;
      newestAtMs = clock.now();
      if (name === 'first') firstAtMs = newestAtMs;
    },
    expire(token) {
      tokens.expired = token;
    },
    remove(name) {
      delete tokens[name];
    },
    has: (token) => Object.values(tokens).includes(token),
    obtainedAtMs: () => firstAtMs,
    age: () => (clock.now() - newestAtMs) / (lifetimeSeconds * 1000),
  };
}
