/** Callers that share a token, and of whom each asks for another in its place. */
import type { Evidence } from './rule.ts';
import { dataCalls, isIssue, isRefused, type ScenarioTraffic, SETTLING_MS } from './scenario-traffic.ts';
import type { Call } from './traffic.ts';

/** Two callers may get in each other's way now and then. */
const FEWEST = 3;

/** As many tokens in all crowds, so that three callers who did so once are not enough. */
const FEWEST_IN_ALL = 4;

/**
 * The requests of each crowd: three or more under way at once that each brought a token, where one would do. Callers that
 * have tokens of their own replace each of them once, and at the start each caller may ask for itself.
 */
export function tokenCrowds(traffic: ScenarioTraffic, { scenarios }: Pick<Evidence, 'scenarios'>): Call[][] {
  if (scenarios.some((one) => tokensSideBySide(one) > 0)) return [];
  const inAll = scenarios.flatMap(crowdsIn).flat().length;
  return inAll < FEWEST_IN_ALL ? [] : crowdsIn(traffic);
}

function crowdsIn(traffic: ScenarioTraffic): Call[][] {
  if (traffic.processes > 1) return [];
  const [first] = dataCalls(traffic);
  if (!first) return [];
  const renewals = traffic.calls.filter((call) => isIssue(call) && call.startMs > first.endMs);
  return atOnce(renewals)
    .filter((crowd) => crowd.length >= FEWEST)
    .filter((crowd) => crowd.length - tokensReplaced(traffic, crowd) >= FEWEST - 1);
}

/** Requests that began while one before was under way, together. */
function atOnce(requests: readonly Call[]): Call[][] {
  const crowds: Call[][] = [];
  let untilMs = Number.NEGATIVE_INFINITY;
  for (const request of requests) {
    if (request.startMs < untilMs) crowds.at(-1)?.push(request);
    else crowds.push([request]);
    untilMs = Math.max(untilMs, request.endMs);
  }
  return crowds;
}

/** How many different tokens had been refused when a crowd asked: each of them may be replaced. */
function tokensReplaced(traffic: ScenarioTraffic, crowd: readonly Call[]): number {
  const [first] = crowd;
  const before = traffic.calls.findLast((call) => isIssue(call) && first && call.endMs <= first.startMs);
  const refused = dataCalls(traffic).filter(
    (call) =>
      isRefused(call) &&
      call.endMs >= (before?.startMs ?? 0) &&
      crowd.some((one) => call.startMs < one.startMs),
  );
  return Math.max(1, new Set(refused.map(({ token }) => token)).size);
}

/**
 * The number of tokens that callers use side by side, each its own: those that are used again after another was. A shared
 * one is not used again once it is replaced. 0 where the traffic shows no such caller.
 */
export function tokensSideBySide(traffic: ScenarioTraffic): number {
  const issuedMs = new Map(traffic.calls.filter(isIssue).map(({ token, endMs }) => [token, endMs]));
  const settled = dataCalls(traffic).filter(
    ({ token, startMs }) => token !== undefined && startMs > (issuedMs.get(token) ?? 0) + SETTLING_MS,
  );
  const turns = settled.filter(({ token }, index) => token !== settled[index - 1]?.token);
  const seen = new Set<number | undefined>();
  const again = new Set<number | undefined>();
  for (const { token } of turns) (seen.has(token) ? again : seen).add(token);
  return again.size > 1 ? again.size : 0;
}
