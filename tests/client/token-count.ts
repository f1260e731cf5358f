/** How many tokens a client requested, and how many it needed. */

import type { TokenCount } from './certificate.ts';
import { heldAtStart, isServed, type ScenarioTraffic, tokenCalls } from './scenario-traffic.ts';
import type { Call } from './traffic.ts';

/**
 * The lower bound is exact: a client that requests a token as late as possible, at the first served call without a valid
 * one, needs the fewest. A token lives for its lifetime, or until the mock ended a token early. A token that the client
 * had at the start is not counted.
 */
export function tokenCount(traffic: ScenarioTraffic): TokenCount {
  const { lifetimesSeconds, lives } = traffic;
  const endings = lives.filter(({ endedMs }) => endedMs !== undefined);
  /** Whether a token that was valid at `from` was ended by the time of a call. In the same millisecond, the token numbers decide. */
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
