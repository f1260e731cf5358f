/** How many tokens a client asked for, and how many would have done. */

import type { TokenCount } from './certificate.ts';
import { heldAtStart, isServed, type ScenarioTraffic, tokenCalls } from './scenario-traffic.ts';
import type { Call } from './traffic.ts';

/**
 * The lower bound is exact: who asks for a token as late as can be, at the first served call that has none alive, never asks
 * for more than anybody else would have to. A token lives for its lifetime, or until one was ended before its time; what
 * the client had from the start need not be asked for.
 */
export function tokenCount(traffic: ScenarioTraffic): TokenCount {
  const { lifetimesSeconds, lives } = traffic;
  const endings = lives.filter(({ endedMs }) => endedMs !== undefined);
  /** Whether a token that was alive at `from` was ended by the time of a call; in one millisecond with it: as the call's own was. */
  const isEnded = (from: number, { atMs, token = 0 }: Call) =>
    endings.some(
      ({ endedMs = 0, number }) =>
        endedMs >= from && (endedMs < atMs || (endedMs === atMs && token > number)),
    );
  let needed = 0;
  let from = Number.NEGATIVE_INFINITY;
  let expires = Math.max(Number.NEGATIVE_INFINITY, ...heldAtStart(traffic).map(({ expiresMs }) => expiresMs));
  const served = traffic.calls.filter((call) => isServed(call) && call.token !== undefined);
  for (const call of served.sort((a, b) => a.atMs - b.atMs)) {
    if (call.atMs < expires && !isEnded(from, call)) continue;
    const lifetime = lifetimesSeconds[Math.min(needed, lifetimesSeconds.length - 1)] ?? 0;
    needed++;
    from = call.atMs;
    expires = from + lifetime * 1000;
  }
  const asked = tokenCalls(traffic).filter(({ status, token }) => status < 300 && token !== undefined).length;
  return { asked, needed };
}
