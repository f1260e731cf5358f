/** Everything that a mock remembers: what a snapshot keeps, and what a reset restores. */
import type { Secrets } from './api.ts';
import { type Client, createClients, type MockClient } from './clients.ts';
import { type Clock, secondsIn } from './clock.ts';
import type { ClientTerms, Duration, Step } from './contract/control-contract.ts';
import { MockError } from './contract/mock-error.ts';
import { createJournal } from './exchange.ts';
import { scenarioClient, type Terms } from './scenarios.ts';
import { createScripts, scriptProblem } from './script.ts';
import { createTokens } from './tokens.ts';

export type State = ReturnType<typeof createState>;

export interface StateParts {
  clock: Clock;
  /** Of the tokens. */
  seed: string | Uint8Array;
  clients: readonly MockClient[];
  tokenLifetime: Duration;
  secrets: Secrets;
}

const CLIENT_EXAMPLE = "Give an object such as { id: 'acme', secret: 's3cret', tokenLifetime: '15m' }.";
const STEP_EXAMPLE = 'A script is a list of steps such as {"nth": 2, "do": {"expire": "token"}}.';

/** Of the journal. */
const MOST_EXCHANGES = 10_000;

/** Throws MockError for invalid clients. */
export function createState(parts: StateParts) {
  const { clock, seed, secrets } = parts;
  const clients = createClients(parts.tokenLifetime, (secret) => secrets.register(secret, 'secret'));
  const tokens = createTokens(clock.now, seed);
  const scripts = createScripts(clock.now);
  const journal = createJournal(MOST_EXCHANGES);
  const shared = new Map<string, Terms>();

  function checkScript(id: string, steps: readonly Step[]): void {
    if (Array.isArray(steps) && steps.length === 0) return;
    const fault = scriptProblem(steps);
    if (fault) throw new MockError(`The script of the client "${id}" is invalid. ${fault}. ${STEP_EXAMPLE}`);
  }

  const state = {
    ...{ clock, clients, tokens, scripts, journal, secrets },
    /** Changes with each restore: a request that began before it must not affect the restored state. */
    generation: 0,
    /** The client with these credentials; a scenario's client is created when it first asks for a token. */
    authenticate(id: string, secret: string): Client | undefined {
      if (!clients.get(id)) {
        const client = scenarioClient(id, clock.now(), shared);
        if (client?.secret === secret) {
          const added = clients.add(client);
          scripts.give(added, client.script ?? [], true);
        }
      }
      return clients.authenticate(id, secret);
    },
    /** Throws MockError for invalid terms or an invalid script; then nothing has changed. */
    addClient(client: MockClient): Client {
      if (Object(client) !== client) throw new MockError(`A client is ${client}. ${CLIENT_EXAMPLE}`);
      const { id, script = [] } = client;
      checkScript(id, script);
      const added = clients.add(client);
      scripts.give(added, script);
      return added;
    },
    /** Throws MockError for invalid terms or an invalid script; then nothing has changed. */
    changeClient(client: Client, change: ClientTerms): void {
      if (Object(change) !== change) throw new MockError(`The new terms are ${change}. ${CLIENT_EXAMPLE}`);
      if (change.script) checkScript(client.id, change.script);
      clients.change(client, change);
      if (change.script) scripts.give(client, change.script);
    },
    /** Also revokes its tokens. */
    removeClient(client: Client): void {
      tokens.endAll({ client }, 'revoked');
      scripts.give(client, []);
      clients.remove(client.id);
    },
    /** Throws MockError for an invalid script; then nothing has changed. */
    giveScript(client: Client, steps: readonly Step[]): void {
      checkScript(client.id, steps);
      scripts.give(client, steps);
    },
    /** In seconds, of the client's next token. */
    nextLifetime(client: Client): number {
      const { tokenLifetimesSeconds: lifetimes } = client;
      return lifetimes[tokens.countOf(client)] ?? lifetimes.at(-1) ?? 0;
    },
    /** Moves the clock to the next expiry, of one client or of any, plus `delta`; returns false without a valid token. */
    advanceToExpiry(client: Client | undefined, delta: Duration): boolean {
      const next = tokens.nextExpiry(client);
      if (next !== undefined) clock.set(next + secondsIn(delta) * 1000);
      return next !== undefined;
    },
    /** Returns a function that restores clock, clients, tokens and scripts as they are now. It may be called repeatedly. */
    save(): () => void {
      const restores = [clock.save(), clients.save(), tokens.save(), scripts.save()];
      return () => {
        state.generation++;
        for (const restore of restores) restore();
      };
    },
    /** Restores the start, with an empty journal. */
    reset(): void {
      atStart();
      journal.clear();
    },
  };
  for (const client of parts.clients) state.addClient(client);
  const atStart = state.save();
  return state;
}
