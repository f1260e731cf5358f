/** The way of a request: judge it, send what it comes to, write it down. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type Control, isControl } from '../control/control.ts';
import { strayBody } from '../wire/body.ts';
import { type MaybePromise, andThen } from '../wire/maybe-promise.ts';
import { fault, type Reply } from '../wire/reply.ts';
import {
  type ConnectionOutcome,
  type HeaderList,
  listOf,
  send,
  sendEarly,
  sendSlowly,
} from '../wire/send.ts';
import { createDateHeader } from './date-header.ts';
import { type RequestStart, exchangeOf, explanation } from './record-exchange.ts';
import { createRequestHandler, type HandlerParts, type Outcome } from './request-handler.ts';
import { deliveryFor, applySteps } from './script-effects.ts';
import { dropStalledConnections } from './stalled-clients.ts';

export interface Parts extends HandlerParts {
  /** Absent where the mock takes no orders. */
  control?: Control;
  /** Says in headers why it answered as it did. */
  explain?: boolean;
  /** Told of an exception inside the mock; the client is answered with 500. */
  onFault: (error: unknown) => void;
  limits?: Limits;
}

export interface Limits {
  /** A longer request body is answered with 413. */
  bodyBytes: number;
  /** A request has to arrive within this time, head and body. */
  requestMs: number;
  /** How long a body that is too large is still received after its answer. */
  lingerMs: number;
  /** Connections at a time; one more is closed at once. */
  connections: number;
  /** A client that takes nothing of its answers for so long is cut off. */
  stallMs: number;
}

const LIMITS: Limits = {
  ...{ bodyBytes: 64 * 1024, requestMs: 10_000, lingerMs: 1_000 },
  ...{ connections: 4_000, stallMs: 30_000 }, // below 4096, the open files that many a process may have
};

/** The mock's HTTP server, not listening yet. */
export function createMockServer(parts: Parts): Server {
  const { state, tokens, control, explain, onFault, limits = LIMITS } = parts;
  const { clock, journal, random } = state;
  const judge = createRequestHandler(parts, limits.bodyBytes);
  const withDate = createDateHeader();

  function serve(request: IncomingMessage, response: ServerResponse): MaybePromise<void> {
    const start: RequestStart = { at: clock.now(), wallAt: Date.now(), started: performance.now(), body: undefined };
    const generation = state.generation();
    const judged = () =>
      andThen(judge(request), (outcome) =>
        andThen(sendOutcome(request, response, outcome), (ending) => {
          const { client, due, issued } = outcome;
          if (generation !== state.generation()) return; // the mock was brought back to another time meanwhile
          const exchange = exchangeOf(request, outcome, start, ending, parts);
          if (due && client) applySteps(due.after, { tokens, client, issued, now: clock.now });
          journal.add(exchange);
        }),
      );
    const stray = strayBody(request, limits.bodyBytes);
    if (!stray) return judged();
    return stray.then((body) => {
      start.body = body;
      return judged();
    });
  }

  function sendOutcome(
    request: IncomingMessage,
    response: ServerResponse,
    outcome: Outcome,
  ): MaybePromise<ConnectionOutcome> {
    const { reply, client, due, operation } = outcome;
    const ahead = operation === 'readData' && client ? client.skewMs : 0;
    const more = explain ? explanation(outcome, state) : undefined;
    const headers = withDate(reply, state.timeOf(client) + ahead, more);
    const delivery = due && client && deliveryFor(due, client, random);
    if (delivery) return sendSlowly(response, reply, headers, delivery);
    sendWhole(request, response, reply, headers);
    return undefined;
  }

  function sendWhole(
    request: IncomingMessage,
    response: ServerResponse,
    reply: Reply,
    headers: HeaderList = listOf(reply.headers),
  ): void {
    if (reply.status === 413) sendEarly(request, response, reply, headers, limits.lingerMs);
    else send(response, reply, headers);
  }

  const timeouts = {
    requestTimeout: limits.requestMs, // Node lets it bound the head as well
    connectionsCheckingInterval: limits.requestMs / 10, // how often Node looks whether a time has run out
  };
  const server = createServer(timeouts, (request, response) => {
    const failed = (error: unknown) => {
      if (request.destroyed && !request.complete) return; // the client has gone: there is nobody to answer
      onFault(error);
      if (response.headersSent) response.destroy();
      else send(response, fault());
    };
    try {
      const served =
        control && isControl(request.url)
          ? control(request, response).then((reply) => reply && sendWhole(request, response, reply))
          : serve(request, response);
      if (served instanceof Promise) served.catch(failed);
    } catch (error) {
      failed(error);
    }
  });
  server.maxConnections = limits.connections;
  dropStalledConnections(server, limits.stallMs);
  return server;
}
