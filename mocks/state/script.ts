/** What happens on which of a client's calls, and the count of those calls. */
import type { OperationId } from '../contract/answers.ts';
import { type Duration, secondsIn } from './duration.ts';

/** One line of a script. Without `nth`, `from` and `every` it is for each call. */
export interface Step {
  /** The operation whose calls count; default `readData`. Health checks have no client, and so no script. */
  on?: Scripted;
  /** On this call alone, counted from 1 since the script was given. */
  nth?: number;
  /** On this call and on all that follow. */
  from?: number;
  /** On every call whose number can be divided by this. */
  every?: number;
  /** Only where so many calls were let through already, within so much time of the mock's clock: a rate limit. */
  above?: { calls: number; within: Duration };
  /**
   * `before` the mock judges the call (the default), `during` its answer, which is settled and not yet sent, or
   * `after` it has been sent: between this call and the next.
   */
  when?: 'before' | 'during' | 'after';
  /** At most so often. */
  times?: number;
  /** For this long, on the mock's clock, from the first time on. */
  ttl?: Duration;
  /** Without it a step whose answer the contract does not define is refused. */
  outsideContract?: true;
  do: Action;
}

/** What a step does. Several things may be named; all are done. */
export interface Action {
  /** `token`: the token of the call; `client`: every token of the client. */
  expire?: Whose;
  /** The same, and the mock knows the token no more. */
  revoke?: Whose;
  /** Moves the client's own time on. No other client's time moves. */
  advance?: Duration;
  /** Moves the client's own time to where the token of the call expires, and so much further. */
  advanceToExpiry?: Duration;
  /** Answers a token request with the token that was issued last, as long as it is alive. */
  sameToken?: true;
  /** Ends every token of the client but the one that the call is given, which is the newest. */
  expireOthers?: true;
  /** Answers so; where that is a success, only instead of a success. */
  answer?: ScriptedAnswer;
  /** Adds members to the object that a success is answered with. */
  add?: Record<string, unknown>;
  /** Real time before the answer is sent; drawn from the seed where it is a distribution. */
  delay?: Delay;
  /** Sends the body in pieces of so many bytes, with so much real time between them. */
  drip?: { bytes: number; every: Duration };
  /** Ends the connection after so many bytes of the body, although more are announced. */
  cut?: number;
  /** Resets the connection instead of an answer. */
  reset?: true;
}

/** The operations whose calls have a client. */
export type Scripted = Exclude<OperationId, 'checkHealth'>;

export type Whose = 'token' | 'client';

/** Always the same, evenly between two, or log-normal around a median. */
export type Delay = Duration | { from: Duration; to: Duration } | { median: Duration; sigma: number };

export interface ScriptedAnswer {
  status: number;
  /** Name of an example of the contract; default: the first of that status, unless there is a body. */
  example?: string;
  headers?: Record<string, string>;
  /** JSON; text is sent as it is. */
  body?: unknown;
}

/** What is to be done on one call. */
export interface Due {
  on: Scripted;
  /** Which of the client's calls of this operation it is, counted from 1. */
  call: number;
  before: readonly Action[];
  during: readonly Action[];
  after: readonly Action[];
  /** Numbers of the steps in the script, counted from 1. */
  steps: readonly number[];
  /** When a rate limit has room again. */
  retryAfterSeconds?: number;
}

/** The client that runs a script. */
export interface ScriptOwner {
  readonly id: string;
}

export interface Scripts {
  of(client: ScriptOwner): readonly Step[];
  /** Puts a script in place of the client's last; an empty one takes it away. Counts from 1 again. Copied, unless nobody else can change it. */
  give(client: ScriptOwner, steps: readonly Step[], isShared?: boolean): void;
  /** Counts a call, at once, and says what is due on it. */
  count(client: ScriptOwner, operation: Scripted): Due | undefined;
  /** Returns what brings the scripts back to where they are now. */
  save(): () => void;
}

interface Running {
  steps: readonly Step[];
  calls: Partial<Record<Scripted, number>>;
  done: Done[];
}

/** Of a step. */
interface Done {
  /** How often it was done. */
  times: number;
  /** When it was done for the first time. */
  since?: number;
  /** When the calls came that it let through, the oldest first; of a step with `above`, as many as that asks for. */
  through: number[];
}

/** `now` is the clock, in milliseconds. */
export function createScripts(now: () => number): Scripts {
  let running = new Map<string, Running>();

  /** When the oldest call of a rate limit leaves its window; undefined where there is room for another. */
  function freeAt({ above }: Step, { through }: Done): number | undefined {
    const [oldest] = through;
    if (!above || oldest === undefined || through.length < above.calls) return undefined;
    const at = oldest + secondsIn(above.within) * 1000;
    return now() < at ? at : undefined;
  }

  function letThrough({ above }: Step, { through }: Done): void {
    if (!above) return;
    through.push(now());
    if (through.length > above.calls) through.shift();
  }

  function isDue(step: Step, call: number, done: Done): boolean {
    const { nth = call, from = call, every = 1, times = Number.POSITIVE_INFINITY, ttl } = step;
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
          done: steps.map(() => ({ times: 0, through: [] })),
        });
    },
    count({ id }, operation) {
      const script = running.get(id);
      if (!script) return undefined;
      const call = (script.calls[operation] ?? 0) + 1;
      script.calls[operation] = call;
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
        if ((step.on ?? 'readData') !== operation || !done || !isDue(step, call, done)) continue;
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

/** As JSON has it: what the caller does to its own objects afterwards is no part of the script. */
const plain = (steps: readonly Step[]): readonly Step[] => JSON.parse(JSON.stringify(steps));
