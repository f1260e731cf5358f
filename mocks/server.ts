/** The way of a request: route, gather what the gate must know, play the script, ask the gate, fill its answer, send. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type Answer, answers, type OperationId } from './answers.ts';
import { readBearer } from './bearer.ts';
import { readBody } from './body.ts';
import type { Client } from './clients.ts';
import type { Contract } from './contract.ts';
import { type Control, isControl } from './control/control.ts';
import { createDates } from './dates.ts';
import type { Engine } from './engine.ts';
import { readForm } from './form.ts';
import type { Call } from './gate.ts';
import { type Hooks, noHooks } from './hooks.ts';
import { isMove, mannerOf, play, scriptedReply, withAdded } from './play.ts';
import { entryOf, explanation, type Outcome } from './record.ts';
import { fault, noOperation, withToken } from './reply.ts';
import { createRoutes } from './routes.ts';
import type { Due } from './script.ts';
import { type Ending, send, sendEarly, sendSlowly } from './send.ts';
import type { State } from './state.ts';
import type { Issued, Tokens } from './tokens.ts';

export interface Parts extends Partial<Hooks> {
  contract: Contract;
  engine: Engine;
  state: State;
  /** Those of the state, or a deployment's decoration of them. */
  tokens: Tokens;
  /** Absent where the mock takes no orders. */
  control?: Control;
  /** Empty, or a path without a slash at its end. */
  basePath: string;
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
}

const LIMITS: Limits = { bodyBytes: 64 * 1024, requestMs: 10_000, lingerMs: 1_000 };

/** What is known of a request before the gate is asked. */
interface Gathered<Id extends OperationId = OperationId> {
  call: Call & { operation: Id };
  client?: Client | undefined;
  /** The token of the call: the one that it carries, or the client's newest. */
  issued?: Issued | undefined;
  fields?: readonly string[];
}

/** The mock's HTTP server, not listening yet. */
export function createMockServer(parts: Parts): Server {
  const { contract, engine, state, tokens, control, basePath, explain, onFault, limits = LIMITS } = parts;
  const { clock, journal, scripts, random } = state;
  const { form, owed: owedTo, finish } = { ...noHooks, ...parts };
  const route = createRoutes(contract.operations, basePath);
  const dates = createDates();

  const gather: { [Id in OperationId]: (request: IncomingMessage) => Promise<Gathered<Id>> } = {
    async obtainToken(request) {
      const { accept, 'content-type': contentType } = request.headers;
      const body = await readBody(request, limits.bodyBytes);
      if (body === undefined)
        return {
          call: {
            operation: 'obtainToken',
            tooLarge: true,
            violations: [],
            complete: false,
            client: undefined,
          },
        };
      const taken = form(body);
      const violations = await engine.validate('obtainToken', { accept, contentType, body: taken });
      const { values, complete, names } = readForm(taken);
      const client = state.authenticate(values.client_id, values.client_secret);
      return {
        call: { operation: 'obtainToken', tooLarge: false, violations, complete, client },
        client,
        issued: client && tokens.newestOf(client),
        fields: names,
      };
    },
    async readData({ headers: { accept, authorization } }) {
      const bearer = readBearer(authorization);
      const violations = await engine.validate('readData', { accept });
      if (bearer.kind !== 'token') return { call: { operation: 'readData', token: bearer.kind, violations } };
      const { standing, issued } = tokens.find(bearer.token);
      return { call: { operation: 'readData', token: standing, violations }, client: issued?.client, issued };
    },
    async checkHealth({ headers: { accept } }) {
      return {
        call: { operation: 'checkHealth', violations: await engine.validate('checkHealth', { accept }) },
      };
    },
  };

  async function outcomeOf(request: IncomingMessage): Promise<Outcome> {
    const asked = route(request.method ?? '', request.url ?? '');
    if (asked.kind !== 'operation')
      return { reply: await finish(noOperation(asked), { request }), reason: asked.kind };
    const gathered = await gather[asked.id](request);
    const { client } = gathered;
    const due = client && asked.id !== 'checkHealth' ? scripts.count(client, asked.id) : undefined;
    const outcome =
      client && due ? scripted(gathered, client, due) : answered(gathered, owedTo(gathered.call));
    outcome.reply = await finish(outcome.reply, { request, ...(outcome.owed && { owed: outcome.owed }) });
    return outcome;
  }

  function answered({ call, ...known }: Gathered, owed: Answer, issueAgain?: Issued): Outcome {
    const outcome = {
      ...known,
      operation: call.operation,
      owed,
      reply: engine.negotiated(owed),
      reason: owed.example,
    };
    if (owed !== answers.issued || call.operation !== 'obtainToken' || !call.client) return outcome;
    const { client } = call;
    const token = issueAgain?.value ?? tokens.issue({ client, lifetimeSeconds: state.nextLifetime(client) });
    return { ...outcome, issued: tokens.newestOf(client), reply: withToken(engine.negotiated(owed), token) };
  }

  /** The same, where a script has something to do on the call. */
  function scripted(gathered: Gathered, client: Client, due: Due): Outcome {
    const stage = { tokens, client, now: clock.now };
    play(due.before, { ...stage, issued: gathered.issued });
    const owing = afterwards(gathered, due);
    const owed = owedTo(owing.call);
    const reply = scriptedReply(engine, due, owed);
    const again = due.before.some(({ sameToken }) => sameToken) ? owing.issued : undefined;
    const outcome: Outcome = reply
      ? { ...owing, operation: due.on, owed, reply, reason: 'script' }
      : answered(owing, owed, again);
    play(due.during, { ...stage, issued: outcome.issued });
    return { ...outcome, due, reply: withAdded(outcome.reply, due) };
  }

  /** What the gate must know once the script has played: it may have ended the token of the call. */
  function afterwards(gathered: Gathered, { before }: Due): Gathered {
    const { call, issued } = gathered;
    if (call.operation !== 'readData' || !issued || !before.some(isMove)) return gathered;
    const found = state.tokens.find(issued.value);
    return { ...gathered, call: { ...call, token: found.standing }, issued: found.issued };
  }

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const begun = { at: clock.now(), wallAt: Date.now(), started: performance.now() };
    const outcome = await outcomeOf(request);
    const { client, due } = outcome;
    const ahead = outcome.operation === 'readData' ? (client?.skewMs ?? 0) : 0;
    const headers = { ...outcome.reply.headers, date: dates(state.timeOf(client) + ahead) };
    if (explain) Object.assign(headers, explanation(outcome, state));
    const reply = { ...outcome.reply, headers };
    let ending: Ending;
    if (reply.status === 413) sendEarly(request, response, reply, limits.lingerMs);
    else if (due && client) ending = await sendSlowly(response, reply, mannerOf(due, client, random));
    else send(response, reply);
    const entry = entryOf(request, { ...outcome, reply }, { ...begun, ending }, parts);
    if (due && client) play(due.after, { tokens, client, issued: outcome.issued, now: clock.now });
    journal.add(entry);
  }

  const timeouts = {
    requestTimeout: limits.requestMs, // Node lets it bound the head as well
    connectionsCheckingInterval: limits.requestMs / 10, // how often Node looks whether a time has run out
  };
  return createServer(timeouts, async (request, response) => {
    try {
      if (!control || !isControl(request.url)) return await serve(request, response);
      const reply = await control(request, response);
      if (reply) send(response, reply);
    } catch (error) {
      if (request.destroyed && !request.complete) return; // the client has gone: there is nobody to answer
      onFault(error);
      if (response.headersSent) response.destroy();
      else send(response, fault());
    }
  });
}
