/** What was asked of the mock and what it answered, the latest ten thousand exchanges. No secret is in it. */
import type { OperationId } from '../contract/answers.ts';
import type { Filter } from '../contract/control-types.ts';
import type { ConnectionOutcome } from '../wire/send.ts';
import { createRing } from './ring-buffer.ts';
import { type IssuedToken, nameOf, type TokenStatus } from './tokens.ts';

/** One exchange, as it is kept. Times are in milliseconds since the epoch, and spans in milliseconds. */
export interface Exchange {
  /** Counts from 1, in the order in which exchanges ended. */
  seq: number;
  /** When the request was judged, on the mock's clock. */
  at: number;
  /** The same, on the client's own clock, by which its tokens live. */
  judgedAt: number;
  /** When it was, on the machine's. */
  wallAt: number;
  /** When the request came in, on a clock that is never set and has no epoch. */
  started: number;
  /** Real time from there to the end of the answer. */
  duration: number;
  /** Id of the client whose credentials or token it was. */
  client: string | undefined;
  /** Absent where no operation of the contract was asked for. */
  operation: OperationId | undefined;
  method: string;
  /** Without a query. What is too long for a word in a path, such as a token, is left out. */
  path: string;
  /** Names in the query, without their values. */
  query: readonly string[];
  /** Equal for two requests of one method that ask for the same; nothing of what they ask for is in it. */
  target: string;
  /** Where a secret or a token was that has no business there. */
  misplaced: readonly CredentialLeak[];
  accept: string | undefined;
  contentType: string | undefined;
  authorization: 'bearer' | 'malformed' | undefined;
  /** Names of the fields of a form. */
  fields: readonly string[] | undefined;
  status: number;
  /**
   * Why it was answered so: the name of the contract's example, `expired-on-order`, `revoked`, `script`, `no-path` or
   * `no-method`.
   */
  reason: string;
  /** Numbers of the steps of the client's script that acted on it. */
  script: readonly number[] | undefined;
  ended: ConnectionOutcome;
  /** The token that was sent or issued, how it stood, and the client's own time then. */
  issued: IssuedToken | undefined;
  standing: TokenStatus | undefined;
  clientTime: number;
  headers: Readonly<Record<string, string>>;
  bytes: number;
  /** Where it is sure to be no secret. */
  body: Uint8Array | undefined;
}

/** A secret or a token in a part of the request where it must not be. */
export interface CredentialLeak {
  what: 'token' | 'client_secret';
  where: 'query' | 'path' | 'body' | 'header';
}

export interface Journal {
  /** The number that the next exchange will get. */
  next(): number;
  /** Gives it its number. */
  add(exchange: Exchange): void;
  /** Oldest first. */
  list(filter?: Filter): Exchange[];
  /** How many exchanges after `since` are no longer in the journal. */
  lost(since?: number): number;
  clear(): void;
  /** Calls `listener` with each exchange from now on, until the function that is returned is called. */
  listen(listener: Listener): () => void;
}

type Listener = (exchange: Exchange) => void;

export function createJournal(capacity: number): Journal {
  const ring = createRing<Exchange>(capacity);
  const listeners = new Set<{ listener: Listener }>();
  let seq = 0;
  let cleared = 0;
  return {
    next: () => seq + 1,
    add(exchange) {
      exchange.seq = ++seq;
      ring.add(exchange);
      if (listeners.size > 0) tell([...listeners], exchange);
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

/** One that fails keeps no other from being told; the first failure is thrown afterwards. */
function tell(listeners: readonly { listener: Listener }[], exchange: Exchange): void {
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
