/** The HTTP server: hands a request to the handler, sends the outcome and records the exchange. */

import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type Control, isControl } from '../control/control.ts';
import { strayBody } from '../wire/body.ts';
import type { ConnectionOutcome } from '../wire/connection-outcome.ts';
import { CORS_HEADERS, mayAllow } from '../wire/cors.ts';
import { andThen, type MaybePromise } from '../wire/maybe-promise.ts';
import { fault, type Reply } from '../wire/reply.ts';
import { type HeaderList, listOf, type Sleep, send, sendEarly, sendSlowly } from '../wire/send.ts';
import type { Outcome } from './build-reply.ts';
import { createDateHeader } from './date-header.ts';
import { exchangeOf, explanation, type RequestStart } from './record-exchange.ts';
import { createRequestHandler, type HandlerParts } from './request-handler.ts';
import { applySteps, deliveryFor } from './script-effects.ts';
import { dropStalledConnections } from './stalled-clients.ts';

export interface Parts extends HandlerParts {
  /** Undefined if the control API is disabled. */
  control?: Control | undefined;
  /** Adds headers that say why the mock answered as it did. */
  explain?: boolean;
  /** Called with an exception inside the mock; the client gets a 500. */
  onFault: (error: unknown) => void;
  limits?: Limits;
  /** How a delayed answer waits; default: real time. */
  sleep?: Sleep | undefined;
}

export interface Limits {
  /** A longer request body is answered with 413. */
  bodyBytes: number;
  /** The time in which a request has to arrive, head and body. */
  requestMs: number;
  /** How long a body that is too large is still received after the answer to it. */
  lingerMs: number;
  /** Simultaneous connections; one more is closed at once. */
  connections: number;
  /** A client that reads nothing of its answers for this long is disconnected. */
  stallMs: number;
}

const LIMITS: Limits = {
  bodyBytes: 64 * 1024,
  requestMs: 10_000,
  lingerMs: 1_000,
  connections: 4_000, // below 4096, a common limit of open files per process
  stallMs: 30_000,
};

/**
 * How long an idle connection stays open, as with nginx. With Node's default of 5 s, a client that was held up for longer, or
 * that reads every 5 s, finds its connection reset where the mock was not asked for that.
 */
const IDLE_MS = 75_000;

/** Creates the server; it does not listen yet. */
export function createMockServer(parts: Parts): Server {
  const { state, tokens, control, cors, explain, onFault, limits = LIMITS, sleep } = parts;
  const { clock, journal, random } = state;
  const handle = createRequestHandler(parts, limits.bodyBytes);
  const withDate = createDateHeader();

  function serve(request: IncomingMessage, response: ServerResponse): MaybePromise<void> {
    const start: RequestStart = {
      at: clock.now(),
      wallAt: Date.now(),
      started: performance.now(),
      body: undefined,
    };
    const generation = state.generation();
    const answer = () =>
      andThen(handle(request), (outcome) =>
        andThen(sendOutcome(request, response, outcome), (ended) => {
          const { client, triggered, issued } = outcome;
          if (generation !== state.generation()) return; // the mock was restored to another moment meanwhile
          const exchange = journal.isUsed() ? exchangeOf(request, outcome, start, ended, parts) : undefined;
          if (triggered && client) applySteps(triggered.after, { tokens, client, issued, now: clock.now });
          if (exchange) journal.add(exchange);
          else journal.skip();
        }),
      );
    const stray = strayBody(request, limits.bodyBytes);
    if (!stray) return answer();
    return stray.then((body) => {
      start.body = body;
      return answer();
    });
  }

  function sendOutcome(
    request: IncomingMessage,
    response: ServerResponse,
    outcome: Outcome,
  ): MaybePromise<ConnectionOutcome> {
    const { reply, client, triggered, operation } = outcome;
    const skewMs = operation === 'readData' && client ? client.skewMs : 0;
    const more = explain ? explanation(outcome, state) : undefined;
    const dated = withDate(reply, state.timeOf(client) + skewMs, more);
    const headers = cors && mayAllow(request.headers, reply) ? [...dated, ...CORS_HEADERS] : dated;
    const delivery = triggered && client && deliveryFor(triggered, client, random);
    if (delivery) return sendSlowly(response, reply, headers, delivery, sleep);
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
    keepAliveTimeout: IDLE_MS,
    requestTimeout: limits.requestMs, // Node also limits the head by it
    connectionsCheckingInterval: limits.requestMs / 10, // how often Node checks the timeouts
  };
  const server = createServer(timeouts, (request, response) => {
    const failed = (error: unknown) => {
      if (request.destroyed && !request.complete) return; // the client has disconnected
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
