/** How many tokens a client asks for, and when. */

import { groupBy } from '../../support/group-by.ts';
import { delayMs } from '../delay.ts';
import { type Evidence, fails, perScenario, type Rule, several, warns } from '../rule.ts';
import {
  dataCalls,
  endOf,
  firstUses,
  heldUp,
  isEarlyEnd,
  isIssue,
  isRefused,
  isServed,
  lastHad,
  lifeNumbered,
  overlapOf,
  type ScenarioTraffic,
  SETTLING_MS,
  seconds,
  stalledMs,
  tokenCalls,
  tokensHad,
} from '../scenario-traffic.ts';
import { isForeseeable, isHasty, isLongLived, type Renewal } from '../strategy.ts';
import { tokenCount } from '../token-count.ts';
import { tokenCrowds, tokensSideBySide } from '../token-crowd.ts';
import type { Call, Life } from '../traffic.ts';
import { whyUnused } from '../unsent-tokens.ts';

/** Fewer reads with one token show nothing about its reuse. */
const FEWEST_READS = 3;

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
function showsReuse(traffic: ScenarioTraffic, evidence: Evidence): boolean {
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
 * Those that nothing explains. A client that keeps a fixed time in reserve asks before each read where tokens live shorter
 * than that, and may then drop one at a renewal.
 */
function needless(traffic: ScenarioTraffic, evidence: Evidence): Call[] {
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

/** Those that were under way while another one was, of calls in their order. */
function overlapping(calls: readonly Call[]): Call[] {
  let latestMs = Number.NEGATIVE_INFINITY;
  return calls.filter(({ startMs, endMs }, at) => {
    const isAfterAnother = startMs < latestMs;
    latestMs = Math.max(latestMs, endMs);
    const next = calls[at + 1];
    return isAfterAnother || (next !== undefined && next.startMs < endMs);
  });
}

/** Whether the last read before a request broke off or met an error: the client may blame its token. */
function isAfterTrouble(traffic: ScenarioTraffic, request: Call): boolean {
  const [last] = lastHad(dataCalls(traffic), request.startMs, 1);
  return last !== undefined && !isServed(last) && !isRefused(last);
}

/** Libraries keep up to a minute in reserve; a token that lives for less than twice as long says nothing about that. */
export const TELLING_SECONDS = 120;
/** What to do in an examination; recorded traffic is as it is. */
export const USE_LONGER = `Use --token-lifetime ${TELLING_SECONDS}s.`;
const SECOND_MS = 1000;

/** Whether a read carried a token that had expired before the read was due; one that was held up says nothing of that. */
const isOutlived = (read: Call, life: Life, traffic: ScenarioTraffic, evidence: Evidence): boolean =>
  read.token === life.number && read.atMs - delayMs(read, traffic, evidence) >= endOf(life);

export const tokenReuseRules: readonly Rule[] = [
  {
    id: 'token-reuse',
    clause: 'MRS-5.3a',
    severity: 'burdens-service',
    statement: 'A token is requested once and reused for all calls until it expires.',
    advice:
      'Keep the token in one place that every call reads from, and request another only when it has expired or is about ' +
      'to expire. If several processes share this client id, set --processes, or let them share a store.',
    required: true,
    passive: 'lifetime',
    untried: `This takes ${FEWEST_READS} reads with one token, which lives for a minute or longer, or is not replaced early.`,
    judge: perScenario((traffic, evidence) => {
      const sentNone = whyUnused(evidence);
      if (sentNone) return sentNone;
      const needlessly = needless(traffic, evidence);
      const reads = dataCalls(traffic).filter(({ token }) => token !== undefined);
      const crowded = tokenCrowds(traffic, evidence).map((crowd) =>
        fails(
          traffic,
          crowd,
          `${crowd.length} tokens were asked for at once, where 1 would do: each caller replaced the token that they share.`,
        ),
      );
      if (needlessly.length === 0)
        return crowded.length > 0 || showsReuse(traffic, evidence) ? crowded : undefined;
      const { asked, needed } = tokenCount(traffic);
      const would = needed * traffic.processes;
      const seen =
        `${several(asked, 'token')} for ${several(reads.length, 'read')}, where ${would} would do: ` +
        `another was asked for while the last one was alive and no call had been refused.`;
      return [
        needlessly.every((request) => isAfterTrouble(traffic, request))
          ? warns(traffic, needlessly, `${seen} Each time a read had failed before.`)
          : fails(traffic, needlessly, seen),
        ...crowded,
      ];
    }),
  },
  {
    id: 'stampede',
    statement: 'Callers that need a token at the same time share one token request.',
    advice:
      'Let the first caller that needs a token request it, and let the others wait for the answer: keep the promise (future, ' +
      'lock) of the pending request, and clear it when it has settled. Otherwise each expiry causes as many token ' +
      'requests as there are callers.',
    passive: 'requests',
    untried: 'The client made one call at a time.',
    judge: perScenario((traffic) => {
      const requests = tokenCalls(traffic);
      const atOnce = overlapOf(requests);
      if (atOnce <= traffic.processes)
        return overlapOf(dataCalls(traffic)) > traffic.processes ? [] : undefined;
      const crowd = overlapping(requests);
      return [warns(traffic, crowd, `${atOnce} token requests were under way at once.`)];
    }),
  },
  {
    id: 'margin',
    statement: 'A client that renews by its clock does so before the expiry, and not at every call.',
    advice:
      'Renew at a share of the agreed lifetime, such as 80 %, not a fixed number of seconds before its end: a margin ' +
      'longer than the lifetime requests a token for each call, and one shorter than a call takes lets the call ' +
      'arrive with an expired token.',
    passive: 'lifetime',
    untried: 'The client does not renew by its clock.',
    judge: perScenario((traffic, evidence) => {
      const { renewals } = evidence;
      const isProactive = renewals.strategy === 'proactive' || renewals.strategy === 'both';
      const own = renewals.renewals.filter((one) => one.traffic === traffic && one.by === 'clock');
      if (own.length === 0 || isLongLived(traffic) || !isProactive) return undefined;
      const reads = dataCalls(traffic);
      // At a greater age a token may just have no other read to carry: the client reads as seldom as that.
      const hasty = own.filter(isHasty);
      const { agreedSeconds } = traffic;
      const isShort = agreedSeconds < TELLING_SECONDS;
      if (hasty.length >= 4 && hasty.length >= reads.length / 2) {
        if (isShort)
          return `Tokens of ${agreedSeconds} s are too short to show whether a fixed margin is too long. ${USE_LONGER}`;
        return [
          warns(
            traffic,
            hasty.map(({ request }) => request),
            `${several(hasty.length, 'renewal')} for ${several(reads.length, 'read')}, at a lifetime of ${agreedSeconds} s: the margin is longer than the lifetime.`,
          ),
        ];
      }
      const late = own.filter(
        ({ marginMs, before }) =>
          marginMs < 0 &&
          !isEarlyEnd(traffic, before.number) &&
          reads.some((read) => isRefused(read) && isOutlived(read, before, traffic, evidence)),
      );
      if (late.length === 0) return [];
      if (isShort && late.every(({ marginMs }) => marginMs > -SECOND_MS))
        return `Tokens of ${agreedSeconds} s are too short for a client that counts whole seconds. ${USE_LONGER}`;
      const heldUpMs = (one: Renewal) => stalledMs(traffic, endOf(one.before), one.request.startMs);
      if (late.every((one) => one.marginMs + heldUpMs(one) > (isShort ? -SECOND_MS : 0)))
        return heldUp(Math.max(...late.map(heldUpMs)));
      return [
        warns(
          traffic,
          late.map(({ request }) => request),
          `A renewal came ${seconds(-Math.min(...late.map(({ marginMs }) => marginMs)))} after the expiry, and a read had been refused by then.`,
        ),
      ];
    }),
  },
];
