/** By which of the two strategies of clause 5 a client renews its token. */

import { groupBy } from '../support/collections.ts';
import type { Strategy } from './certificate.ts';
import { type Pace, turnMs } from './pace.ts';
import {
  dataCalls,
  endOf,
  firstUses,
  heldAtStart,
  idleBetween,
  indexFrom,
  isEarlyEnd,
  isIssue,
  isRefused,
  lastHad,
  lifeNumbered,
  longLivedFrom,
  median,
  type ScenarioTraffic,
  SETTLING_MS,
  tokenCalls,
  tokensHad,
} from './scenario-traffic.ts';
import type { Call, Life } from './traffic.ts';
import { whyUnused } from './unsent-tokens.ts';

/** A token that took another's place. */
export interface Renewal {
  traffic: ScenarioTraffic;
  request: Call;
  /** The newest token that the client had. */
  before: Life;
  /** When the client asked for that one: its clock may begin then, and not with the answer. */
  askedMs: number;
  /** What made the client ask: a refusal, or its own clock; `either` where the traffic does not show it. */
  by: 'refusal' | 'clock' | 'either';
  /** How long the token before had still to live. */
  marginMs: number;
  /** Whether no read was refused while the token before was the newest, so that only a clock can have prompted the client. */
  isUnprompted: boolean;
  /** Whether the token before was refused, was tried last before its agreed time was over, and was not young then. */
  isFirstTurn: boolean;
}

export interface Renewals {
  strategy: Strategy;
  renewals: readonly Renewal[];
  marginSeconds?: number;
}

/** A renewal at a lower age, as a share of the agreed lifetime, is waste rather than foresight. */
const FORESIGHT = 0.25;

export const isForeseeable = (
  { agreedSeconds }: ScenarioTraffic,
  request: Call,
  { issuedMs }: Life,
): boolean => request.atMs - issuedMs >= FORESIGHT * agreedSeconds * 1000;

/** The share of its life before which it is too early to replace a token. */
const HASTE = 0.5;

/** Whether a token was replaced so early that its short life, rather than a margin, may have prompted it. */
export const isHasty = ({ traffic, request, before }: Renewal): boolean =>
  request.atMs - before.issuedMs < HASTE * traffic.agreedSeconds * 1000;

/** `atOnce`: the number of calls that the client has under way at once. */
export function renewalsOf(
  scenarios: readonly ScenarioTraffic[],
  pace: Pace | undefined,
  atOnce: number,
): Renewals {
  // A client that sends no token has none to renew, however often it asks for another.
  const used = whyUnused({ scenarios }) === undefined ? scenarios : [];
  const found = used.flatMap((traffic) => renewalsIn(traffic, pace, atOnce));
  const isForesight = ({ marginMs, isUnprompted }: Renewal) => marginMs > 0 || isUnprompted;
  const clear = found.filter((one) => one.by === 'clock' && isForesight(one));
  const mostLeft = clear.map((one) => agreedLeft(one)).reduce(mostOf, NONE_LEFT);
  const renewals = found.map(
    (one): Renewal =>
      one.by === 'either' ? { ...one, by: isForeseen(one, mostLeft) ? 'clock' : 'refusal' } : one,
  );
  const isPlanned = ({ traffic, request, before }: Renewal) => isForeseeable(traffic, request, before);
  const byClock = renewals.filter(({ by }) => by === 'clock');
  // A client that requests a new token while one is young, however long it lives, follows no clock.
  const isWasteful = byClock.some((one) => isLongLived(one.traffic) && !isPlanned(one) && one.isUnprompted);
  const isReactive = renewals.some(({ by }) => by === 'refusal');
  const foreseen = byClock.filter(
    (one) =>
      !isWasteful &&
      (!isLongLived(one.traffic) || isPlanned(one)) &&
      !isEarlyEnd(one.traffic, one.before.number),
  );
  // Where no token reached its agreed end, one that was replaced at the first turn after its time was up shows it too.
  const isOnSchedule = byClock.some((one) => !isWasteful && one.isFirstTurn);
  const isProactive = foreseen.some(isForesight) || (foreseen.length === 0 && isOnSchedule);
  const timely = foreseen.filter((one) => !isHasty(one));
  const isEarly = timely.some(({ marginMs }) => marginMs > 0);
  // A token may live longer than agreed, which the client does not count on.
  const marginMs = isEarly
    ? median(timely.map((one) => Math.min(one.marginMs, agreedLeft(one).ms)))
    : undefined;
  return {
    strategy: isReactive ? (isProactive ? 'both' : 'reactive') : isProactive ? 'proactive' : 'none',
    renewals,
    ...(marginMs !== undefined && { marginSeconds: Math.round(marginMs / 10) / 100 }),
  };
}

/** Whether the client's own clock let it ask as early elsewhere, by a number of seconds or by a share of the lifetime. */
function isForeseen(one: Renewal, most: TimeLeft): boolean {
  const left = agreedLeft(one, one.askedMs);
  return left.ms <= most.ms + SETTLING_MS || left.share <= most.share + 0.1;
}

interface TimeLeft {
  ms: number;
  /** Of the agreed lifetime. */
  share: number;
}

/** When the client asked for the next token, of the agreed life of the one before, which begins at `fromMs`. */
function agreedLeft(
  { traffic: { agreedSeconds }, before, request }: Renewal,
  fromMs = before.issuedMs,
): TimeLeft {
  const ms = fromMs + agreedSeconds * 1000 - request.atMs;
  return { ms, share: ms / (agreedSeconds * 1000) };
}

const mostOf = (one: TimeLeft, other: TimeLeft): TimeLeft => ({
  ms: Math.max(one.ms, other.ms),
  share: Math.max(one.share, other.share),
});

const NONE_LEFT: TimeLeft = { ms: Number.NEGATIVE_INFINITY, share: Number.NEGATIVE_INFINITY };

/** In which a client has no reason to renew within the time that a scenario takes. */
export const isLongLived = ({
  agreedSeconds,
  longLived = agreedSeconds >= longLivedFrom,
}: ScenarioTraffic): boolean => longLived;

function renewalsIn(traffic: ScenarioTraffic, pace: Pace | undefined, atOnce: number): Renewal[] {
  const { calls, processes } = traffic;
  const issues = calls.filter(isIssue);
  const requests = tokenCalls(traffic);
  const lifeOf = (token: number | undefined) => lifeNumbered(traffic, token);
  const had = tokensHad(traffic);
  const held = heldAtStart(traffic).length;
  const firstReadMs = dataCalls(traffic)[0]?.startMs ?? Number.POSITIVE_INFINITY;
  const usedFrom = firstUses(traffic);
  const askedMs = new Map(issues.map(({ token, startMs }) => [token, startMs]));
  const refusals = calls.filter(isRefused);
  const latestMs = latestOf(refusals);
  const refusalsOf = groupBy(refusals, ({ token }) => token);
  return issues.slice(Math.max(0, processes - held)).flatMap((issue): Renewal[] => {
    const earlier = lastHad(had, issue.startMs, processes);
    const newest = earlier.at(-1);
    // Processes that share a client id renew in turn, each its own.
    const own = lifeOf(earlier.at(-processes)?.token);
    if (!newest || !own) return [];
    if (firstReadMs >= issue.startMs && held === 0) return []; // each caller may ask at the start
    // One that is dropped at once is a part of the renewal that it came with.
    const isUsed = (usedFrom.get(newest.token) ?? Number.POSITIVE_INFINITY) < issue.startMs;
    const dropped = lifeOf(newest.token);
    if (processes === 1 && !isUsed && dropped && !isForeseeable(traffic, issue, dropped)) return [];
    // Several may have failed before the one that brought a token: what made the client ask, made it ask first.
    const request = requests[indexFrom(requests, newest.endMs)] ?? issue;
    // A busy mock notes the end of an answer late; a client that makes one call at a time has it by its next request.
    const isKnown = (one: Call) =>
      atOnce === 1 ? one.startMs < request.startMs : one.endMs <= request.startMs + 1;
    let known = indexFrom(refusals, request.startMs + 2);
    while (known > 0 && !isKnown(refusals[known - 1] as Call)) known--;
    const last = refusals[known - 1];
    const before = (isAtOnce(last, request, traffic, pace) && lifeOf(last?.token)) || own;
    const ofIt = (refusalsOf.get(before.number) ?? []).filter(isKnown);
    const seenBy = causeOf(ofIt.length, isAtOnce(ofIt.at(-1), request, traffic, pace), atOnce);
    const by =
      ofIt.length > 0 && isLongLived(traffic) ? causeByAge(seenBy, traffic, request, before) : seenBy;
    const isUnprompted =
      (latestMs[known - 1] ?? Number.NEGATIVE_INFINITY) < before.issuedMs ||
      (atOnce > 1 && refusals.slice(0, known).every((one) => !isKnown(one) || one.atMs < before.issuedMs));
    const tried = ofIt.at(-1)?.atMs;
    const isFirstTurn =
      tried !== undefined &&
      tried < before.issuedMs + traffic.agreedSeconds * 1000 &&
      isForeseeable(traffic, request, before);
    return [
      {
        traffic,
        request,
        before,
        askedMs: askedMs.get(before.number) ?? before.issuedMs,
        by,
        marginMs: endOf(before) - request.atMs,
        isUnprompted,
        isFirstTurn,
      },
    ];
  });
}

/** At each place, the latest time at which one of the calls up to there was judged. */
function latestOf(calls: readonly Call[]): number[] {
  let latest = Number.NEGATIVE_INFINITY;
  return calls.map(({ atMs }) => {
    latest = Math.max(latest, atMs);
    return latest;
  });
}

const isAtOnce = (
  refused: Call | undefined,
  request: Call,
  traffic: ScenarioTraffic,
  pace: Pace | undefined,
): boolean => refused !== undefined && idleBetween(refused, request, traffic) < turnMs(pace);

/**
 * A request without a pause after the only refusal is for its sake; of a client that makes several calls at once, several
 * are refused before it can ask. One that comes with the next turn may be, and so may one that comes after more refusals: or
 * it was time to renew.
 */
function causeOf(refusals: number, comesAtOnce: boolean, atOnce: number): Renewal['by'] {
  if (refusals === 0) return 'clock';
  if (refusals <= atOnce) return comesAtOnce ? 'refusal' : 'either';
  return comesAtOnce ? 'either' : 'clock';
}

/**
 * Where a token was refused that lives longer than the scenario: no clock asks for another while it is young, and the
 * pause before the request shows little.
 */
function causeByAge(by: Renewal['by'], traffic: ScenarioTraffic, request: Call, before: Life): Renewal['by'] {
  if (!isForeseeable(traffic, request, before)) return 'refusal';
  return by === 'clock' ? 'either' : by;
}
