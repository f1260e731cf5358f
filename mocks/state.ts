/** Everything that a mock remembers: what a snapshot keeps, and what a reset restores. */

import { type Client, type Clients, createClients, type MockClient } from './clients.ts';
import { type Clock, secondsIn } from './clock.ts';
import type { Contract } from './contract/contract.ts';
import {
  type ClientTerms,
  type Duration,
  loadControlContract,
  type Step,
} from './contract/control-contract.ts';
import { MockError, oneReplica } from './contract/mock-error.ts';
import { createJournal, type Journal } from './exchange.ts';
import { scenarioClient, type Terms } from './scenarios.ts';
import { createScripts, type Scripts, scriptProblem } from './script.ts';
import { createTokens, type Keys, type Tokens } from './tokens.ts';

export interface State {
  readonly clock: Clock;
  readonly clients: Clients;
  readonly tokens: Tokens;
  readonly scripts: Scripts;
  readonly journal: Journal;
  /** Whether other processes may accept and issue the same tokens, by a token key. */
  readonly isReplica: boolean;
  /** The client with these credentials; a scenario's client is created when it first asks for a token. */
  authenticate(id: string, secret: string): Client | undefined;
  /** Throws MockError for invalid terms or an invalid script; then nothing has changed. */
  addClient(client: MockClient): Client;
  /** Throws MockError for invalid terms or an invalid script; then nothing has changed. */
  changeClient(client: Client, change: ClientTerms): void;
  /** Also revokes its tokens. */
  removeClient(client: Client): void;
  /** Throws MockError for an invalid script; then nothing has changed. */
  giveScript(client: Client, steps: readonly Step[]): void;
  /** In seconds, of the client's next token. */
  nextLifetime(client: Client): number;
  /** Moves the clock to the next expiry, of one client or of any, plus `delta`; returns false without a valid token. */
  advanceToExpiry(client: Client | undefined, delta: Duration): boolean;
  /** Returns a function that restores clock, clients, tokens and scripts as they are now. It may be called repeatedly. */
  save(): () => void;
  /** Changes with each restore: a request that began before it must not affect the restored state. */
  generation: number;
  /** Restores the start, with an empty journal. */
  reset(): void;
}

export interface StateParts {
  contract: Contract;
  clock: Clock;
  /** Derives the keys of tokens; by a token key, those that other processes have too. */
  keys: Keys;
  isReplica?: boolean;
  clients: readonly MockClient[];
  tokenLifetime: Duration;
  /** Whether there is a client for each scenario. */
  scenarios: boolean;
  /** Of the journal, in exchanges. */
  journalSize: number;
}

/** The most clients that requests for scenarios can create. */
const MOST_CLIENTS = 10_000;

/** Throws MockError for invalid clients. */
export function createState({
  contract,
  clock,
  keys,
  isReplica = false,
  clients: given,
  tokenLifetime,
  scenarios,
  journalSize,
}: StateParts): State {
  const clients = createClients(tokenLifetime);
  const tokens = createTokens({ now: clock.now, keys, clients, isShared: isReplica });
  const scripts = createScripts(clock.now);
  const journal = createJournal(journalSize);
  const shared = new Map<string, Terms>();

  const state: State = {
    clock,
    clients,
    tokens,
    scripts,
    journal,
    isReplica,
    generation: 0,
    authenticate(id, secret) {
      if (scenarios && !clients.get(id) && clients.list().length < MOST_CLIENTS) {
        const client = scenarioClient(id, clock.now(), shared);
        if (client?.secret === secret) scripts.give(clients.add(client), client.script ?? [], true);
      }
      return clients.authenticate(id, secret);
    },
    addClient(client) {
      checkScript(client.id, client.script ?? []);
      if (isReplica) checkReplicaClient(client);
      const added = clients.add(client);
      scripts.give(added, client.script ?? []);
      return added;
    },
    changeClient(client, change) {
      if (change.script) checkScript(client.id, change.script);
      clients.change(client, change);
      if (change.script) scripts.give(client, change.script);
    },
    removeClient(client) {
      if (!isReplica) tokens.endAll({ client }, 'revoked');
      scripts.give(client, []);
      clients.remove(client.id);
    },
    giveScript(client, steps) {
      checkScript(client.id, steps);
      scripts.give(client, steps);
    },
    nextLifetime(client) {
      const number = tokens.countOf(client) + 1;
      const { tokenLifetimesSeconds: lifetimes } = client;
      return lifetimes[Math.min(number, lifetimes.length) - 1] ?? 0;
    },
    advanceToExpiry(client, delta) {
      const next = tokens.nextExpiry(client);
      if (next === undefined) return false;
      clock.set(next + secondsIn(delta) * 1000);
      return true;
    },
    save() {
      const restores = [clock.save(), clients.save(), tokens.save(), scripts.save()];
      return () => {
        state.generation++;
        for (const restore of restores) restore();
      };
    },
    reset() {
      atStart();
      journal.clear();
    },
  };

  function checkScript(id: string, steps: readonly Step[]): void {
    if (Array.isArray(steps) && steps.length === 0) return;
    const fault = loadControlContract().schemaProblem('Script', steps) ?? scriptProblem(contract, steps);
    if (fault) throw new MockError(`The script of the client "${id}" is invalid: ${fault}`);
  }

  for (const client of given) state.addClient(client);
  const atStart = state.save();
  return state;
}

/** Throws MockError for terms that count what the client does: it does so on several replicas. */
function checkReplicaClient({ id, script = [], tokenLifetime }: MockClient): void {
  if (script.length > 0) throw new MockError(oneReplica(`the script of the client "${id}"`));
  if (Array.isArray(tokenLifetime) && tokenLifetime.length > 1)
    throw new MockError(oneReplica(`the token lifetimes of the client "${id}"`));
}
