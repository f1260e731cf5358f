/** A token that was refused as expired, and what the client did then. */

import type { Exam } from './rule.ts';
import {
  dataCalls,
  isEarlyEnd,
  isExpiredRefusal,
  isIssue,
  overdueFrom,
  type Scene,
  tokenCalls,
} from './scene.ts';
import type { Call } from './traffic.ts';

export interface Case {
  token: number;
  refusals: Call[];
  first: Call;
  /** The first token request afterwards; one that other callers had under way counts. */
  request: Call | undefined;
  /** The token that came of it, or of a later one. */
  issue: Call | undefined;
}

export function casesOf(scene: Scene): Case[] {
  const refusals = scene.calls.filter(isExpiredRefusal);
  const numbers = [...new Set(refusals.flatMap(({ token }) => token ?? []))];
  return numbers.flatMap((token) => {
    const own = refusals.filter((call) => call.token === token);
    const [first] = own;
    if (!first) return [];
    const request = tokenCalls(scene).find(({ endMs }) => endMs > first.startMs);
    const issue = scene.calls.find(
      (call) => isIssue(call) && (call.token ?? 0) > token && call.endMs > first.startMs,
    );
    return [{ token, refusals: own, first, request, issue }];
  });
}

/** Reads with the token that began when its refusal was known. */
export function repeats(
  scene: Scene,
  { token, first }: Case,
  { atOnce }: Exam,
  until = Number.POSITIVE_INFINITY,
): Call[] {
  const again = dataCalls(scene).filter(
    (call) => call.token === token && call.startMs >= first.endMs && call.startMs < until,
  );
  if (atOnce === 1) return again;
  return again.slice(atOnce - 1); // each of the others may find out by itself
}

/** Whether the client has asked and got nothing yet: then it has no other token to send. */
export function isWithoutAnswer(scene: Scene, call: Call): boolean {
  const last = tokenCalls(scene).findLast(({ startMs }) => startMs <= call.startMs);
  return last !== undefined && (!isIssue(last) || last.endMs > call.startMs);
}

/** A client that renews by its clock alone is told by another rule where a token ends before it can know. */
export const isExcused = (scene: Scene, one: Case, { renewals }: Exam) =>
  renewals.strategy === 'proactive' && isEarlyEnd(scene, one.token);

/** Whether it was still sent when its agreed time was over, too. */
export const isOverdue = ({ lives, agreedSeconds }: Scene, { token, refusals }: Case) =>
  lives.some(
    (life) => life.number === token && refusals.some(({ atMs }) => atMs > overdueFrom(life, agreedSeconds)),
  );

/** The read with which the client went on after a renewal. */
export const nextRead = (scene: Scene, { issue }: Case): Call | undefined =>
  issue && dataCalls(scene).find(({ startMs }) => startMs >= issue.endMs);
