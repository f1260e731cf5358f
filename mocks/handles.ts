/** What a test in the same process has of a mock: its clock, its clients and its journal. */
import type { Expectation, Verified, Entry, Duration, Filter, Step } from './contract/control-types.ts';
import { loadControlContract } from './contract/control-contract.ts';
import { MockError } from './contract/mock-error.ts';
import { verify } from './journal/call-count.ts';
import { entryOf } from './journal/journal-entry.ts';
import { type Traffic, trafficOf } from './journal/traffic.ts';
import type { ClientChange, MockClient } from './state/clients.ts';
import type { Clock } from './state/clock.ts';
import { secondsIn } from './state/duration.ts';
import type { State } from './state/state.ts';
import { type RevokedAs, nameOf, type TokenStatus } from './state/tokens.ts';

export interface Handles {
  readonly clients: readonly ClientHandle[];
  /** The time that tokens live by, which a test may move. */
  readonly clock: ClockHandle;
  /** The client with this id. Throws MockError if there is none. */
  client(id: string): ClientHandle;
  /** Throws MockError for a client that cannot be. */
  addClient(client: MockClient): ClientHandle;
  /** What was asked and answered, the oldest first. */
  journal(filter?: Filter): Entry[];
  /** Whether as many calls were made as expected. */
  verify(expected: Expectation): Verified;
  /** What the client did, as a judge of clients reads it; of the exchanges after number `since`. */
  traffic(client: string, since?: number): Traffic;
  /** The name of the token with this value, such as `acme#3`; undefined where the mock knows none. */
  tokenName(value: string): string | undefined;
  /** Calls `listener` with each exchange as it ends, until the function that is returned is called. */
  onExchange(listener: (entry: Entry) => void): () => void;
  /** Returns what brings clock, clients, tokens and scripts back to where they are now. */
  snapshot(): () => void;
  /** As it was at the start, with an empty journal. */
  reset(): void;
}

export interface ClockHandle extends Omit<Clock, 'advance' | 'save'> {
  /** Moves it on, or back. Throws RangeError for what is no duration, and what leads to no date. */
  advance(by: Duration): void;
  /**
   * Moves it to where the next live token of the client expires, and `delta` further: '-1s' is one second before it.
   * Without a client: that of any. Throws MockError if there is no such client, or no live token of it.
   */
  advanceToExpiry(client?: string, delta?: Duration): void;
}

export interface ClientHandle {
  readonly id: string;
  readonly secret: string;
  /** In seconds, of its first token, its second and so on; the last is for all that follow. */
  readonly tokenLifetimesSeconds: readonly number[];
  /** Its latest hundred tokens, the oldest first; by name, as in the journal. */
  tokens(): TokenHandle[];
  /** Ends the life of its tokens: the next call with one is answered with 403. Returns how many were alive. */
  expire(): number;
  /** The mock knows its tokens no more. Returns how many were alive. */
  revoke(): number;
  /** Puts a script in place of its last, and counts its calls from 1 again. Throws MockError for one that cannot be played. */
  script(steps: readonly Step[]): void;
  /** Throws MockError for terms that cannot be. */
  change(terms: ClientChange): void;
  journal(filter?: Omit<Filter, 'client'>): Entry[];
  verify(expected: Omit<Expectation, 'client'>): Verified;
}

export interface TokenHandle {
  readonly name: string;
  /** As it is when it is asked for. */
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
            return tokens.find(issued.value).standing;
          },
          expire: () => void tokens.end(issued, 'expired'),
          revoke: () => void tokens.end(issued, 'revoked'),
        })),
      expire: () => end('expired'),
      revoke: () => end('revoked'),
      script: (steps) => state.giveScript(client, steps),
      change: (terms) => state.changeClient(client, terms),
      journal: (filter) => journal.list({ ...filter, client: id }).map(entryOf),
      verify: (expected) => verified({ ...expected, client: id }),
    };
  }

  /** Throws MockError for what is no expectation, which would pass where no call is expected. */
  function verified(expected: Expectation): Verified {
    const fault = loadControlContract().schemaProblem('Expectation', expected);
    if (fault) throw new MockError(`Nothing was verified: ${fault}.`);
    if (expected.client !== undefined) clientNamed(expected.client);
    return verify(journal, expected);
  }

  return {
    get clients() {
      return clients.list().map(({ id }) => handleOf(id));
    },
    clock: clockHandle(state, clientNamed),
    client: handleOf,
    addClient: (client) => handleOf(state.addClient(client).id),
    journal: (filter) => journal.list(filter).map(entryOf),
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
        `No token${client === undefined ? '' : ` of "${client}"`} is alive that could expire.`,
      );
    },
  };
}
