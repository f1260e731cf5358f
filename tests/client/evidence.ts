/** All that was seen of a client, and what follows from it: its pace, how it renews its token, how many it needs. */
import { groupBy, partitionPoint } from '../support/collections.ts';
import { isBaseline } from './scenarios.ts';
import {
  type Call,
  dataCalls,
  endOf,
  heldAtStart,
  idleBetween,
  indexFrom,
  isEarlyEnd,
  isIssue,
  isRefused,
  isServed,
  type Life,
  lastBefore,
  lifeNumbered,
  longLivedFrom,
  maxOf,
  median,
  overlapOf,
  rowsOf,
  type ScenarioTraffic,
  SETTLING_MS,
  stalledMs,
  tokenCalls,
  tokensReceived,
} from './traffic.ts';

export interface Evidence {
  scenarios: readonly ScenarioTraffic[];
  pace: Pace | undefined;
  strategy: Strategy;
  /** Scenarios in which the client's clock replaced a token in the first half of its agreed life. */
  hasty: ReadonlySet<ScenarioTraffic>;
  /** How many reads it has under way at once, at most; its processes, if these are more. */
  concurrency: number;
  /**
   * How many reads it makes in a row. A read that waits for a connection or in a queue keeps the token that it was made
   * with.
   */
  inARow: number;
  /** From the start of one row to the start of the next, mostly; infinite where no two were seen. */
  rowMs: number;
}

export function evidenceOf(scenarios: readonly ScenarioTraffic[]): Evidence {
  const concurrency = concurrencyIn(scenarios);
  const { inARow, rowPauseMs, rowMs } = usualRow(steadyOf(scenarios));
  const pace = paceOf(scenarios, concurrency, inARow > 1 ? rowPauseMs : 0);
  const renewing = strategyOf(scenarios, pace, concurrency);
  return { scenarios, pace, ...renewing, concurrency, inARow, rowMs };
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
  const endings = lives
    .flatMap(({ endedMs, number }) => (endedMs === undefined ? [] : { endedMs, number }))
    .sort((a, b) => a.endedMs - b.endedMs || a.number - b.number);
  /** Whether a token that was valid at `from` was ended by the time of a call. In the same millisecond, the token numbers decide. */
  const isEnded = (from: number, { atMs, token = 0 }: Call) => {
    const ending = endings[partitionPoint(endings.length, (at) => (endings[at]?.endedMs ?? 0) >= from)];
    return (
      ending !== undefined && (ending.endedMs < atMs || (ending.endedMs === atMs && token > ending.number))
    );
  };
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
  /** Between the end of one read and the start of the next. */
  medianPauseMs: number;
  /** Whether they are alike: those of a client on a busy machine may be of any length. */
  regular: boolean;
}

/** Those in which nothing goes wrong; all where there is none. */
function steadyOf(scenarios: readonly ScenarioTraffic[]): readonly ScenarioTraffic[] {
  const steady = scenarios.filter(isBaseline);
  return steady.length > 0 ? steady : scenarios;
}

/** Of a client that makes one call after the other; undefined where calls overlap, or too few were seen. */
export function paceOf(
  scenarios: readonly ScenarioTraffic[],
  concurrency: number,
  rowPauseMs = 0,
): Pace | undefined {
  if (concurrency > 1) return undefined;
  // Between two reads that went well, with no other call in between; of a client that reads in rows, between two rows.
  const pauses = steadyOf(scenarios).flatMap(({ calls }) =>
    calls.flatMap((read, at) => {
      const before = calls[at - 1];
      const pauseMs = before && isServed(before) && isServed(read) ? read.startMs - before.endMs : -1;
      return pauseMs < rowPauseMs ? [] : pauseMs;
    }),
  );
  const medianPauseMs = median(pauses);
  if (medianPauseMs === undefined || pauses.length < 2) return undefined;
  return { medianPauseMs, regular: isRegular(pauses, medianPauseMs) };
}

/** How many reads a client makes from one time to another by its pace, whatever comes back, with the row at the first of them. */
export const madeBetween = ({ inARow, rowMs }: Evidence, fromMs: number, untilMs: number): number =>
  inARow * (1 + Math.floor((untilMs - fromMs) / rowMs));

/** Between two reads. A delay of the examiner is not a pause, and neither is a token request. */
const pauseBetween = (traffic: ScenarioTraffic, before: Call, read: Call): number =>
  idleBetween(before, read, traffic) - stalledMs(traffic, before.startMs, read.startMs);

/** The shortest and the longest time that separates two rows of reads. */
const ROW_PAUSE_MS = { least: 100, most: 1000 };

/** A client that hardly ever pauses for less between two reads queues none, and reads fast. */
const QUEUED_MS = 20;

/** More reads do not wait in a queue. */
const LONGEST_ROW = 100;

/** Once or twice, a machine with too much to do makes a longer pause, or lets reads of several turns follow one another. */
const FEWEST_ROWS = 3;

/** How many reads a client makes in a row, and after which pause a read is of another row: two thirds of its long pauses. */
function usualRow(scenarios: readonly ScenarioTraffic[]) {
  const pausesMs = scenarios
    .flatMap((traffic) =>
      dataCalls(traffic).flatMap((read, at, reads) => {
        const before = reads[at - 1];
        return before && isServed(before) && isServed(read) ? read.startMs - before.endMs : [];
      }),
    )
    .sort((a, b) => b - a);
  const long = pausesMs[Math.max(FEWEST_ROWS - 1, Math.floor(pausesMs.length / 50))] ?? 0;
  const rowPauseMs = Math.min(ROW_PAUSE_MS.most, Math.max(ROW_PAUSE_MS.least, (long * 2) / 3));
  const short = pausesMs[Math.floor(pausesMs.length * 0.9)] ?? 0;
  const isQueuing = short < QUEUED_MS;
  const rowsIn = scenarios.map((traffic) =>
    rowsOf(
      dataCalls(traffic),
      (before, read) => isQueuing && pauseBetween(traffic, before, read) < rowPauseMs,
    ),
  );
  const periodsMs = rowsIn.flatMap((rows) =>
    rows.slice(1).flatMap((row, at) => {
      const both = [...(rows[at] ?? []), ...row];
      return both.every(isServed) ? (row[0]?.startMs ?? 0) - (both[0]?.startMs ?? 0) : [];
    }),
  );
  const rowMs = median(periodsMs) ?? Number.POSITIVE_INFINITY;
  // Of a row only the reads that went well, where there are any.
  const lengths = rowsIn.flat().map((row) => row.filter(isServed).length || row.length);
  const longest = Math.max(1, maxOf(lengths));
  return { inARow: Math.min(longest, LONGEST_ROW), rowPauseMs, rowMs };
}

/** Whether hardly a pause is shorter than the usual one. */
export const isRegular = (pauses: readonly number[], usualMs: number): boolean =>
  pauses.filter((pauseMs) => pauseMs < 0.8 * usualMs).length <= pauses.length / 5;

/**
 * How many reads a client has under way at once. A mock answers so fast that calls which were sent together hardly
 * overlap there; a scenario in which answers take a moment shows it, and holds for the others.
 */
export const concurrencyIn = (scenarios: readonly ScenarioTraffic[]): number =>
  scenarios.reduce((most, traffic) => {
    const underWay = dataCalls(traffic).filter(({ ended }) => ended !== 'gone'); // the client had left by then
    return Math.max(most, traffic.processes, overlapOf(underWay));
  }, 1);

/** Two calls with less between them belong together: the client did not wait for its next turn. */
export const maxGapMs = (pace: Pace | undefined): number =>
  pace ? Math.min(1000, Math.max(5, pace.medianPauseMs / 2)) : SETTLING_MS;

/** A client that does nothing for so long has stopped, and does not only pause. */
export const silenceMs = (pace: Pace | undefined): number =>
  Math.max(3000, 4 * (pace?.medianPauseMs ?? 1000));

/** A client that calls again after a shorter pause has not waited. */
export const shortestPauseMs = (pace: Pace | undefined): number => Math.min(100, maxGapMs(pace));

// Strategy: by which of the two of clause 5 a client renews its token.

/** How a client renews: on a 403, before or after the token's time is over by its own clock, both, or not at all. */
export type Strategy = 'reactive' | 'proactive' | 'both' | 'none';

/** How old a token was when another was asked for, as a share of its agreed lifetime. */
const ageAt = ({ agreedSeconds }: ScenarioTraffic, { atMs }: Call, { issuedMs }: Life): number =>
  (atMs - issuedMs) / (agreedSeconds * 1000);

/** A renewal at a lower age is waste rather than foresight. */
const EARLIEST_PLAN = 0.25;

export const isForeseeable = (...token: Parameters<typeof ageAt>): boolean =>
  ageAt(...token) >= EARLIEST_PLAN;

/** `concurrency`: the number of calls that the client has under way at once. */
function strategyOf(
  scenarios: readonly ScenarioTraffic[],
  pace: Pace | undefined,
  concurrency: number,
): Pick<Evidence, 'strategy' | 'hasty'> {
  // A client that sends no token has none to renew, however often it asks for another.
  const used = whyUnused({ scenarios }) === undefined ? scenarios : [];
  const renewals = used.flatMap((traffic) => renewalsIn(traffic, pace, concurrency));
  const earliest = renewals
    .filter(({ by, isForesight }) => by === 'clock' && isForesight)
    .reduce((least, { age }) => Math.min(least, age), Number.POSITIVE_INFINITY);
  // The client's own clock may have let it ask as early elsewhere.
  const byClock = renewals.filter(
    ({ by, age }) => by === 'clock' || (by === 'either' && age >= earliest - 0.1),
  );
  const isReactive = byClock.length < renewals.length;
  const foreseen = byClock.filter(({ isWaste, endedEarly }) => !isWaste && !endedEarly);
  // A client that requests a new token while one is young, however long it lives, follows no clock.
  const isWasteful = byClock.some(({ isUnprompted, isWaste }) => isUnprompted && isWaste);
  // Where no token reached its agreed end, one that was replaced at the first turn after its time was up shows it too.
  const isOnSchedule = foreseen.length === 0 && byClock.some(({ isFirstTurn }) => isFirstTurn);
  const isProactive = !isWasteful && (foreseen.some(({ isForesight }) => isForesight) || isOnSchedule);
  return {
    strategy: isProactive ? (isReactive ? 'both' : 'proactive') : isReactive ? 'reactive' : 'none',
    hasty: new Set(byClock.flatMap(({ traffic, age }) => (age < 0.5 ? traffic : []))),
  };
}

/** Whether the last read before a request broke off or met an error: the client may blame its token. */
export function isAfterTrouble(traffic: ScenarioTraffic, request: Call): boolean {
  const [last] = lastBefore(dataCalls(traffic), request.startMs, 1);
  return last !== undefined && !isServed(last) && !isRefused(last);
}

/** In which a client has no reason to renew within the time that a scenario takes. */
export const isLongLived = ({
  agreedSeconds,
  longLived = agreedSeconds >= longLivedFrom,
}: ScenarioTraffic): boolean => longLived;

/** Whether a fixed time in reserve explains that young tokens are replaced: an examination may have made them live shorter. */
export const mayBeShortened = ({ longLived, ...traffic }: ScenarioTraffic): boolean =>
  longLived === undefined && !isLongLived(traffic);

/** Each token that took the place of another, and what made the client ask for it. */
function renewalsIn(traffic: ScenarioTraffic, pace: Pace | undefined, concurrency: number) {
  const { calls, processes, agreedSeconds } = traffic;
  const requests = tokenCalls(traffic);
  const had = tokensReceived(traffic);
  const held = heldAtStart(traffic).length;
  const firstReadMs = dataCalls(traffic)[0]?.startMs ?? Number.POSITIVE_INFINITY;
  const refused = calls.filter(isRefused);
  const refusalsOf = groupBy(refused, ({ token }) => token);
  const issues = calls.filter(isIssue).slice(Math.max(0, processes - held));
  return issues.flatMap((issue) => {
    const earlier = lastBefore(had, issue.startMs, processes);
    const newest = earlier.at(-1);
    if (!newest || (firstReadMs >= issue.startMs && held === 0)) return []; // each caller may ask at the start
    // Several may have failed before the one that brought a token: what made the client ask, made it ask first.
    const request = requests[indexFrom(requests, newest.endMs)] ?? issue;
    const isPrompt = (one: Call | undefined) =>
      one !== undefined && idleBetween(one, request, traffic) < maxGapMs(pace);
    // Processes that share a client id renew in turn, each its own.
    const [prompt] = lastBefore(refused, request.startMs + 1, 1);
    const before = lifeNumbered(traffic, (isPrompt(prompt) ? prompt : earlier.at(-processes))?.token);
    if (!before) return [];
    // A busy mock notes the end of an answer late; a client that makes one call at a time has it by its next request.
    const refusals = (refusalsOf.get(before.number) ?? []).filter(({ startMs, endMs }) =>
      concurrency === 1 ? startMs < request.startMs : endMs <= request.startMs + 1,
    );
    const last = refusals.at(-1);
    // Of a client that makes several calls at once, several are refused before it can ask.
    const isFew = refusals.length <= concurrency;
    const by =
      !last || (!isFew && !isPrompt(last)) ? 'clock' : isFew && isPrompt(last) ? 'refusal' : 'either';
    const age = ageAt(traffic, request, before);
    return {
      traffic,
      /** A refusal, or the client's own clock; `either` where the traffic does not show it. */
      by,
      age,
      /** Whether the token before was never refused, and no read had failed. */
      isUnprompted: !last && !isAfterTrouble(traffic, request),
      isForesight: !last || endOf(before) > request.atMs,
      isWaste: !mayBeShortened(traffic) && age < EARLIEST_PLAN,
      endedEarly: isEarlyEnd(traffic, before.number),
      /** Whether the token before was refused, was tried last before its agreed time was over, and was not young then. */
      isFirstTurn:
        last !== undefined && last.atMs < before.issuedMs + agreedSeconds * 1000 && age >= EARLIEST_PLAN,
    };
  });
}

type Scenes = Pick<Evidence, 'scenarios'>;

/** Whether a call may have had a token: also a malformed Authorization may hold one. */
export const maySendToken = ({ calls }: ScenarioTraffic): boolean =>
  calls.some(
    ({ kind, token, authorization, misplaced }) =>
      (kind !== 'token' && (token !== undefined || authorization === 'malformed')) ||
      misplaced.some(({ what }) => what === 'token'),
  );

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
