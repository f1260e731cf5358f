/** What a test in the same process controls: the mock's clock, clients and journal. */

import { loadControlContract } from './contract/control-contract.ts';
import type { Duration, Entry, Expectation, Filter, Step, Verified } from './contract/control-types.ts';
import { MockError } from './contract/mock-error.ts';
import { clientsIn, verify } from './journal/call-count.ts';
import { entryOf } from './journal/journal-entry.ts';
import { type Traffic, trafficOf } from './journal/traffic.ts';
import type { ClientChange, MockClient } from './state/clients.ts';
import type { Clock } from './state/clock.ts';
import { secondsIn } from './state/duration.ts';
import type { State } from './state/state.ts';
import { nameOf, type RevokedAs, type TokenStatus } from './state/tokens.ts';

export interface Handles {
  readonly clients: readonly ClientHandle[];
  /** The clock that decides about tokens; a test may move it. */
  readonly clock: ClockHandle;
  /** The client with this id. Throws MockError if there is none. */
  client(id: string): ClientHandle;
  /** Throws MockError for an invalid client. */
  addClient(client: MockClient): ClientHandle;
  /** The recorded exchanges, oldest first. Throws MockError for a filter that nothing can match, such as an unknown reason. */
  journal(filter?: Filter): Entry[];
  /** Whether the number of calls is as expected. */
  verify(expected: Expectation): Verified;
  /** The client's calls and tokens after exchange number `since`, for a judge of clients. */
  traffic(client: string, since?: number): Traffic;
  /** The name of the token with this value, such as `acme#3`; undefined if the mock does not know it. */
  tokenName(value: string): string | undefined;
  /** Calls `listener` with each exchange as it ends, until the returned function is called. */
  onExchange(listener: (entry: Entry) => void): () => void;
  /** Returns a function that restores clock, clients, tokens and scripts as they are now. */
  snapshot(): () => void;
  /** Restores the start, with an empty journal. */
  reset(): void;
}

export interface ClockHandle extends Omit<Clock, 'advance' | 'save'> {
  /** Moves the clock, which may be backwards. Throws RangeError for an invalid duration and a time outside the calendar. */
  advance(by: Duration): void;
  /**
   * Moves the clock to the expiry of the client's next valid token, plus `delta`: '-1s' is one second before it. Without
   * a client: the next token of any. Throws MockError if there is no such client or no valid token.
   */
  advanceToExpiry(client?: string, delta?: Duration): void;
}

export interface ClientHandle {
  readonly id: string;
  readonly secret: string;
  /** In seconds, of its first token, its second and so on; the last value is for all that follow. */
  readonly tokenLifetimesSeconds: readonly number[];
  /** Its latest 100 tokens, oldest first; by name, as in the journal. */
  tokens(): TokenHandle[];
  /** Expires its tokens: a call with one is answered with 403. Returns how many were valid. */
  expire(): number;
  /** Revokes its tokens: the mock does not know them any more. Returns how many were valid. */
  revoke(): number;
  /** Replaces its script and restarts the count of its calls at 1. Throws MockError for an invalid script. */
  script(steps: readonly Step[]): void;
  /** Throws MockError for invalid terms. */
  change(terms: ClientChange): void;
  journal(filter?: Omit<Filter, 'client'>): Entry[];
  verify(expected: Omit<Expectation, 'client'>): Verified;
}

export interface TokenHandle {
  readonly name: string;
  /** Its current status. */
  readonly standing: TokenStatus;
  expire(): void;
  revoke(): void;
}

export function createHandles(state: State): Handles {
  const { clients, tokens, journal } = state;

  function clientNamed(id: string) {
    const client = clients.get(id);
    if (client) return client;
    const known = clients.list().map((one) => one.id);
    throw new MockError(`There is no client "${id}". There are ${known.slice(0, 20).join(', ')}.`);
  }

  function handleOf(id: string): ClientHandle {
    const client = clientNamed(id);
    const end = (ended: RevokedAs) => tokens.end((issued) => issued.client === client, ended);
    return {
      id,
      get secret() {
        return client.secret;
      },
      get tokenLifetimesSeconds() {
        return client.tokenLifetimesSeconds;
      },
      tokens: () =>
        tokens.latestOf(client).map((issued) => ({
          name: nameOf(issued),
          get standing() {
            return tokens.find(issued.value).status;
          },
          expire: () => void tokens.end(issued, 'expired'),
          revoke: () => void tokens.end(issued, 'revoked'),
        })),
      expire: () => end('expired'),
      revoke: () => end('revoked'),
      script: (steps) => state.giveScript(client, steps),
      change: (terms) => state.changeClient(client, terms),
      journal: (filter) => journal.list(checked({ ...filter, client: id })).map(entryOf),
      verify: (expected) => verified({ ...expected, client: id }),
    };
  }

  /** Throws MockError for an invalid expectation, which would pass if no call is expected. */
  function verified(expected: Expectation): Verified {
    const fault = loadControlContract().schemaProblem('Expectation', expected);
    if (fault) throw new MockError(`Nothing was verified: ${fault}.`);
    for (const id of clientsIn(journal, expected)) clientNamed(id);
    return verify(journal, expected);
  }

  /** Throws MockError for an invalid filter: a test that expects no call would pass forever. */
  function checked(filter: Filter = {}): Filter {
    const given = Object.entries(filter).filter(([, value]) => value !== undefined);
    const { limit, ...rest } = Object.fromEntries(given) as Filter;
    const stray = ['atLeast', 'atMost'].find((name) => name in rest);
    const fault = stray
      ? `it has ${stray}, which is of verify()`
      : loadControlContract().schemaProblem('Expectation', rest);
    if (fault) throw new MockError(`The filter of the journal is invalid: ${fault}.`);
    if (limit !== undefined && !(Number.isInteger(limit) && limit >= 0))
      throw new MockError(`The filter of the journal is invalid: limit is ${limit}. Give a whole number.`);
    for (const id of clientsIn(journal, rest)) clientNamed(id);
    return filter;
  }

  return {
    get clients() {
      return clients.list().map(({ id }) => handleOf(id));
    },
    clock: clockHandle(state, clientNamed),
    client: handleOf,
    addClient: (client) => handleOf(state.addClient(client).id),
    journal: (filter) => journal.list(checked(filter)).map(entryOf),
    verify: verified,
    traffic: (id, since) => trafficOf(state, clientNamed(id).id, since),
    tokenName(value) {
      const { issued } = tokens.find(value);
      return issued && nameOf(issued);
    },
    onExchange: (listener) => journal.listen((exchange) => listener(entryOf(exchange))),
    snapshot: state.save,
    reset: state.reset,
  };
}

function clockHandle(state: State, clientNamed: (id: string) => ReturnType<State['addClient']>): ClockHandle {
  const { save: _, advance, ...clock } = state.clock;
  return {
    ...clock,
    get mode() {
      return state.clock.mode;
    },
    get scale() {
      return state.clock.scale;
    },
    advance: (by) => advance(secondsIn(by)),
    advanceToExpiry(client, delta = 0) {
      const named = client === undefined ? undefined : clientNamed(client);
      if (state.advanceToExpiry(named, delta)) return;
      throw new MockError(
        `No token${client === undefined ? '' : ` of "${client}"`} is valid, so none can expire.`,
      );
    },
  };
}
