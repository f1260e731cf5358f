/** A token that expires later than stated: a run cannot know whether the deployment is wrong or the stated lifetime. */
import type { Evidence } from './evidence.ts';

/** When a token expired that had outlived the stated lifetime, and what to do, as sentences; otherwise undefined. */
export function lateExpiryInWords({ expiry }: Pick<Evidence, 'expiry'>): string | undefined {
  if (!('late' in expiry) || expiry.late === undefined) return undefined;
  const { acceptedSeconds, refusedSeconds } = expiry.late;
  const from = Math.floor(acceptedSeconds * 10) / 10;
  const to = Math.ceil(refusedSeconds * 10) / 10;
  const stated = expiry.lifetimeSeconds;
  return (
    `The token expired between ${from} s and ${to} s after it was obtained, not after ${stated} s: set --token-lifetime to ` +
    `the agreed lifetime, such as ${Math.ceil(refusedSeconds)}s. If ${stated} s are agreed, the deployment expires tokens too late.`
  );
}
