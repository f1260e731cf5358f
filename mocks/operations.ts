/** What can be known of a running mock and changed: by the control API, and by a test in the same process. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { operations } from 'mrs-contract/control';
import type { ClientExaminer } from './api.ts';
import type { Client } from './clients.ts';
import { secondsIn, timeText } from './clock.ts';
import { loadControlContract } from './contract/control-contract.ts';
import type {
  ClientTerms,
  ClientView,
  ClockChange,
  ClockView,
  Expectation,
  ExpireRequest,
  Filter,
  Step,
  Verified,
} from './contract/control-types.ts';
import { MockError, oneReplica } from './contract/mock-error.ts';
import type { Exchange } from './exchange.ts';
import type { Reply } from './http.ts';
import { clientsIn, trafficOf, verify } from './journal.ts';
import type { State } from './state.ts';
import { type IssuedToken, nameOf } from './tokens.ts';

/** As control.openapi.yaml has it. */
export type OperationId = keyof operations;

/** A request to one route. */
export interface ControlRequest {
  request: IncomingMessage;
  response: ServerResponse;
  /** The decoded path segment for the route's braces. */
  name: string;
  /** Matches the parameters of the operation; empty if it has none. */
  query: Readonly<Record<string, string | number>>;
  /** Matches the schema of the operation's body. */
  body: never;
}

export interface ControlRoute {
  method: string;
  /** As in control.openapi.yaml; braces match one segment. */
  path: string;
  /** Answered without the key. */
  open?: true;
  answer(request: ControlRequest): Reply | undefined | Promise<Reply>;
  /** Of the contract; undefined for a file of the page. */
  id?: OperationId;
  /** Set for what replicas do not answer; an operation decides by its id. */
  oneReplica?: true;
  /** Name of the schema of its body. */
  takes?: string | undefined;
  /** The parameters of its query. */
  query?: Readonly<Record<string, object>> | undefined;
}

/** Why an operation cannot be done, and the status and code of the control API. */
export class Refusal extends MockError {
  readonly status: number;
  readonly code: string;
  /** Whether the sentence already says what is refused. */
  readonly isComplete: boolean;

  constructor(status: number, code: string, sentence: string, isComplete = false) {
    super(sentence);
    this.status = status;
    this.code = code;
    this.isComplete = isComplete;
  }
}

/** What replicas answer as well; the others would not know of anything else. */
const OF_REPLICAS: readonly OperationId[] = ['controlHealth', 'readContract', 'listScenarios'];

/** How many of its latest tokens a client is shown with, and in the list of all clients. */
export const MOST_SHOWN = 100;
const FEW = 10;

/** Each throws MockError, or RangeError for a duration or a time, if it cannot be done; then nothing has changed. */
export function createOperations(state: State, examiner?: ClientExaminer) {
  const { clients, clock, journal, scripts, tokens } = state;

  function clientNamed(id: string): Client {
    const client = clients.get(id);
    if (client) return client;
    const known = clients.list().slice(0, 20);
    throw new Refusal(
      404,
      'not_found',
      `There is no client "${id.slice(0, 100)}". There are ${known.map((one) => one.id).join(', ')}.`,
    );
  }

  function clientView(client: Client, most = MOST_SHOWN): ClientView {
    const { id, tokenLifetimesSeconds, jitter, skewMs, aheadMs, scopes } = client;
    const tokenView = (issued: IssuedToken) => ({
      name: nameOf(issued),
      standing: tokens.statusOf(issued),
      issuedAt: timeText(issued.issuedAt - aheadMs),
      expiresAt: timeText(issued.expiresAt - aheadMs - skewMs),
      ...(issued.ended && { ended: issued.ended }),
      ...(issued.endedAt !== undefined && { endedAt: timeText(issued.endedAt - aheadMs - skewMs) }),
    });
    return {
      id,
      tokenLifetimesSeconds,
      jitter,
      skewSeconds: skewMs / 1000,
      aheadSeconds: aheadMs / 1000,
      ...(scopes && { scopes }),
      script: scripts.of(client),
      tokensIssued: tokens.countOf(client),
      tokens: tokens.listOf(client, most).map(tokenView),
    };
  }

  function clockView(): ClockView {
    const next = tokens.nextExpiry();
    return {
      mode: clock.mode,
      now: timeText(clock.now()),
      scale: clock.scale,
      ...(next !== undefined && { nextExpiry: timeText(next) }),
    };
  }

  /** A test that expects no call would pass forever by a mistyped id. */
  function checkClients(filter: Filter | Expectation): void {
    for (const id of clientsIn(journal, filter)) clientNamed(id);
  }

  return {
    clientNamed,
    /** Throws where other replicas may serve the same address, and only one of them would know or do it. */
    check(id: OperationId): void {
      if (state.isReplica && !OF_REPLICAS.includes(id))
        throw new Refusal(409, 'conflict', oneReplica('what it knows'), true);
    },
    readClock: clockView,
    moveClock({ action, by = 0, until, client, delta = 0, to = '', factor = 1 }: ClockChange): ClockView {
      if (action === 'freeze') clock.freeze();
      else if (action === 'resume') clock.resume();
      else if (action === 'reset') clock.reset();
      else if (action === 'scale') clock.setScale(factor);
      else if (action === 'set') clock.set(timeIn(to));
      else if (until === undefined) clock.advance(secondsIn(by));
      else if (!state.advanceToExpiry(client === undefined ? undefined : clientNamed(client), delta))
        throw new Refusal(409, 'conflict', 'No token is valid, so none can expire next.');
      return clockView();
    },
    listClients: () => clients.list().map((client) => clientView(client, FEW)),
    readClient: (id: string) => clientView(clientNamed(id)),
    /** Changes the terms of the client, or adds it. */
    putClient(id: string, { script, ...terms }: ClientTerms): { isNew: boolean; client: ClientView } {
      const known = clients.get(id);
      if (known) state.changeClient(known, { ...terms, ...(script && { script }) });
      else if (terms.secret === undefined)
        throw new Refusal(
          400,
          'invalid_request',
          `There is no client "${id.slice(0, 100)}", and a new client requires a secret.`,
        );
      else state.addClient({ ...terms, id, secret: terms.secret, script: script ?? [] });
      return { isNew: !known, client: clientView(clientNamed(id)) };
    },
    removeClient: (id: string) => state.removeClient(clientNamed(id)),
    readScript: (id: string) => scripts.of(clientNamed(id)),
    putScript(id: string, steps: readonly Step[]): readonly Step[] {
      const client = clientNamed(id);
      state.giveScript(client, steps);
      return scripts.of(client);
    },
    removeScript: (id: string) => scripts.give(clientNamed(id), []),
    /** Returns how many tokens were valid. */
    expireTokens({ client, token, revoke }: ExpireRequest): number {
      const ended = revoke ? 'revoked' : 'expired';
      if (token === undefined)
        return tokens.endAll(client === undefined ? {} : { client: clientNamed(client) }, ended);
      const owner = clientNamed(token.replace(/#\d+$/, ''));
      const named = tokens.numbered(owner, Number(/#([1-9]\d*)$/.exec(token)?.[1]));
      if (named) return tokens.end(named, ended);
      throw new Refusal(
        404,
        'not_found',
        `There is no token "${token.slice(0, 100)}". Tokens are named after their client, such as acme#3.`,
      );
    },
    readJournal(filter: Filter): Exchange[] {
      const fault = loadControlContract().queryProblem('readJournal', filter);
      if (fault) throw new Refusal(400, 'invalid_request', `The filter of the journal is invalid: ${fault}.`);
      checkClients(filter);
      return journal.list(filter);
    },
    clearJournal: journal.clear,
    verifyCalls(expected: Expectation): Verified {
      const fault = loadControlContract().schemaProblem('Expectation', expected);
      if (fault) throw new Refusal(400, 'invalid_request', `The expectation is invalid: ${fault}.`);
      checkClients(expected);
      return verify(journal, expected);
    },
    traffic: (id: string, since?: number) => trafficOf(state, clientNamed(id).id, since),
    certifyClient(id: string, processes: number): object | Promise<object> {
      if (!examiner) throw new Refusal(404, 'not_found', 'This mock was started without a judge of clients.');
      const { tokenLifetimesSeconds } = clientNamed(id);
      return examiner.certificate({ id, tokenLifetimesSeconds, processes, traffic: trafficOf(state, id) });
    },
    reset: state.reset,
  };
}

/** Throws RangeError for a time that JavaScript cannot express. */
function timeIn(text: string): number {
  const time = Date.parse(text);
  if (!Number.isNaN(time)) return time;
  throw new RangeError(
    `The clock cannot be set to "${text.slice(0, 40)}". Use a time such as 2030-01-01T00:00:00Z; leap seconds are not supported.`,
  );
}
