/** Counts the calls of each client and triggers the steps of its script. */
import type { Action, ScriptedOperation, Step } from '../contract/control-types.ts';
import { secondsIn } from './duration.ts';

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

/** The client that runs a script. */
export interface ScriptOwner {
  readonly id: string;
}

export interface Scripts {
  of(client: ScriptOwner): readonly Step[];
  /** Replaces the client's script; an empty one removes it. The count restarts at 1. Copies the steps, unless `isShared`. */
  give(client: ScriptOwner, steps: readonly Step[], isShared?: boolean): void;
  /** Counts a call and returns the steps that it triggers. `token`: number of the valid token that it carries. */
  count(client: ScriptOwner, operation: ScriptedOperation, token?: number): TriggeredSteps | undefined;
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
