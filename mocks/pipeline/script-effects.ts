/** What a step of a script does: to tokens and time, to the answer, and to the way in which it is sent. */
import type { Duration, Action, Delay, ScriptedOperation, ScriptedAnswer } from '../contract/control-types.ts';
import type { Answer } from '../contract/answers.ts';
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

/** What can also be done while an answer is on its way, or afterwards. */
const MOVES: readonly string[] = ['expire', 'revoke', 'advance', 'advanceToExpiry', 'expireOthers'];

/** Whether it ends tokens or moves time. */
export const isMove = (action: Action): boolean => Object.keys(action).some((name) => MOVES.includes(name));

export interface StepContext {
  tokens: Pick<Tokens, 'end'>;
  client: Client;
  /** The token of the call: the one that it carries, or the client's newest. */
  issued: IssuedToken | undefined;
  /** The mock's clock, in milliseconds. */
  now: () => number;
}

/** Does the part of the actions that is about tokens and time. */
export function applySteps(actions: readonly Action[], { tokens, client, issued, now }: StepContext): void {
  const ofClient = (one: IssuedToken) => one.client === client;
  const chosen = (whose: 'token' | 'client') => (whose === 'client' ? ofClient : (issued ?? (() => false)));
  for (const { expire, revoke, advance, advanceToExpiry, expireOthers } of actions) {
    if (advance !== undefined) client.aheadMs = withinCalendar(client.aheadMs + secondsIn(advance) * 1000);
    if (advanceToExpiry !== undefined && issued)
      client.aheadMs = withinCalendar(
        issued.expiresAt - client.skewMs - now() + secondsIn(advanceToExpiry) * 1000,
      );
    if (expire) tokens.end(chosen(expire), 'expired');
    if (revoke) tokens.end(chosen(revoke), 'revoked');
    if (expireOthers) tokens.end((one) => ofClient(one) && one.value !== issued?.value, 'expired');
  }
}

/**
 * The answer that the script gives instead of the one that is owed; undefined if it gives none. A success stands in
 * for a success alone: no script opens the data to a token that is dead.
 */
export function scriptedReply(engine: Engine, due: TriggeredSteps, owed: Answer): Reply | undefined {
  const answer = due.before.findLast((action) => action.answer)?.answer;
  if (!answer || (answer.status < 300 && owed.status >= 300)) return undefined;
  const reply = made.get(answer) ?? replyOf(engine, due.on, answer);
  made.set(answer, reply);
  if (due.retryAfterSeconds === undefined || lowered(answer.headers)['retry-after']) return reply;
  return { ...reply, headers: { ...reply.headers, 'retry-after': String(due.retryAfterSeconds) } };
}

/** Each once: a script may answer with a thousand records again and again. */
const made = new WeakMap<ScriptedAnswer, Reply>();

function replyOf(engine: Engine, on: ScriptedOperation, { status, example, headers, body }: ScriptedAnswer): Reply {
  const own = body === undefined ? documented(on, status, example) : undefined;
  if (own) {
    const { bytes, headers: negotiated } = engine.negotiated(own);
    return { status, bytes, headers: { ...negotiated, ...lowered(headers) } };
  }
  const text = typeof body === 'string' ? body : body === undefined ? '' : JSON.stringify(body);
  const bytes = Buffer.from(text);
  if (status === 204 || status === 304)
    // have neither (RFC 9110 sections 8.6 and 15.4.5)
    return { status, bytes: Buffer.alloc(0), headers: lowered(headers) };
  const type = text === '' ? {} : { 'content-type': 'application/json' };
  return { status, bytes, headers: { ...type, 'content-length': String(bytes.length), ...lowered(headers) } };
}

const lowered = (headers: Record<string, string> = {}): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));

/** The reply with the members that the script adds to a success; one whose body is no JSON object stays as it is. */
export function withAdded(reply: Reply, { before }: TriggeredSteps): Reply {
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

/** In which way the script has the answer sent; undefined: at once and whole. */
export function deliveryFor({ on, before, call }: TriggeredSteps, client: Client, random: Random): Delivery | undefined {
  const { drip, cut, reset, delay } = Object.assign({}, ...before) as Action;
  if (!drip && cut === undefined && !reset && delay === undefined) return undefined;
  return {
    ...(drip && { drip: { bytes: drip.bytes, everyMs: secondsIn(drip.every) * 1000 } }),
    ...(cut !== undefined && { cut }),
    ...(reset && { reset }),
    ...(delay !== undefined && { delayMs: delayMs(delay, random, `delay of ${on} ${call} of ${client.id}`) }),
  };
}

/** In milliseconds. */
function delayMs(delay: Delay, random: Random, purpose: string): number {
  const ms = (duration: Duration) => secondsIn(duration) * 1000;
  if (typeof delay !== 'object') return ms(delay);
  const share = random.share(purpose);
  if ('from' in delay) return ms(delay.from) + share * (ms(delay.to) - ms(delay.from));
  // A standard normal variate out of two uniform ones (Box and Muller, 1958).
  const normal =
    Math.sqrt(-2 * Math.log(1 - share)) * Math.cos(2 * Math.PI * random.share(`${purpose}, angle`));
  return ms(delay.median) * Math.exp(delay.sigma * normal);
}
