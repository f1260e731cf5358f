/** What one client did in one scenario, as the rules read it. Times are milliseconds since its first call began. */
import type { CredentialLeak } from '../support/secrets.ts';

export interface Call {
  /** Counts from 1, in the order in which requests came in. */
  id: number;
  /** `upload`: an operation that a profile has besides. `other`: no operation of the contract was asked for. */
  kind: 'token' | 'data' | 'health' | 'upload' | 'other';
  /** When the request came in and when its answer had gone out, in real time. */
  startMs: number;
  endMs: number;
  /** When it was judged, on the client's own clock, by which tokens live. */
  atMs: number;
  method: string;
  path: string;
  /** Names in the query, without their values. */
  query: readonly string[];
  /** Equal for two calls that ask for the same thing. */
  target: string;
  status: number;
  /** Why it was answered so, as in the journal. */
  reason: string;
  /** What a proxy answered in place of the service, and why. */
  proxyAnswer?: string;
  /** How the connection ended where the answer did not go out whole. */
  ended?: 'reset' | 'cut' | 'gone';
  /** Number of the token that was sent or issued; the client's first is 1. */
  token?: number;
  /** How that token stood when the call was answered. */
  standing?: 'valid' | 'expired' | 'unknown';
  /** Whether the service redirected the client to it. */
  isRedirected?: true;
  /** Whether it had If-None-Match or If-Modified-Since. */
  isConditional?: true;
  /** The recorder left headers of the request out: what is not here may have been sent. */
  lacksHeaders?: true;
  accept?: string;
  contentType?: string;
  authorization?: 'bearer' | 'malformed';
  /** Names of the fields of a form. */
  fields?: readonly string[];
  /** Where a secret or a token was that has no business there. */
  misplaced: readonly CredentialLeak[];
  /** What the answer said in `Retry-After`. */
  retryAfterSeconds?: number;
}

/** A token's life, on the axis of `atMs`. */
export interface Life {
  number: number;
  issuedMs: number;
  expiresMs: number;
  /** When it was ended before its time. */
  endedMs?: number;
}

export interface Traffic {
  calls: readonly Call[];
  lives: readonly Life[];
  /** From the first call until now, in real time. */
  durationMs: number;
  /** Exchanges that the journal no longer held. */
  lost: number;
}
