/** How an expired token is come by: by waiting for a short lifetime to pass, or else from the operator. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { ExpiryEvidence, Probe } from './evidence.ts';
import { isRefused, isServed, notSent } from './sender.ts';
import type { Target } from './target.ts';

/** A lifetime above this is not waited for. */
export const MAX_WAIT_SECONDS = 120;
/** How late a token may expire before it counts as one that does not: a tenth of its lifetime and a second. */
const lastMomentOf = (lifetimeSeconds: number) => lifetimeSeconds * 1.1 + 1;

/** A token of this run: what it is, when its answer had come (`performance.now()`), and a call that it opened. */
export interface LiveToken {
  token: string;
  obtainedAtMs: number;
  firstCall: Probe;
}

export interface ObservedExpiry {
  expiredToken: Probe;
  expiry: ExpiryEvidence;
}

export async function observeExpiry(
  { tokenLifetimeSeconds, expiredToken }: Target,
  live: LiveToken | undefined,
  read: (what: string, token: string) => Promise<Probe>,
  progress: (text: string) => void,
): Promise<ObservedExpiry> {
  const what = 'the data with the expired token';
  const none = (reason: string): ObservedExpiry => ({
    expiredToken: notSent(what, reason),
    expiry: { kind: 'none' },
  });

  if (tokenLifetimeSeconds !== undefined && tokenLifetimeSeconds <= MAX_WAIT_SECONDS) {
    if (live && isServed(live.firstCall)) return waitForExpiry(tokenLifetimeSeconds, live);
    return none('No token was accepted that could expire (see MRS-4.1a and MRS-4.2a).');
  }
  if (expiredToken !== undefined)
    return { expiredToken: await read(what, expiredToken), expiry: { kind: 'asserted' } };
  if (tokenLifetimeSeconds === undefined)
    return none('No expired token is at hand. Set MRS_TOKEN_LIFETIME to the agreed lifetime, in seconds.');
  return none(
    `A lifetime of ${tokenLifetimeSeconds} s is longer than the ${MAX_WAIT_SECONDS} s that are waited. ` +
      'Set MRS_EXPIRED_TOKEN, or ask the operator for a client with a shorter lifetime.',
  );

  /** Asks again, at growing distances, until the token is refused or its last moment has passed. */
  async function waitForExpiry(lifetimeSeconds: number, { token, obtainedAtMs }: LiveToken) {
    const age = () => (performance.now() - obtainedAtMs) / 1000;
    let expired: Probe;
    let pauseSeconds = 0.05;
    await waitUntil(lifetimeSeconds);
    do {
      await waitUntil(age() + pauseSeconds);
      expired = await read(what, token);
      pauseSeconds *= 2;
    } while (!isRefused(expired) && !('notSent' in expired) && age() < lastMomentOf(lifetimeSeconds));
    const ageSeconds = Math.round(age() * 1000) / 1000;
    return { expiredToken: expired, expiry: { kind: 'waited' as const, lifetimeSeconds, ageSeconds } };

    async function waitUntil(seconds: number) {
      for (let left = seconds - age(); left > 0; left = seconds - age()) {
        progress(`waiting for the token to expire: ${Math.ceil(left)} s`);
        await sleep(Math.min(left, 1) * 1000);
      }
    }
  }
}
