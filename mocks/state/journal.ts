/** The latest requests and answers. No secret is in it. */
import type { OperationId } from '../contract/answers.ts';
import type { Filter } from '../contract/control-types.ts';
import type { ConnectionOutcome } from '../wire/connection-outcome.ts';
import { createRing } from './ring-buffer.ts';
import { type IssuedToken, nameOf, type TokenStatus } from './tokens.ts';

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

/** A secret or a token in a part of the request where it must not be. */
export interface CredentialLeak {
  what: 'token' | 'client_secret';
  where: 'query' | 'path' | 'body' | 'header';
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
  const ring = createRing<Exchange>(capacity);
  const listeners = new Set<{ listener: Listener }>();
  let seq = 0;
  let cleared = 0;
  return {
    isUsed: () => capacity > 0 || listeners.size > 0,
    skip: () => void seq++,
    next: () => seq + 1,
    add(exchange) {
      exchange.seq = ++seq;
      if (capacity > 0) ring.add(exchange);
      if (listeners.size > 0) notify([...listeners], exchange);
    },
    list(filter = {}) {
      const found = ring.items().filter((exchange) => fits(exchange, filter));
      return filter.limit === undefined ? found : found.slice(-filter.limit || found.length);
    },
    lost(since = 0) {
      const oldest = ring.items().at(0)?.seq ?? seq + 1;
      return Math.max(0, oldest - 1 - Math.max(since, cleared));
    },
    clear() {
      ring.clear();
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
