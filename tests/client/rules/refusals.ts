/**
 * What a client does on a 403: whether it renews an expired token, repeats the request, and drops the old token; and how
 * often it retries where the 403 lasts.
 */

import { several } from '../../report/text.ts';
import { groupBy, partitionPoint } from '../../support/collections.ts';
import { type Evidence, isRegular, madeBetween, maxGapMs, silenceMs, whyUnused } from '../evidence.ts';
import { CALLS_OF_FINDING, type Check, type Finding, fails, warns } from '../rule.ts';
import { isBaseline } from '../scenarios.ts';
import {
  begunBy,
  type Call,
  dataCalls,
  endInWords,
  idleBetween,
  indexFrom,
  isEarlyEnd,
  isExpiredRefusal,
  isIssue,
  isRefused,
  lifeNumbered,
  longest,
  maxOf,
  median,
  overdueFrom,
  refusedSinceGivingUp,
  remembered,
  rowsOf,
  type ScenarioTraffic,
  SETTLING_MS,
  seconds,
  silentMs,
  stalledFor,
  stalledMs,
  tokenCalls,
  tokensReceived,
} from '../traffic.ts';

export const refusalChecks: Record<string, Check> = {
  renewal: judgeRenewal,
  retry: judgeRetry,
  'dead-token': judgeDeadToken,
  'no-loop': judgeLoop,
};

/**
 * After the 403 of an expired token, a client asks for another one, with the same credentials, before it sends the old token
 * again. A client that renews by its clock cannot know that a token ended early: it is warned where it sends such a token often.
 */
function judgeRenewal(traffic: ScenarioTraffic, evidence: Evidence): ReturnType<Check> {
  const refused = refusedTokens(traffic);
  const again = sentAgain(evidence, (_, { first, request }) => [first.endMs, request?.startMs]);
  const findings = [
    ...refused.flatMap((one) => renewalFindings(traffic, one, again.of(one), evidence)),
    ...otherCredentials(traffic),
  ];
  const isMet = evidence.strategy !== 'none' || refused.some(({ request }) => request);
  const unused = whyUnused(evidence);
  if (unused || findings.length > 0) return unused ?? findings;
  const open = evidence.strategy === 'proactive' ? undefined : again.open;
  return open ?? (isMet ? findings : undefined);
}

/** Fewer may come of a client that backs off until its clock renews the token. */
const FEWEST_IGNORED = 4;

function renewalFindings(
  traffic: ScenarioTraffic,
  one: RefusedToken,
  again: readonly Call[],
  evidence: Evidence,
): Finding[] {
  const { token, request, first, refusals } = one;
  const more = (calls: readonly Call[]) => several(calls.length, 'more time');
  const ended = endInWords(traffic);
  if (mayBeByClock(traffic, one, evidence) && (request || !ended)) {
    const seen = `Token ${token} was sent ${more(again)} after its 403, and the client seems to renew only by its clock.`;
    // Of a client that renews on a 403 as well, or may, the request shows that it ignored this one.
    const least = request && evidence.strategy !== 'proactive' ? 1 : FEWEST_IGNORED * evidence.concurrency;
    return again.length < least ? [] : warns(traffic, [first, ...again], seen);
  }
  if (again.length > 0) {
    // The first and the last are in the finding, however many are between them.
    const calls = [first, ...again.slice(0, CALLS_OF_FINDING - 2), ...(request ? [request] : [])];
    const seen = `Token ${token} was sent ${more(again)} after its 403${request ? ' before a new one was asked for' : ', and no new one was asked for'}.`;
    return fails(traffic, calls, seen);
  }
  if (request) {
    const vain = refusedSinceGivingUp(traffic).filter((call) => call.token === token);
    const seen = `After a token request that failed, none followed: token ${token} was refused ${more(vain)}.`;
    return vain.length === 0 ? [] : fails(traffic, [request, ...vain], seen);
  }
  if (ended) return fails(traffic, refusals, `On the 403 the client ${ended}, and asked for no new token.`);
  const last = refusals.at(-1) ?? first;
  const waited = silentMs(traffic, last.endMs);
  if (waited <= silenceMs(evidence.pace)) return [];
  return fails(traffic, [last], `In the ${seconds(waited)} after the 403 no new token was asked for.`);
}

/** A later request with other credentials than those that obtained a token. A secret that obtains one may be a new one. */
function otherCredentials(traffic: ScenarioTraffic): Finding[] {
  const [first] = tokensReceived(traffic);
  const later = tokenCalls(traffic).filter(({ startMs }) => first && startMs >= first.endMs);
  const wrong = later.filter(({ reason }) => reason === 'wrong-credentials');
  const other = later.filter(({ reason }) => reason === 'other-credentials');
  const came = (calls: readonly Call[]) => `${several(calls.length, 'token request')} came with`;
  const seenOfWrong = `${came(wrong)} other credentials than the first: a field is missing or changed.`;
  const seenOfOther = `${came(other)} another client_secret than the first, and brought a token. It is right only if an administrator issued a new secret.`;
  return [...fails(traffic, wrong, seenOfWrong), ...warns(traffic, other, seenOfOther)];
}

/** Once another token has come in its place, a client sends a refused token no more. */
function judgeDeadToken(traffic: ScenarioTraffic, evidence: Evidence): ReturnType<Check> {
  const replaced = refusedTokens(traffic).filter(({ issue }) => issue);
  if (replaced.length === 0) return undefined;
  // A client that renews only by its clock cannot foresee an early end.
  const again = sentAgain(evidence, (played, { token, next, issue }) =>
    evidence.strategy === 'proactive' && isEarlyEnd(played, token) ? [] : [next && issue?.endMs],
  );
  const findings = replaced.flatMap((one) => {
    const { token, first, issue } = one;
    const dead = again.of(one);
    if (!issue || dead.length === 0) return [];
    const seen = `Token ${token} was sent ${several(dead.length, 'more time')} after it had been refused and token ${issue.token} had come in its place.`;
    return fails(traffic, [first, issue, ...dead], seen);
  });
  return findings.length > 0 ? findings : (again.open ?? findings);
}

/** Within this number of reads after a renewal, a client may come back to the one that was refused. */
const COMES_BACK = 3;

/** With the new token, a client makes the refused request again, and does not only go on with its next turn. */
function judgeRetry(traffic: ScenarioTraffic, evidence: Evidence): Finding[] | undefined {
  // A client that renews only by its clock follows the other strategy, and repeats requests in its own time.
  if (evidence.strategy === 'proactive') return undefined;
  const cases = refusedTokens(traffic).map((one) => retryFindings(traffic, one, evidence));
  const shown = cases.filter((findings) => findings !== undefined);
  const waits = waitsIn(evidence);
  const findings = [...shown.flat(), ...turnsLeft(traffic, waits, evidence)];
  // A retry is visible by the lack of a pause, or by the number of cases.
  const isVisible =
    evidence.concurrency === 1 &&
    ((waits.length >= FEWEST_CASES && hasTurns(evidence)) ||
      waits.some(({ bothMs }) => bothMs < maxGapMs(evidence.pace)));
  return findings.length > 0 || (shown.length > 0 && isVisible) ? findings : undefined;
}

/** Undefined where the traffic leaves open what the client does with its new token. */
function retryFindings(
  traffic: ScenarioTraffic,
  { issue, next, first, refusals }: RefusedToken,
  { concurrency, pace }: Evidence,
): Finding[] | undefined {
  if (!issue) return undefined;
  const found = (last: Call, seen: string) => fails(traffic, [...refusals, last], seen);
  if (!next) {
    const ended = endInWords(traffic);
    if (ended)
      return found(issue, `With the new token the client ${ended} instead of making the request again.`);
    const waited = silentMs(traffic, issue.endMs);
    if (waited <= silenceMs(pace)) return undefined;
    return found(issue, `In the ${seconds(waited)} after the new token came, no request was made with it.`);
  }
  const reads = dataCalls(traffic);
  const later = reads.slice(indexFrom(reads, issue.endMs));
  const isRepeated = later
    .slice(0, COMES_BACK)
    .some(({ target }) => refusals.some((one) => one.target === target));
  // A target that is new may hold what changes with each token, or each time: a signature, a date.
  const isKnown = reads.some(({ target, startMs }) => target === next.target && startMs < first.startMs);
  if (concurrency > 1 || isRepeated) return [];
  if (!isKnown || (later.length < COMES_BACK && traffic.isCut)) return undefined;
  return found(next, 'The request after the renewal asks for something else than the refused one.');
}

/** A renewal after a refusal, and the pauses before the token request and after its answer. */
const waitsIn = ({ scenarios }: Evidence) =>
  scenarios.flatMap((traffic) =>
    refusedTokens(traffic).flatMap(({ refusals, issue, next }) => {
      const refused = refusals.findLast(({ endMs }) => issue && endMs <= issue.startMs);
      if (!next || !refused || !issue) return [];
      const afterMs = next.startMs - issue.endMs;
      return [
        { traffic, calls: [refused, issue, next], afterMs, bothMs: idleBetween(refused, next, traffic) },
      ];
    }),
  );

/** With fewer, the pauses may come from a busy machine. */
const FEWEST_CASES = 4;

/**
 * Whether the client, when the read after a renewal was refused as well, left it and later read with the same token, before
 * it renewed again: then it knows that read as a repetition. Who never repeats a request renews after every refusal.
 */
const knowsRepetitions = ({ scenarios }: Evidence): boolean =>
  scenarios.some(({ calls: all }) => {
    const calls = all.filter(({ kind }) => kind === 'token' || kind === 'data');
    return calls.some((refused, at) => {
      const [issue, repeated, next, request] = calls.slice(at + 1, at + 5);
      const isOfToken = (read?: Call) => read && isRefused(read) && read.token === issue?.token;
      const isRenewed = isRefused(refused) && issue && isIssue(issue);
      return isRenewed && isOfToken(repeated) && isOfToken(next) && request?.kind === 'token';
    });
  });

/**
 * All reads look alike, so only the pause before it distinguishes a repeated one from the next turn. Who has a new token
 * and waits as long as its turn takes, every time, has left the refused request. Who waits before it asks for the token
 * may be backing off, and is only warned; a pause of another length is a back-off. Hardly a pause may be shorter: on a busy
 * machine one of them may be of any length.
 */
function turnsLeft(
  traffic: ScenarioTraffic,
  waits: ReturnType<typeof waitsIn>,
  evidence: Evidence,
): Finding[] {
  const usualMs = evidence.pace?.medianPauseMs ?? 0;
  if (!hasTurns(evidence) || waits.length < FEWEST_CASES || knowsRepetitions(evidence)) return [];
  const own = waits.filter((one) => one.traffic === traffic);
  const calls = own.flatMap((one) => one.calls);
  const isTurn = (pauses: readonly number[]) =>
    isRegular(pauses, usualMs) && (median(pauses) ?? 0) <= 1.5 * usualMs;
  const pause = (which: 'afterMs' | 'bothMs') => seconds(median(own.map((one) => one[which])) ?? 0);
  const seenAfter = `The refused request was not made again: with the new token in hand, the next read came ${pause('afterMs')} later, which is the pause between any two reads.`;
  if (isTurn(waits.map(({ afterMs }) => afterMs))) return fails(traffic, calls, seenAfter);
  const seen = `A new token was asked for only when the next read was due, ${pause('bothMs')} after the 403: it seems that the refused request was not repeated.`;
  return isTurn(waits.map(({ bothMs }) => bothMs)) ? warns(traffic, calls, seen) : [];
}

/** Whether its pauses are long enough, and alike enough, for its turns to be recognized. */
const hasTurns = ({ pace, concurrency }: Evidence): boolean =>
  concurrency === 1 && pace !== undefined && pace.medianPauseMs >= 40 && pace.regular;

const refusedTokens = ({ calls }: ScenarioTraffic) => refusedIn(calls);
type RefusedToken = ReturnType<typeof refusedTokens>[number];

/**
 * Tokens that were refused as expired, the reads that were sent with each, and what the client did then: its first token request
 * afterwards (one that other callers had under way counts), the token that came of it or of a later one, and the read with which
 * it went on.
 */
const refusedIn = remembered((calls: readonly Call[]) => {
  const requests = calls.filter(({ kind }) => kind === 'token');
  const reads = calls.filter(({ kind }) => kind === 'data');
  let latestMs = 0;
  const endsMs = requests.map(({ endMs }) => {
    latestMs = Math.max(latestMs, endMs);
    return latestMs;
  });
  return [...groupBy(reads, ({ token }) => token)].flatMap(([token, sent]) => {
    const refusals = sent.filter(isExpiredRefusal);
    const [first] = refusals;
    if (!first || token === undefined) return [];
    const from = partitionPoint(requests.length, (at) => (endsMs[at] ?? 0) > first.startMs);
    let at = from;
    while (at < requests.length && !isOtherToken(requests[at] as Call, first)) at++;
    const issue = requests[at];
    const next = issue && reads[indexFrom(reads, issue.endMs)];
    return [{ token, sent, refusals, first, request: requests[from], issue, next }];
  });
});

/** Whether a request brought a newer token than the one of a refused read, after that was sent. */
const isOtherToken = (call: Call, { token = 0, startMs }: Call): boolean =>
  isIssue(call) && (call.token ?? 0) > token && call.endMs > startMs;

/** Older reads than this do not wait in a queue. */
const QUEUE_MS = 10_000;

/** That a timer explains a read after a refusal has at least this chance: the machine may have held up the client. */
const LEAST_CHANCE = 0.1;
/** What is less likely is not taken for chance: three reads in a row at the least. */
const IMPROBABLE = 0.002;

/** Why reads with a refused token are not held against a client, nor the rule passed. */
const MAY_HAVE_WAITED =
  'Reads with a refused token followed each refusal, but they may have waited for a connection or in a queue since before it.';

/**
 * Of each refused token, the reads with it that are held against the client, from when it could know of the refusal, or of the
 * new token, until it asked for one: `timesOf` says when. A read that was made before may have waited for a connection or in
 * a queue, and a machine may hold up any of these, so that its time does not tell. So what counts is how many there are: more
 * than the pace of the client explains, or any after each refusal, if its pace is unlikely to bring them there each time.
 * `open`: why that is not known where there are some after each refusal.
 */
function sentAgain(
  evidence: Evidence,
  timesOf: (traffic: ScenarioTraffic, one: RefusedToken) => (number | undefined)[],
) {
  const { scenarios, inARow, rowMs, concurrency } = evidence;
  const inTheRow = Math.max(inARow, concurrency) - 1;
  const cases = scenarios.flatMap((traffic) =>
    refusedTokens(traffic).flatMap((one) => {
      const [knownMs, untilMs = Number.POSITIVE_INFINITY] = timesOf(traffic, one);
      if (knownMs === undefined) return [];
      const { id, startMs: refusedMs } = one.first;
      // Of several callers, others may have one on its way, and only a refusal shows that the token is dead.
      const isLate = (call: Call) =>
        isRefused(call) && call.startMs - stalledMs(traffic, knownMs, call.startMs) >= knownMs + SETTLING_MS;
      const dead = one.sent.filter(
        (call) =>
          call.id > id &&
          call.startMs >= knownMs &&
          call.startMs < untilMs &&
          (concurrency === 1 || isLate(call)),
      );
      // What held up the examiner before the client called first held up no read.
      const fromMs = Math.max(refusedMs - QUEUE_MS, traffic.calls[0]?.startMs ?? 0);
      const heldMs = stalledMs(traffic, fromMs, dead.at(-1)?.startMs ?? refusedMs);
      const chance = (knownMs - refusedMs + heldMs) / rowMs;
      const most = Math.max(inTheRow, queuedBy(traffic, one, evidence, knownMs + heldMs)) + inARow;
      return { one, again: dead.slice(inTheRow), isShown: dead.length > most, chance, heldMs };
    }),
  );
  const isEach = cases.length > 0 && cases.every(({ again }) => again.length > 0);
  const ofAll = cases.reduce((all, { chance }) => all * Math.min(1, Math.max(LEAST_CHANCE, chance)), 1);
  const isHabit = isEach && ofAll < IMPROBABLE;
  const heldMs = maxOf(cases.map((one) => one.heldMs));
  const counted = new Map(cases.map(({ one, again, isShown }) => [one, isShown || isHabit ? again : []]));
  return {
    of: (one: RefusedToken): readonly Call[] => counted.get(one) ?? [],
    open: isEach && !isHabit ? (heldMs > 0 ? stalledFor(heldMs) : MAY_HAVE_WAITED) : undefined,
  };
}

/**
 * How many reads a client had made by this time and not yet sent when the first was refused: as many as it makes by its pace,
 * from any of the last calls on, less those that it sent. One that is refused is made again, and so sent twice.
 */
function queuedBy(traffic: ScenarioTraffic, { first }: RefusedToken, evidence: Evidence, untilMs: number) {
  const { calls } = traffic;
  const last = calls
    .slice(indexFrom(calls, first.startMs - QUEUE_MS), begunBy(calls, first.startMs))
    .filter(({ id }) => id <= first.id);
  let sent = 0;
  return last.reduceRight((most, call) => {
    if (call === first || (call.kind === 'data' && !isExpiredRefusal(call))) sent++;
    return Math.max(most, madeBetween(evidence, call.startMs, untilMs) - sent);
  }, 0);
}

/** Whether a token ended early, which no clock foresees, and the client renewed it in its own time, or still may. */
function mayBeByClock(
  traffic: ScenarioTraffic,
  { token, request, refusals }: RefusedToken,
  { pace, strategy }: Evidence,
): boolean {
  const isEarly = isEarlyEnd(traffic, token);
  const last = request && refusals.findLast(({ startMs }) => startMs < request.startMs);
  const isInOwnTime = last !== undefined && idleBetween(last, request as Call, traffic) >= maxGapMs(pace);
  if (request)
    return (isEarly && strategy === 'proactive') || ((isEarly || traffic.isUnagreed === true) && isInOwnTime);
  const life = lifeNumbered(traffic, token);
  return (
    isEarly &&
    life !== undefined &&
    !refusals.some(({ atMs }) => atMs > overdueFrom(life, traffic.agreedSeconds))
  );
}

// How often a client retries where a 403 lasts.

/** More attempts than this multiple of the usual number are a loop; a retry makes two of one. */
const LOOP = 6;
const RETRY = 2;

/**
 * Where tokens are refused that live, a client makes no more attempts in a row than its pace and a retry explain, nor does it
 * renew at each refusal. What is refused with an expired token is judged by other rules.
 */
function judgeLoop(traffic: ScenarioTraffic, evidence: Evidence): Finding[] | undefined {
  const { concurrency, pace, rowMs, scenarios } = evidence;
  const refused = dataCalls(traffic).filter((call) => isRefused(call) && call.standing === 'valid');
  // Of several callers, only a scenario in which nothing goes wrong shows how often they read.
  const isPaceKnown =
    concurrency > 1 ? scenarios.some(isBaseline) && Number.isFinite(rowMs) : pace !== undefined;
  if (refused.length === 0 || !isPaceKnown) return undefined;
  const gapMs = pace ? maxGapMs(pace) : Math.min(1000, rowMs / 2);
  const rows = rowsOf(refused, (before, call) => idleBetween(before, call, traffic) < gapMs);
  const usual = (row: readonly Call[]) =>
    madeBetween(evidence, row[0]?.startMs ?? 0, row.at(-1)?.startMs ?? 0);
  const attempts = longest(rows);
  const seen = `${attempts.length} attempts in a row were refused, without a pause between them.`;
  if (attempts.length > LOOP * usual(attempts)) return fails(traffic, attempts, seen);
  const renewed = renewedEachTime(refused, traffic, evidence);
  const seenOfThem = `${renewed.length} reads in a row were refused, and each time another token was asked for at once.`;
  if (renewed.length > LOOP) return fails(traffic, renewed, seenOfThem);
  // A busy machine may let turns follow one another at once, now and then.
  const mostly = median(rows.map((row) => row.length / usual(row))) ?? 0;
  return mostly > RETRY ? warns(traffic, attempts, seen) : [];
}

/** A client that is refused again sooner after its last refusal does not wait. */
const LOOP_PAUSE_MS = 1700;

/** The longest row of these, each with a token that was requested at the refusal before. */
function renewedEachTime(
  refused: readonly Call[],
  traffic: ScenarioTraffic,
  { concurrency, pace }: Evidence,
) {
  if (concurrency > 1) return [];
  const calls = traffic.calls.filter(({ kind }) => kind === 'token' || kind === 'data');
  const places = new Map(calls.map((call, at) => [call, at]));
  const rows = rowsOf(refused, (before, read) => {
    const at = places.get(read) ?? 0;
    const issue = calls[at - 1];
    return (
      issue !== undefined &&
      isIssue(issue) &&
      issue.token === read.token &&
      calls[at - 2] === before &&
      issue.startMs - before.endMs < maxGapMs(pace) &&
      read.startMs - before.startMs < LOOP_PAUSE_MS
    );
  });
  return longest(rows);
}
