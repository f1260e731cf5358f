/** All that was seen of a client, and what follows from it. */
import { concurrencyIn, type Pace, paceOf, placesInRow, usualRow } from './pace.ts';
import { type Renewals, renewalsOf } from './strategy.ts';
import { type Call, heldAtStart, isServed, maxOf, type ScenarioTraffic, tokenCalls } from './traffic.ts';

export interface Evidence {
  scenarios: readonly ScenarioTraffic[];
  pace: Pace | undefined;
  renewals: Renewals;
  /** How many reads it has under way at once, at most; its processes, if these are more. */
  concurrency: number;
  /** How many it makes in a row, without a pause between them. */
  inARow: number;
  /** At each read of a scenario, the number that it has in its row. */
  places: ReadonlyMap<ScenarioTraffic, readonly number[]>;
}

export function evidenceOf(scenarios: readonly ScenarioTraffic[]): Evidence {
  const concurrency = concurrencyIn(scenarios);
  const pace = paceOf(scenarios, concurrency);
  return {
    scenarios,
    pace,
    renewals: renewalsOf(scenarios, pace, concurrency),
    concurrency,
    inARow: usualRow(scenarios, pace),
    places: new Map(scenarios.map((traffic) => [traffic, placesInRow(traffic, pace)])),
  };
}

/** How many tokens a client requested, and the fewest that its calls require. */
export interface TokenCount {
  asked: number;
  needed: number;
}

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
  let expires = maxOf(heldAtStart(traffic).map(({ expiresMs }) => expiresMs));
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
