/** The way of a request, from top to bottom: operation, condition, the client's script, answer, sending, record. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { closest } from 'fastest-levenshtein';
import type { ConnectionOutcome } from './api.ts';
import type { Client } from './clients.ts';
import { withinCalendar } from './clock.ts';
import { BEARER, type Call, expectedAnswer, readForm } from './condition.ts';
import { type Answer, answers, type OperationId } from './contract/answers.ts';
import type { Contract } from './contract/contract.ts';
import type { Operation } from './contract/document.ts';
import { exchangeOf, type Handling } from './exchange.ts';
import { createFileReply } from './file-reply.ts';
import { failure, fault, json, type Reply, readBody, readStray } from './http.ts';
import type { Engine, Negotiated } from './prism.ts';
import type { Records } from './records.ts';
import { applySteps, type Delivery, deliveryFor, scriptedReply, type TriggeredSteps } from './script.ts';
import type { State } from './state.ts';
import type { IssuedToken, Tokens } from './tokens.ts';

/** Where a deployment can make the mock deviate from the contract on purpose: see deployments/behaviour.ts. */
export interface Hooks {
  /** Edits the body of a token request before it is validated. */
  editForm(text: string): string;
  /** Selects the answer to a request. */
  selectAnswer(call: Call): Answer;
  /** Edits the reply before it is sent; undefined: it is sent as it is. */
  finish: ((reply: Reply, context: ReplyContext) => Reply | Promise<Reply>) | undefined;
}

/** What a reply responds to. */
interface ReplyContext {
  request: IncomingMessage;
  /** Undefined if the request matched no operation. */
  expected: Answer | undefined;
}

/** The hooks of a mock that follows the contract. */
export const plainHooks: Hooks = {
  editForm: (text) => text,
  selectAnswer: expectedAnswer,
  finish: undefined,
};

/** What a mock consists of; a defect or a variant replaces some of it. */
export interface Parts extends Partial<Hooks> {
  contract: Contract;
  engine: Engine;
  state: State;
  /** The tokens of the state, or a deployment's wrapper around them. */
  tokens: Tokens;
  /** Absent if the data is the contract's example. */
  records?: Records;
  /** Empty, or a path without a trailing slash. */
  basePath: string;
}

/** Sends the reply; says how the connection ended if that was not completely possible. */
export type Send = (
  response: ServerResponse,
  reply: Reply,
  headers: Readonly<Record<string, string>>,
  delivery: Delivery | undefined,
) => ConnectionOutcome | Promise<ConnectionOutcome>;

/**
 * Answers a request, at once unless something has to be waited for: a busy mock would spend more time on needless promises
 * than on its answers. Rejects if the client disconnects before its body has arrived.
 */
type Respond = (request: IncomingMessage, response: ServerResponse) => Promise<void> | undefined;

/** Stands for the reply of a request that is still being decided. */
const UNDECIDED = fault();

const MALFORMED = { status: 'malformed', issued: undefined } as const;

/** A body longer than `bodyBytes` is not read. */
export function createResponder(parts: Parts, send: Send, bodyBytes: number): Respond {
  const { contract, engine, state, tokens, records, basePath } = parts;
  const { editForm, selectAnswer, finish }: Hooks = { ...plainHooks, ...parts };
  const { clock, journal, scripts } = state;
  const methods = methodsByPath(contract.operations, basePath);
  const isOpen = !contract.needsToken('readData');
  const ignoresAccept = !contract.responseRef(answers.dataNotAcceptable);
  const asFile = contract.isFile() ? createFileReply() : undefined;
  /** The token that each client was last given, as a deployment may have encoded it. */
  const lastTokens = new WeakMap<Client, { number: number; token: string }>();
  const example = engine.negotiated.get(answers.served);
  let lastDated: { of: Reply; second: number; headers: Reply['headers'] } | undefined;
  let lastFilled: { of: Reply; reply: Reply } | undefined;

  const conclude = finish
    ? async (handling: Handling) => {
        const { request, expected } = handling;
        handling.reply = await finish(handling.reply, { request, expected });
        return deliver(handling);
      }
    : deliver;

  /** A request for the data or for health, or to nothing that there is; `stray` is its body, which it should not have. */
  return function respond(request, response, stray?: string): Promise<void> | undefined {
    const { method = '', url = '', headers } = request;
    const path = methods.has(url) ? url : pathOf(url);
    const operation = methods.get(path)?.get(method);
    const hasBody = headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined;
    if (hasBody && stray === undefined && (method === 'GET' || method === 'HEAD'))
      return readStray(request, bodyBytes).then((text = '') => respond(request, response, text));
    const ofAnyType =
      !operation || operation === 'obtainToken' || (operation === 'readData' && ignoresAccept);
    const isAcceptable = ofAnyType || engine.accepts(operation, headers.accept);
    if (isAcceptable instanceof Promise) return isAcceptable.then(() => respond(request, response, stray));
    const handling: Handling = {
      request,
      response,
      path,
      operation,
      at: clock.now(),
      wallAt: Date.now(),
      started: performance.now(),
      generation: state.generation,
      stray,
      fields: undefined,
      bearer: undefined,
      client: undefined,
      issued: undefined,
      tokenStatus: undefined,
      triggered: undefined,
      expected: undefined,
      documented: undefined,
      reason: '',
      reply: UNDECIDED,
    };
    if (!operation) return conclude(refused(handling));
    if (operation === 'obtainToken') return requestToken(handling);
    if (operation === 'checkHealth') {
      answer(handling, selectAnswer({ kind: 'health', isAcceptable }));
      return conclude(handling);
    }
    const { authorization } = headers;
    const call: Call = { kind: 'data', isAcceptable, token: 'missing', unscoped: false };
    if (isOpen) {
      // Readers of an open deployment do not identify themselves, so they share the script of the mock's first client.
      handling.client = state.clients.list()[0];
      call.token = 'valid';
    } else if (authorization !== undefined) {
      handling.bearer = BEARER.exec(authorization)?.[1];
      const { status, issued } = handling.bearer === undefined ? MALFORMED : tokens.find(handling.bearer);
      call.token = status;
      call.unscoped = issued?.client.scopes?.length === 0;
      handling.client = issued?.client;
      handling.issued = issued;
      if (status !== 'malformed') handling.tokenStatus = status;
    }
    const { client, issued } = handling;
    const used = call.token === 'valid' ? issued?.number : undefined;
    const triggered = client && method !== 'HEAD' ? scripts.count(client, 'readData', used) : undefined;
    if (triggered) script(handling, call, triggered);
    else answer(handling, selectAnswer(call));
    return conclude(handling);
  };

  async function requestToken(handling: Handling): Promise<void> {
    const { request } = handling;
    const { accept, 'content-type': contentType } = request.headers;
    const sent = await readBody(request, bodyBytes);
    const body = editForm(sent ?? '');
    const [violations, isAcceptable] =
      sent === undefined
        ? [[], true]
        : await Promise.all([
            engine.violationsOf({ contentType, body }),
            engine.accepts('obtainToken', accept),
          ]);
    const { values, complete, names } = readForm(body);
    const client =
      sent === undefined ? undefined : state.authenticate(values.client_id, values.client_secret);
    const call: Call = {
      kind: 'token',
      tooLarge: sent === undefined,
      isAcceptable,
      violations,
      complete,
      client,
    };
    Object.assign(handling, { at: clock.now(), client });
    handling.issued = client && tokens.newestOf(client);
    if (sent !== undefined) handling.fields = names;
    const triggered = client && scripts.count(client, 'obtainToken');
    if (triggered) script(handling, call, triggered);
    else answer(handling, selectAnswer(call));
    return conclude(handling);
  }

  /** Answers a request that triggers steps of the client's script. */
  function script(handling: Handling, call: Call, triggered: TriggeredSteps): void {
    const { before, during } = triggered;
    const client = handling.client as Client;
    const context = { tokens, client, now: clock.now };
    applySteps(before, { ...context, issued: handling.issued });
    if (call.kind === 'data' && handling.bearer !== undefined) {
      // A step may have ended the token that the request carries.
      const { status, issued } = tokens.find(handling.bearer);
      call.token = status;
      handling.issued = issued;
    }
    const expected = selectAnswer(call);
    const reply = scriptedReply(engine, triggered, expected);
    // The client's newest token is issued again if a step demands it and it is still valid.
    const { issued } = handling;
    const isReused =
      before.some(({ sameToken }) => sameToken) && issued && tokens.statusOf(issued) === 'valid';
    handling.triggered = triggered;
    if (!reply) answer(handling, expected, isReused ? issued : undefined);
    else Object.assign(handling, { expected, reason: 'script', reply: filled(reply, handling) });
    applySteps(during, { ...context, issued: handling.issued });
  }

  /** Replies with what the contract documents. A token request gets a new token, or `reuse` if that was the last one it got. */
  function answer(handling: Handling, expected: Answer, reuse?: IssuedToken): void {
    const { client, issued } = handling;
    const documented = engine.negotiated.get(expected) as Negotiated;
    const { example: reason } = expected;
    handling.expected = expected;
    handling.documented = documented.bytes;
    handling.reason =
      reason === 'expired' && issued?.ended
        ? 'expired-on-order'
        : reason === 'unknown-token' && issued
          ? 'revoked'
          : reason;
    handling.reply = records ? filled(documented, handling) : documented;
    if (expected !== answers.issued || !client) return;
    const last = lastTokens.get(client);
    const token =
      last && reuse?.number === last.number
        ? last.token
        : tokens.issue({ client, lifetimeSeconds: state.nextLifetime(client) });
    const body = { ...structuredClone(documented.body as object), token };
    // It must not be cached (RFC 6749 section 5.1).
    handling.reply = json(documented.status, body, { ...documented.headers, 'cache-control': 'no-store' });
    handling.issued = tokens.newestOf(client);
    if (handling.issued) lastTokens.set(client, { number: handling.issued.number, token });
  }

  /** Puts the current records into a reply that holds the contract's example of them, for the time of its Date header. */
  function filled(reply: Reply, { at, client }: Handling): Reply {
    if (!records || reply.bytes !== example?.bytes) return reply;
    const bytes = records.body(withinCalendar(at + (client ? client.aheadMs + client.skewMs : 0)));
    if (lastFilled?.of === reply && lastFilled.reply.bytes === bytes) return lastFilled.reply;
    const headers = { ...reply.headers, 'content-length': String(bytes.length) };
    lastFilled = { of: reply, reply: { status: reply.status, bytes, headers } };
    return lastFilled.reply;
  }

  /** Answers a request to a path or with a method that the contract does not have. */
  function refused(handling: Handling): Handling {
    const { request, path } = handling;
    const allow = [...(methods.get(path)?.keys() ?? [])].join(', ');
    const [reason, reply] =
      allow === ''
        ? ['no-path', nothingAt(path)]
        : isPreflight(request)
          ? ['preflight', preflightReply(request, allow)]
          : [
              'no-method',
              failure(
                405,
                'method_not_allowed',
                `${path} does not support ${request.method}. Use ${allow}.`,
                {
                  allow,
                },
              ),
            ];
    return Object.assign(handling, { reason, reply });
  }

  function nothingAt(path: string): Reply {
    const shown = path.slice(0, 100);
    const hint = shown.includes('/__mock')
      ? 'The control API of the mock, if enabled, is at /__mock, without a base path.'
      : `The nearest path is ${closest(shown, [...methods.keys()])}.`;
    return failure(404, 'not_found', `There is nothing at ${shown}. ${hint}`);
  }

  function deliver(handling: Handling): Promise<void> | undefined {
    const { request, response, operation, client, triggered } = handling;
    const ownTime = handling.at + (client?.aheadMs ?? 0);
    if (asFile && operation === 'readData') handling.reply = asFile(handling.reply, request.headers, ownTime);
    const { reply } = handling;
    const shownTime = operation === 'readData' && client ? ownTime + client.skewMs : ownTime;
    const second = Math.floor(shownTime / 1000);
    if (lastDated?.of !== reply || lastDated.second !== second) {
      // Most of many replies have their headers in common, with `Date` (RFC 9110 section 6.6.1).
      const date = new Date(withinCalendar(shownTime)).toUTCString();
      lastDated = { of: reply, second, headers: { ...reply.headers, date } };
    }
    let { headers } = lastDated;
    if (request.headers.origin !== undefined && !('access-control-allow-origin' in headers))
      headers = { ...headers, ...CORS_HEADERS };
    const delivery = triggered && deliveryFor(triggered);
    const sending = send(response, reply, headers, delivery);
    if (sending instanceof Promise) return sending.then((ended) => record(handling, ended));
    record(handling, sending);
    return undefined;
  }

  function record(handling: Handling, ended: ConnectionOutcome): void {
    if (handling.generation !== state.generation) return; // the mock was restored to another moment meanwhile
    const { triggered, client, issued } = handling;
    const exchange = exchangeOf(handling, ended, state, tokens);
    if (triggered && client) applySteps(triggered.after, { tokens, client, issued, now: clock.now });
    journal.add(exchange);
  }
}

/** HEAD is answered wherever GET is. The trailing slash is significant, as in the specification. */
function methodsByPath(operations: readonly Operation[], basePath: string) {
  const found = new Map<string, Map<string, OperationId>>();
  for (const { id, method, path } of operations) {
    const atPath = found.get(basePath + path) ?? new Map<string, OperationId>();
    found.set(basePath + path, atPath.set(method, id));
    if (method === 'GET') atPath.set('HEAD', id);
  }
  return found;
}

/**
 * Of a request target in any form of RFC 9112 section 3.2, without its query. Never decoded or normalised: a path that is not
 * exactly the specification's is a different one.
 */
function pathOf(target: string): string {
  if (!target.startsWith('/') && URL.canParse(target)) return new URL(target).pathname;
  const end = target.search(/[?#]/);
  return end === -1 ? target : target.slice(0, end);
}

/** CORS (Fetch standard, section 3.3): added to each answer to a page. The API takes no cookies, so that any origin may read it. */
const CORS_HEADERS = { 'access-control-allow-origin': '*', 'access-control-expose-headers': '*' };

/** A browser asks what it may send before it sends it. */
const isPreflight = ({ method, headers }: IncomingMessage): boolean =>
  method === 'OPTIONS' && headers.origin !== undefined && 'access-control-request-method' in headers;

/** What a page may send; `allow` are the methods of the path. */
function preflightReply({ headers }: IncomingMessage, allow: string): Reply {
  const names = headers['access-control-request-headers'];
  return {
    status: 204,
    headers: {
      'access-control-allow-methods': allow,
      // Those that it asks for, since `*` would leave out Authorization.
      ...(names !== undefined && /^[\w, -]{1,500}$/.test(names) && { 'access-control-allow-headers': names }),
      'access-control-max-age': '600',
    },
    bytes: Buffer.alloc(0),
  };
}
