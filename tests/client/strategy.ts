/** By which of the two strategies of clause 5 a client renews its token. */
import { groupBy } from '../support/collections.ts';
import { maxGapMs, type Pace } from './pace.ts';
import {
  type Call,
  dataCalls,
  endOf,
  firstUses,
  heldAtStart,
  idleBetween,
  indexFrom,
  isEarlyEnd,
  isIssue,
  isRefused,
  type Life,
  lastBefore,
  latestSoFar,
  lifeNumbered,
  longLivedFrom,
  maxOf,
  median,
  type ScenarioTraffic,
  SETTLING_MS,
  tokenCalls,
  tokensReceived,
} from './traffic.ts';

/** How a client renews: on a 403, before or after the token's time is over by its own clock, both, or not at all. */
export type Strategy = 'reactive' | 'proactive' | 'both' | 'none';

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

/** How old a token was when another was asked for, as a share of its agreed lifetime. */
const ageAt = ({ agreedSeconds }: ScenarioTraffic, { atMs }: Call, { issuedMs }: Life): number =>
  (atMs - issuedMs) / (agreedSeconds * 1000);

/** A renewal at a lower age is waste rather than foresight. */
const EARLIEST_PLAN = 0.25;

export const isForeseeable = (...token: Parameters<typeof ageAt>): boolean =>
  ageAt(...token) >= EARLIEST_PLAN;

/** At a lower age the short life of the token, rather than a margin, may have prompted its renewal. */
const EARLIEST_RENEWAL = 0.5;

export const isTooEarly = ({ traffic, request, before }: Renewal): boolean =>
  ageAt(traffic, request, before) < EARLIEST_RENEWAL;

/** `concurrency`: the number of calls that the client has under way at once. */
export function renewalsOf(
  scenarios: readonly ScenarioTraffic[],
  pace: Pace | undefined,
  concurrency: number,
): Renewals {
  // A client that sends no token has none to renew, however often it asks for another.
  const used = whyUnused({ scenarios }) === undefined ? scenarios : [];
  const found = used.flatMap((traffic) => renewalsIn(traffic, pace, concurrency));
  const isForesight = ({ marginMs, isUnprompted }: Renewal) => marginMs > 0 || isUnprompted;
  const clear = found.filter((one) => one.by === 'clock' && isForesight(one));
  const mostMs = maxOf(clear.map((one) => agreedLeftMs(one)));
  const mostShare = maxOf(clear.map((one) => agreedLeftMs(one) / agreedMs(one)));
  /** Whether the client's own clock let it ask as early elsewhere, by a number of seconds or by a share of the lifetime. */
  const isForeseen = (one: Renewal): boolean => {
    const leftMs = agreedLeftMs(one, one.askedMs);
    return leftMs <= mostMs + SETTLING_MS || leftMs / agreedMs(one) <= mostShare + 0.1;
  };
  const renewals = found.map(
    (one): Renewal => (one.by === 'either' ? { ...one, by: isForeseen(one) ? 'clock' : 'refusal' } : one),
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
  const timely = foreseen.filter((one) => !isTooEarly(one));
  const isEarly = timely.some(({ marginMs }) => marginMs > 0);
  // A token may live longer than agreed, which the client does not count on.
  const marginMs = isEarly
    ? median(timely.map((one) => Math.min(one.marginMs, agreedLeftMs(one))))
    : undefined;
  return {
    strategy: isReactive ? (isProactive ? 'both' : 'reactive') : isProactive ? 'proactive' : 'none',
    renewals,
    ...(marginMs !== undefined && { marginSeconds: Math.round(marginMs / 10) / 100 }),
  };
}

const agreedMs = ({ traffic }: Renewal): number => traffic.agreedSeconds * 1000;

/** What was left of the agreed life of a token, which begins at `fromMs`, when another was asked for. */
const agreedLeftMs = (one: Renewal, fromMs = one.before.issuedMs): number =>
  fromMs + agreedMs(one) - one.request.atMs;

/** In which a client has no reason to renew within the time that a scenario takes. */
export const isLongLived = ({
  agreedSeconds,
  longLived = agreedSeconds >= longLivedFrom,
}: ScenarioTraffic): boolean => longLived;

function renewalsIn(traffic: ScenarioTraffic, pace: Pace | undefined, concurrency: number): Renewal[] {
  const { calls, processes } = traffic;
  const issues = calls.filter(isIssue);
  const requests = tokenCalls(traffic);
  const lifeOf = (token: number | undefined) => lifeNumbered(traffic, token);
  const had = tokensReceived(traffic);
  const held = heldAtStart(traffic).length;
  const firstReadMs = dataCalls(traffic)[0]?.startMs ?? Number.POSITIVE_INFINITY;
  const usedFrom = firstUses(traffic);
  const askedMs = new Map(issues.map(({ token, startMs }) => [token, startMs]));
  const refusals = calls.filter(isRefused);
  const latestMs = latestSoFar(refusals.map(({ atMs }) => atMs));
  const refusalsOf = groupBy(refusals, ({ token }) => token);
  return issues.slice(Math.max(0, processes - held)).flatMap((issue): Renewal[] => {
    const earlier = lastBefore(had, issue.startMs, processes);
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
      concurrency === 1 ? one.startMs < request.startMs : one.endMs <= request.startMs + 1;
    let known = indexFrom(refusals, request.startMs + 2);
    while (known > 0 && !isKnown(refusals[known - 1] as Call)) known--;
    const last = refusals[known - 1];
    const before = (comesSoon(last, request, traffic, pace) && lifeOf(last?.token)) || own;
    const ofIt = (refusalsOf.get(before.number) ?? []).filter(isKnown);
    const by = causeOf(
      ofIt.length,
      comesSoon(ofIt.at(-1), request, traffic, pace),
      concurrency,
      isLongLived(traffic) ? isForeseeable(traffic, request, before) : undefined,
    );
    const isUnprompted =
      (latestMs[known - 1] ?? Number.NEGATIVE_INFINITY) < before.issuedMs ||
      (concurrency > 1 &&
        refusals.slice(0, known).every((one) => !isKnown(one) || one.atMs < before.issuedMs));
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

const comesSoon = (
  refused: Call | undefined,
  request: Call,
  traffic: ScenarioTraffic,
  pace: Pace | undefined,
): boolean => refused !== undefined && idleBetween(refused, request, traffic) < maxGapMs(pace);

/**
 * A request without a pause after the only refusal is for its sake; of a client that makes several calls at once, several
 * are refused before it can ask. One that comes with the next turn may be, and so may one that comes after more refusals: or
 * it was time to renew. `isPlanned`: of a token that lives longer than the scenario, whether a clock may ask for another at
 * its age; then the pause before the request shows little.
 */
function causeOf(
  refusals: number,
  isSoon: boolean,
  concurrency: number,
  isPlanned: boolean | undefined,
): Renewal['by'] {
  if (refusals === 0) return 'clock';
  if (isPlanned === false) return 'refusal';
  if (refusals <= concurrency) return isSoon ? 'refusal' : 'either';
  return isSoon || isPlanned ? 'either' : 'clock';
}

interface Scenes {
  scenarios: readonly ScenarioTraffic[];
}

/** Whether a call may have had a token: also a malformed Authorization may hold one. */
export const maySendToken = ({ calls }: ScenarioTraffic): boolean =>
  calls.some(
    ({ kind, token, authorization, misplaced }) =>
      (kind !== 'token' && (token !== undefined || authorization === 'malformed')) ||
      misplaced.some(({ what }) => what === 'token'),
  );

/** Whether tokens reached the client. */
const isGivenTokens = ({ scenarios }: Scenes): boolean => scenarios.some(({ calls }) => calls.some(isIssue));

/** Whether tokens reached the client, and it sent none of them. */
export const sendsNoToken = (client: Scenes): boolean =>
  isGivenTokens(client) && !client.scenarios.some(maySendToken);

/** Why nothing is known of how a client uses its tokens; `undefined` if a call carried one as it should. */
export function whyUnused(client: Scenes): string | undefined {
  const carriesToken = client.scenarios.some(({ calls }) =>
    calls.some(({ kind, token }) => kind !== 'token' && token !== undefined),
  );
  if (carriesToken || !isGivenTokens(client)) return undefined;
  return sendsNoToken(client)
    ? 'The client sent none of its tokens: the rule token-member has the cause.'
    : 'No call carried a token as Authorization: Bearer <token>: the rule bearer-header has the cause.';
}
