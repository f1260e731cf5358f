/** Time as a run sees it; a dry run and tests have one that does not really pass. */
import { setTimeout as sleep } from 'node:timers/promises';

export interface Clock {
  /** Milliseconds since some moment; never goes back. */
  now(): number;
  /** Rejects when `signal` is aborted. */
  sleep(milliseconds: number, signal?: AbortSignal): Promise<void>;
  /** Of a clock that only passes where it is slept: it waits for this request, too. */
  during?<Result>(request: () => Promise<Result>): Promise<Result>;
}

export const realClock: Clock = {
  now: () => performance.now(),
  sleep: async (milliseconds, signal) => {
    await sleep(milliseconds, undefined, { ...(signal && { signal }) });
  },
};

/** A clock that passes only while something sleeps by it. */
export function createVirtualClock(): Clock {
  let nowMs = 0;
  return {
    now: () => nowMs,
    sleep: async (milliseconds) => {
      nowMs += milliseconds;
    },
  };
}

/** The clock, of which no sleep outlasts `signal`: where that is aborted, a sleep ends at once, and does not reject. */
export const endingWith = (clock: Clock, signal?: AbortSignal): Clock => ({
  ...clock,
  sleep: (milliseconds) =>
    clock.sleep(milliseconds, signal).catch((error: unknown) => {
      if (!signal?.aborted) throw error;
    }),
});

/** The reason of a run that a user ended early. */
export const INTERRUPTED = 'Interrupted';

/** npx passes on the Ctrl-C that the terminal sends to both: within this time, that is one wish. */
const ONE_WISH_MS = 1000;

/**
 * Aborted by the first signal that asks this program to end, with the beginning of a sentence as its reason; a later one ends it
 * at once.
 */
export function interruption(): AbortSignal {
  const interrupted = new AbortController();
  let firstMs = Number.POSITIVE_INFINITY;
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
    process.on(signal, () => {
      // On a busy machine, it may be heard only when the report is written.
      if (performance.now() > firstMs + ONE_WISH_MS) process.exit(process.exitCode ?? 130);
      firstMs = Math.min(firstMs, performance.now());
      interrupted.abort(new Error(INTERRUPTED));
    });
  return interrupted.signal;
}

/** `Interrupted after 7 s`: why a run ended early that took `milliseconds`. */
export const endedEarly = (why: string, milliseconds: number): string =>
  `${why} after ${Math.round(milliseconds / 1000)} s`;

/** The same of what began then (by `performance.now`); undefined where `signal` is not aborted. */
export const earlyEnd = (signal: AbortSignal | undefined, beganMs: number): string | undefined =>
  signal?.aborted ? endedEarly((signal.reason as Error).message, performance.now() - beganMs) : undefined;

/** How early or late a token may expire: a tenth of its lifetime, and a second. */
export const firstMomentOf = (lifetimeSeconds: number): number => lifetimeSeconds * 0.9 - 1;
export const lastMomentOf = (lifetimeSeconds: number): number => lifetimeSeconds * 1.1 + 1;

/** The age up to which a token is watched that has outlived `lifetimeSeconds`: MRS-5.6a states it. */
export const endOfWatch = (lifetimeSeconds: number): number =>
  Math.max(lifetimeSeconds * 2, lifetimeSeconds + 10);
