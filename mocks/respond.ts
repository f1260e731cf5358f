/** The way of a request, from top to bottom: operation, condition, the client's script, answer, sending, record. */
import { createHash } from 'node:crypto';
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import type { ConnectionOutcome } from './api.ts';
import type { Client } from './clients.ts';
import { BEARER, type Call, expectedAnswer, readForm } from './condition.ts';
import { type Answer, answers, type OperationId } from './contract/answers.ts';
import type { Contract } from './contract/contract.ts';
import type { Operation } from './contract/document.ts';
import { nearestOf } from './contract/mock-error.ts';
import { exchangeOf, type Handling } from './exchange.ts';
import { failure, fault, json, type Reply, readBody } from './http.ts';
import type { Engine, Negotiated } from './prism.ts';
import type { Records } from './records.ts';
import { nearestScenario } from './scenarios.ts';
import { applySteps, deliveryFor, scriptedReply, type TriggeredSteps } from './script.ts';
import type { State } from './state.ts';
import type { Tokens } from './tokens.ts';

/** Where a deployment can make the mock deviate from the contract on purpose: see deployments/behaviour.ts. */
export interface Hooks {
  /** Edits the body of a token request before it is validated. */
  editForm(text: string): string;
  /** Selects the answer to a request. */
  selectAnswer(call: Call): Answer;
  /** Edits the reply before it is sent. Where no operation matched, nothing is expected. */
  finish(reply: Reply, to: Pick<Handling, 'request' | 'expected'>): Reply;
}

/** The hooks of a mock that follows the contract. */
export const plainHooks: Hooks = {
  editForm: (text) => text,
  selectAnswer: expectedAnswer,
  finish: (reply) => reply,
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

/** Replaces parts of a mock: those that it returns take the place of those that it is given. Called once per mock. */
export type Override = (parts: Parts & Hooks) => Partial<Parts>;

/** Sends the reply; says how the connection ended if that was not completely possible. */
export type Send = (response: ServerResponse, reply: Reply) => Promise<ConnectionOutcome>;

/** Stands for the reply of a request that is still being decided. */
const UNDECIDED = fault();

const MALFORMED = { status: 'malformed', issued: undefined } as const;

/**
 * Answers requests. Rejects if the client disconnects before its body has arrived; one longer than `bodyBytes` is not read.
 */
export function createResponder(parts: Parts, send: Send, bodyBytes: number) {
  const { contract, engine, state, tokens, records, basePath } = parts;
  const { editForm, selectAnswer, finish }: Hooks = { ...plainHooks, ...parts };
  const { clock, journal, scripts } = state;
  const methods = methodsByPath(contract.operations, basePath);
  const isOpen = !contract.needsToken;
  const ignoresAccept = !contract.responseRef(answers.dataNotAcceptable);
  const asFile = contract.isFile ? createFileReply() : undefined;
  const example = engine.negotiated.get(answers.served);

  return async function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = '', url = '', headers } = request;
    const path = methods.has(url) ? url : pathOf(url);
    const operation = methods.get(path)?.get(method);
    const hasBody = headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined;
    const isRead = method === 'GET' || method === 'HEAD';
    // Undefined if it has none, or is too long. The client may have disconnected; its request is recorded anyway.
    const stray = hasBody && isRead ? await readBody(request, bodyBytes).catch(() => undefined) : undefined;
    const ofAnyType =
      !operation || operation === 'obtainToken' || (operation === 'readData' && ignoresAccept);
    const isAcceptable = ofAnyType || (await engine.accepts(operation, headers.accept));
    // With all of its members from the start: V8 would take twice as long with members that come later.
    const handling: Handling = {
      request,
      response,
      path,
      operation,
      stray,
      at: clock.now(),
      wallAt: Date.now(),
      started: performance.now(),
      generation: state.generation,
      fields: undefined,
      nearest: undefined,
      bearer: undefined,
      client: undefined,
      issued: undefined,
      tokenStatus: undefined,
      triggered: undefined,
      expected: undefined,
      reason: '',
      reply: UNDECIDED,
    };
    if (!operation) Object.assign(handling, refusal(request, path, methods));
    else if (operation === 'obtainToken') await decideToken(handling);
    else if (operation === 'readData') decideData(handling, isAcceptable);
    else answer(handling, selectAnswer({ kind: 'health', isAcceptable }));
    await conclude(handling);
  };

  function decideData(handling: Handling, isAcceptable: boolean): void {
    const { method, headers } = handling.request;
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
    const follows = client && method !== 'HEAD' && scripts.running.has(client.id);
    const triggered = follows && scripts.count(client, 'readData', used);
    if (triggered) follow(triggered, handling, call);
    else answer(handling, selectAnswer(call));
  }

  async function decideToken(handling: Handling): Promise<void> {
    const { accept, 'content-type': contentType } = handling.request.headers;
    const sent = await readBody(handling.request, bodyBytes);
    const body = editForm(sent ?? '');
    const { id, secret, complete, names } = readForm(body);
    const call: Call = { kind: 'token', isAcceptable: true, problem: 'too-large', client: undefined };
    if (sent !== undefined) {
      const [problem, isAcceptable] = await Promise.all([
        engine.formProblem(contentType, body),
        engine.accepts('obtainToken', accept),
      ]);
      const isMalformed = !complete && problem !== 'other-media-type';
      Object.assign(call, { isAcceptable, problem: isMalformed ? 'malformed-request' : problem });
      call.client = state.authenticate(id, secret);
      handling.fields = names;
      if (!state.clients.get(id)) handling.nearest = nearestScenario(id);
    }
    const { client } = call;
    Object.assign(handling, { at: clock.now(), client, issued: client && tokens.newestOf(client) });
    const triggered = client && scripts.count(client, 'obtainToken');
    if (triggered) follow(triggered, handling, call);
    else answer(handling, selectAnswer(call));
  }

  /** Answers as the steps of the client's script demand that the request triggered. */
  function follow(triggered: TriggeredSteps, handling: Handling, call: Call): void {
    const client = handling.client as Client;
    handling.triggered = triggered;
    applySteps(triggered.before, { tokens, client, issued: handling.issued });
    if (call.kind === 'data' && handling.bearer !== undefined) {
      // A step may have ended the token that the request carries.
      const { status, issued } = tokens.find(handling.bearer);
      call.token = status;
      handling.issued = issued;
    }
    const expected = selectAnswer(call);
    const reply = scriptedReply(engine, triggered, expected);
    if (!reply) answer(handling, expected);
    else Object.assign(handling, { expected, reason: 'script', reply: filled(reply, handling.at) });
    const delivery = deliveryFor(triggered);
    if (delivery) handling.reply = { ...handling.reply, delivery };
    applySteps(triggered.during, { tokens, client, issued: handling.issued });
  }

  /** Replies with what the contract documents, and issues a token if that is one. */
  function answer(handling: Handling, expected: Answer): void {
    const { client, issued } = handling;
    const documented = engine.negotiated.get(expected) as Negotiated;
    const { example: reason } = expected;
    handling.expected = expected;
    handling.reason =
      reason === 'expired' && issued?.ended
        ? 'expired-on-order'
        : reason === 'unknown-token' && issued
          ? 'revoked'
          : reason;
    handling.reply = records ? filled(documented, handling.at) : documented;
    if (expected !== answers.wrongCredentials) handling.nearest = undefined;
    else if (handling.nearest) handling.reply = withNearest(documented, handling.nearest);
    if (expected !== answers.issued || !client) return;
    const token = tokens.issue({ client, lifetimeSeconds: state.nextLifetime(client) });
    const body = { ...structuredClone(documented.body as object), token };
    // It must not be cached (RFC 6749 section 5.1).
    handling.reply = json(documented.status, body, { ...documented.headers, 'cache-control': 'no-store' });
    handling.issued = tokens.newestOf(client);
  }

  /** Puts the current records into a reply that holds the contract's example of them. */
  function filled(reply: Reply, at: number): Reply {
    if (!records || reply.bytes !== example?.bytes) return reply;
    const bytes = records.body(at);
    return { ...reply, bytes, headers: { ...reply.headers, 'content-length': String(bytes.length) } };
  }

  /** Edits the reply where a deployment does, and sends and records it. */
  async function conclude(handling: Handling): Promise<void> {
    const { request, response, operation, at } = handling;
    handling.reply = finish(handling.reply, handling);
    if (asFile && operation === 'readData') handling.reply = asFile(handling.reply, request.headers, at);
    // With a Date (RFC 9110 section 6.6.1).
    const headers = { ...handling.reply.headers, date: new Date(at).toUTCString() };
    record(handling, await send(response, { ...handling.reply, headers }));
  }

  function record(handling: Handling, ended: ConnectionOutcome): void {
    if (handling.generation !== state.generation) return; // the mock was restored to another moment meanwhile
    const { triggered, client, issued } = handling;
    const exchange = exchangeOf(handling, ended, state, tokens);
    if (triggered && client) applySteps(triggered.after, { tokens, client, issued });
    journal.add(exchange);
  }
}

/** How long before it is first served a file was written. */
const AGE_MS = 60_000;
const SECOND_MS = 1000;

/**
 * Replies as a file server gives them: with validators, and with 304 for a conditional request (RFC 9110 section 13.1). For one
 * file, whose content may change from reply to reply. Returns any reply but a success unchanged.
 */
function createFileReply() {
  /** Of the content that was served last. */
  let file: { bytes?: Buffer; tag: string; modifiedMs: number } = { tag: '', modifiedMs: 0 };

  /** `nowMs` is the server's time. */
  return (reply: Reply, asked: IncomingHttpHeaders, nowMs: number): Reply => {
    const { status, headers, bytes } = reply;
    if (status !== 200) return reply;
    // A mock that was reset is at an earlier time.
    if (file.modifiedMs > nowMs) file = { tag: '', modifiedMs: 0 };
    if (bytes !== file.bytes) {
      const tag = `"${createHash('sha256').update(bytes).digest('base64url').slice(0, 22)}"`;
      // When the content was written; later for each new content, since Last-Modified has whole seconds.
      const second = Math.floor((nowMs - AGE_MS) / SECOND_MS) * SECOND_MS;
      const modifiedMs = tag === file.tag ? file.modifiedMs : Math.max(second, file.modifiedMs + SECOND_MS);
      file = { bytes, tag, modifiedMs };
    }
    const { tag, modifiedMs } = file;
    const validators = { etag: tag, 'last-modified': new Date(modifiedMs).toUTCString() };
    const { 'if-none-match': tags, 'if-modified-since': date = '' } = asked;
    const since = Date.parse(date);
    const isUnchanged =
      tags === undefined ? since >= modifiedMs && since <= nowMs : tags.trim() === '*' || tags.includes(tag);
    if (isUnchanged) return { ...reply, status: 304, headers: validators, bytes: Buffer.alloc(0) };
    return { ...reply, headers: { ...headers, ...validators } };
  };
}

type Methods = ReadonlyMap<string, ReadonlyMap<string, OperationId>>;

/** The refusal also names the client id that was meant, if it has a sentence. */
function withNearest(documented: Negotiated, nearest: string): Reply {
  const { status, headers, body } = documented;
  const { error_description: sentence } = Object(body) as { error_description?: unknown };
  if (typeof sentence !== 'string') return documented;
  const longer = `${sentence} The nearest client id is ${nearest}.`;
  return json(status, { ...(body as object), error_description: longer }, headers);
}

/** The answer to a request to a path or with a method that the contract does not have. */
function refusal(
  request: IncomingMessage,
  path: string,
  methods: Methods,
): Pick<Handling, 'reason' | 'reply'> {
  const allow = [...(methods.get(path)?.keys() ?? [])].join(', ');
  if (allow === '') return { reason: 'no-path', reply: nothingAt(path.slice(0, 100), [...methods.keys()]) };
  const sentence = `${path} does not support ${request.method}. Use ${allow}.`;
  return { reason: 'no-method', reply: failure(405, 'method_not_allowed', sentence, { allow }) };
}

function nothingAt(path: string, paths: readonly string[]): Reply {
  const hint = path.includes('/__mock')
    ? 'The control API of the mock, if enabled, is at /__mock, without a base path.'
    : nearestOf(path, paths) === undefined
      ? `The paths are ${paths.join(', ')}.`
      : `The nearest path is ${nearestOf(path, paths)}.`;
  return failure(404, 'not_found', `There is nothing at ${path}. ${hint}`);
}

/** HEAD is answered wherever GET is. The trailing slash is significant, as in the specification. */
function methodsByPath(operations: readonly Operation[], basePath: string): Methods {
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
  return target.replace(/[?#].*/s, '');
}
