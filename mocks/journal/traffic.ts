/** What one client did in one scenario, as the rules read it. Times are milliseconds since its first call began. */
import type { CredentialLeak, Exchange } from '../state/journal.ts';
import type { State } from '../state/state.ts';
import type { ConnectionOutcome } from '../wire/send.ts';

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
  /** How the connection ended where the answer did not go out whole. */
  ended?: Exclude<ConnectionOutcome, undefined>;
  /** Number of the token that was sent or issued; the client's first is 1. */
  token?: number;
  /** How that token stood when the call was answered. */
  standing?: 'valid' | 'expired' | 'unknown';
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

/**
 * What the journal holds of one client after exchange number `since`, with the lives of all tokens that were seen, and of
 * those that were alive when it began. A request that shows no client, such as one without a token, is its own as long
 * as no other client called.
 */
export function trafficOf(
  { journal, tokens }: Pick<State, 'journal' | 'tokens'>,
  client: string,
  since = 0,
): Traffic {
  const found = journal.list({ since });
  const isAlone = found.every((one) => one.client === undefined || one.client === client);
  const own = found
    .filter((one) => one.client === client || (isAlone && one.client === undefined))
    .sort((a, b) => a.started - b.started);
  const [first] = own;
  if (!first) return { calls: [], lives: [], durationMs: 0, lost: journal.lost(since) };
  const seen = own.flatMap(({ issued }) => issued ?? []);
  const [{ client: owner } = { client: undefined }] = seen;
  const held = (owner ? tokens.latestOf(owner) : []).filter(
    ({ issuedAt, expiresAt, endedAt = expiresAt }) =>
      issuedAt < first.judgedAt && Math.min(expiresAt, endedAt) > first.judgedAt,
  );
  const issued = new Map([...held, ...seen].map((one) => [one.number, one]));
  return {
    calls: own.map((one, index) => callOf(one, index + 1, first)),
    lives: [...issued.values()]
      .map((one) => tokens.find(one.value).issued ?? one)
      .map(({ number, issuedAt, expiresAt, endedAt }) => ({
        number,
        issuedMs: issuedAt - first.judgedAt,
        expiresMs: expiresAt - first.judgedAt,
        ...(endedAt !== undefined && { endedMs: endedAt - first.judgedAt }),
      }))
      .sort((a, b) => a.number - b.number),
    durationMs: performance.now() - first.started,
    lost: journal.lost(since),
  };
}

const KINDS: Partial<Record<string, Call['kind']>> = {
  ...{ obtainToken: 'token', readData: 'data', checkHealth: 'health' },
};

function callOf(exchange: Exchange, id: number, first: Exchange): Call {
  const { started, duration, judgedAt, method, path, query, target, status, reason, ended } = exchange;
  const { issued, standing, accept, contentType, authorization, fields, misplaced, headers } = exchange;
  const retryAfter = Number(headers['retry-after']);
  return {
    id,
    kind: KINDS[exchange.operation ?? ''] ?? (exchange.operation ? 'upload' : 'other'),
    startMs: started - first.started,
    endMs: started + duration - first.started,
    atMs: judgedAt - first.judgedAt,
    ...{ method, path, query, target, status, reason, misplaced },
    ...(ended && { ended }),
    ...(issued && { token: issued.number }),
    ...(issued && standing && { standing }),
    ...(accept !== undefined && { accept }),
    ...(contentType !== undefined && { contentType }),
    ...(authorization && { authorization }),
    ...(fields && { fields }),
    ...(retryAfter >= 0 && { retryAfterSeconds: retryAfter }),
  };
}
