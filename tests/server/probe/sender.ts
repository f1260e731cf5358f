/** Sends the requests of a plan, until the deployment has shown that it does not answer, or the run's time is up. */
import type { Clock } from '../../support/clock.ts';
import type { Exchange, NotSent, Probe } from '../support/evidence.ts';

export interface Send {
  (what: string, exchange: () => Promise<Exchange>): Promise<Probe>;
  /** Gives a run more time, where it is the run that makes the deployment wait. */
  extend(seconds: number): void;
  /** Sends again after requests without an answer: the deployment has had time to recover. */
  resume(): void;
}

const FAILURES_BEFORE_GIVING_UP = 3;
/** A failure that took longer counts, also where the deployment has answered before. */
const SLOW_MS = 1000;
/** Enough for every request of a run at a deployment that takes four seconds for each. */
const RUN_SECONDS = 300;

/** Calls `progress` before each request is sent. */
export function createSender(clock: Clock, progress: (text: string) => void): Send {
  let failures = 0;
  let answers = 0;
  let last: string | undefined;
  const began = clock.now();
  let lastsSeconds = RUN_SECONDS;

  async function send(what: string, exchange: () => Promise<Exchange>): Promise<Probe> {
    if (failures === FAILURES_BEFORE_GIVING_UP)
      return notSent(
        what,
        `Not sent: ${failures} requests in a row had no answer; the deployment ${last}. Check MRS_BASE_URL, and that it is up.`,
      );
    if (clock.now() - began >= lastsSeconds * 1000)
      return notSent(
        what,
        `Not sent: the answers so far took the ${Math.ceil(lastsSeconds)} s that a run may last. Run again when the deployment answers faster.`,
      );
    progress(`request: ${what}`);
    const done = await exchange();
    lastsSeconds += done.waitedSeconds ?? 0;
    if (done.failure === undefined) answers++;
    // One that has answered before may refuse by hanging up; only waiting for it costs time.
    const isLost = answers === 0 || done.durationMs > SLOW_MS;
    failures = done.failure === undefined ? 0 : failures + (isLost ? 1 : 0);
    last = done.failure;
    return done;
  }

  return Object.assign(send, {
    extend(seconds: number) {
      lastsSeconds += seconds;
    },
    resume() {
      failures = 0;
    },
  });
}

export const notSent = (what: string, reason: string): NotSent => ({ what, notSent: reason });

const statusOf = (probe: Probe) => ('id' in probe ? probe.response?.status : undefined);
export const hasStatus = (probe: Probe, status: number): boolean => statusOf(probe) === status;
export const isServed = (probe: Probe): boolean => /^2/.test(String(statusOf(probe)));
/** Refused for what the request is. After 408 and 429 a client that waits may get another answer. */
export const isRefused = (probe: Probe): boolean => /^(3|4(?!08|29))/.test(String(statusOf(probe)));
