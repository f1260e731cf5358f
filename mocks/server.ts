/** The way of a request: route, gather what the gate must know, ask the gate, fill its answer, send. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { answers, type OperationId } from './answers.ts';
import { readBearer } from './bearer.ts';
import { readBody } from './body.ts';
import type { Clients } from './clients.ts';
import type { Contract } from './contract.ts';
import { type Control, isControl } from './control.ts';
import type { Engine } from './engine.ts';
import { readForm } from './form.ts';
import type { Call } from './gate.ts';
import { type Hooks, noHooks } from './hooks.ts';
import { fault, noOperation, type Reply, withToken } from './reply.ts';
import { createRoutes } from './routes.ts';
import type { Tokens } from './tokens.ts';

export interface Parts extends Partial<Hooks> {
  contract: Contract;
  engine: Engine;
  clients: Clients;
  tokens: Tokens;
  /** Of the header Date, in milliseconds. */
  now: () => number;
  /** Absent where the mock takes no orders. */
  control?: Control;
  /** Empty, or a path without a slash at its end. */
  basePath: string;
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

/** The mock's HTTP server, not listening yet. */
export function createMockServer(parts: Parts): Server {
  const { contract, engine, clients, tokens, now, control, basePath, onFault, limits = LIMITS } = parts;
  const { form, owed: owedTo, finish } = { ...noHooks, ...parts };
  const route = createRoutes(contract.operations, basePath);

  const gather: { [Id in OperationId]: (request: IncomingMessage) => Promise<Call & { operation: Id }> } = {
    async obtainToken(request) {
      const { accept, 'content-type': contentType } = request.headers;
      const body = await readBody(request, limits.bodyBytes);
      const tooLarge = body === undefined;
      if (tooLarge)
        return { operation: 'obtainToken', tooLarge, violations: [], complete: false, client: undefined };
      const taken = form(body);
      const violations = await engine.validate('obtainToken', { accept, contentType, body: taken });
      const { values, complete } = readForm(taken);
      const client = clients.authenticate(values.client_id, values.client_secret);
      return { operation: 'obtainToken', tooLarge, violations, complete, client };
    },
    async readData({ headers: { accept, authorization } }) {
      const bearer = readBearer(authorization);
      const token = bearer.kind === 'token' ? tokens.standing(bearer.token) : bearer.kind;
      return { operation: 'readData', token, violations: await engine.validate('readData', { accept }) };
    },
    async checkHealth({ headers: { accept } }) {
      return { operation: 'checkHealth', violations: await engine.validate('checkHealth', { accept }) };
    },
  };

  async function replyTo(request: IncomingMessage): Promise<Reply> {
    if (control && isControl(request.url)) return control(request);
    const asked = route(request.method ?? '', request.url ?? '');
    if (asked.kind !== 'operation') return finish(noOperation(asked), { request });
    const call = await gather[asked.id](request);
    const owed = owedTo(call);
    const answer = engine.negotiated(owed);
    const reply =
      owed === answers.issued && call.operation === 'obtainToken' && call.client
        ? withToken(answer, tokens.issue(call.client.tokenLifetimeSeconds))
        : answer;
    return finish(reply, { request, owed });
  }

  const timeouts = {
    requestTimeout: limits.requestMs, // Node lets it bound the head as well
    connectionsCheckingInterval: limits.requestMs / 10, // how often Node looks whether a time has run out
  };
  return createServer(timeouts, async (request, response) => {
    try {
      const reply = await replyTo(request);
      if (reply.status === 413) sendEarly(request, response, reply, limits.lingerMs);
      else {
        response.setHeader('date', new Date(now()).toUTCString());
        response.writeHead(reply.status, reply.headers).end(reply.bytes);
      }
    } catch (error) {
      if (request.destroyed && !request.complete) return; // the client has gone: there is nobody to answer
      onFault(error);
      const reply = fault();
      response.writeHead(reply.status, reply.headers).end(reply.bytes);
    }
  });
}

/**
 * Answers a request whose body is still arriving, and closes. To close at once would reset the connection,
 * and the client could lose the answer; so what still comes is received and thrown away, for a short while.
 */
function sendEarly(request: IncomingMessage, response: ServerResponse, reply: Reply, lingerMs: number): void {
  response.writeHead(reply.status, { ...reply.headers, connection: 'close' }).write(reply.bytes);
  const close = () => response.end();
  const late = setTimeout(close, lingerMs);
  request
    .once('end', close)
    .once('close', () => clearTimeout(late))
    .resume();
}
