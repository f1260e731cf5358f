/** Whether a client uses the tokens that it is given, and how many it asks for. */

import { several } from '../../report/text.ts';
import { groupBy } from '../../support/collections.ts';
import {
  type Evidence,
  isAfterTrouble,
  isForeseeable,
  isLongLived,
  mayBeShortened,
  maySendToken,
  sendsNoToken,
  silenceMs,
  tokenCount,
  whyUnused,
} from '../evidence.ts';
import { type Check, type Finding, fails, warns } from '../rule.ts';
import {
  type Call,
  dataCalls,
  endOf,
  isIssue,
  isRefused,
  isServed,
  lastBefore,
  lifeNumbered,
  maxOf,
  overlapOf,
  type ScenarioTraffic,
  SETTLING_MS,
  silentMs,
  tokenCalls,
  tokensReceived,
} from '../traffic.ts';

export const tokenChecks: Record<string, Check> = {
  'token-member': judgeMember,
  'token-reuse': judgeReuse,
};

function judgeReuse(traffic: ScenarioTraffic, evidence: Evidence): ReturnType<Check> {
  const sentNone = whyUnused(evidence);
  if (sentNone) return sentNone;
  const young = whileYoung(traffic, evidence);
  const needlessly = mayBeShortened(traffic) ? hastened(traffic, young, evidence.concurrency) : young;
  if (needlessly.length === 0) return young.length === 0 && showsReuse(traffic, evidence) ? [] : undefined;
  const { asked, needed } = tokenCount(traffic);
  const reads = dataCalls(traffic).filter(({ token }) => token !== undefined);
  const seen =
    `${several(asked, 'token')} for ${several(reads.length, 'read')}, where ${needed * traffic.processes} would do: ` +
    `another was asked for while the last one was alive and no call had been refused.`;
  return needlessly.every((request) => isAfterTrouble(traffic, request))
    ? warns(traffic, needlessly, `${seen} Each time a read had failed before.`)
    : fails(traffic, needlessly, seen);
}

/** Of a client that got a token, and sent none. */
const CAUSE =
  'the client does not find the token. The member of the answer is named token, and OAuth2 libraries look for access_token.';

/** Of a client whose reads have a bearer token that was never issued: the text of a variable, or a token that was changed. */
const OTHER_CAUSE =
  'the reads carried another value as bearer token. It is the member token of the answer that is to be sent, unchanged: without quotes, not shortened and not encoded.';

/** Of a client that sent its tokens in other scenarios. */
const FORM_CAUSE =
  'the client finds and keeps only tokens of other forms. Read the answer with a parser of JSON, and send the member token whole and unchanged, however long it is and whatever characters it has.';

function judgeMember(traffic: ScenarioTraffic, evidence: Evidence): Finding[] | string | undefined {
  if (maySendToken(traffic)) return [];
  const isNoneSent = sendsNoToken(evidence);
  if (!isNoneSent && traffic.isCut && !traffic.ended?.code) return undefined;
  const issues = traffic.calls.filter(isIssue);
  const [first] = issues;
  if (!first) return undefined;
  // The token was to be sent with reads, and made token requests needless.
  const later = traffic.calls.filter(
    ({ kind, startMs }) => (kind === 'data' || kind === 'token') && startMs >= first.endMs,
  );
  const hasOther = later.some(({ kind, authorization }) => kind === 'data' && authorization === 'bearer');
  const cause = !isNoneSent ? FORM_CAUSE : hasOther ? OTHER_CAUSE : CAUSE;
  const seen = `${several(issues.length, 'token')} came with status 200, and none was ever sent: ${cause}`;
  if (later.length > 0) return fails(traffic, [first, ...later], seen);
  const hasGivenUp = traffic.ended || silentMs(traffic, first.endMs) > silenceMs(evidence.pace);
  return hasGivenUp
    ? `A token came with status 200, and the client made no call with it. It seems that ${cause}`
    : undefined;
}

/** Fewer reads with one token show nothing about its reuse. */
const FEWEST_READS = 3;

/**
 * Token requests although each process had a young token with which no call had been refused. Each caller of a client
 * may ask for itself at the start, and once for each refusal, until another token is there in the place of the refused one.
 */
function whileYoung(traffic: ScenarioTraffic, { concurrency }: Evidence): Call[] {
  const had = tokensReceived(traffic);
  const refused = traffic.calls.filter(isRefused);
  const refusalsOf = groupBy(refused, ({ token }) => token);
  const excuses = concurrency > 1 ? [...refused] : [];
  /** When another came in the place of a token that had been refused: whoever shared it has no need to ask. */
  const replacedMs = new Map<number | undefined, number>();
  const requests = tokenCalls(traffic);
  const first = requests.filter(({ startMs }) => startMs < (requests[0]?.startMs ?? 0) + SETTLING_MS);
  const callers = Math.max(concurrency, overlapOf(first));
  const isKnown = (refusal: Call, request: Call) =>
    concurrency > 1 ? refusal.endMs <= request.startMs : refusal.startMs < request.startMs;
  return requests.filter((request, index) => {
    if (index < Math.min(callers, first.length)) return false;
    const excuse = excuses.find(
      (one) =>
        isKnown(one, request) &&
        one.endMs > request.startMs - SETTLING_MS &&
        request.startMs < (replacedMs.get(one.token) ?? Number.POSITIVE_INFINITY),
    );
    if (excuse) {
      excuses.splice(excuses.indexOf(excuse), 1);
      if (isIssue(request) && !replacedMs.has(excuse.token)) replacedMs.set(excuse.token, request.endMs);
      return false;
    }
    const newest = lastBefore(had, request.startMs, traffic.processes);
    const isYoung = ({ token }: { token?: number | undefined }) => {
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

/** Whether some token carried several reads, and none that lives for a short time was replaced early. */
function showsReuse(traffic: ScenarioTraffic, { hasty }: Evidence): boolean {
  const served = traffic.calls.filter(isServed);
  if (isLongLived(traffic)) return served.length >= FEWEST_READS;
  const groups = groupBy(served, ({ token }) => token);
  groups.delete(undefined);
  return !hasty.has(traffic) && [...groups.values()].some(({ length }) => length >= FEWEST_READS);
}

/** A timer and a refusal may each make a client ask at the same time, now and then. */
const FEWEST_EARLY = 3;

/** How much the age at which a client renews may vary, if it counts whole seconds. */
const VARIATION_MS = 1000 + SETTLING_MS;

/**
 * Where tokens live shorter than a fixed time that a client keeps in reserve, only the requests in place of a token that is
 * younger than another was when the client still used it: such a reserve does not explain them.
 */
function hastened(traffic: ScenarioTraffic, young: readonly Call[], concurrency: number): readonly Call[] {
  if (traffic.processes > 1) return [];
  const servedWith = groupBy(dataCalls(traffic).filter(isServed), ({ token }) => token);
  const had = tokensReceived(traffic);
  const keptMs = had.map(({ token, endMs }) => {
    // The last reads with a token may only have been held up.
    const last = servedWith.get(token)?.at(-1 - concurrency);
    return last ? last.startMs - endMs : 0;
  });
  const longestMs = maxOf([0, ...keptMs.filter(Number.isFinite)]);
  const hasty = young.filter(({ startMs }) => {
    const [newest] = lastBefore(had, startMs, 1);
    return newest !== undefined && startMs - newest.endMs + VARIATION_MS <= longestMs;
  });
  return hasty.length >= FEWEST_EARLY ? hasty : [];
}
