/** Plays a scenario of the mock for one client of the service: the proxy refuses, delays or resets in its place. */
import { hash } from 'node:crypto';
import { createClock } from '../../mocks/clock.ts';
import { type Answer, answers } from '../../mocks/contract/answers.ts';
import { loadContract } from '../../mocks/contract/contract.ts';
import type { ScriptedOperation, Step } from '../../mocks/contract/control-contract.ts';
import { loadProfile, SPECIFICATION } from '../../mocks/contract/profile.ts';
import type { Reply } from '../../mocks/http.ts';
import { engineFor } from '../../mocks/prism.ts';
import type { Scenario, Terms } from '../../mocks/scenarios.ts';
import { scenarios } from '../../mocks/scenarios.ts';
import type { TriggeredSteps } from '../../mocks/script.ts';
import { applySteps, deliveryFor, scriptedReply } from '../../mocks/script.ts';
import { createState } from '../../mocks/state.ts';
import { type IssuedToken, keysOf } from '../../mocks/tokens.ts';
import { UsageError } from '../../tests/support/usage-error.ts';
import { bearerOf, credentialsIn } from '../../tests/traffic/credentials.ts';
import { answerOwn, type Exchange, fieldsOf, readBody, resetClient } from './exchange.ts';
import type { Interfere } from './forward.ts';

export interface Injectable extends Pick<Scenario, 'name' | 'summary'> {
  terms: Terms;
}

/** What the proxy does in place of the service. Everything else would change an answer of the service. */
const ACTIONS: readonly string[] = ['expire', 'revoke', 'expireOthers', 'answer', 'delay', 'reset'];
const TERMS: readonly string[] = ['script', 'tokenLifetime', 'jitter'];

const isPlayable = ({ do: action }: Step): boolean =>
  Object.keys(action).every((name) => ACTIONS.includes(name)) && (action.answer?.status ?? 400) >= 400;

/** The scenarios that can be injected: those that refuse, delay or reset. `now` is in milliseconds since 1970. */
export const injectableAt = (now: number): Injectable[] =>
  scenarios.flatMap(({ name, summary, terms: termsOf }) => {
    const terms = termsOf({ now, renewal: 2 });
    const isChange = terms.script !== undefined || terms.tokenLifetime !== undefined;
    const isOurs = Object.keys(terms).every((key) => TERMS.includes(key));
    return isChange && isOurs && (terms.script ?? []).every(isPlayable) ? [{ name, summary, terms }] : [];
  });

/** Throws UsageError for a scenario that cannot be injected. */
export function injectableNamed(name: string): Injectable {
  const all = injectableAt(Date.now());
  const found = all.find((one) => one.name === name.replace(/^demo-/, ''));
  if (found) return found;
  throw new UsageError(
    `--inject is "${name.slice(0, 100)}", which is not a scenario that the proxy can play. It can play ${all.map((one) => one.name).join(', ')}.`,
  );
}

interface InjectionParts {
  scenario: Injectable;
  /** The id of the client that meets it. */
  client: string;
  /** Resolves when what has passed by now is recorded: a body may have to be decoded. */
  settled(): Promise<void>;
}

/** Of tokens, where the scenario gives none, in seconds: longer than any run, since it is the service that ends them. */
const LIFETIME = 10 * 365 * 86_400;
const MOST_TOKENS = 20_000;

export async function createInjection(parts: InjectionParts): Promise<Interfere> {
  const { scenario, client: id, settled } = parts;
  const contract = loadContract(await loadProfile(SPECIFICATION));
  const engine = await engineFor(contract);
  /** It counts the calls of the client, and ends its tokens; it has a token for each that the service issued. */
  const state = createState({
    ...{ contract, clock: createClock(), tokenLifetime: LIFETIME },
    keys: keysOf('proxy'), // Of tokens that are nowhere accepted.
    ...{ clients: [], scenarios: false, journalSize: 0 },
  });
  const { tokens, scripts, clock } = state;
  const what = `injected: ${scenario.name}`;
  /** The tokens of the state, by the digest of that of the service. */
  const known = new Map<string, IssuedToken>();
  const client = state.addClient({ ...scenario.terms, id, secret: '-' });

  return (exchange, pass) => {
    const { method, target } = exchange;
    const [path] = target.split('?');
    if (method === 'GET' && path === '/ods_data/') void readWith(exchange, pass);
    else if (method === 'POST' && path === '/token/') void askedFor(exchange, pass);
    else pass();
  };

  async function readWith(exchange: Exchange, pass: () => void): Promise<void> {
    await settled();
    const issued = tokenOf(digestOf(bearerOf({ headers: fieldsOf(exchange.rawHeaders) }) ?? ''));
    if (issued) await play(exchange, 'readData', issued, pass);
    else pass();
  }

  /** As it is now: it may have ended. */
  function tokenOf(digest: string): IssuedToken | undefined {
    const issued = known.get(digest);
    return issued && tokens.current(issued);
  }

  /** The token of the state for one that the service issued. */
  function noted(token: string): IssuedToken | undefined {
    const digest = digestOf(token);
    const before = tokenOf(digest);
    if (before || known.size >= MOST_TOKENS) return before;
    const { issued } = tokens.find(tokens.issue({ client, lifetimeSeconds: state.nextLifetime(client) }));
    if (issued) known.set(digest, issued);
    return issued;
  }

  /** Whose token request it is, is in its body. */
  async function askedFor(exchange: Exchange, pass: (read?: Buffer) => void): Promise<void> {
    const body = await readBody(exchange);
    if (!body) return pass();
    const [, query = ''] = exchange.target.split(/\?(.*)/s);
    const { clientId } = credentialsIn({
      headers: fieldsOf(exchange.rawHeaders),
      body: body.toString('utf8'),
      query: [...new URLSearchParams(query)],
    });
    if (clientId === id) await play(exchange, 'obtainToken', undefined, () => pass(body));
    else pass(body);
  }

  async function play(
    exchange: Exchange,
    on: ScriptedOperation,
    issued: IssuedToken | undefined,
    pass: () => void,
  ): Promise<void> {
    const steps = scripts.count(
      client,
      on,
      issued && tokens.statusOf(issued) === 'valid' ? issued.number : undefined,
    );
    const apply = (when: 'before' | 'during' | 'after', token = issued) =>
      steps && applySteps(steps[when], { tokens, client, issued: token, now: clock.now });
    apply('before');
    const reply = replyTo(on, issued, steps);
    // What a token request does to other tokens follows once its own token is known.
    if (on === 'readData') apply('during');
    exchange.onRecorded = (brought) => {
      const token = brought === undefined ? issued : noted(brought);
      if (on === 'obtainToken') apply('during', token);
      apply('after', token);
    };
    const { delayMs = 0, reset } = (steps && deliveryFor(steps)) ?? {};
    if (delayMs > 0) await pause(delayMs, exchange);
    if (exchange.request.socket.destroyed) return;
    if (reset) {
      exchange.proxyAnswer = what;
      resetClient(exchange);
    } else if (reply) {
      const { status, headers, bytes: body } = reply;
      answerOwn(exchange, { status, headers, body, error: 'proxy_internal_response', what });
    } else pass();
  }

  /** What is answered in place of the service; undefined where the service is asked. */
  function replyTo(
    on: ScriptedOperation,
    issued: IssuedToken | undefined,
    steps: TriggeredSteps | undefined,
  ): Reply | undefined {
    const expected = on === 'obtainToken' ? answers.issued : answerFor(issued);
    const scripted = steps && scriptedReply(engine, steps, expected);
    return scripted ?? (expected.status >= 400 ? engine.negotiated(expected) : undefined);
  }

  function answerFor(issued: IssuedToken | undefined): Answer {
    const status = issued && tokens.statusOf(issued); // A step may have ended it.
    if (status === 'expired') return answers.expired;
    return status === 'unknown' ? answers.unknownToken : answers.served;
  }
}

const digestOf = (token: string): string => hash('sha256', token, 'base64url');

/** Ends early if the client disconnects. */
function pause(forMs: number, { request: { socket } }: Exchange): Promise<void> {
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
