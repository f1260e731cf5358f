/** A token that was refused as expired, and what the client did then. */

import type { Evidence } from './rule.ts';
import {
  dataCalls,
  isEarlyEnd,
  isExpiredRefusal,
  isIssue,
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

export function refusedTokens(traffic: ScenarioTraffic): RefusedToken[] {
  const refusals = traffic.calls.filter(isExpiredRefusal);
  const numbers = [...new Set(refusals.flatMap(({ token }) => token ?? []))];
  return numbers.flatMap((token) => {
    const own = refusals.filter((call) => call.token === token);
    const [first] = own;
    if (!first) return [];
    const request = tokenCalls(traffic).find(({ endMs }) => endMs > first.startMs);
    const issue = traffic.calls.find(
      (call) => isIssue(call) && (call.token ?? 0) > token && call.endMs > first.startMs,
    );
    return [{ token, refusals: own, first, request, issue }];
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
  const again = dataCalls(traffic).filter(
    (call) =>
      call.token === token &&
      call.startMs >= first.endMs &&
      call.startMs < until &&
      (atOnce === 1 || !mayCross(traffic, first.endMs, call)), // others may be on their way
  );
  if (atOnce === 1) return again;
  return again.slice(atOnce - 1); // each of the others may find out by itself
}

/** Whether the client has asked and got nothing yet: then it has no other token to send. */
export function isWithoutAnswer(traffic: ScenarioTraffic, call: Call): boolean {
  const last = tokenCalls(traffic).findLast(({ startMs }) => startMs <= call.startMs);
  return last !== undefined && (!isIssue(last) || last.endMs > call.startMs);
}

/** Whether another rule judges the refusal: a client that renews only by its clock cannot foresee an early end. */
export const isExcused = (traffic: ScenarioTraffic, one: RefusedToken, { renewals }: Evidence) =>
  renewals.strategy === 'proactive' && isEarlyEnd(traffic, one.token);

/** Whether it was still sent when its agreed time was over, too. */
export const isOverdue = ({ lives, agreedSeconds }: ScenarioTraffic, { token, refusals }: RefusedToken) =>
  lives.some(
    (life) => life.number === token && refusals.some(({ atMs }) => atMs > overdueFrom(life, agreedSeconds)),
  );

/** The read with which the client went on after a renewal. */
export const nextRead = (traffic: ScenarioTraffic, { issue }: RefusedToken): Call | undefined =>
  issue && dataCalls(traffic).find(({ startMs }) => startMs >= issue.endMs);
