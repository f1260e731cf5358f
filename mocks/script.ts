/** The script of a client: which steps are valid, which of them a call triggers, and what those do. */
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import type { Client } from './clients.ts';
import { secondsIn, withinCalendar } from './clock.ts';
import { type Answer, answers } from './contract/answers.ts';
import { type Contract, responseOf } from './contract/contract.ts';
import type {
  Action,
  Duration,
  ScriptedAnswer,
  ScriptedOperation,
  Step,
} from './contract/control-contract.ts';
import type { Reply } from './http.ts';
import { type Engine, lowerCaseNames, type Negotiated } from './prism.ts';
import type { IssuedToken, Tokens } from './tokens.ts';

/** The steps that a call triggers. */
export interface TriggeredSteps {
  on: ScriptedOperation;
  /** The number of this call among the client's calls of the operation, from 1. */
  call: number;
  before: readonly Action[];
  during: readonly Action[];
  after: readonly Action[];
  /** Numbers of the steps in the script, counted from 1. */
  steps: readonly number[];
  /** When the rate limit allows another call. */
  retryAfterSeconds?: number;
}

export interface Scripts {
  of(client: Pick<Client, 'id'>): readonly Step[];
  /** Replaces the client's script; an empty one removes it. The count restarts at 1. Copies the steps, unless `isShared`. */
  give(client: Pick<Client, 'id'>, steps: readonly Step[], isShared?: boolean): void;
  /** Counts a call and returns the steps that it triggers. `token`: number of the valid token that it carries. */
  count(client: Pick<Client, 'id'>, operation: ScriptedOperation, token?: number): TriggeredSteps | undefined;
  /** Returns a function that restores the scripts as they are now. */
  save(): () => void;
}

interface RunningScript {
  steps: readonly Step[];
  calls: Partial<Record<ScriptedOperation, number>>;
  /** Number of the newest token that has carried a read. */
  newestUsed: number;
  done: StepProgress[];
}

/** The progress of a step. */
interface StepProgress {
  /** How many times it was triggered. */
  times: number;
  /** When it was first triggered. */
  since?: number;
  /** When the calls that it let through were made, oldest first; for a step with `above`, at most that many. */
  through: number[];
}

/** `now` is the mock's clock, in milliseconds. */
export function createScripts(now: () => number): Scripts {
  let running = new Map<string, RunningScript>();

  /** When the oldest call of a rate limit leaves its window; undefined if another call is allowed. */
  function freeAt({ above }: Step, { through }: StepProgress): number | undefined {
    const [oldest] = through;
    if (!above || oldest === undefined || through.length < above.calls) return undefined;
    const at = oldest + secondsIn(above.within) * 1000;
    return now() < at ? at : undefined;
  }

  function letThrough({ above }: Step, { through }: StepProgress): void {
    if (!above) return;
    through.push(now());
    if (through.length > above.calls) through.shift();
  }

  function isTriggered(step: Step, call: number, done: StepProgress, isReused: boolean): boolean {
    const { nth = call, from = call, every = 1, times = Number.POSITIVE_INFINITY, ttl } = step;
    if (step.reused && done.times === 0 && !isReused) return false;
    if (call !== nth || call < from || call % every !== 0 || done.times >= times) return false;
    return ttl === undefined || done.since === undefined || now() < done.since + secondsIn(ttl) * 1000;
  }

  return {
    of: ({ id }) => running.get(id)?.steps ?? [],
    give({ id }, steps, isShared = false) {
      if (steps.length === 0) running.delete(id);
      else
        running.set(id, {
          steps: isShared ? steps : plain(steps),
          calls: {},
          newestUsed: 0,
          done: steps.map(() => ({ times: 0, through: [] })),
        });
    },
    count({ id }, operation, token) {
      const script = running.get(id);
      if (!script) return undefined;
      const call = (script.calls[operation] ?? 0) + 1;
      script.calls[operation] = call;
      const isReused = token !== undefined && token <= script.newestUsed;
      if (operation === 'readData' && token !== undefined)
        script.newestUsed = Math.max(script.newestUsed, token);
      const due = {
        on: operation,
        call,
        steps: [] as number[],
        before: [] as Action[],
        during: [] as Action[],
        after: [] as Action[],
      };
      for (const [index, step] of script.steps.entries()) {
        const done = script.done[index];
        if ((step.on ?? 'readData') !== operation || !done || !isTriggered(step, call, done, isReused))
          continue;
        const free = freeAt(step, done);
        if (step.above && free === undefined) {
          letThrough(step, done);
          continue;
        }
        if (free !== undefined) Object.assign(due, { retryAfterSeconds: Math.ceil((free - now()) / 1000) });
        done.times++;
        done.since ??= now();
        due[step.when ?? 'before'].push(step.do);
        due.steps.push(index + 1);
      }
      return due.steps.length > 0 ? due : undefined;
    },
    save() {
      const saved = structuredClone(running);
      return () => {
        running = structuredClone(saved);
      };
    },
  };
}

/** As JSON: later changes of the caller's objects do not affect the script. */
const plain = (steps: readonly Step[]): readonly Step[] => JSON.parse(JSON.stringify(steps));

/** Headers that frame the answer (RFC 9112 section 6); with different values a client could not read it. */
const FRAMING = new Set([
  'connection',
  'content-length',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'keep-alive',
]);

/** Deeper values could not be copied. */
const DEEPEST = 100;

const isDeep = (value: unknown, left = DEEPEST): boolean =>
  typeof value === 'object' &&
  value !== null &&
  (left === 0 || Object.values(value).some((one) => isDeep(one, left - 1)));

/** Why the script is invalid, in words; undefined if it is valid. */
export function scriptProblem(contract: Contract, steps: readonly Step[]): string | undefined {
  if (isDeep(steps)) return `it is nested more than ${DEEPEST} levels deep`;
  for (const [index, step] of steps.entries()) {
    const framing = Object.keys(step.do.answer?.headers ?? {}).find((name) =>
      FRAMING.has(name.toLowerCase()),
    );
    if (framing)
      return `step ${index + 1}: the header ${framing} frames the answer, which the mock does itself. Remove it.`;
    const fault = step.outsideContract ? undefined : stepProblem(contract, step);
    if (fault)
      return `step ${index + 1}: ${fault}. Change it, or add outsideContract: true if it is intended.`;
  }
  return undefined;
}

function stepProblem(contract: Contract, { on = 'readData', do: action }: Step): string | undefined {
  const { answer } = action;
  if (!answer) return undefined;
  const { status, example, body } = answer;
  const described = `${on} with ${status}`;
  if (!responseOf(contract, on, status)) return `the contract does not answer ${described}`;
  if (body !== undefined) {
    const misfit = schemaProblem(contract, on, status, body);
    return misfit && `the contract does not answer ${described} and this body: ${misfit}`;
  }
  if (!documented(on, status, example))
    return `the contract has no example "${example}" where it answers ${described}`;
  return undefined;
}

/** The documented answer that a step names; without a name, the first one of its status. */
export const documented = (on: ScriptedOperation, status: number, example?: string): Answer | undefined =>
  Object.values(answers).find(
    (one) => one.operation === on && one.status === status && one.example === (example ?? one.example),
  );

function schemaProblem(
  contract: Contract,
  on: ScriptedOperation,
  status: number,
  body: unknown,
): string | undefined {
  if (typeof body === 'string') return 'it is text, not JSON';
  const validate = validatorOf(contract, on, status);
  return validate(body) ? undefined : new Ajv2020().errorsText(validate.errors, { dataVar: 'the body' });
}

const validators = new WeakMap<Contract, Map<string, ValidateFunction>>();

/** Compiled once: a script may have a thousand steps. */
function validatorOf(contract: Contract, on: ScriptedOperation, status: number): ValidateFunction {
  const ofContract = validators.get(contract) ?? new Map<string, ValidateFunction>();
  validators.set(contract, ofContract);
  const key = `${on} ${status}`;
  const known = ofContract.get(key);
  if (known) return known;
  const ajv = new Ajv2020({ strict: false, validateFormats: false, logger: false });
  const made = ajv.compile({
    ...responseOf(contract, on, status),
    components: contract.document.components,
  });
  ofContract.set(key, made);
  return made;
}

interface StepContext {
  tokens: Pick<Tokens, 'end' | 'endAll'>;
  client: Client;
  /** The token that the request carries, or the client's newest. */
  issued: IssuedToken | undefined;
  /** The mock's clock, in milliseconds. */
  now: () => number;
}

/** Applies what the actions change about tokens and time. */
export function applySteps(actions: readonly Action[], { tokens, client, issued, now }: StepContext): void {
  const end = (whose: 'token' | 'client', as: 'expired' | 'revoked') => {
    if (whose === 'client') tokens.endAll({ client }, as);
    else if (issued) tokens.end(issued, as);
  };
  for (const { expire, revoke, advance, advanceToExpiry, expireOthers } of actions) {
    if (advance !== undefined) client.aheadMs = withinCalendar(client.aheadMs + msIn(advance));
    if (advanceToExpiry !== undefined && issued)
      client.aheadMs = withinCalendar(issued.expiresAt - client.skewMs - now() + msIn(advanceToExpiry));
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
    const own = engine.negotiated.get(answer) as Negotiated;
    return { status, bytes: own.bytes, headers: { ...own.headers, ...lowerCaseNames(headers) } };
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

/** How a script has a reply sent. */
export interface Delivery {
  delayMs?: number;
  drip?: { bytes: number; everyMs: number };
  /** Closes the connection after this number of bytes of the body, if it has more. */
  cut?: number;
  /** Resets the connection instead. */
  reset?: true;
}

/** How the script has the answer sent; undefined: at once and completely. */
export function deliveryFor({ before }: TriggeredSteps): Delivery | undefined {
  const { drip, cut, reset, delay }: Action = Object.assign({}, ...before);
  if (!drip && cut === undefined && !reset && delay === undefined) return undefined;
  return {
    ...(drip && { drip: { bytes: drip.bytes, everyMs: msIn(drip.every) } }),
    ...(cut !== undefined && { cut }),
    ...(reset && { reset }),
    ...(delay !== undefined && { delayMs: msIn(delay) }),
  };
}

const msIn = (duration: Duration): number => secondsIn(duration) * 1000;
