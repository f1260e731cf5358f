/** What a client does when the token endpoint or the connection fails. */

import type { Finding } from '../certificate.ts';
import { turnMs } from '../pace.ts';
import { perScenario, type Rule, several, warns } from '../rule.ts';
import {
  dataCalls,
  heldUp,
  isOutage,
  isServed,
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

/** The longest row of token requests that came without a pause after one that failed; `lateMs`: how late its end was recorded. */
function longestRow(
  traffic: ScenarioTraffic,
  shortestMs: number,
  lateMs: (request: Call) => number = () => 0,
): Call[] {
  let row: Call[] = [];
  let longest: Call[] = [];
  for (const request of tokenCalls(traffic)) {
    const before = row.at(-1);
    const isNext = before && isOutage(before) && request.startMs - before.endMs + lateMs(before) < shortestMs;
    row = isNext ? [...row, request] : [request];
    if (row.length > longest.length) longest = row;
  }
  return longest;
}

/** How early a clock may be without being wrong. */
const CLOCK_MS = 100;

/** A call that failed through no fault of the client: a token request without a token, a read that broke off. */
const isTrouble = (call: Call): boolean =>
  isOutage(call) ||
  (call.kind === 'token' && call.ended !== undefined) ||
  (call.kind === 'data' &&
    (call.ended === 'reset' || call.ended === 'cut' || call.status >= 500 || call.status === 429));

/** A client may wait for so long before it tries again. */
const RECOVERY_MS = 10_000;

function recovery(traffic: ScenarioTraffic): Finding[] | undefined {
  const trouble = traffic.calls.filter(isTrouble);
  const last = trouble.at(-1);
  // A client that never read anything has another problem.
  if (!last || !traffic.calls.some(isServed)) return undefined;
  if (dataCalls(traffic).some((call) => isServed(call) && call.endMs > last.endMs)) return [];
  const { ended } = traffic;
  if (ended?.signal !== undefined) return [];
  if (ended) return [warns(traffic, [last], `The client ended by itself with exit code ${ended.code}.`)];
  const waited = silentMs(traffic, last.endMs);
  if (waited < RECOVERY_MS) return undefined;
  return [warns(traffic, [last], `The client had read nothing ${seconds(waited)} after the last failure.`)];
}

export const outageRules: readonly Rule[] = [
  {
    id: 'back-off',
    statement: 'While the token endpoint fails, the client waits before it asks again.',
    advice:
      'Wait after a failed token request, longer each time (1 s, 2 s, 4 s, up to a minute), with some jitter, so that ' +
      'clients do not all return at the same moment. An overloaded service does not recover under a flood of requests.',
    untried: 'The token endpoint did not fail while the client asked for a token.',
    judge: perScenario((traffic, { pace, atOnce }) => {
      if (!tokenCalls(traffic).some(isOutage)) return undefined;
      const shortestMs = Math.min(100, turnMs(pace));
      const row = longestRow(traffic, shortestMs);
      if (row.length <= PATIENCE * atOnce) return [];
      const lateMs = ({ startMs, endMs }: Call) => stalledMs(traffic, startMs, endMs);
      if (longestRow(traffic, shortestMs, lateMs).length <= PATIENCE * atOnce)
        return heldUp(row.reduce((sum, request) => sum + lateMs(request), 0));
      const seen = `${row.length} token requests came without a pause while the token endpoint failed.`;
      return [warns(traffic, row, seen)];
    }),
  },
  {
    id: 'retry-after',
    statement: 'The client waits as long as Retry-After says.',
    advice:
      'Read Retry-After on 429 and 503 (RFC 9110 section 10.2.3), in seconds or as a date, and do not retry earlier. An ' +
      'earlier request may be counted again and prolong the wait.',
    untried: 'No answer had a Retry-After.',
    judge: perScenario((traffic, { atOnce }) => {
      const requests = tokenCalls(traffic);
      const advised = requests.filter(({ retryAfterSeconds }) => retryAfterSeconds !== undefined);
      if (advised.length === 0) return undefined;
      const isEarly = (call: Call, request: Call, lateMs: number) =>
        request.startMs > call.startMs &&
        request.startMs < call.endMs - lateMs + (call.retryAfterSeconds ?? 0) * 1000 - CLOCK_MS &&
        (atOnce === 1 || request.startMs > call.endMs + SETTLING_MS);
      const findings: Finding[] = [];
      for (const call of traffic.processes > 1 ? [] : advised) {
        const [first, ...more] = requests.filter((request) => isEarly(call, request, 0));
        if (!first) continue;
        const lateMs = stalledMs(traffic, call.startMs, call.endMs);
        if (!isEarly(call, first, lateMs)) return heldUp(lateMs);
        const seen = `Asked to wait ${call.retryAfterSeconds} s, the client called again after ${seconds(first.startMs - call.endMs)}, ${several(1 + more.length, 'time')} in all.`;
        findings.push(warns(traffic, [call, first, ...more], seen));
      }
      return findings;
    }),
  },
  {
    id: 'recovers',
    statement: 'The client reads again once what failed works again.',
    advice:
      'Catch the error of a single call, wait, and try again: a reset connection or a token endpoint that is down for ' +
      'three seconds is not a reason to stop. Let a supervisor decide when to give up.',
    untried: 'Nothing failed while the client was calling, or the scenario ended soon after it.',
    judge: perScenario(recovery),
  },
];
