/** Exchanges: the journal of the latest, and the forms in which it is read. No secret is in them. */
import type { Call, ConnectionOutcome, CredentialLeak, Traffic } from './api.ts';
import { timeText } from './clock.ts';
import type { OperationId } from './contract/answers.ts';
import type {
  Entry,
  Expectation,
  Filter,
  TokenStatus,
  TokenView,
  Verified,
} from './contract/control-types.ts';
import { type IssuedToken, nameOf, type Tokens } from './tokens.ts';

/** One exchange. Times are in milliseconds since the epoch, durations in milliseconds. */
export interface Exchange {
  /** Counts from 1, in the order in which exchanges ended. */
  seq: number;
  /** When the mock decided the answer, on the mock's clock. */
  at: number;
  /** The same, on the client's own clock, which decides about its tokens. */
  judgedAt: number;
  /** The same, on the machine's clock. */
  wallAt: number;
  /** When the request arrived, on a monotonic clock. */
  started: number;
  /** Real time from then to the end of the answer. */
  duration: number;
  /** Id of the client with the credentials or the token of the request. */
  client: string | undefined;
  /** Undefined if the request matched no operation of the contract. */
  operation: OperationId | undefined;
  method: string;
  /** Without the query. Segments that are too long, such as a token, are left out. */
  path: string;
  /** Names in the query, without their values. */
  query: readonly string[];
  /** Equal for two requests with the same method and target; does not reveal the target. */
  target: string;
  /** Secrets and tokens in parts of the request where they must not be. */
  leaks: readonly CredentialLeak[];
  /** Whether it had If-None-Match or If-Modified-Since. */
  isConditional: boolean;
  accept: string | undefined;
  contentType: string | undefined;
  authorization: 'bearer' | 'malformed' | undefined;
  /** Names of the form fields. */
  fields: readonly string[] | undefined;
  status: number;
  /**
   * Why it was answered this way: the name of the contract's example, `expired-on-order`, `revoked`, `script`, `preflight`,
   * `no-path` or `no-method`.
   */
  reason: string;
  /** Numbers of the steps of the client's script that were applied. */
  script: readonly number[] | undefined;
  ended: ConnectionOutcome;
  /** The token that was sent or issued, its status, and the client's own time then. */
  issued: IssuedToken | undefined;
  tokenStatus: TokenStatus | undefined;
  clientTime: number;
  headers: Readonly<Record<string, string>>;
  bytes: number;
  /** Only if it cannot contain a secret. */
  body: Uint8Array | undefined;
}

export interface Journal {
  /** Whether anything keeps or hears exchanges. Otherwise `skip` counts them. */
  isUsed(): boolean;
  /** Counts an exchange that is not recorded. */
  skip(): void;
  /** The number of the next exchange. */
  next(): number;
  /** Numbers and adds the exchange. */
  add(exchange: Exchange): void;
  /** Oldest first. */
  list(filter?: Filter): Exchange[];
  /** The number of exchanges after `since` that are no longer in the journal. */
  lost(since?: number): number;
  clear(): void;
  /** Calls `listener` with each exchange from now on, until the returned function is called. */
  listen(listener: Listener): () => void;
}

type Listener = (exchange: Exchange) => void;

/** With a capacity of 0, it keeps nothing. */
export function createJournal(capacity: number): Journal {
  /** A ring: the oldest is at `seq % capacity` once it is full. */
  let kept: Exchange[] = [];
  const listeners = new Set<{ listener: Listener }>();
  let seq = 0;
  let cleared = 0;

  const oldestFirst = (): Exchange[] => {
    const next = kept.length < capacity ? 0 : (seq - cleared) % capacity;
    return [...kept.slice(next), ...kept.slice(0, next)];
  };

  return {
    isUsed: () => capacity > 0 || listeners.size > 0,
    skip: () => void seq++,
    next: () => seq + 1,
    add(exchange) {
      if (capacity > 0) kept[(seq - cleared) % capacity] = exchange;
      exchange.seq = ++seq;
      if (listeners.size > 0) notify([...listeners], exchange);
    },
    list(filter = {}) {
      const found = oldestFirst().filter((exchange) => fits(exchange, filter));
      return filter.limit === undefined ? found : found.slice(-filter.limit || found.length);
    },
    lost(since = 0) {
      const oldest = oldestFirst().at(0)?.seq ?? seq + 1;
      return Math.max(0, oldest - 1 - Math.max(since, cleared));
    },
    clear() {
      kept = [];
      cleared = seq;
    },
    listen(listener) {
      const own = { listener };
      listeners.add(own);
      return () => void listeners.delete(own);
    },
  };
}

/** A listener that fails does not affect the others; the first error is thrown afterwards. */
function notify(listeners: readonly { listener: Listener }[], exchange: Exchange): void {
  const failures: unknown[] = [];
  for (const { listener } of listeners)
    try {
      listener(exchange);
    } catch (error) {
      failures.push(error);
    }
  if (failures.length > 0) throw failures[0];
}

function fits(exchange: Exchange, { client, operation, status, reason, token, since = 0 }: Filter): boolean {
  return (
    exchange.seq > since &&
    (client === undefined || exchange.client === client) &&
    (operation === undefined || exchange.operation === operation) &&
    (status === undefined || exchange.status === status) &&
    (reason === undefined || exchange.reason === reason) &&
    (token === undefined || (exchange.issued && nameOf(exchange.issued)) === token)
  );
}

/** An exchange as the control API, the events, the page and a test in the same process see it. */
export function entryOf(exchange: Exchange): Entry {
  const { client, operation, script, ended, issued, tokenStatus, accept, contentType } = exchange;
  const { authorization, fields } = exchange;
  const responseType = exchange.headers['content-type'];
  return {
    seq: exchange.seq,
    at: timeText(exchange.at),
    wallAt: timeText(exchange.wallAt),
    durationMs: Math.round(exchange.duration * 1000) / 1000,
    ...(client !== undefined && { client }),
    ...(operation && { operation }),
    method: exchange.method,
    path: exchange.path,
    query: exchange.query,
    status: exchange.status,
    reason: exchange.reason,
    ...(script && { script }),
    ...(ended && { ended }),
    ...(issued && tokenStatus && { token: tokenView(issued, tokenStatus, exchange.clientTime) }),
    request: {
      ...(accept !== undefined && { accept }),
      ...(contentType !== undefined && { contentType }),
      ...(authorization && { authorization }),
      ...(fields && { fields }),
    },
    response: { bytes: exchange.bytes, ...(responseType !== undefined && { contentType: responseType }) },
  };
}

/** `now` is the client's own time, in milliseconds. */
export function tokenView(issued: IssuedToken, standing: TokenStatus, now: number): TokenView {
  const { client, issuedAt, expiresAt } = issued;
  return {
    name: nameOf(issued),
    standing,
    ageSeconds: (now - issuedAt) / 1000,
    remainingSeconds: (expiresAt - now - client.skewMs) / 1000,
  };
}

/**
 * The client's exchanges after number `since`, with the lives of the tokens in them and of those that were valid when
 * it began. A request that identifies no client, such as one without a token, counts as the client's own if no other
 * client called.
 */
export function trafficOf(
  { journal, tokens }: { journal: Journal; tokens: Tokens },
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
  const held = (owner ? tokens.listOf(owner) : []).filter(
    ({ issuedAt, expiresAt, endedAt = expiresAt }) =>
      issuedAt < first.judgedAt && Math.min(expiresAt, endedAt) > first.judgedAt,
  );
  const issued = new Map([...held, ...seen].map((one) => [one.number, one]));
  return {
    calls: own.map((one, index) => callOf(one, index + 1, first)),
    lives: [...issued.values()]
      .map(tokens.current)
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

/** Whether the number of calls is as a test expects, and which clients it means. */
export function verify(journal: Journal, { atLeast, atMost, ...filter }: Expectation): Verified {
  const found = journal.list(filter);
  const lost = journal.lost(filter.since);
  const least = atLeast ?? (atMost === undefined ? 1 : 0);
  const most = atMost ?? Number.POSITIVE_INFINITY;
  const count = found.length;
  // Calls that the journal no longer holds may have counted, so an upper bound cannot be confirmed.
  const passed = count >= least && count <= most && (lost === 0 || atMost === undefined);
  const bounds = [
    ...(least > 0 ? [`at least ${least}`] : []),
    ...(atMost === undefined ? [] : [`at most ${atMost}`]),
  ];
  const earlier = lost === 1 ? '1 earlier exchange is' : `${lost} earlier exchanges are`;
  const missing = lost > 0 ? `, and ${earlier} no longer in the journal` : '';
  return {
    passed,
    count,
    message: `Expected ${bounds.join(' and ') || 'any number'}; seen: ${count}${missing}.`,
    entries: found.slice(-100).map(({ seq }) => seq),
  };
}

/** The clients that a filter names, of which the mock must know each; those that were removed may have calls. */
export const clientsIn = (journal: Journal, { client, token }: Pick<Filter, 'client' | 'token'>): string[] =>
  [client, token?.replace(/#\d+$/, '')].filter(
    (id) => id !== undefined && journal.list({ client: id, limit: 1 }).length === 0,
  ) as string[];
