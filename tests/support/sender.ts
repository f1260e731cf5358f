/** Sends the requests of a plan, and stops once the deployment has given no answer a few times in a row. */
import type { Exchange, NotSent, Probe } from './evidence.ts';

export type Send = (what: string, exchange: () => Promise<Exchange>) => Promise<Probe>;

const FAILURES_BEFORE_GIVING_UP = 3;

export function createSender(): Send {
  let failures = 0;
  let last: string | undefined;
  return async (what, exchange) => {
    if (failures === FAILURES_BEFORE_GIVING_UP)
      return notSent(what, `Not sent: ${failures} requests in a row had no answer; the deployment ${last}.`);
    const done = await exchange();
    failures = done.failure === undefined ? 0 : failures + 1;
    last = done.failure;
    return done;
  };
}

export const notSent = (what: string, reason: string): NotSent => ({ what, notSent: reason });

const statusOf = (probe: Probe) => ('id' in probe ? probe.response?.status : undefined);
export const hasStatus = (probe: Probe, status: number): boolean => statusOf(probe) === status;
export const isServed = (probe: Probe): boolean => /^2/.test(String(statusOf(probe)));
/** Refused for what the request is. After 408 and 429 a client that waits may get another answer. */
export const isRefused = (probe: Probe): boolean => /^(3|4(?!08|29))/.test(String(statusOf(probe)));
