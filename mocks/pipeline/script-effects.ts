/** What a step of a script changes: tokens and time, the answer, and the way in which it is sent. */
import type { Answer } from '../contract/answers.ts';
import type {
  Action,
  Delay,
  Duration,
  ScriptedAnswer,
  ScriptedOperation,
} from '../contract/control-types.ts';
import type { Engine } from '../engine/prism-engine.ts';
import type { Client } from '../state/clients.ts';
import { withinCalendar } from '../state/clock.ts';
import { secondsIn } from '../state/duration.ts';
import type { Random } from '../state/random.ts';
import type { TriggeredSteps } from '../state/script.ts';
import { documented } from '../state/script-check.ts';
import type { IssuedToken, Tokens } from '../state/tokens.ts';
import { json, type Reply } from '../wire/reply.ts';
import type { Delivery } from '../wire/send.ts';

const STATE_ACTIONS: readonly string[] = [
  'expire',
  'revoke',
  'advance',
  'advanceToExpiry',
  'expireOthers',
] satisfies readonly KeyOfAny<Action>[];

type KeyOfAny<Union> = Union extends unknown ? keyof Union : never;

/** Whether the action ends tokens or moves time. */
export const endsTokens = (action: Action): boolean =>
  Object.keys(action).some((name) => STATE_ACTIONS.includes(name));

export interface StepContext {
  tokens: Pick<Tokens, 'end'>;
  client: Client;
  /** The token that the request carries, or the client's newest. */
  issued: IssuedToken | undefined;
  /** The mock's clock, in milliseconds. */
  now: () => number;
}

/** Applies what the actions change about tokens and time. */
export function applySteps(actions: readonly Action[], { tokens, client, issued, now }: StepContext): void {
  const ofClient = (one: IssuedToken) => one.client === client;
  const chosen = (whose: 'token' | 'client') => (whose === 'client' ? ofClient : (issued ?? (() => false)));
  for (const { expire, revoke, advance, advanceToExpiry, expireOthers } of actions) {
    if (advance !== undefined) client.aheadMs = withinCalendar(client.aheadMs + msIn(advance));
    if (advanceToExpiry !== undefined && issued)
      client.aheadMs = withinCalendar(issued.expiresAt - client.skewMs - now() + msIn(advanceToExpiry));
    if (expire) tokens.end(chosen(expire), 'expired');
    if (revoke) tokens.end(chosen(revoke), 'revoked');
    if (expireOthers) tokens.end((one) => ofClient(one) && one.value !== issued?.value, 'expired');
  }
}

/**
 * The answer that the script gives instead of the expected one; undefined if it gives none. A success only replaces a
 * success: no script gives the data to a token that is not valid.
 */
export function scriptedReply(
  engine: Engine,
  triggered: TriggeredSteps,
  expected: Answer,
): Reply | undefined {
  const { on, before, retryAfterSeconds } = triggered;
  const answer = before.findLast((action) => action.answer)?.answer;
  if (!answer || (answer.status < 300 && expected.status >= 300)) return undefined;
  const reply = known.get(answer) ?? replyOf(engine, on, answer);
  known.set(answer, reply);
  if (retryAfterSeconds === undefined || lowerCaseNames(answer.headers)['retry-after']) return reply;
  return { ...reply, headers: { ...reply.headers, 'retry-after': String(retryAfterSeconds) } };
}

/** Each reply is built once: a script may answer many requests with a thousand records. */
const known = new WeakMap<ScriptedAnswer, Reply>();

function replyOf(
  engine: Engine,
  on: ScriptedOperation,
  { status, example, headers, body }: ScriptedAnswer,
): Reply {
  const answer = body === undefined ? documented(on, status, example) : undefined;
  if (answer) {
    const { bytes, headers: negotiated } = engine.negotiated(answer);
    return { status, bytes, headers: { ...negotiated, ...lowerCaseNames(headers) } };
  }
  const text = typeof body === 'string' ? body : body === undefined ? '' : JSON.stringify(body);
  const bytes = Buffer.from(text);
  if (status === 204 || status === 304)
    // These have neither a body nor its length (RFC 9110 sections 8.6 and 15.4.5).
    return { status, bytes: Buffer.alloc(0), headers: lowerCaseNames(headers) };
  const type = text === '' ? {} : { 'content-type': 'application/json' };
  const length = { 'content-length': String(bytes.length) };
  return { status, bytes, headers: { ...type, ...length, ...lowerCaseNames(headers) } };
}

const lowerCaseNames = (headers: Readonly<Record<string, string>> = {}): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));

/** Adds the script's members to the JSON object of a success; any other reply is returned unchanged. */
export function withAddedMembers(reply: Reply, { before }: TriggeredSteps): Reply {
  const added = before.flatMap(({ add }) => add ?? []);
  if (added.length === 0 || reply.status >= 300) return reply;
  const body = objectIn(reply.bytes.toString());
  return body ? json(reply.status, Object.assign({}, body, ...added), reply.headers) : reply;
}

function objectIn(text: string): object | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** How the script has the answer sent; undefined: at once and completely. */
export function deliveryFor(
  { on, before, call }: TriggeredSteps,
  client: Client,
  random: Random,
): Delivery | undefined {
  const { drip, cut, reset, delay }: Action = Object.assign({}, ...before);
  if (!drip && cut === undefined && !reset && delay === undefined) return undefined;
  return {
    ...(drip && { drip: { bytes: drip.bytes, everyMs: msIn(drip.every) } }),
    ...(cut !== undefined && { cut }),
    ...(reset && { reset }),
    ...(delay !== undefined && { delayMs: delayMs(delay, random, `delay of ${on} ${call} of ${client.id}`) }),
  };
}

function delayMs(delay: Delay, random: Random, purpose: string): number {
  if (typeof delay !== 'object') return msIn(delay);
  const share = random.share(purpose);
  if ('from' in delay) return msIn(delay.from) + share * (msIn(delay.to) - msIn(delay.from));
  // A standard normal variate from two uniform ones (Box and Muller, 1958).
  const normal =
    Math.sqrt(-2 * Math.log(1 - share)) * Math.cos(2 * Math.PI * random.share(`${purpose}, angle`));
  return msIn(delay.median) * Math.exp(delay.sigma * normal);
}

const msIn = (duration: Duration): number => secondsIn(duration) * 1000;
