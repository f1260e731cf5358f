/** What can be known of a running mock and changed: each operation once, for the control API and for a test in the same process. */
import type { operations } from 'mrs-contract/control';
import type { ClientExaminer, ClientHandle, Handles, TokenHandle } from '../api.ts';
import type { Client } from '../clients.ts';
import { secondsIn, timeText } from '../clock.ts';
import type { Contract } from '../contract/contract.ts';
import {
  type ClientTerms,
  type ClientView,
  type ClockChange,
  type ClockView,
  type Duration,
  type Expectation,
  type ExpireRequest,
  type Filter,
  queryProblem,
  type Step,
  schemaProblem,
  type Verified,
  version,
} from '../contract/control-contract.ts';
import { MockError } from '../contract/mock-error.ts';
import type { Exchange } from '../exchange.ts';
import { defined, entryOf, trafficOf, verify } from '../journal.ts';
import { scenarios } from '../scenarios.ts';
import type { State } from '../state.ts';
import { type IssuedToken, nameOf } from '../tokens.ts';

/** As control.openapi.yaml has it. */
type OperationId = keyof operations;

/** Why an operation cannot be done, and the status and code of the control API. */
export class Refusal extends MockError {
  readonly status: 400 | 404 | 409 | 413;

  constructor(status: Refusal['status'], sentence: string) {
    super(sentence);
    this.status = status;
  }

  get code(): string {
    return this.status === 404 ? 'not_found' : this.status === 409 ? 'conflict' : 'invalid_request';
  }
}

/** How many of its latest tokens a client is shown with, and in the list of all clients. */
const MOST_SHOWN = 100;
const FEW = 10;

export interface OperationParts {
  operations: Contract['operations'];
  assumptions: Contract['assumptions'];
  state: State;
  basePath: string;
  /** Undefined if nothing judges clients. */
  examiner?: ClientExaminer | undefined;
}

/**
 * By their ids. Each is given the decoded path segment for the path's braces (`name`), the query and the body. It returns what the control API sends, if anything, and throws MockError, or RangeError for a duration or a time, if it
 * cannot be done; then nothing has changed.
 */
export function createOperations({ operations, assumptions, state, basePath, examiner }: OperationParts) {
  const { clients, clock, journal, scripts, tokens } = state;
  const named = (id: string) => clientNamed(state, id);

  function viewOf(client: Client, most = MOST_SHOWN): ClientView {
    const { id, tokenLifetimesSeconds, scopes } = client;
    const tokenView = (issued: IssuedToken) =>
      defined({
        name: nameOf(issued),
        status: tokens.statusOf(issued),
        issuedAt: timeText(issued.issuedAt),
        expiresAt: timeText(issued.expiresAt),
        ended: issued.ended,
        endedAt: issued.endedAt === undefined ? undefined : timeText(issued.endedAt),
      });
    return defined({
      id,
      tokenLifetimesSeconds,
      scopes,
      script: scripts.of(client),
      tokensIssued: tokens.countOf(client),
      tokens: tokens.listOf(client, most).map(tokenView),
    });
  }

  function readClock(): ClockView {
    const next = tokens.nextExpiry();
    const nextExpiry = next === undefined ? undefined : timeText(next);
    return defined({ mode: clock.mode, now: timeText(clock.now()), nextExpiry });
  }

  const all = {
    controlHealth: () => ({ status: 'ok', version: version() }),
    readContract: () => ({ basePath, operations, assumptions }),
    /** Of the scenarios that are only a script: the others change the client's terms as well. */
    listScenarios: () => ({
      scenarios: scenarios.flatMap(({ name, summary, terms }) => {
        const { script, tokenLifetime } = terms({ now: clock.now(), renewal: 2 });
        return script && tokenLifetime === undefined ? [{ name, summary, script }] : [];
      }),
    }),
    readClock,
    moveClock({ body }: { body: ClockChange }): ClockView {
      const { action, by = 0, until, client, delta = 0, to = '' } = body;
      if (action === 'freeze') clock.freeze();
      else if (action === 'resume') clock.resume();
      else if (action === 'reset') clock.reset();
      else if (action === 'set') clock.set(timeIn(to));
      else if (until === undefined) clock.advance(secondsIn(by));
      else if (!state.advanceToExpiry(client === undefined ? undefined : named(client), delta))
        throw new Refusal(409, 'No token is valid, so none can expire next.');
      return readClock();
    },
    listClients: () => ({ clients: clients.list().map((client) => viewOf(client, FEW)) }),
    readClient: ({ name }: { name: string }) => viewOf(named(name)),
    /** Changes the terms of the client, or adds it. */
    putClient({ name: id, body: { script, ...terms } }: { name: string; body: ClientTerms }): ClientView {
      const known = clients.get(id);
      if (known) state.changeClient(known, defined({ ...terms, script }));
      else if (terms.secret !== undefined)
        state.addClient({ ...terms, id, secret: terms.secret, script: script ?? [] });
      else
        throw new Refusal(
          400,
          `There is no client "${id.slice(0, 100)}", and a new client requires a secret.`,
        );
      return viewOf(named(id));
    },
    removeClient: ({ name }: { name: string }) => state.removeClient(named(name)),
    putScript({ name, body }: { name: string; body: readonly Step[] }) {
      state.giveScript(named(name), body);
      return { script: scripts.of(named(name)) };
    },
    /** Returns how many tokens were valid. */
    expireTokens({ body: { client, token, revoke } }: { body: ExpireRequest }): { ended: number } {
      const as = revoke ? 'revoked' : 'expired';
      if (token === undefined)
        return { ended: tokens.endAll(client === undefined ? {} : { client: named(client) }, as) };
      const owner = named(token.replace(/#\d+$/, ''));
      const found = tokens.listOf(owner).find((one) => nameOf(one) === token);
      if (found) return { ended: tokens.end(found, as) };
      throw new Refusal(
        404,
        `There is no token "${token.slice(0, 100)}". Tokens are named after their client, such as acme#3.`,
      );
    },
    readJournal({ query }: { query: Filter }) {
      return { lost: journal.lost(query.since), entries: exchangesIn(state, query).map(entryOf) };
    },
    clearJournal: () => journal.clear(),
    verifyCalls: ({ body }: { body: Expectation }): Verified => countedIn(state, body),
    certifyClient({ query: { client, processes = 1 } }: { query: { client: string; processes?: number } }) {
      if (!examiner) throw new Refusal(404, 'This mock was started without a judge of clients.');
      const { id, tokenLifetimesSeconds } = named(client);
      return examiner.certificate({ id, tokenLifetimesSeconds, processes, traffic: trafficOf(state, id) });
    },
    reset: () => state.reset(),
  };
  return all satisfies Record<OperationId, (asked: never) => unknown>;
}

function clientNamed({ clients }: State, id: string): Client {
  const client = clients.get(id);
  if (client) return client;
  const known = clients.list().slice(0, 20);
  throw new Refusal(
    404,
    `There is no client "${String(id).slice(0, 100)}". There are ${known.map((one) => one.id).join(', ')}.`,
  );
}

function exchangesIn(state: State, filter: Filter): Exchange[] {
  const fault = queryProblem('readJournal', filter);
  if (fault) throw new Refusal(400, `The filter of the journal is invalid. ${fault}.`);
  checkClients(state, filter);
  return state.journal.list(filter);
}

function countedIn(state: State, expected: Expectation): Verified {
  const fault = schemaProblem('Expectation', expected ?? null)?.replace('The body', 'It');
  if (fault) throw new Refusal(400, `The expectation is invalid. ${fault}.`);
  const { exactly, atLeast = 0, atMost = atLeast } = expected;
  if (exactly !== undefined && (expected.atLeast ?? expected.atMost) !== undefined)
    throw new Refusal(400, 'The expectation is invalid. It has exactly and a limit: leave one of them out.');
  if (atLeast > atMost)
    throw new Refusal(
      400,
      `The expectation is invalid. atLeast is ${atLeast}, more than atMost, which is ${atMost}.`,
    );
  checkClients(state, expected);
  return verify(state.journal, expected);
}

/** Throws for a mistyped id: a test that expects no call would pass forever. Clients that were removed may have calls. */
function checkClients(state: State, { client, token }: Filter | Expectation): void {
  for (const id of [client, token?.replace(/#\d+$/, '')])
    if (id !== undefined && state.journal.list({ client: id, limit: 1 }).length === 0) clientNamed(state, id);
}

/** Throws RangeError for a time that JavaScript cannot express. */
function timeIn(text: string): number {
  const time = Date.parse(text);
  if (!Number.isNaN(time)) return time;
  throw new RangeError(
    `The clock cannot be set to "${text.slice(0, 40)}". Use a time such as 2030-01-01T00:00:00Z; leap seconds are not supported.`,
  );
}

/** What a test in the same process controls: the mock's clock, clients and journal. */
export function createHandles(state: State): Handles {
  const { clients, clock, tokens } = state;
  const journal = (filter: Filter = {}) => exchangesIn(state, defined(filter ?? {})).map(entryOf);
  const verifyCalls = (expected: Expectation) => countedIn(state, expected);
  const tokenHandle = (issued: IssuedToken): TokenHandle => ({
    name: nameOf(issued),
    get status() {
      return tokens.statusOf(issued);
    },
    expire: () => void tokens.end(issued, 'expired'),
    revoke: () => void tokens.end(issued, 'revoked'),
  });

  function handleOf(id: string): ClientHandle {
    const client = clientNamed(state, id);
    return {
      id,
      get secret() {
        return client.secret;
      },
      get tokenLifetimesSeconds() {
        return client.tokenLifetimesSeconds;
      },
      tokens: () => tokens.listOf(client, MOST_SHOWN).map(tokenHandle),
      expire: () => tokens.endAll({ client }, 'expired'),
      revoke: () => tokens.endAll({ client }, 'revoked'),
      script: (steps) => state.giveScript(client, steps),
      change: (terms) => state.changeClient(client, terms),
      journal: (filter) => journal({ ...filter, client: id }),
      verify: (expected) => verifyCalls({ ...expected, client: id }),
    };
  }

  return {
    get clients() {
      return clients.list().map(({ id }) => handleOf(id));
    },
    clock: Object.assign(Object.create(clock) as typeof clock, {
      advance: (by: Duration) => clock.advance(secondsIn(by)),
      advanceToExpiry(id?: string, delta: Duration = 0) {
        if (state.advanceToExpiry(id === undefined ? undefined : clientNamed(state, id), delta)) return;
        throw new MockError(`No token${id === undefined ? '' : ` of "${id}"`} is valid, so none can expire.`);
      },
    }),
    client: handleOf,
    addClient: (client) => handleOf(state.addClient(client).id),
    journal,
    verify: verifyCalls,
    traffic: (id) => trafficOf(state, clientNamed(state, id).id),
    onToken: (listener) => tokens.listen((value, issued) => listener(value, nameOf(issued))),
    onExchange: (listener) => state.journal.listen((exchange) => listener(entryOf(exchange))),
    snapshot: state.save,
    reset: state.reset,
  };
}
