/** The way of a request, from top to bottom: operation, condition, the client's script, answer, sending, record. */
import { createHash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { closest } from 'fastest-levenshtein';
import type { ConnectionOutcome } from './api.ts';
import type { Client } from './clients.ts';
import { withinCalendar } from './clock.ts';
import { type Call, readForm } from './condition.ts';
import { type Answer, answers, type OperationId } from './contract/answers.ts';
import type { Contract } from './contract/contract.ts';
import type { ScriptedOperation } from './contract/control-types.ts';
import type { Operation } from './contract/document.ts';
import { type Exchange, tokenView } from './exchange.ts';
import { createFileReply } from './file-reply.ts';
import { failure, json, type Reply, readBearer, readBody, strayBody } from './http.ts';
import { copied, cut, findLeaks, mediaOf, readablePath } from './leaks.ts';
import { type Hooks, plainHooks } from './pipeline/hooks.ts';
import type { Engine, Violation } from './prism.ts';
import type { Records } from './records.ts';
import {
  applySteps,
  type Delivery,
  deliveryFor,
  endsTokens,
  scriptedReply,
  type TriggeredSteps,
  withAddedMembers,
} from './rules.ts';
import type { State } from './state.ts';
import { type IssuedToken, nameOf, type Tokens } from './tokens.ts';

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
  /** Lets pages of other origins call the API. */
  cors?: boolean;
  /** Adds headers that say why the mock answered as it did. */
  explain?: boolean;
}

/** Sends the reply; says how the connection ended if that was not completely possible. */
export type Send = (
  response: ServerResponse,
  reply: Reply,
  headers: Readonly<Record<string, string>>,
  delivery: Delivery | undefined,
) => ConnectionOutcome | Promise<ConnectionOutcome>;

/** A request to an operation, and who sent it. */
interface Resolved {
  call: Call;
  client: Client | undefined;
  /** The token that the request carries, or the newest one of the client that asks for a token. */
  issued: IssuedToken | undefined;
  /** Names of the form fields. */
  fields: readonly string[] | undefined;
  /** The bearer token as it was sent. */
  bearer: string | undefined;
}

/** What a request is answered with, and why. */
interface Outcome {
  reply: Reply;
  /** Name of the contract's example, or what else was answered: `script`, `preflight`, `no-path` or `no-method`. */
  reason: string;
  operation: OperationId | undefined;
  /** The answer that the contract requires; a script may have replaced it. */
  expected: Answer | undefined;
  client: Client | undefined;
  /** The token that the request carried, or that was issued. */
  issued: IssuedToken | undefined;
  /** The steps of the client's script that the request triggered. */
  triggered: TriggeredSteps | undefined;
  fields: readonly string[] | undefined;
}

/** Answers a request. Rejects if the client disconnects before its body has arrived. */
export type Respond = (request: IncomingMessage, response: ServerResponse) => Promise<void>;

/** A body longer than `bodyBytes` is not read. */
export function createResponder(parts: Parts, send: Send, bodyBytes: number): Respond {
  const { contract, engine, state, tokens, records, basePath, cors, explain } = parts;
  const { editForm, selectAnswer, finish }: Hooks = { ...plainHooks, ...parts };
  const { clock, journal, random, scripts } = state;
  const methods = methodsByPath(contract.operations, basePath);
  const isOpen = !contract.needsToken('readData');
  const ignoresAccept = !contract.responseRef(answers.dataNotAcceptable);
  const asFile = contract.isFile() ? createFileReply() : undefined;
  /** The token that each client was last given, as a deployment may have encoded it. */
  const lastTokens = new WeakMap<Client, { number: number; token: string }>();
  const example = engine.negotiated(answers.served);
  let lastDated: { of: Reply; second: number; headers: Reply['headers'] } | undefined;
  let lastFilled: { of: Reply; reply: Reply } | undefined;

  return async (request, response) => {
    const start = { at: clock.now(), wallAt: Date.now(), started: performance.now() };
    const generation = state.generation();
    // A busy mock spends more time on needless promises than on its answers.
    const stray = strayBody(request, bodyBytes);
    const body = stray && (await stray);
    const found = outcomeOf(request);
    const outcome = found instanceof Promise ? await found : found;
    const { operation, expected, client, triggered } = outcome;
    if (finish) outcome.reply = await finish(outcome.reply, { request, expected });
    if (asFile && operation === 'readData')
      outcome.reply = asFile(outcome.reply, request.headers, state.timeOf(client));
    const { reply } = outcome;
    const skewMs = operation === 'readData' && client ? client.skewMs : 0;
    let headers = dated(reply, state.timeOf(client) + skewMs);
    if (explain) headers = { ...headers, ...explanation(outcome, state) };
    if (cors && isFromPage(request) && !('access-control-allow-origin' in headers))
      headers = { ...headers, ...CORS_HEADERS };
    const delivery = triggered && client && deliveryFor(triggered, client, random);
    const sending = send(response, reply, headers, delivery);
    const ended = sending && (await sending);
    if (generation !== state.generation()) return; // the mock was restored to another moment meanwhile
    const exchange = journal.isUsed() ? exchangeOf(request, outcome, start, body, ended) : undefined;
    if (triggered && client)
      applySteps(triggered.after, { tokens, client, issued: outcome.issued, now: clock.now });
    if (exchange) journal.add(exchange);
    else journal.skip();
  };

  /** The headers of a reply with `Date` (RFC 9110 section 6.6.1), which most of many replies have in common. */
  function dated(reply: Reply, milliseconds: number): Reply['headers'] {
    const second = Math.floor(milliseconds / 1000);
    if (lastDated?.of === reply && lastDated.second === second) return lastDated.headers;
    const date = new Date(withinCalendar(milliseconds)).toUTCString();
    lastDated = { of: reply, second, headers: { ...reply.headers, date } };
    return lastDated.headers;
  }

  function outcomeOf(request: IncomingMessage): Outcome | Promise<Outcome> {
    const { method = '', url = '' } = request;
    const path = pathOf(url);
    const atPath = methods.get(path);
    const operation = atPath?.get(method);
    if (!atPath) return refused('no-path', nothingAt(path));
    if (!operation) {
      const allow = [...atPath.keys()].join(', ');
      if (cors && isPreflight(request)) return refused('preflight', preflightReply(request, allow));
      const sentence = `${path} does not support ${method}. Use ${allow}.`;
      return refused('no-method', failure(405, 'method_not_allowed', sentence, { allow }));
    }
    if (operation === 'obtainToken') return tokenRequest(request).then(decided);
    const isChecked = operation !== 'readData' || !ignoresAccept;
    const violations = isChecked ? engine.validate(operation, { accept: request.headers.accept }) : NONE;
    const next = (list: readonly Violation[]) =>
      decided(otherRequest(request, operation, list), method === 'HEAD' && operation === 'readData');
    return violations instanceof Promise ? violations.then(next) : next(violations);
  }

  /** By the script of the client, if it has a step for this call. */
  function decided(resolved: Resolved, isUncounted = false): Outcome {
    const { client, call, issued } = resolved;
    const operation = call.operation as ScriptedOperation;
    const isCounted = client && !isUncounted;
    const token = call.kind === 'data' && call.token === 'valid' ? issued?.number : undefined;
    const triggered = isCounted && scripts.count(client, operation, token);
    return triggered
      ? scripted(resolved, client, triggered)
      : answered(resolved, selectAnswer(resolved.call));
  }

  async function tokenRequest(request: IncomingMessage): Promise<Resolved> {
    const { accept, 'content-type': contentType } = request.headers;
    const operation = 'obtainToken';
    const sent = await readBody(request, bodyBytes);
    if (sent === undefined)
      return {
        ...UNKNOWN,
        call: {
          kind: 'token',
          operation,
          tooLarge: true,
          violations: [],
          complete: false,
          client: undefined,
        },
      };
    const body = editForm(sent);
    const violations = await engine.validate(operation, { accept, contentType, body });
    const { values, complete, names: fields } = readForm(body);
    const client = state.authenticate(values.client_id, values.client_secret);
    return {
      call: { kind: 'token', operation, tooLarge: false, violations, complete, client },
      client,
      issued: client && tokens.newestOf(client),
      fields,
      bearer: undefined,
    };
  }

  function otherRequest(
    request: IncomingMessage,
    operation: 'readData' | 'checkHealth',
    violations: readonly Violation[],
  ): Resolved {
    if (operation === 'checkHealth') return { ...UNKNOWN, call: { kind: 'health', operation, violations } };
    // Readers of an open deployment do not identify themselves, so they share the script of the mock's first client.
    if (isOpen)
      return {
        ...UNKNOWN,
        call: { kind: 'data', operation, token: 'valid', violations },
        client: state.clients.list()[0],
      };
    const bearer = readBearer(request.headers.authorization);
    if (bearer.kind !== 'token')
      return { ...UNKNOWN, call: { kind: 'data', operation, token: bearer.kind, violations } };
    const { status: token, issued } = tokens.find(bearer.token);
    const unscoped = issued?.client.scopes?.length === 0;
    return {
      call: { kind: 'data', operation, token, unscoped, violations },
      client: issued?.client,
      issued,
      fields: undefined,
      bearer: bearer.token,
    };
  }

  /** The outcome of a request that triggers steps of the client's script. */
  function scripted(resolved: Resolved, client: Client, triggered: TriggeredSteps): Outcome {
    const { before } = triggered;
    const context = { tokens, client, now: clock.now };
    applySteps(before, { ...context, issued: resolved.issued });
    let current = resolved;
    const { call, bearer } = resolved;
    if (call.kind === 'data' && bearer !== undefined && before.some(endsTokens)) {
      // A step may have ended the token that the request carries.
      const { status: token, issued } = tokens.find(bearer);
      current = { ...resolved, call: { ...call, token }, issued };
    }
    const expected = selectAnswer(current.call);
    const reply = scriptedReply(engine, triggered, expected);
    // The client's newest token is issued again if a step demands it and it is still valid.
    const { issued } = current;
    const isReused =
      before.some(({ sameToken }) => sameToken) && issued && tokens.statusOf(issued) === 'valid';
    const outcome = reply
      ? outcomeWith(current, expected, filled(reply, client), 'script')
      : answered(current, expected, isReused ? issued : undefined);
    outcome.triggered = triggered;
    applySteps(triggered.during, { ...context, issued: outcome.issued });
    outcome.reply = withAddedMembers(outcome.reply, triggered);
    return outcome;
  }

  /** Replies with `answer`. A token request gets a new token, or `reuse` if that was the last one it got. */
  function answered(resolved: Resolved, answer: Answer, reuse?: IssuedToken): Outcome {
    const { client } = resolved;
    const negotiated = engine.negotiated(answer);
    const outcome = outcomeWith(resolved, answer, filled(negotiated, client), answer.example);
    if (answer !== answers.issued || !client) return outcome;
    const last = lastTokens.get(client);
    const token =
      last && reuse?.number === last.number
        ? last.token
        : tokens.issue({ client, lifetimeSeconds: state.nextLifetime(client) });
    const body = { ...structuredClone(negotiated.body as object), token };
    // It must not be cached (RFC 6749 section 5.1).
    outcome.reply = json(negotiated.status, body, { ...negotiated.headers, 'cache-control': 'no-store' });
    outcome.issued = tokens.newestOf(client);
    if (outcome.issued) lastTokens.set(client, { number: outcome.issued.number, token });
    return outcome;
  }

  /** Puts the current records into a reply that holds the contract's example of them, for the time of its Date header. */
  function filled(reply: Reply, client: Client | undefined): Reply {
    if (!records || reply.bytes !== example.bytes) return reply;
    const bytes = records.body(withinCalendar(state.timeOf(client) + (client?.skewMs ?? 0)));
    if (lastFilled?.of === reply && lastFilled.reply.bytes === bytes) return lastFilled.reply;
    const headers = { ...reply.headers, 'content-length': String(bytes.length) };
    lastFilled = { of: reply, reply: { status: reply.status, bytes, headers } };
    return lastFilled.reply;
  }

  function nothingAt(path: string): Reply {
    const shown = path.slice(0, 100);
    const hint = shown.includes('/__mock')
      ? 'The control API of the mock, if enabled, is at /__mock, without a base path.'
      : `The nearest path is ${closest(shown, [...methods.keys()])}.`;
    return failure(404, 'not_found', `There is nothing at ${shown}. ${hint}`);
  }

  /** The exchange, not yet numbered. One object without parts: a busy mock records tens of thousands a second. */
  function exchangeOf(
    request: IncomingMessage,
    outcome: Outcome,
    { at, wallAt, started }: Start,
    body: string | undefined,
    ended: ConnectionOutcome,
  ): Exchange {
    const { headers, method = '', url = '' } = request;
    const { client, operation, reply, triggered, fields, expected, reason } = outcome;
    const issued = tokenOf(outcome);
    const isFound = issued && operation === 'readData'; // a token was found in it
    const bearer = isFound ? 'token' : readBearer(headers.authorization).kind;
    const authorization = bearer === 'missing' ? undefined : bearer === 'token' ? 'bearer' : 'malformed';
    const context = { known: operation !== undefined, bearer: bearer === 'token', body };
    const leaks = findLeaks(request, context, state);
    const end = url.indexOf('?');
    const isPublic =
      expected !== undefined &&
      reply.headers['content-encoding'] === undefined &&
      reply.bytes.length <= MOST_BYTES &&
      (reason === 'script' || reply.bytes === engine.negotiated(expected).bytes);
    return {
      seq: 0,
      at,
      judgedAt: at + (client?.aheadMs ?? 0),
      wallAt,
      started,
      duration: performance.now() - started,
      client: client?.id,
      operation,
      method,
      path: operation && end === -1 ? pathOf(url) : withoutSecrets(readablePath(copied(pathOf(url))), state),
      query: end === -1 ? NOTHING : namesIn(url.slice(end + 1).replace(/#.*/s, ''), state),
      // A token in a query would make each repetition a different target.
      target: operation && (end === -1 || leaks.length > 0) ? operation : digestOf(url),
      leaks,
      isConditional: 'if-none-match' in headers || 'if-modified-since' in headers,
      accept: mediaOf(headers.accept),
      contentType: mediaOf(headers['content-type']),
      authorization,
      fields,
      status: reply.status,
      reason: reasonOf(outcome),
      script: triggered?.steps,
      ended,
      issued,
      tokenStatus: issued && state.tokens.statusOf(issued),
      clientTime: state.timeOf(client),
      headers: reply.headers,
      bytes: reply.bytes.length,
      body: isPublic ? reply.bytes : undefined, // any other may hold a token
    };
  }
}

/** When a request arrived. */
interface Start {
  /** On the mock's clock. */
  at: number;
  /** On the machine's clock. */
  wallAt: number;
  /** On a monotonic clock. */
  started: number;
}

const UNKNOWN = { client: undefined, issued: undefined, fields: undefined, bearer: undefined };
const NONE: readonly Violation[] = [];

const outcomeWith = (
  { call, client, issued, fields }: Omit<Resolved, 'call'> & { call?: Call },
  expected: Answer | undefined,
  reply: Reply,
  reason: string,
): Outcome => {
  const operation = call?.operation;
  return { reply, reason, operation, expected, client, issued, triggered: undefined, fields };
};

/** The outcome of a request to a path or with a method that the contract does not have. */
const refused = (reason: string, reply: Reply): Outcome => outcomeWith(UNKNOWN, undefined, reply, reason);

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

/** CORS (Fetch standard, section 3.3): browsers send `Origin`, and other clients do not. */
const isFromPage = ({ headers }: IncomingMessage): boolean => headers.origin !== undefined;

/** Added to each answer to a page. The API takes no cookies, so that any origin may read it. */
const CORS_HEADERS = { 'access-control-allow-origin': '*', 'access-control-expose-headers': '*' };

/** A browser asks what it may send before it sends it. */
const isPreflight = (request: IncomingMessage): boolean =>
  request.method === 'OPTIONS' && isFromPage(request) && 'access-control-request-method' in request.headers;

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

/** Headers that say why the mock answered as it did. */
function explanation(outcome: Outcome, state: State): Record<string, string> {
  const { triggered } = outcome;
  const issued = tokenOf(outcome);
  const token = issued && tokenView(issued, state.tokens.statusOf(issued), state.timeOf(issued.client));
  return {
    'x-mock-reason': reasonOf(outcome),
    // A script may delay an answer, and then this exchange is not the next one to end. Replicas have no common journal.
    ...(!triggered && !state.isReplica && { 'x-mock-exchange': String(state.journal.next()) }),
    ...(triggered && { 'x-mock-script': triggered.steps.join(', ') }),
    ...(issued && { 'x-mock-token': encodeURI(nameOf(issued)) }),
    ...(token && { 'x-mock-token-remaining': String(Math.floor(token.remainingSeconds)) }),
  };
}

/** The token that was sent or issued; the newest token of a client that was refused a new one is neither. */
const tokenOf = ({ operation, reason, issued }: Outcome): IssuedToken | undefined =>
  operation === 'obtainToken' && reason !== 'issued' ? undefined : issued;

function reasonOf({ reason, issued }: Outcome): string {
  if (reason === 'expired' && issued?.ended) return 'expired-on-order';
  return reason === 'unknown-token' && issued ? 'revoked' : reason;
}

/** The largest body that the journal keeps, in bytes. */
const MOST_BYTES = 4096;
const NOTHING: readonly string[] = [];

const namesIn = (query: string, state: State): string[] =>
  [...new URLSearchParams(cut(query)).keys()].map((name) =>
    withoutSecrets(readablePath(copied(name)), state),
  );

/** Leaves out the secrets of all clients. Only called for requests that are not as the contract has them. */
function withoutSecrets(text: string, { clients }: State): string {
  let shown = text;
  for (const secret of new Set(clients.list().map((client) => client.secret)))
    if (secret.length > 3)
      shown = shown.replaceAll(secret, '‹secret›').replaceAll(encodeURIComponent(secret), '‹secret›');
  return shown;
}

const digestOf = (url: string): string => createHash('sha256').update(url).digest('base64url').slice(0, 16);
