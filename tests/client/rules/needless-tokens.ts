/** Token requests of a client that still has a token that is accepted. */

import { groupBy } from '../../support/collections.ts';
import type { Evidence } from '../rule.ts';
import {
  dataCalls,
  endOf,
  firstUses,
  isIssue,
  isRefused,
  isServed,
  lastHad,
  lifeNumbered,
  type ScenarioTraffic,
  SETTLING_MS,
  tokenCalls,
  tokensHad,
} from '../scenario-traffic.ts';
import { isForeseeable, isHasty, isLongLived } from '../strategy.ts';
import { tokensSideBySide } from '../token-crowd.ts';
import type { Call } from '../traffic.ts';

/** Fewer reads with one token show nothing about its reuse. */
export const FEWEST_READS = 3;

/**
 * Token requests although each process had a young token with which no call had been refused. Each caller of a client
 * may ask for itself at the start, and once for each refusal.
 */
function whileYoung(traffic: ScenarioTraffic, { atOnce, scenarios }: Evidence): Call[] {
  const callers = Math.max(atOnce, ...scenarios.map(tokensSideBySide));
  const had = tokensHad(traffic);
  const refused = traffic.calls.filter(isRefused);
  const refusalsOf = groupBy(refused, ({ token }) => token);
  const excuses = atOnce > 1 ? [...refused] : [];
  const [first] = tokenCalls(traffic);
  const isKnown = (refusal: Call, request: Call) =>
    atOnce > 1 ? refusal.endMs <= request.startMs : refusal.startMs < request.startMs;
  return tokenCalls(traffic).filter((request, index) => {
    if (index < callers && first && request.startMs < first.startMs + SETTLING_MS) return false;
    const excuse = excuses.findIndex(
      (one) => isKnown(one, request) && one.endMs > request.startMs - SETTLING_MS,
    );
    if (excuse >= 0) excuses.splice(excuse, 1);
    if (excuse >= 0) return false;
    const newest = lastHad(had, request.startMs, traffic.processes);
    const isYoung = ({ token }: { token?: number }) => {
      const life = lifeNumbered(traffic, token);
      return (
        life !== undefined &&
        endOf(life) > request.atMs &&
        !isForeseeable(traffic, request, life) &&
        !(refusalsOf.get(token) ?? []).some((call) => isKnown(call, request))
      );
    };
    return newest.length >= traffic.processes && newest.every(isYoung);
  });
}

/** Whether it shows reuse: some token carried several reads, and none that lives for a short time was replaced early. */
export function showsReuse(traffic: ScenarioTraffic, evidence: Evidence): boolean {
  const served = traffic.calls.filter(isServed);
  if (isLongLived(traffic)) return served.length >= FEWEST_READS;
  const byClock = evidence.renewals.renewals.filter((one) => one.traffic === traffic && one.by !== 'refusal');
  const groups = groupBy(served, ({ token }) => token);
  groups.delete(undefined);
  return (
    whileYoung(traffic, evidence).length === 0 &&
    !byClock.some(isHasty) &&
    [...groups.values()].some(({ length }) => length >= FEWEST_READS)
  );
}

/**
 * Token requests that nothing explains. A client that keeps a fixed time in reserve asks before each read where tokens live shorter
 * than that, and may then drop one at a renewal.
 */
export function needless(traffic: ScenarioTraffic, evidence: Evidence): Call[] {
  const found = whileYoung(traffic, evidence);
  if (isLongLived(traffic)) return found;
  const { atOnce } = evidence;
  const young = new Set(found);
  const hasty = replacedTooSoon(traffic, atOnce).filter((request) => young.has(request));
  const early = new Set(hasty.length >= FEWEST_HASTY ? hasty : []);
  const had = tokensHad(traffic);
  const usedFrom = firstUses(traffic);
  return found.filter((request) => early.has(request) || dropsTokens({ had, usedFrom }, request, 1 + atOnce));
}

/** A timer and a refusal may each make a client ask at the same time, now and then. */
const FEWEST_HASTY = 3;

/** How much the age at which a client renews may vary, if it counts whole seconds. */
const VARIATION_MS = 1000 + SETTLING_MS;

/**
 * Token requests in place of a token that is younger than others were when the client still used them: a fixed time in
 * reserve does not explain that. Several callers may each have a token, and each is replaced once.
 */
function replacedTooSoon(traffic: ScenarioTraffic, atOnce: number): Call[] {
  if (traffic.processes > 1) return [];
  const keptMs = longestUse(traffic, atOnce);
  const had = tokensHad(traffic);
  const replaced = new Set<number | undefined>();
  let from = 0; // Those before have been replaced.
  return tokenCalls(traffic).filter((request) => {
    const isOld = ({ token, endMs }: { token?: number; endMs: number }) => {
      const life = endMs <= request.startMs ? lifeNumbered(traffic, token) : undefined;
      return life !== undefined && isForeseeable(traffic, request, life);
    };
    while (from < had.length && replaced.has(had[from]?.token)) from++;
    const [newest] = lastHad(had, request.startMs, 1);
    let at = from;
    while (at < had.length && (had[at]?.startMs ?? 0) <= request.startMs) {
      const one = had[at] as (typeof had)[number];
      if (!replaced.has(one.token) && isOld(one)) break;
      at++;
    }
    const old = (had[at]?.startMs ?? 0) <= request.startMs ? had[at] : undefined;
    if (isIssue(request)) replaced.add((old ?? newest)?.token);
    return newest && !old && request.startMs - newest.endMs + VARIATION_MS <= keptMs;
  });
}

/** For how long a client used one token at most, in milliseconds. The last reads with it may only have been held up. */
function longestUse(traffic: ScenarioTraffic, atOnce: number): number {
  const servedWith = groupBy(dataCalls(traffic).filter(isServed), ({ token }) => token);
  const spans = tokensHad(traffic).map(({ token, endMs }) => {
    const last = servedWith.get(token)?.at(-1 - atOnce);
    return last ? last.startMs - endMs : 0;
  });
  return spans.filter(Number.isFinite).reduce((most, span) => Math.max(most, span), 0);
}

/** Whether this number of tokens was not used before this request. */
function dropsTokens(
  { had, usedFrom }: { had: ReturnType<typeof tokensHad>; usedFrom: ReturnType<typeof firstUses> },
  request: Call,
  count: number,
): boolean {
  const tokens = lastHad(had, request.startMs, count);
  return (
    tokens.length >= count &&
    tokens.every(({ token }) => (usedFrom.get(token) ?? Number.POSITIVE_INFINITY) >= request.startMs)
  );
}
