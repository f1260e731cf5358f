/** Plays a scenario of the mock for one client of the service: the proxy refuses, delays or resets in its place. */
import type { IncomingMessage } from 'node:http';
import { type Answer, answers } from '../../mocks/contract/answers.ts';
import type { ScriptedOperation } from '../../mocks/contract/control-types.ts';
import type { Reply } from '../../mocks/http.ts';
import type { Engine } from '../../mocks/prism.ts';
import type { TriggeredSteps } from '../../mocks/rules.ts';
import { applySteps, deliveryFor, scriptedReply } from '../../mocks/rules.ts';
import type { State } from '../../mocks/state.ts';
import type { IssuedToken } from '../../mocks/tokens.ts';
import { bearerOf, credentialsIn } from '../../tests/traffic/credentials.ts';
import type { Field } from '../../tests/traffic/exchange.ts';
import { proxyStatus } from './forward/own-answer.ts';
import { readBody } from './forward/read-body.ts';
import type { Interfere } from './forward/server.ts';
import { answerOwn, resetClient, type UnderWay } from './forward/under-way.ts';

export interface InjectionParts {
  scenario: string;
  /** The id of the client that meets it. */
  client: string;
  /** Holds the client with the terms of the scenario, and a token for each that it was issued. */
  state: State;
  engine: Engine;
  /** The token of `state` that represents one that passed; to be asked once `settled` resolves. */
  tokenOf(value: string): IssuedToken | undefined;
  /** Resolves when what has passed by now is recorded: a body may have to be decoded. */
  settled(): Promise<void>;
}

export function createInjection({
  scenario,
  client: id,
  state,
  engine,
  tokenOf,
  settled,
}: InjectionParts): Interfere {
  const what = `injected: ${scenario}`;
  const { tokens, scripts, random, clock } = state;

  return (exchange, pass) => {
    const { request, target } = exchange;
    const on = operationOf(request.method, target);
    if (on === 'readData') void readWith(bearerOf({ headers: fieldsOf(request) }) ?? '', exchange, pass);
    else if (on === 'obtainToken') void askedFor(exchange, pass);
    else pass();
  };

  async function readWith(token: string, exchange: UnderWay, pass: () => void): Promise<void> {
    await settled();
    const issued = tokenOf(token);
    if (issued?.client.id === id) await play(exchange, 'readData', issued, pass);
    else pass();
  }

  /** Whose token request it is, is in its body. */
  async function askedFor(exchange: UnderWay, pass: (read?: Buffer) => void): Promise<void> {
    const body = await readBody(exchange);
    if (!body) return pass();
    const [, query = ''] = exchange.target.split(/\?(.*)/s);
    const { clientId } = credentialsIn({
      headers: fieldsOf(exchange.request),
      body: body.toString('utf8'),
      query: [...new URLSearchParams(query)],
    });
    if (clientId !== id) return pass(body);
    await play(exchange, 'obtainToken', undefined, () => pass(body));
  }

  async function play(
    exchange: UnderWay,
    on: ScriptedOperation,
    issued: IssuedToken | undefined,
    pass: () => void,
  ): Promise<void> {
    const client = state.clients.get(id);
    if (!client) return pass();
    const steps = scripts.count(client, on);
    const apply = (when: 'before' | 'during' | 'after', token = issued) =>
      steps && applySteps(steps[when], { tokens, client, issued: token, now: clock.now });
    apply('before');
    const reply = replyTo(on, issued, steps);
    // What a token request does to other tokens follows once its own token is known.
    if (on === 'readData') apply('during');
    exchange.notes.onRecorded = (token) => {
      if (on === 'obtainToken') apply('during', token);
      apply('after', token ?? issued);
    };
    const { delayMs = 0, reset } = (steps && deliveryFor(steps, client, random)) ?? {};
    if (delayMs > 0) await pause(delayMs, exchange.request);
    if (exchange.request.socket.destroyed) return;
    if (reset) {
      exchange.notes.proxyAnswer = what;
      resetClient(exchange);
    } else if (reply)
      answerOwn(exchange, {
        status: reply.status,
        headers: { ...reply.headers, 'proxy-status': proxyStatus('proxy_internal_response') },
        body: reply.bytes,
        what,
      });
    else pass();
  }

  /** What is answered in place of the service; undefined where the service is asked. */
  function replyTo(
    on: ScriptedOperation,
    issued: IssuedToken | undefined,
    steps: TriggeredSteps | undefined,
  ): Reply | undefined {
    const expected = on === 'obtainToken' ? answers.issued : answerFor(issued);
    const scripted = steps && scriptedReply(engine, steps, expected);
    if (scripted) return scripted;
    return expected.status >= 400 ? engine.negotiated(expected) : undefined;
  }

  function answerFor(issued: IssuedToken | undefined): Answer {
    const status = issued && tokens.find(issued.value).status; // A step may have ended it.
    if (status === 'expired') return answers.expired;
    return status === 'unknown' ? answers.unknownToken : answers.served;
  }
}

function operationOf(method: string | undefined, target: string): ScriptedOperation | undefined {
  const [path] = target.split('?');
  if (method === 'POST' && path === '/token/') return 'obtainToken';
  return method === 'GET' && path === '/ods_data/' ? 'readData' : undefined;
}

const fieldsOf = ({ rawHeaders }: IncomingMessage): Field[] =>
  rawHeaders.flatMap((name, at): Field[] =>
    at % 2 === 0 ? [[name.toLowerCase(), rawHeaders[at + 1] ?? '']] : [],
  );

/** Ends early if the client disconnects. */
function pause(forMs: number, { socket }: IncomingMessage): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      socket.off('close', done);
      resolve();
    };
    const timer = setTimeout(done, forMs);
    socket.once('close', done);
  });
}
