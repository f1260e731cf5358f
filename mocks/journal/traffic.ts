/** The requests of one client and their answers, for a judge of clients. Times are milliseconds since its first call began. */
import type { OperationId } from '../contract/answers.ts';
import type { CredentialLeak, Exchange } from '../state/journal.ts';
import type { State } from '../state/state.ts';
import type { ConnectionOutcome } from '../wire/connection-outcome.ts';

export interface Call {
  /** Counts from 1, in the order in which requests arrived. */
  id: number;
  /** `other`: the request matched no operation of the contract. */
  kind: 'token' | 'data' | 'health' | 'other';
  /** When the request arrived and when its answer had been sent, in real time. */
  startMs: number;
  endMs: number;
  /** When the mock decided the answer, on the client's own clock, which decides about tokens. */
  atMs: number;
  method: string;
  path: string;
  /** Names in the query, without their values. */
  query: readonly string[];
  /** Equal for two calls with the same request target. */
  target: string;
  status: number;
  /** Why it was answered this way, as in the journal. */
  reason: string;
  /** How the connection ended if the answer was not sent completely. */
  ended?: Exclude<ConnectionOutcome, undefined>;
  /** Number of the token that was sent or issued; the client's first is 1. */
  token?: number;
  /** The status of that token when the call was answered. */
  standing?: 'valid' | 'expired' | 'unknown';
  /** Whether it had If-None-Match or If-Modified-Since. */
  isConditional?: true;
  accept?: string;
  contentType?: string;
  authorization?: 'bearer' | 'malformed';
  /** Names of the form fields. */
  fields?: readonly string[];
  /** Secrets and tokens in parts of the request where they must not be. */
  misplaced: readonly CredentialLeak[];
  /** The answer's `Retry-After`. */
  retryAfterSeconds?: number;
}

/** The lifetime of a token, on the same axis as `atMs`. */
export interface Life {
  number: number;
  issuedMs: number;
  expiresMs: number;
  /** When it was ended before its lifetime was over. */
  endedMs?: number;
}

export interface Traffic {
  calls: readonly Call[];
  lives: readonly Life[];
  /** From the first call until now, in real time. */
  durationMs: number;
  /** Number of exchanges that the journal no longer holds. */
  lost: number;
}

/**
 * The client's exchanges after number `since`, with the lives of the tokens in them and of those that were valid when
 * it began. A request that identifies no client, such as one without a token, counts as the client's own if no other
 * client called.
 */
export function trafficOf(
  { journal, tokens }: Pick<State, 'journal' | 'tokens'>,
  client: string,
  since = 0,
): Traffic {
  const found = journal.list({ since });
  const isOnlyClient = found.every((one) => one.client === undefined || one.client === client);
  const own = found
    .filter((one) => one.client === client || (isOnlyClient && one.client === undefined))
    .sort((a, b) => a.started - b.started);
  const [first] = own;
  if (!first) return { calls: [], lives: [], durationMs: 0, lost: journal.lost(since) };
  const seen = own.flatMap(({ issued }) => issued ?? []);
  const owner = seen[0]?.client;
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

const KINDS: Readonly<Record<OperationId, Call['kind']>> = {
  obtainToken: 'token',
  readData: 'data',
  checkHealth: 'health',
};

function callOf(exchange: Exchange, id: number, first: Exchange): Call {
  const { started, judgedAt, ended, issued, tokenStatus, accept, contentType, authorization } = exchange;
  const retryAfter = Number(exchange.headers['retry-after']);
  return {
    id,
    kind: exchange.operation ? KINDS[exchange.operation] : 'other',
    startMs: started - first.started,
    endMs: started + exchange.duration - first.started,
    atMs: judgedAt - first.judgedAt,
    method: exchange.method,
    path: exchange.path,
    query: exchange.query,
    target: exchange.target,
    status: exchange.status,
    reason: exchange.reason,
    misplaced: exchange.leaks,
    ...(ended && { ended }),
    ...(issued && { token: issued.number }),
    ...(issued && tokenStatus && { standing: tokenStatus }),
    ...(exchange.isConditional && { isConditional: true as const }),
    ...(accept !== undefined && { accept }),
    ...(contentType !== undefined && { contentType }),
    ...(authorization && { authorization }),
    ...(exchange.fields && { fields: exchange.fields }),
    ...(retryAfter >= 0 && { retryAfterSeconds: retryAfter }),
  };
}
