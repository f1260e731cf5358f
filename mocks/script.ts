/** The script of a client: which steps are valid, which of them a call triggers, and what those do. */
import type { Client } from './clients.ts';
import { secondsIn } from './clock.ts';
import { type Answer, answers } from './contract/answers.ts';
import {
  type Action,
  type ScriptedAnswer,
  type ScriptedOperation,
  type Step,
  schemaProblem,
} from './contract/control-contract.ts';
import type { Delivery, Reply } from './http.ts';
import { type Engine, lowerCaseNames } from './prism.ts';
import type { IssuedToken, Tokens } from './tokens.ts';

/** What the steps that a call triggers do. */
export interface TriggeredSteps {
  on: ScriptedOperation;
  before: Action[];
  during: Action[];
  after: Action[];
  /** Their numbers in the script, counted from 1. */
  steps: number[];
  /** When the rate limit allows another call. */
  retryAfterSeconds?: number;
}

type Whose = Pick<Client, 'id'>;

interface RunningScript {
  steps: readonly Step[];
  calls: Record<ScriptedOperation, number>;
  /** Number of the newest token that has carried a read. */
  newestUsed: number;
  progress: StepProgress[];
}

/** How many times something was triggered, and when first. */
export interface Progress {
  times: number;
  since?: number;
}

interface StepProgress extends Progress {
  /** When the calls that it let through were made, oldest first; for a step with `above`, at most that many. */
  through: number[];
}

/**
 * In how many milliseconds a rate limit allows another call at `now`; 0 lets this call through. `through` are the times of
 * the calls that it let through, oldest first.
 */
export function waitMs(
  { calls, within }: NonNullable<Step['above']>,
  through: number[],
  now: number,
): number {
  const left = through.length < calls ? 0 : Number(through[0]) + secondsIn(within) * 1000 - now;
  if (left > 0) return left;
  through.push(now);
  if (through.length > calls) through.shift();
  return 0;
}

/** On which of the calls that it is about something happens: a step of a script, or what a deployment does differently. */
export type Schedule = Pick<Step, 'nth' | 'from' | 'every' | 'times' | 'ttl'>;

/** Whether this call, counted from 1, is among them. */
export function isDue(schedule: Schedule, call: number, { times, since }: Progress, now: number): boolean {
  const { nth = call, from = call, every = 1, times: most = Number.POSITIVE_INFINITY, ttl } = schedule;
  if (call !== nth || call < from || call % every !== 0 || times >= most) return false;
  return ttl === undefined || since === undefined || now < since + secondsIn(ttl) * 1000;
}

/** `now` is the mock's clock, in milliseconds. */
export function createScripts(now: () => number) {
  const running = new Map<string, RunningScript>();

  return {
    /** By client id. */
    running: running as Pick<ReadonlyMap<string, unknown>, 'has'>,
    of: ({ id }: Whose): readonly Step[] => running.get(id)?.steps ?? [],
    /** Replaces the client's script; an empty one removes it. The count restarts at 1. Copies the steps, unless `isShared`. */
    give({ id }: Whose, steps: readonly Step[], isShared = false): void {
      if (steps.length === 0) running.delete(id);
      else
        running.set(id, {
          // As JSON: later changes of the caller's objects do not affect the script.
          steps: isShared ? steps : JSON.parse(JSON.stringify(steps)),
          calls: { obtainToken: 0, readData: 0 },
          newestUsed: 0,
          progress: steps.map(() => ({ times: 0, through: [] })),
        });
    },
    /** Counts a call and returns the steps that it triggers. `token`: number of the valid token that it carries. */
    count(
      { id }: Whose,
      on: ScriptedOperation,
      token = Number.POSITIVE_INFINITY,
    ): TriggeredSteps | undefined {
      const script = running.get(id);
      if (!script) return undefined;
      const call = ++script.calls[on];
      const isReused = token <= script.newestUsed;
      if (on === 'readData' && token < Number.POSITIVE_INFINITY)
        script.newestUsed = Math.max(script.newestUsed, token);
      const due: TriggeredSteps = { on, steps: [], before: [], during: [], after: [] };
      for (const [index, step] of script.steps.entries()) {
        const progress = script.progress[index] as StepProgress;
        if ((step.on ?? 'readData') !== on || !isDue(step, call, progress, now())) continue;
        if (step.reused && progress.times === 0 && !isReused) continue;
        if (step.above) {
          const left = waitMs(step.above, progress.through, now());
          if (left === 0) continue;
          due.retryAfterSeconds = Math.ceil(left / 1000);
        }
        progress.times++;
        progress.since ??= now();
        due[step.when ?? 'before'].push(step.do);
        due.steps.push(index + 1);
      }
      return due.steps.length > 0 ? due : undefined;
    },
    /** Returns a function that restores the scripts as they are now. */
    save() {
      const saved = structuredClone(running);
      return () => {
        running.clear();
        for (const [id, script] of structuredClone(saved)) running.set(id, script);
      };
    },
  };
}

/** Headers that frame the answer (RFC 9112 section 6); with different values a client could not read it. */
const FRAMING = ['connection', 'content-length', 'trailer', 'transfer-encoding', 'upgrade', 'keep-alive'];

/** Why the script is invalid, as a sentence without its full stop; undefined if it is valid. */
export function scriptProblem(steps: readonly Step[]): string | undefined {
  const fault = schemaProblem('Script', steps ?? null)?.replace('The body', 'It');
  if (fault) return fault;
  for (const [index, { on = 'readData', do: action }] of steps.entries()) {
    const { status, example, headers } = action.answer ?? {};
    const framing = Object.keys(headers ?? {}).find((name) => FRAMING.includes(name.toLowerCase()));
    if (framing)
      return `Step ${index + 1}: the header ${framing} frames the answer, which the mock does itself. Remove it`;
    if (example !== undefined && !documented(on, status, example))
      return `Step ${index + 1}: the contract has no example "${example}" where it answers ${on} with ${status}`;
  }
  return undefined;
}

/** The documented answer that a step names; without a name, the first one of its status. */
const documented = (on: ScriptedOperation, status?: number, example?: string): Answer | undefined =>
  Object.values(answers).find(
    (one) => one.operation === on && one.status === status && one.example === (example ?? one.example),
  );

interface StepContext {
  tokens: Pick<Tokens, 'end' | 'endAll'>;
  client: Client;
  /** The token that the request carries, or the client's newest. */
  issued: IssuedToken | undefined;
}

/** Applies what the actions change about tokens. */
export function applySteps(actions: readonly Action[], { tokens, client, issued }: StepContext): void {
  const end = (whose: 'token' | 'client', as: 'expired' | 'revoked') => {
    if (whose === 'client') tokens.endAll({ client }, as);
    else if (issued) tokens.end(issued, as);
  };
  for (const { expire, revoke, expireOthers } of actions) {
    if (expire) end(expire, 'expired');
    if (revoke) end(revoke, 'revoked');
    if (expireOthers) tokens.endAll({ client, except: issued }, 'expired');
  }
}

/**
 * The answer that the script gives instead of the expected one; undefined if it gives none. A success only replaces a
 * success: no script gives the data to a token that is not valid.
 */
export function scriptedReply(
  engine: Engine,
  { on, before, retryAfterSeconds }: TriggeredSteps,
  expected: Answer,
): Reply | undefined {
  const answer = before.findLast((action) => action.answer)?.answer;
  if (!answer || (answer.status < 300 && expected.status >= 300)) return undefined;
  const reply = replies.get(answer) ?? replyOf(engine, on, answer);
  replies.set(answer, reply);
  if (retryAfterSeconds === undefined || lowerCaseNames(answer.headers)['retry-after']) return reply;
  return { ...reply, headers: { ...reply.headers, 'retry-after': String(retryAfterSeconds) } };
}

/** Each reply is built once: a script may answer many requests with a thousand records. */
const replies = new WeakMap<ScriptedAnswer, Reply>();

function replyOf(engine: Engine, on: ScriptedOperation, answer: ScriptedAnswer): Reply {
  const { status, example, headers, body } = answer;
  const own = lowerCaseNames(headers);
  const given = body === undefined ? documented(on, status, example) : undefined;
  const reply = given && engine.negotiated.get(given);
  if (reply) return { status, bytes: reply.bytes, headers: { ...reply.headers, ...own } };
  // These have neither a body nor its length (RFC 9110 sections 8.6 and 15.4.5).
  if (status === 204 || status === 304) return { status, bytes: Buffer.alloc(0), headers: own };
  const bytes = Buffer.from(typeof body === 'string' ? body : body === undefined ? '' : JSON.stringify(body));
  const type = bytes.length === 0 ? {} : { 'content-type': 'application/json' };
  return { status, bytes, headers: { ...type, 'content-length': String(bytes.length), ...own } };
}

/** How the script has the answer sent; undefined: at once and completely. */
export function deliveryFor({ before }: TriggeredSteps): Delivery | undefined {
  const all: Delivery = Object.assign({}, ...before);
  return ['delay', 'cut', 'reset'].some((name) => name in all) ? all : undefined;
}
