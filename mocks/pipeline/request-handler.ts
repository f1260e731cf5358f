/** What a request comes to: gather what the gate must know, play the client's script, ask the gate, fill its answer. */
import type { IncomingMessage } from 'node:http';
import { type Answer, answers, type OperationId } from '../contract/answers.ts';
import type { Contract } from '../contract/contract.ts';
import type { Upload } from '../contract/upload-operation.ts';
import type { Engine } from '../engine/prism-engine.ts';
import { createFill } from '../records/fill.ts';
import type { Records } from '../records/source.ts';
import type { Client } from '../state/clients.ts';
import { withinCalendar } from '../state/clock.ts';
import type { TriggeredSteps } from '../state/script.ts';
import type { State } from '../state/state.ts';
import type { IssuedToken, Tokens } from '../state/tokens.ts';
import { take, withUploadResult } from '../uploads/upload.ts';
import { readBearer } from '../wire/bearer.ts';
import { readBody } from '../wire/body.ts';
import { type MaybePromise, andThen } from '../wire/maybe-promise.ts';
import { type Reply, withToken } from '../wire/reply.ts';
import { readForm } from '../wire/token-form.ts';
import { type Hooks, plainHooks } from './hooks.ts';
import { createRoutes, noOperation } from './routes.ts';
import { isMove, applySteps, scriptedReply, withAdded } from './script-effects.ts';
import type { Call } from './select-answer.ts';

export interface HandlerParts extends Partial<Hooks> {
  contract: Contract;
  engine: Engine;
  state: State;
  /** Those of the state, or a deployment's decoration of them. */
  tokens: Tokens;
  /** Absent where the data is the contract's example. */
  records?: Records;
  /** Empty, or a path without a slash at its end. */
  basePath: string;
}

/** What a request has come to. */
export interface Outcome {
  reply: Reply;
  /** Why: the name of the contract's example, or what else was answered. */
  reason: string;
  operation: OperationId | undefined;
  /** What the contract owes; a script may have answered otherwise. */
  owed: Answer | undefined;
  client: Client | undefined;
  /** The token that was sent or issued. */
  issued: IssuedToken | undefined;
  /** What a script has to do. */
  due: TriggeredSteps | undefined;
  /** Names of the fields of a form. */
  fields: readonly string[] | undefined;
}

/** What is known of a request before the gate is asked. */
interface ResolvedRequest {
  call: Call;
  client: Client | undefined;
  /** The token of the call: the one that it carries, or the client's newest. */
  issued: IssuedToken | undefined;
  fields: readonly string[] | undefined;
  /** The token that was sent, as it was sent. */
  sent?: string;
}

/** Rejects if the client goes away before its body is there. */
export type Judge = (request: IncomingMessage) => MaybePromise<Outcome>;

/** A longer body than `bodyBytes` is not read. */
export function createRequestHandler(parts: HandlerParts, bodyBytes: number): Judge {
  const { contract, engine, state, tokens, records, basePath } = parts;
  const { form, owed: selectAnswer, finish } = { ...plainHooks, ...parts };
  const route = createRoutes(contract.operations, basePath);
  const isOpen = !contract.needsToken('readData');
  const fill = createFill(records, engine.negotiated(answers.served));
  /** By the clock that the header Date of the data shows. */
  const dataTime = (client: Client | undefined) => () =>
    withinCalendar(state.timeOf(client) + (client?.skewMs ?? 0));
  /** The newest token of a client, as it was sent: a deployment may give it another shape than it is kept in. */
  const shown = new WeakMap<Client, { value: string; token: string }>();

  const gather: { [Id in OperationId]: (request: IncomingMessage) => MaybePromise<ResolvedRequest> } = {
    async obtainToken(request) {
      const { accept, 'content-type': contentType } = request.headers;
      const body = await readBody(request, bodyBytes);
      if (body === undefined) return { call: TOO_LARGE, ...NO_CLIENT };
      const taken = form(body);
      const violations = await engine.validate('obtainToken', { accept, contentType, body: taken });
      const { values, complete, names: fields } = readForm(taken);
      const client = state.authenticate(values.client_id, values.client_secret);
      const call: Call = { operation: 'obtainToken', tooLarge: false, violations, complete, client };
      return { call, client, issued: client && tokens.newestOf(client), fields };
    },
    readData({ headers: { accept, authorization } }) {
      return andThen(engine.validate('readData', { accept }), (violations) => {
        if (isOpen) return { call: { operation: 'readData', token: 'valid', violations }, ...NO_CLIENT };
        const bearer = readBearer(authorization);
        if (bearer.kind !== 'token')
          return { call: { operation: 'readData', token: bearer.kind, violations }, ...NO_CLIENT };
        const { standing: token, issued } = tokens.find(bearer.token);
        const unscoped = issued?.client.scopes?.length === 0;
        const call: Call = { operation: 'readData', token, unscoped, violations };
        return { call, client: issued?.client, issued, fields: undefined, sent: bearer.token };
      });
    },
    checkHealth({ headers: { accept } }) {
      return andThen(engine.validate('checkHealth', { accept }), (violations) => ({
        call: { operation: 'checkHealth', violations },
        ...NO_CLIENT,
      }));
    },
  };

  async function gatherUpload(request: IncomingMessage, id: OperationId, upload: Upload): Promise<ResolvedRequest> {
    const bearer = readBearer(request.headers.authorization);
    if (bearer.kind !== 'token') return { call: { operation: id, upload, token: bearer.kind }, ...NO_CLIENT };
    const { standing: token, issued } = tokens.find(bearer.token);
    const call: Call = { operation: id, upload, token };
    if (token === 'valid') call.reading = await take(request, upload);
    return { call, client: issued?.client, issued, fields: undefined };
  }

  return (request) => {
    const asked = route(request.method ?? '', request.url ?? '');
    if (asked.kind !== 'operation')
      return andThen(finish(noOperation(asked), { request }), (reply) => ({
        ...{ reply, reason: asked.kind, operation: undefined, owed: undefined, due: undefined },
        ...NO_CLIENT,
      }));
    const upload = contract.uploads.get(asked.id);
    const gathering = upload ? gatherUpload(request, asked.id, upload) : gather[asked.id](request);
    return andThen(gathering, (gathered) => {
      const { client } = gathered;
      const due = client && state.scripts.count(client, asked.id as TriggeredSteps['on']);
      const outcome = due ? scripted(gathered, client, due) : answered(gathered, selectAnswer(gathered.call));
      if (finish === plainHooks.finish || !outcome.owed) return outcome;
      return andThen(finish(outcome.reply, { request, owed: outcome.owed }), (reply) => ({
        ...outcome,
        reply,
      }));
    });
  };

  function answered({ call, client, issued, fields }: ResolvedRequest, owed: Answer, again?: IssuedToken): Outcome {
    const outcome: Outcome = {
      reply: fill(engine.negotiated(owed), dataTime(client)),
      reason: owed.example,
      operation: call.operation,
      owed,
      client,
      issued,
      due: undefined,
      fields,
    };
    if (owed === answers.issued && client) {
      const last = shown.get(client);
      const token =
        again && again.value === last?.value
          ? last.token
          : tokens.issue({ client, lifetimeSeconds: state.nextLifetime(client) });
      outcome.reply = withToken(engine.negotiated(owed), token);
      outcome.issued = tokens.newestOf(client);
      if (outcome.issued) shown.set(client, { value: outcome.issued.value, token });
    }
    if ('upload' in call && call.reading) outcome.reply = withUploadResult(engine.negotiated(owed), call.reading);
    return outcome;
  }

  /** The same, where a script has something to do on the call. */
  function scripted(gathered: ResolvedRequest, client: Client, due: TriggeredSteps): Outcome {
    const stage = { tokens, client, now: state.clock.now };
    applySteps(due.before, { ...stage, issued: gathered.issued });
    const owing = afterwards(gathered, due);
    const owed = selectAnswer(owing.call);
    const made = scriptedReply(engine, due, owed);
    const reply = made && fill(made, dataTime(client));
    const newest = owing.issued && tokens.statusOf(owing.issued) === 'valid' ? owing.issued : undefined;
    const again = due.before.some(({ sameToken }) => sameToken) ? newest : undefined;
    const outcome: Outcome = reply
      ? { ...owing, operation: due.on, owed, reply, reason: 'script', due }
      : { ...answered(owing, owed, again), due };
    applySteps(due.during, { ...stage, issued: outcome.issued });
    return { ...outcome, reply: withAdded(outcome.reply, due) };
  }

  /** What the gate must know once the script has played: it may have ended the token of the call. */
  function afterwards(gathered: ResolvedRequest, { before }: TriggeredSteps): ResolvedRequest {
    const { call, sent } = gathered;
    if (
      !('violations' in call) ||
      call.operation !== 'readData' ||
      sent === undefined ||
      !before.some(isMove)
    )
      return gathered;
    const found = tokens.find(sent);
    return { ...gathered, call: { ...call, token: found.standing }, issued: found.issued };
  }
}

const NO_CLIENT = { client: undefined, issued: undefined, fields: undefined };

const TOO_LARGE: Call = {
  operation: 'obtainToken',
  tooLarge: true,
  violations: [],
  complete: false,
  client: undefined,
};
