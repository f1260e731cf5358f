/** All that was seen of a client, and what follows from it: its pace, how it renews its token, how many it needs. */
import { groupBy } from '../support/collections.ts';
import { isBaseline } from './scenarios.ts';
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
  isServed,
  type Life,
  lastBefore,
  latestSoFar,
  lifeNumbered,
  longLivedFrom,
  maxOf,
  median,
  overlapOf,
  type ScenarioTraffic,
  SETTLING_MS,
  stalledMs,
  tokenCalls,
  tokensReceived,
} from './traffic.ts';

export interface Evidence {
  scenarios: readonly ScenarioTraffic[];
  pace: Pace | undefined;
  renewals: Renewals;
  /** How many reads it has under way at once, at most; its processes, if these are more. */
  concurrency: number;
  /** How many it makes in a row, without a pause between them. */
  inARow: number;
  /** At each read of a scenario, the number that it has in its row. */
  places: ReadonlyMap<ScenarioTraffic, readonly number[]>;
}

export function evidenceOf(scenarios: readonly ScenarioTraffic[]): Evidence {
  const concurrency = concurrencyIn(scenarios);
  const pace = paceOf(scenarios, concurrency);
  return {
    scenarios,
    pace,
    renewals: renewalsOf(scenarios, pace, concurrency),
    concurrency,
    inARow: usualRow(scenarios, pace),
    places: new Map(scenarios.map((traffic) => [traffic, placesInRow(traffic, pace)])),
  };
}

/** How many tokens a client requested, and the fewest that its calls require. */
export interface TokenCount {
  asked: number;
  needed: number;
}

/**
 * The lower bound is exact: a client that requests a token as late as possible, at the first served call without a valid
 * one, needs the fewest. A token lives for its lifetime, or until the mock ended a token early. A token that the client
 * had at the start is not counted.
 */
export function tokenCount(traffic: ScenarioTraffic): TokenCount {
  const { lifetimesSeconds, lives } = traffic;
  const endings = lives.filter(({ endedMs }) => endedMs !== undefined);
  /** Whether a token that was valid at `from` was ended by the time of a call. In the same millisecond, the token numbers decide. */
  const isEnded = (from: number, { atMs, token = 0 }: Call) =>
    endings.some(
      ({ endedMs = 0, number }) =>
        endedMs >= from && (endedMs < atMs || (endedMs === atMs && token > number)),
    );
  let needed = 0;
  let from = Number.NEGATIVE_INFINITY;
  let expires = maxOf(heldAtStart(traffic).map(({ expiresMs }) => expiresMs));
  const served = traffic.calls.filter((call) => isServed(call) && call.token !== undefined);
  for (const call of served.sort((a, b) => a.atMs - b.atMs)) {
    if (call.atMs < expires && !isEnded(from, call)) continue;
    const lifetime = lifetimesSeconds[Math.min(needed, lifetimesSeconds.length - 1)] ?? 0;
    needed++;
    from = call.atMs;
    expires = from + lifetime * 1000;
  }
  const asked = tokenCalls(traffic).filter(({ status, token }) => status < 300 && token !== undefined).length;
  return { asked, needed };
}

// Pace: how fast a client goes when nothing is in its way, which its answer to trouble is measured against.

interface Pace {
  /** Between the end of one read and the begin of the next; of one that makes several in a turn, between its turns. */
  medianPauseMs: number;
  /** Whether they are alike: those of a client on a busy machine may be of any length. */
  regular: boolean;
}

/** Of a client that makes one call after the other; undefined where calls overlap, or too few were seen. */
export function paceOf(scenarios: readonly ScenarioTraffic[], concurrency: number): Pace | undefined {
  if (concurrency > 1) return undefined;
  const steady = scenarios.filter(isBaseline);
  const pauses = betweenTurns((steady.length > 0 ? steady : scenarios).flatMap(pausesOf));
  const medianPauseMs = median(pauses);
  if (medianPauseMs === undefined || pauses.length < 2) return undefined;
  return { medianPauseMs, regular: isRegular(pauses, medianPauseMs) };
}

/** Of a client that makes several reads at once: a shorter pause between two reads is none. */
const PAUSE_MS = 20;

/** A client whose reads follow one another in longer rows makes no turns. */
const LONGEST_ROW = 20;

/** Most pauses of a client that makes several reads in a turn are shorter, also on a busy machine. */
const WITHIN_TURN_MS = 60;

/** The pauses that a client makes on purpose: the long ones, where most are much shorter than those. */
function betweenTurns(pauses: readonly number[]): readonly number[] {
  const usualMs = median(pauses) ?? 0;
  const longMs = [...pauses].sort((a, b) => a - b)[Math.floor(pauses.length * (1 - 1 / LONGEST_ROW))] ?? 0;
  const hasTurns = usualMs < WITHIN_TURN_MS && longMs > 4 * Math.max(usualMs, PAUSE_MS);
  return hasTurns ? pauses.filter((pauseMs) => pauseMs > longMs / 2) : pauses;
}

/** Once or twice, a machine with too much to do lets reads of several turns follow one another. */
const FEWEST_ROWS = 3;

/** How many reads a client makes in a row, without a pause between them, where nothing is in its way. */
function usualRow(scenarios: readonly ScenarioTraffic[], pace: Pace | undefined): number {
  const rows = scenarios.flatMap((traffic) => {
    const reads = dataCalls(traffic);
    const places = placesInRow(traffic, pace, true);
    return reads.flatMap((read, at) =>
      isServed(read) && (places[at + 1] ?? 1) === 1 ? (places[at] ?? 1) : [],
    );
  });
  const usual = rows.sort((a, b) => b - a)[FEWEST_ROWS - 1] ?? 1;
  return usual > LONGEST_ROW ? 1 : usual;
}

/**
 * At each read, the number that it has in its row: 1 after a pause. `certain`: a row that only the machine may have made, since
 * it held up the examiner, is none, and neither is one of reads that are not all served.
 */
function placesInRow(traffic: ScenarioTraffic, pace: Pace | undefined, certain = false): number[] {
  let latestMs = Number.NEGATIVE_INFINITY;
  let place = 0;
  let before: Call | undefined;
  return dataCalls(traffic).map((read) => {
    const heldUpMs = stalledMs(traffic, before?.startMs ?? 0, read.startMs);
    const pauseMs = read.startMs - latestMs + (certain ? heldUpMs : -heldUpMs);
    const isNext = pauseMs < (pace ? maxGapMs(pace) : PAUSE_MS) && !(certain && before && !isServed(before));
    latestMs = Math.max(latestMs, read.endMs);
    before = read;
    place = isNext ? place + 1 : 1;
    return place;
  });
}

/** Whether hardly a pause is shorter than the usual one. */
export const isRegular = (pauses: readonly number[], usualMs: number): boolean =>
  pauses.filter((pauseMs) => pauseMs < 0.8 * usualMs).length <= pauses.length / 5;

const isUnderWay = ({ ended }: Call): boolean => ended !== 'gone'; // the client had left by then

/**
 * How many reads a client has under way at once. A mock answers so fast that calls which were sent together hardly
 * overlap there; a scenario in which answers take a moment shows it, and holds for the others.
 */
export const concurrencyIn = (scenarios: readonly ScenarioTraffic[]): number =>
  Math.max(
    1,
    ...scenarios.map((traffic) =>
      Math.max(traffic.processes, overlapOf(dataCalls(traffic).filter(isUnderWay))),
    ),
  );

/** Two calls with less between them belong together: the client did not wait for its next turn. */
export const maxGapMs = (pace: Pace | undefined): number =>
  pace ? Math.min(1000, Math.max(5, pace.medianPauseMs / 2)) : SETTLING_MS;

/** Between two reads that went well, with nothing else in between. */
function pausesOf(traffic: ScenarioTraffic): number[] {
  const asked = tokenCalls(traffic);
  const reads = dataCalls(traffic);
  return reads.slice(1).flatMap((read, index) => {
    const before = reads[index];
    if (!before || !isServed(before) || !isServed(read)) return [];
    const next = asked[indexFrom(asked, before.startMs)];
    if (next && next.startMs <= read.startMs) return [];
    return Math.max(0, read.startMs - before.endMs);
  });
}

/** A client that does nothing for so long has stopped, and does not only pause. */
export const silenceMs = (pace: Pace | undefined): number =>
  Math.max(3000, 4 * (pace?.medianPauseMs ?? 1000));

/** A client that calls again after a shorter pause has not waited. */
export const shortestPauseMs = (pace: Pace | undefined): number => Math.min(100, maxGapMs(pace));

// Strategy: by which of the two of clause 5 a client renews its token.

/** How a client renews: on a 403, before or after the token's time is over by its own clock, both, or not at all. */
export type Strategy = 'reactive' | 'proactive' | 'both' | 'none';

/** A token that took another's place. */
interface Renewal {
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

interface Renewals {
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
function renewalsOf(
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
