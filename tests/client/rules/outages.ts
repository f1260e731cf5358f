/** What a client does when the token endpoint or the connection fails. */

import type { Finding } from '../certificate.ts';
import { turnMs } from '../pace.ts';
import { type Evidence, perScenario, type Rule, several, warns } from '../rule.ts';
import {
  dataCalls,
  endInWords,
  heldUp,
  indexFrom,
  isIssue,
  isOutage,
  isServed,
  median,
  recoveryMs,
  type ScenarioTraffic,
  SETTLING_MS,
  seconds,
  silentMs,
  stalledMs,
  tokenCalls,
} from '../scenario-traffic.ts';
import type { Call } from '../traffic.ts';

/** Attempts without a pause that are tolerated: the first and two more. */
const PATIENCE = 3;

/** Calls of one kind, and which of them failed through no fault of the client. */
interface Endpoint {
  /** As in "token endpoint". */
  name: string;
  /** As in "token request". */
  call: string;
  callsOf(traffic: ScenarioTraffic): readonly Call[];
  isFailure(call: Call): boolean;
}

const TOKEN_ENDPOINT: Endpoint = {
  name: 'token endpoint',
  call: 'token request',
  callsOf: tokenCalls,
  isFailure: isOutage,
};

/** The longest row of calls that came without a pause after one that failed; `lateMs`: how late its end was recorded. */
function longestRow(
  calls: readonly Call[],
  isFailure: Endpoint['isFailure'],
  shortestMs: number,
  lateMs: (request: Call) => number = () => 0,
): Call[] {
  let row: Call[] = [];
  let longest: Call[] = [];
  for (const request of calls) {
    const before = row.at(-1);
    const isNext =
      before && isFailure(before) && request.startMs - before.endMs + lateMs(before) < shortestMs;
    if (isNext) row.push(request);
    else row = [request];
    if (row.length > longest.length) longest = row;
  }
  return longest;
}

/** Attempts with hardly a pause, of each caller: with as many, the client follows no pace at all. */
const STORM = 20;

/** A client that takes longer to react does so on purpose. */
const SLOWEST_MS = 150;

/** How long the client takes for a call that it makes at once, on this machine: a read with a token that has come. */
function reactionMs({ scenarios }: Pick<Evidence, 'scenarios'>): number {
  const reactions = scenarios.flatMap((traffic) => {
    const reads = dataCalls(traffic);
    return traffic.calls
      .filter(isIssue)
      .flatMap(({ endMs }) => (reads[indexFrom(reads, endMs)]?.startMs ?? Number.POSITIVE_INFINITY) - endMs);
  });
  return Math.min(SLOWEST_MS, median(reactions) ?? 0);
}

/**
 * The token requests in a row while the endpoint failed, if they are a storm: 5.3 has a token requested once. It counts how
 * long the client paused in all, and not each pause: a busy machine makes some of them longer. One whose answer was
 * recorded late counts in full.
 */
export function tokenStorm(traffic: ScenarioTraffic, evidence: Evidence): Call[] {
  const requests = tokenCalls(traffic);
  const pauses = requests.slice(1).map(({ startMs }, at) => {
    const before = requests[at] as Call;
    if (!isOutage(before)) return Number.POSITIVE_INFINITY;
    return Math.max(0, startMs - before.endMs) + stalledMs(traffic, before.startMs, before.endMs);
  });
  const most = STORM * (shortestPauseMs(evidence.pace) + reactionMs(evidence));
  const count = STORM * evidence.atOnce;
  let from: number | undefined;
  let longest = { from: 0, end: 0 };
  for (let end = count; end <= pauses.length; end++) {
    const paused = pauses.slice(end - count, end).reduce((sum, pauseMs) => sum + pauseMs, 0);
    from = paused >= most ? undefined : (from ?? end - count);
    if (from !== undefined && end + 1 - from > longest.end - longest.from) longest = { from, end: end + 1 };
  }
  return requests.slice(longest.from, longest.end);
}

/** A shorter one is none. */
const shortestPauseMs = (pace: Evidence['pace']): number => Math.min(100, turnMs(pace));

/** How early a clock may be without being wrong. */
const CLOCK_MS = 100;

/** A call that failed through no fault of the client: a token request without a token, a read that broke off. */
const isTrouble = (call: Call): boolean =>
  isOutage(call) ||
  (call.kind === 'token' && call.ended !== undefined) ||
  (call.kind === 'data' &&
    (call.ended === 'reset' || call.ended === 'cut' || call.status >= 500 || call.status === 429));

/** Whether the client reads again after the last failure; undefined if the end of the scenario leaves that open. */
export function recovery(
  traffic: ScenarioTraffic,
  { scenarios }: Pick<Evidence, 'scenarios'>,
  isFailure: Endpoint['isFailure'],
  isRead: (call: Call) => boolean,
  patienceMs = recoveryMs(traffic),
): Finding[] | undefined {
  const trouble = traffic.calls.filter(isFailure);
  const last = trouble.at(-1);
  // A client that never read anything, in no scenario, has another problem.
  if (!last || !scenarios.some(({ calls }) => calls.some(isRead))) return undefined;
  if (dataCalls(traffic).some((call) => isRead(call) && call.endMs > last.endMs)) return [];
  const end = endInWords(traffic);
  if (end) return [warns(traffic, [last], `The client ${end}.`)];
  const waited = silentMs(traffic, last.endMs);
  if (waited < patienceMs) return undefined;
  return [warns(traffic, [last], `The client had read nothing ${seconds(waited)} after the last failure.`)];
}

/** Whether the client pauses between calls to an endpoint that fails. */
export const backOffFrom = ({ name, call, callsOf, isFailure }: Endpoint): Rule => ({
  id: 'back-off',
  statement: `While the ${name} fails, the client waits before it asks again.`,
  advice:
    `Wait after a failed ${call}, longer each time (1 s, 2 s, 4 s, up to a minute), with some jitter, so that ` +
    'clients do not all return at the same moment. An overloaded service does not recover under a flood of requests.',
  passive: 'requests',
  untried: `The ${name} did not fail while the client called it.`,
  judge: perScenario((traffic, { pace, atOnce }) => {
    const calls = callsOf(traffic);
    if (!calls.some(isFailure)) return undefined;
    const shortestMs = shortestPauseMs(pace);
    const row = longestRow(calls, isFailure, shortestMs);
    if (row.length <= PATIENCE * atOnce) return [];
    const lateMs = ({ startMs, endMs }: Call) => stalledMs(traffic, startMs, endMs);
    if (longestRow(calls, isFailure, shortestMs, lateMs).length <= PATIENCE * atOnce)
      return heldUp(row.reduce((sum, request) => sum + lateMs(request), 0));
    const seen = `${row.length} ${call}s came without a pause while the ${name} failed.`;
    return [warns(traffic, row, seen)];
  }),
});

/** Whether the client waits as long as an endpoint asks it to. */
export const retryAfterFrom = ({ name, callsOf }: Pick<Endpoint, 'name' | 'callsOf'>): Rule => ({
  id: 'retry-after',
  statement: 'The client waits as long as Retry-After says.',
  advice:
    'Read Retry-After on 429 and 503 (RFC 9110 section 10.2.3), in seconds or as a date, and do not retry earlier. An ' +
    'earlier request may be counted again and prolong the wait.',
  passive: 'requests',
  untried: `No answer of the ${name} had a Retry-After.`,
  judge: perScenario((traffic, { atOnce }) => {
    const requests = callsOf(traffic);
    const advised = requests.filter(({ retryAfterSeconds }) => retryAfterSeconds !== undefined);
    if (advised.length === 0) return undefined;
    if (traffic.processes > 1) return [];
    const early = advised.flatMap((advice) =>
      requests
        .filter((request) => isEarly(request, advice, advised, atOnce))
        .map((request) => ({ advice, request })),
    );
    const [first] = early;
    if (!first) return [];
    const lateMs = (advice: Call) => stalledMs(traffic, advice.startMs, advice.endMs);
    if (!early.some(({ advice, request }) => isEarly(request, advice, advised, atOnce, lateMs(advice))))
      return heldUp(Math.max(...early.map(({ advice }) => lateMs(advice))));
    const again = [...new Set(early.map(({ request }) => request))];
    const { advice, request } = first;
    const seen = `Asked to wait ${advice.retryAfterSeconds} s, the client called again after ${seconds(request.startMs - advice.endMs)}, ${several(again.length, 'time')} in all.`;
    return [warns(traffic, [advice, ...again], seen)];
  }),
});

/** When a client that was advised to wait may call again, by a clock that may be early. */
const waitedUntil = ({ endMs, retryAfterSeconds = 0 }: Call): number =>
  endMs + retryAfterSeconds * 1000 - CLOCK_MS;

/**
 * Whether a request did not wait as long as it was advised to; `lateMs`: how late the end of the advice was recorded.
 * Callers of one client may each meet such an answer, and each wait from its own.
 */
function isEarly(request: Call, advice: Call, advised: readonly Call[], atOnce: number, lateMs = 0): boolean {
  const { startMs } = request;
  if (startMs <= advice.startMs || startMs >= waitedUntil(advice) - lateMs) return false;
  if (atOnce === 1) return true;
  return startMs > advice.endMs + SETTLING_MS && !advised.some((other) => startMs >= waitedUntil(other));
}

export const outageRules: readonly Rule[] = [
  backOffFrom(TOKEN_ENDPOINT),
  retryAfterFrom(TOKEN_ENDPOINT),
  {
    id: 'recovers',
    statement: 'The client reads again once what failed works again.',
    advice:
      'Catch the error of a single call, wait, and try again: a reset connection or a token endpoint that is down for ' +
      'three seconds is not a reason to stop. Let a supervisor decide when to give up.',
    passive: 'tokens',
    untried: 'Nothing failed while the client was calling, or its calls ended soon after it.',
    judge: perScenario((traffic, evidence) => recovery(traffic, evidence, isTrouble, isServed)),
  },
];
