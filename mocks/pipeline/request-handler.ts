/** From a request to its outcome: route, resolve, run the client's script, select the answer, build the reply. */
import type { IncomingMessage } from 'node:http';
import type { Answer } from '../contract/answers.ts';
import type { ScriptedOperation } from '../contract/control-types.ts';
import type { Client } from '../state/clients.ts';
import type { TriggeredSteps } from '../state/script.ts';
import type { IssuedToken } from '../state/tokens.ts';
import { isPreflight, preflightReply } from '../wire/cors.ts';
import { createFileReply } from '../wire/file-reply.ts';
import { andThen, type MaybePromise } from '../wire/maybe-promise.ts';
import type { Reply } from '../wire/reply.ts';
import { createReplyBuilder, type Outcome, type ReplyParts } from './build-reply.ts';
import { type Hooks, plainHooks } from './hooks.ts';
import { createResolver, type ResolvedRequest, type ResolverParts } from './resolve-request.ts';
import { createRoutes, noOperation } from './routes.ts';
import { applySteps, endsTokens, scriptedReply, withAddedMembers } from './script-effects.ts';

export interface HandlerParts extends ResolverParts, ReplyParts, Partial<Hooks> {
  /** Empty, or a path without a trailing slash. */
  basePath: string;
  /** Lets pages of other origins call the API. */
  cors?: boolean;
}

/** Rejects if the client disconnects before its body has arrived. */
export type RequestHandler = (request: IncomingMessage) => MaybePromise<Outcome>;

/** A body longer than `bodyBytes` is not read. */
export function createRequestHandler(parts: HandlerParts, bodyBytes: number): RequestHandler {
  const { contract, engine, state, tokens, basePath, cors } = parts;
  const { editForm, selectAnswer, finish }: Hooks = { ...plainHooks, ...parts };
  const routeOf = createRoutes(contract.operations, basePath);
  const resolve = createResolver(parts, editForm, bodyBytes);
  const { build, fill } = createReplyBuilder(parts);
  const asFile = contract.isFile() ? createFileReply() : undefined;

  return (request) => {
    const route = routeOf(request.method ?? '', request.url ?? '');
    if (cors && route.kind === 'no-method' && isPreflight(request))
      return finished(request, unmatched(preflightReply(request, route.allow), 'preflight'));
    if (route.kind !== 'operation') return finished(request, unmatched(noOperation(route), route.kind));
    return andThen(resolve(request, route.id), (resolved) => {
      const { client, call, issued } = resolved;
      const isCounted = client && !(request.method === 'HEAD' && route.id === 'readData');
      const token = call.kind === 'data' && call.token === 'valid' ? issued?.number : undefined;
      const triggered = isCounted && state.scripts.count(client, route.id as ScriptedOperation, token);
      return finished(
        request,
        triggered ? scripted(resolved, client, triggered) : build(resolved, selectAnswer(resolved.call)),
      );
    });
  };

  function finished(request: IncomingMessage, outcome: Outcome): MaybePromise<Outcome> {
    if (!finish && !asFile) return outcome;
    const { reply, expected, operation, client } = outcome;
    return andThen(finish ? finish(reply, { request, expected }) : reply, (edited) => ({
      ...outcome,
      reply:
        asFile && operation === 'readData' ? asFile(edited, request.headers, state.timeOf(client)) : edited,
    }));
  }

  /** The outcome of a request that triggers steps of the client's script. */
  function scripted(resolved: ResolvedRequest, client: Client, triggered: TriggeredSteps): Outcome {
    const context = { tokens, client, now: state.clock.now };
    applySteps(triggered.before, { ...context, issued: resolved.issued });
    const current = resolvedAgain(resolved, triggered);
    const expected = selectAnswer(current.call);
    const reply = scriptedReply(engine, triggered, expected);
    const outcome = reply
      ? replaced(current, triggered, expected, fill(reply, client))
      : build(current, expected, tokenToReuse(current, triggered));
    outcome.triggered = triggered;
    applySteps(triggered.during, { ...context, issued: outcome.issued });
    outcome.reply = withAddedMembers(outcome.reply, triggered);
    return outcome;
  }

  /** The request once the script has run: it may have ended the token that the request carries. */
  function resolvedAgain(resolved: ResolvedRequest, { before }: TriggeredSteps): ResolvedRequest {
    const { call, bearer } = resolved;
    if (call.kind !== 'data' || bearer === undefined || !before.some(endsTokens)) return resolved;
    const { status, issued } = tokens.find(bearer);
    return { ...resolved, call: { ...call, token: status }, issued };
  }

  /** The client's newest token, if a step asks for it again and it is still valid. */
  function tokenToReuse({ issued }: ResolvedRequest, { before }: TriggeredSteps): IssuedToken | undefined {
    if (!before.some(({ sameToken }) => sameToken)) return undefined;
    return issued && tokens.statusOf(issued) === 'valid' ? issued : undefined;
  }
}

/** The outcome of a request to a path or with a method that the contract does not have. */
const unmatched = (reply: Reply, reason: string): Outcome => ({
  reply,
  reason,
  operation: undefined,
  expected: undefined,
  client: undefined,
  issued: undefined,
  triggered: undefined,
  fields: undefined,
});

/** The outcome of a request that a script answers instead of the contract. */
const replaced = (
  { client, issued, fields }: ResolvedRequest,
  triggered: TriggeredSteps,
  expected: Answer,
  reply: Reply,
): Outcome => ({
  reply,
  reason: 'script',
  operation: triggered.on,
  expected,
  client,
  issued,
  triggered,
  fields,
});
