/** What a client does when an endpoint or the connection fails. */

import { several } from '../../report/text.ts';
import { shortestPauseMs } from '../evidence.ts';
import { type Check, type Finding, fails, warns } from '../rule.ts';
import {
  type Call,
  dataCalls,
  endInWords,
  isOutage,
  isServed,
  longest,
  maxOf,
  recoveryMs,
  rowsOf,
  type ScenarioTraffic,
  SETTLING_MS,
  seconds,
  silentMs,
  stalledFor,
  stalledMs,
  tokenCalls,
} from '../traffic.ts';

/** Attempts without a pause that are tolerated: the first and two more. */
const PATIENCE = 3;
/** So many are a storm: 5.3 has a token requested once. */
const STORM = 20;

/** Calls of one kind, and which of them failed through no fault of the client. */
interface Endpoint {
  /** As in "token endpoint", "token request". */
  name: string;
  call: string;
  callsOf(traffic: ScenarioTraffic): readonly Call[];
  isFailure(call: Call): boolean;
  /** Whether a storm of calls violates a clause. */
  failsByStorm?: true;
}

const TOKEN_ENDPOINT: Endpoint = {
  name: 'token endpoint',
  call: 'token request',
  callsOf: tokenCalls,
  isFailure: isOutage,
  failsByStorm: true,
};

/** A call that failed through no fault of the client: a token request without a token, a read that broke off. */
const isTrouble = (call: Call): boolean =>
  isOutage(call) ||
  (call.kind === 'token' && call.ended !== undefined) ||
  (call.kind === 'data' &&
    (call.ended === 'reset' || call.ended === 'cut' || call.status >= 500 || call.status === 429));

/** Whether the client reads again after the last failure; undefined if the end of the scenario leaves that open. */
export function recovery(
  traffic: ScenarioTraffic,
  isFailure: Endpoint['isFailure'],
  isRead: (call: Call) => boolean,
  patienceMs = recoveryMs(traffic),
): Finding[] | undefined {
  const trouble = traffic.calls.filter(isFailure);
  const last = trouble.at(-1);
  if (!last) return undefined;
  if (dataCalls(traffic).some((call) => isRead(call) && call.endMs > last.endMs)) return [];
  const end = endInWords(traffic);
  if (end) return warns(traffic, [last], `The client ${end}.`);
  const waited = silentMs(traffic, last.endMs);
  if (waited < patienceMs) return undefined;
  return warns(traffic, [last], `The client had read nothing ${seconds(waited)} after the last failure.`);
}

/** Whether the client pauses between calls to an endpoint that fails. */
export const backOffFrom =
  ({ name, call, callsOf, isFailure, failsByStorm }: Endpoint): Check =>
  (traffic, { pace, concurrency }) => {
    const calls = callsOf(traffic);
    if (!calls.slice(0, -1).some(isFailure)) return undefined; // what it does after a failure is not shown
    /** The longest row without a pause after a failure, whose end was recorded this late. */
    const longestRow = (lateMs: (call: Call) => number) =>
      longest(
        rowsOf(calls, (before, { startMs }) => {
          const pauseMs = startMs - before.endMs + lateMs(before);
          return isFailure(before) && pauseMs < shortestPauseMs(pace);
        }),
      );
    const row = longestRow(() => 0);
    if (row.length <= PATIENCE * concurrency) return [];
    const lateMs = ({ startMs, endMs }: Call) => stalledMs(traffic, startMs, endMs);
    if (longestRow(lateMs).length <= PATIENCE * concurrency)
      return stalledFor(row.reduce((sum, request) => sum + lateMs(request), 0));
    const found = failsByStorm && row.length > STORM * concurrency ? fails : warns;
    return found(traffic, row, `${row.length} ${call}s came without a pause while the ${name} failed.`);
  };

/** How early a clock may be without being wrong. */
const CLOCK_MS = 100;

/** When a client that was advised to wait may call again, by a clock that may be early. */
const waitedUntil = ({ endMs, retryAfterSeconds = 0 }: Call): number =>
  endMs + retryAfterSeconds * 1000 - CLOCK_MS;

/** Whether the client waits as long as an endpoint asks it to. */
export const retryAfterFrom =
  ({ callsOf }: Pick<Endpoint, 'callsOf'>): Check =>
  (traffic, { concurrency }) => {
    const requests = callsOf(traffic);
    const advised = requests.filter(({ retryAfterSeconds }) => retryAfterSeconds !== undefined);
    if (!advised.some((advice) => requests.some(({ startMs }) => startMs > advice.startMs))) return undefined;
    if (traffic.processes > 1) return [];
    /** `lateMs`: how late the end of the advice was recorded. Callers of one client may each meet one, and wait from its own. */
    const isEarly = ({ startMs }: Call, advice: Call, lateMs = 0): boolean =>
      startMs > advice.startMs &&
      startMs < waitedUntil(advice) - lateMs &&
      (concurrency === 1 ||
        (startMs > advice.endMs + SETTLING_MS && !advised.some((other) => startMs >= waitedUntil(other))));
    const early = advised.flatMap((advice) =>
      requests.filter((request) => isEarly(request, advice)).map((request) => ({ advice, request })),
    );
    const [first] = early;
    if (!first) return [];
    const lateMs = (advice: Call) => stalledMs(traffic, advice.startMs, advice.endMs);
    if (!early.some(({ advice, request }) => isEarly(request, advice, lateMs(advice))))
      return stalledFor(maxOf(early.map(({ advice }) => lateMs(advice))));
    const again = [...new Set(early.map(({ request }) => request))];
    const { advice, request } = first;
    const seen = `Asked to wait ${advice.retryAfterSeconds} s, the client called again after ${seconds(request.startMs - advice.endMs)}, ${several(again.length, 'time')} in all.`;
    return warns(traffic, [advice, ...again], seen);
  };

export const outageChecks: Record<string, Check> = {
  'back-off': backOffFrom(TOKEN_ENDPOINT),
  'retry-after': retryAfterFrom(TOKEN_ENDPOINT),
  recovers: (traffic) => recovery(traffic, isTrouble, isServed),
};
