/** A token that was refused as expired, and what the client did then. */

import { groupBy, partitionPoint } from '../support/collections.ts';
import { placesInRow } from './pace.ts';
import type { Evidence } from './rule.ts';
import {
  dataCalls,
  indexFrom,
  isEarlyEnd,
  isExpiredRefusal,
  isIssue,
  lifeNumbered,
  overdueFrom,
  type ScenarioTraffic,
  SETTLING_MS,
  stalledMs,
  tokenCalls,
} from './scenario-traffic.ts';
import type { Call } from './traffic.ts';

export interface RefusedToken {
  token: number;
  refusals: Call[];
  first: Call;
  /** The first token request afterwards; one that other callers had under way counts. */
  request: Call | undefined;
  /** The token that came of it, or of a later one. */
  issue: Call | undefined;
}

export function refusedTokens({ calls }: ScenarioTraffic): readonly RefusedToken[] {
  const before = known.get(calls);
  if (before?.count === calls.length) return before.found;
  const requests = calls.filter(({ kind }) => kind === 'token');
  const endsMs = latestEnds(requests);
  const refusals = groupBy(calls.filter(isExpiredRefusal), ({ token }) => token);
  const found = [...refusals].flatMap(([token, own]) => {
    const [first] = own;
    if (!first || token === undefined) return [];
    const from = partitionPoint(requests.length, (at) => (endsMs[at] ?? 0) > first.startMs);
    let at = from;
    const isWanted = (call: Call | undefined) =>
      call && isIssue(call) && (call.token ?? 0) > token && call.endMs > first.startMs;
    while (at < requests.length && !isWanted(requests[at])) at++;
    return [{ token, refusals: own, first, request: requests[from], issue: requests[at] }];
  });
  known.set(calls, { count: calls.length, found });
  return found;
}

/** Found once for a traffic: several rules ask for them. */
const known = new WeakMap<readonly Call[], { count: number; found: readonly RefusedToken[] }>();

/** At each place, the latest end of the calls up to there. */
function latestEnds(calls: readonly Call[]): number[] {
  let latest = Number.NEGATIVE_INFINITY;
  return calls.map(({ endMs }) => {
    latest = Math.max(latest, endMs);
    return latest;
  });
}

/**
 * Whether a read that a caller had decided on before this time may have come as late as this one: it may be on its way for a
 * moment, and for as long as the machine held it up.
 */
export const mayCross = (traffic: ScenarioTraffic, knownMs: number, { startMs }: Call): boolean =>
  startMs - stalledMs(traffic, knownMs, startMs) < knownMs + SETTLING_MS;

/**
 * Reads with the token that began when its refusal was known. What a client sent before it could know of the 403 is no
 * repetition: a read that waited for a connection arrives as soon as the answer before it has gone out. So those
 * after the first 403 are taken for queued as long as they follow one another without a pause, no more of them than the
 * client reads in a row when all is well, and none comes after a read with a newer token.
 */
export function repeats(
  traffic: ScenarioTraffic,
  { token, first }: RefusedToken,
  { atOnce, inARow, pace }: Evidence,
  until = Number.POSITIVE_INFINITY,
): Call[] {
  const reads = dataCalls(traffic);
  const places = placesOf(traffic, pace);
  const firstAt = reads.indexOf(first, indexFrom(reads, first.startMs));
  const from = indexFrom(reads, first.endMs);
  const row = reads.slice(firstAt + 1, firstAt + inARow);
  const ends = row.findIndex((call, nth) => places[firstAt + 1 + nth] === 1 || (call.token ?? 0) > token);
  const isQueued = (at: number) => at <= firstAt + (ends === -1 ? row.length : ends);
  const again = reads
    .slice(from, indexFrom(reads, until))
    .filter((call, at) => call.token === token && !isQueued(from + at))
    .filter((call) => atOnce === 1 || !mayCross(traffic, first.endMs, call)); // others may be on their way
  return again.slice(atOnce - 1); // each of the others may find out by itself
}

/** Once for each traffic: several rules ask for each refused token. */
const placesKnown = new WeakMap<ScenarioTraffic, number[]>();
function placesOf(traffic: ScenarioTraffic, pace: Evidence['pace']): number[] {
  const before = placesKnown.get(traffic);
  if (before?.length === dataCalls(traffic).length) return before;
  const places = placesInRow(traffic, pace);
  placesKnown.set(traffic, places);
  return places;
}

/** Whether the client has asked and got nothing yet: then it has no other token to send. */
export function isWithoutAnswer(traffic: ScenarioTraffic, call: Call): boolean {
  const requests = tokenCalls(traffic);
  const last =
    requests[partitionPoint(requests.length, (at) => (requests[at]?.startMs ?? 0) > call.startMs) - 1];
  return last !== undefined && (!isIssue(last) || last.endMs > call.startMs);
}

/** Whether the refusal is not judged: a client that renews only by its clock cannot foresee an early end. */
export const isExcused = (traffic: ScenarioTraffic, one: RefusedToken, { renewals }: Evidence) =>
  renewals.strategy === 'proactive' && isEarlyEnd(traffic, one.token);

/** Whether it was still sent when its agreed time was over, too. */
export function isOverdue(traffic: ScenarioTraffic, { token, refusals }: RefusedToken): boolean {
  const life = lifeNumbered(traffic, token);
  return life !== undefined && refusals.some(({ atMs }) => atMs > overdueFrom(life, traffic.agreedSeconds));
}

/** The read with which the client went on after a renewal. */
export function nextRead(traffic: ScenarioTraffic, { issue }: RefusedToken): Call | undefined {
  const reads = dataCalls(traffic);
  return issue && reads[indexFrom(reads, issue.endMs)];
}
