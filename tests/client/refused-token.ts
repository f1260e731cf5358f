/** A token that was refused as expired, and what the client did then. */

import { groupBy, partitionPoint } from '../support/collections.ts';
import type { Evidence } from './rule.ts';
import {
  dataCalls,
  indexFrom,
  isEarlyEnd,
  isExpiredRefusal,
  isIssue,
  isServed,
  lifeNumbered,
  median,
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

/** Reads with the token that began when its refusal was known. */
export function repeats(
  traffic: ScenarioTraffic,
  { token, first }: RefusedToken,
  { atOnce }: Evidence,
  until = Number.POSITIVE_INFINITY,
): Call[] {
  const reads = dataCalls(traffic);
  const again = reads.slice(indexFrom(reads, first.endMs), indexFrom(reads, until)).filter(
    (call) => call.token === token && (atOnce === 1 || !mayCross(traffic, first.endMs, call)), // others may be on their way
  );
  if (atOnce === 1) return again;
  return again.slice(atOnce - 1); // each of the others may find out by itself
}

/** A shorter pause between two reads is none that a client makes on purpose. */
const PAUSE_MS = 20;

/** A client whose reads follow one another in longer rows makes no pauses that would show what belongs together. */
const LONGEST_QUEUE = 50;

/** Below this time between them, calls belong to one turn of the client; 0 where its pauses do not show it. */
function queueGapMs({ scenarios }: Evidence): number {
  const pauses = scenarios.flatMap((traffic) => {
    const served = dataCalls(traffic).filter(isServed);
    return served.slice(1).map((read, at) => read.startMs - (served[at]?.endMs ?? 0));
  });
  return (median(pauses.filter((pauseMs) => pauseMs > PAUSE_MS)) ?? 0) / 2;
}

/** Whether a call begins so long after that time that it belongs to another turn, but for what the machine held up. */
const isApart = (traffic: ScenarioTraffic, latestMs: number, { startMs }: Call, gapMs: number): boolean =>
  startMs - latestMs - stalledMs(traffic, latestMs, startMs) > gapMs;

/** How many reads a client makes in one turn at most, where nothing is in its way. */
function queueLength({ scenarios }: Evidence, gapMs: number): number {
  let most = 1;
  for (const traffic of scenarios) {
    let row = 0;
    let latestMs = Number.NEGATIVE_INFINITY;
    for (const read of dataCalls(traffic)) {
      row = isServed(read) && !isApart(traffic, latestMs, read, gapMs) ? row + 1 : 1;
      latestMs = Math.max(latestMs, read.endMs);
      most = Math.max(most, row);
    }
  }
  return most;
}

/**
 * Whether the reads that were refused with a token were all decided on before its first 403: they wait for one of a few
 * connections, as many as the client reads in a turn, and each is repeated once with a newer token in the same turn.
 */
export function wereQueued(traffic: ScenarioTraffic, one: RefusedToken, evidence: Evidence): boolean {
  const { refusals, token, issue } = one;
  if (refusals.length < 2) return false;
  const gapMs = queueGapMs(evidence);
  const most = queueLength(evidence, gapMs);
  if (refusals.length > most || most > LONGEST_QUEUE) return false;
  // The scenario ended before a token came: what the client would have repeated is not known.
  if (!issue)
    return refusals.every(
      (call, nth) => !isApart(traffic, refusals[nth - 1]?.endMs ?? call.startMs, call, gapMs),
    );
  const later = traffic.calls.filter(({ kind, endMs }) => kind === 'data' && endMs > issue.endMs);
  let latestMs = issue.endMs; // A token may take its time.
  let repeated = 0;
  let isOver = false; // Otherwise the scenario ended before the client could repeat all of them.
  for (const call of later) {
    if (isApart(traffic, latestMs, call, gapMs)) {
      isOver = true;
      break;
    }
    latestMs = Math.max(latestMs, call.endMs);
    if ((call.token ?? 0) > token) repeated++;
  }
  const last = refusals.at(-1) as Call;
  return last.startMs <= latestMs && repeated >= (isOver ? refusals.length : 1);
}

/** Whether the client has asked and got nothing yet: then it has no other token to send. */
export function isWithoutAnswer(traffic: ScenarioTraffic, call: Call): boolean {
  const requests = tokenCalls(traffic);
  const last =
    requests[partitionPoint(requests.length, (at) => (requests[at]?.startMs ?? 0) > call.startMs) - 1];
  return last !== undefined && (!isIssue(last) || last.endMs > call.startMs);
}

/** Whether another rule judges the refusal: a client that renews only by its clock cannot foresee an early end. */
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
