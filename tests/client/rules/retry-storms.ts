/** A lasting 403, and how often a client retries. */

import type { Finding } from '../certificate.ts';
import { turnMs } from '../pace.ts';
import { nextRead, refusedTokens } from '../refused-token.ts';
import { type Evidence, fails, perScenario, type Rule, warns } from '../rule.ts';
import {
  dataCalls,
  idleBetween,
  indexFrom,
  isEarlyEnd,
  isIssue,
  isRefused,
  isServed,
  type ScenarioTraffic,
  SETTLING_MS,
} from '../scenario-traffic.ts';
import { isBaseline } from '../scenarios.ts';
import type { Call } from '../traffic.ts';

const UNTRIED = 'The client met no lasting 403, or reads in parallel at a pace that was not seen.';

export const retryStormRules: readonly Rule[] = [
  {
    id: 'no-loop',
    clause: 'MRS-5c',
    severity: 'burdens-service',
    statement: 'A request that is also refused with a fresh token is not repeated again and again.',
    advice:
      'Renew and retry once per request. If the fresh token is refused too, the 403 has another reason, such as a missing ' +
      'scope: report it, and wait before the next attempt.',
    passive: 'tokens',
    untried: UNTRIED,
    judge: perScenario(judgeLoop),
  },
  {
    id: 'refresh-once',
    statement: 'One refused request leads to one new token.',
    advice:
      'Renew once per request, then give up. If a fresh token does not resolve a 403, the next one will not either.',
    passive: 'tokens',
    untried: UNTRIED,
    judge: perScenario(judgeSeveral),
  },
];

/** More attempts than this multiple of the usual number are a loop; a retry makes two of one. */
const LOOP = 6;

/** Attempts that were refused, compared with the usual number. */
interface RepeatedAttempts {
  attempts: Call[];
  times: number;
  seen: string;
}

/** Undefined where calls overlap and nothing shows how many are usual: then no number of attempts is too many. */
function repeatedAttempts(
  refused: readonly Call[],
  traffic: ScenarioTraffic,
  evidence: Evidence,
): RepeatedAttempts | undefined {
  if (evidence.atOnce > 1) {
    const usualRate = steadyRate(evidence);
    if (usualRate === undefined) return refused.length > 0 ? undefined : { attempts: [], times: 0, seen: '' };
    const times = rateIn(refused, traffic) / usualRate;
    const seen = `${refused.length} attempts were refused, ${times.toFixed(1)} times as many in a second as when nothing is wrong.`;
    return { attempts: [...refused], times, seen };
  }
  const attempts = longestRow(refused, traffic, evidence);
  // A client that reads several pages at a time also makes several attempts at a time.
  const usual = Math.max(
    1,
    ...evidence.scenarios.map((one) => (isBaseline(one) ? usualRow(one, evidence) : 1)),
  );
  const seen = `${attempts.length} attempts in a row were refused, without a pause between them.`;
  return { attempts, times: attempts.length / usual, seen };
}

const usualRow = (steady: ScenarioTraffic, evidence: Evidence): number =>
  longestRow(steady.calls.filter(isServed), steady, evidence).length;

/** Calls for the same that follow one another without a pause, as many as the longest row has. */
function longestRow(reads: readonly Call[], traffic: ScenarioTraffic, evidence: Evidence): Call[] {
  /** By their targets, in the row so far. */
  let row = new Map<string, Call[]>();
  let before: Call | undefined;
  let longest: Call[] = [];
  for (const call of reads) {
    const isNext = before && idleBetween(before, call, traffic) < turnMs(evidence.pace);
    if (!isNext) row = new Map();
    before = call;
    const alike = row.get(call.target) ?? [];
    alike.push(call);
    row.set(call.target, alike);
    if (alike.length > longest.length) longest = alike;
  }
  return longest;
}

function judgeLoop(traffic: ScenarioTraffic, evidence: Evidence): Finding[] | undefined {
  const refused = dataCalls(traffic).filter(isRefused);
  if (refused.length === 0) return undefined;
  const insisted = repeatedAttempts(refused, traffic, evidence);
  if (!insisted) return undefined;
  const { attempts, times, seen } = insisted;
  if (times > LOOP) return [fails(traffic, attempts, seen)];
  const renewed = renewedEachTime(traffic, evidence);
  if (renewed.length > LOOP)
    return [
      fails(
        traffic,
        renewed,
        `${renewed.length} reads in a row were refused, and each time another token was asked for at once.`,
      ),
    ];
  return stays(refused) ? [] : undefined;
}

/** Who renews as often within this time does not wait before the next attempt, in milliseconds. */
const LOOP_MS = 10_000;

/** The longest row of reads that were refused with a living token each, of which each but the first carries the one asked for at the refusal before. */
function renewedEachTime(traffic: ScenarioTraffic, { atOnce, pace }: Evidence): Call[] {
  if (atOnce > 1) return [];
  const calls = traffic.calls.filter(({ kind }) => kind === 'token' || kind === 'data');
  let row: Call[] = [];
  let longest: Call[] = [];
  for (const [index, read] of calls.entries()) {
    if (!isRefused(read) || read.standing !== 'valid') continue;
    const [refused, issue] = calls.slice(Math.max(0, index - 2), index);
    const isNext =
      refused !== undefined &&
      refused === row.at(-1) &&
      issue !== undefined &&
      isIssue(issue) &&
      issue.token === read.token &&
      issue.startMs - refused.endMs < turnMs(pace);
    row = isNext ? [...row, read].filter(({ startMs }) => read.startMs - startMs <= LOOP_MS) : [read];
    if (row.length > longest.length) longest = row;
  }
  return longest;
}

function judgeSeveral(traffic: ScenarioTraffic, evidence: Evidence): Finding[] | undefined {
  // Another rule reports what is refused with an expired token.
  const fresh = dataCalls(traffic).filter((call) => isRefused(call) && call.standing === 'valid');
  const insisted = repeatedAttempts(fresh, traffic, evidence);
  if (!insisted) return undefined;
  const { attempts, times, seen } = insisted;
  return times > (evidence.atOnce > 1 ? 3 : 2)
    ? [warns(traffic, attempts, seen)]
    : severalRenewals(traffic, stays(fresh), evidence);
}

const stays = (refused: readonly Call[]): boolean =>
  refused.some(({ status, standing }) => status === 403 && standing === 'valid');

/** Tokens that were asked for in a row, with no read between them. */
function severalRenewals(
  traffic: ScenarioTraffic,
  stayed: boolean,
  { atOnce, renewals }: Evidence,
): Finding[] | undefined {
  const cases = refusedTokens(traffic);
  if (cases.length === 0 && !stayed) return undefined;
  const all = traffic.calls.filter(isIssue);
  return cases.flatMap((one) => {
    const next = nextRead(traffic, one);
    const { issue } = one;
    if (!issue) return [];
    const issues = inARow(all, indexFrom(all, issue.startMs)).filter(
      (call) => !next || call.startMs < next.startMs,
    );
    // Callers that are refused together may each ask: the rule stampede is about them.
    const byRefusal = atOnce > 1 ? one.refusals.length : 1;
    // A client that also renews by its clock may ask for its sake when the token's time is over.
    const byClock = renewals.strategy === 'both' && !isEarlyEnd(traffic, one.token) ? 1 : 0;
    return issues.length <= byRefusal + byClock || traffic.processes > 1
      ? []
      : [
          warns(
            traffic,
            [one.first, ...issues],
            `${issues.length} tokens in a row were asked for after one refused request.`,
          ),
        ];
  });
}

/** Without a pause from one to the next, from this place on. */
function inARow(issues: readonly Call[], from: number): Call[] {
  let end = from + 1;
  while (end < issues.length && (issues[end]?.startMs ?? 0) - (issues[end - 1]?.endMs ?? 0) <= SETTLING_MS)
    end++;
  return issues.slice(from, end);
}

/** Attempts in a second, of a scenario that was cut short at the most in which the client may still have paused. */
function rateIn(calls: readonly Call[], traffic: ScenarioTraffic): number {
  const first = calls[0]?.startMs ?? 0;
  return calls.length / Math.max(traffic.isCut ? 4 : 0.5, (traffic.durationMs - first) / 1000);
}

function steadyRate({ scenarios }: Evidence): number | undefined {
  const steady = scenarios.find(isBaseline);
  const served = steady?.calls.filter(isServed) ?? [];
  return steady && served.length >= 3 ? rateIn(served, steady) : undefined;
}
