/** What one client did in one scenario, as the rules read it. Times are milliseconds since its first call began. */
import { groupBy, partitionPoint } from '../support/collections.ts';
import type { CredentialLeak } from '../support/secrets.ts';

export interface Call {
  /** Counts from 1, in the order in which requests arrived. */
  id: number;
  /** `other`: the request matched no operation of the contract. */
  kind: 'token' | 'data' | 'health' | 'other';
  /** When the request arrived and when its answer had been sent, in real time. */
  startMs: number;
  endMs: number;
  /** When the mock decided the answer, on its clock, which decides about tokens. */
  atMs: number;
  method: string;
  path: string;
  /** Names in the query, without their values. */
  query: readonly string[];
  /** Equal for two calls with the same method and target. */
  target: string;
  status: number;
  /** Why it was answered this way, as in the journal. */
  reason: string;
  /** Why a proxy answered in place of the service. */
  proxyAnswer?: string | undefined;
  /** How the connection ended if the answer was not sent completely. */
  ended?: 'reset' | 'cut' | 'gone' | undefined;
  /** Number of the token that was sent or issued; the client's first is 1. */
  token?: number | undefined;
  /** The status of that token when the call was answered. */
  standing?: 'valid' | 'expired' | 'unknown' | undefined;
  /** Whether the service redirected the client to it. */
  isRedirected?: true | undefined;
  /** Whether it had If-None-Match or If-Modified-Since. */
  isConditional?: true | undefined;
  /** The recorder left headers of the request out: what is not here may have been sent. */
  lacksHeaders?: true | undefined;
  accept?: string | undefined;
  contentType?: string | undefined;
  authorization?: 'bearer' | 'malformed' | undefined;
  /** Names of the fields of a form. */
  fields?: readonly string[] | undefined;
  /** Secrets and tokens in parts of the request where they must not be. */
  misplaced: readonly CredentialLeak[];
  /** The answer's `Retry-After`. */
  retryAfterSeconds?: number | undefined;
}

/** The lifetime of a token, on the same axis as `atMs`. */
export interface Life {
  number: number;
  issuedMs: number;
  expiresMs: number;
  /** When it was ended before its time. */
  endedMs?: number;
}

export interface Traffic {
  calls: readonly Call[];
  lives: readonly Life[];
  /** From the first call until now, in real time. */
  durationMs: number;
  /** Exchanges that the journal no longer held. */
  lost: number;
}

export interface ScenarioTraffic extends Traffic {
  /** Of the scenario. */
  name: string;
  /** The token lifetime that was agreed with the client. */
  agreedSeconds: number;
  /** Nothing is known of what was agreed: it is what was seen. */
  isUnagreed?: true;
  /** How long its first token lived, its second and so on; the last is for all that follow. */
  lifetimesSeconds: readonly number[];
  /**
   * Whether no token comes to its end in it by itself, where the user stated how long tokens live; absent: where they were agreed
   * to live for a minute or more.
   */
  longLived?: boolean;
  /** How many processes share the client id; each may hold a token of its own. */
  processes: number;
  /** How the client ended by itself; absent where it did not. */
  ended?: End;
  /** It ended before all was seen: no rule fails by what the client had not done by then. */
  isCut?: true;
  /** Removes secrets from what sentences quote of a recorded call. */
  shown?: (call: Call) => Call;
  /** When the examiner got no processor time, by the time of the calls: what happened meanwhile was recorded late. */
  stalls?: readonly Stall[];
  /** Of a feed without tokens: how many records it has at last. */
  served?: number;
  /** Of its reader: how many records it said that it holds, in order. */
  statements?: readonly Statement[];
}

/** What a reader of a feed printed. */
export interface Statement {
  /** How many of its calls had been answered when this was read: it is about the last of them, or the one before. */
  after: number;
  records: number;
}

export type Stall = Pick<Call, 'startMs' | 'endMs'>;

/** `signal`: something else than the examiner ended it. */
export interface End {
  code?: number;
  signal?: string;
}

/** How a client failed by itself; undefined where it did not, was ended by something else, or was done: that shows nothing. */
export const endInWords = ({ ended }: ScenarioTraffic): string | undefined =>
  ended?.code ? `ended by itself with exit code ${ended.code}` : undefined;

/** A token with an agreed lifetime of this number of seconds or more outlives a scenario. */
export const longLivedFrom = 60;

const byKind = remembered((calls: readonly Call[]) => groupBy(calls, ({ kind }) => kind));

export const dataCalls = ({ calls }: Traffic): readonly Call[] => byKind(calls).get('data') ?? [];
export const tokenCalls = ({ calls }: Traffic): readonly Call[] => byKind(calls).get('token') ?? [];

/** Finds something once for each list, and again if it has grown: most rules ask for the same, and some do for each call. */
export function remembered<One, Found>(find: (list: readonly One[]) => Found) {
  const known = new WeakMap<readonly One[], { length: number; found: Found }>();
  return (list: readonly One[]): Found => {
    const before = known.get(list);
    if (before?.length === list.length) return before.found;
    const found = find(list);
    known.set(list, { length: list.length, found });
    return found;
  };
}

/** The index of the first of these calls, in their order, that began at this time or later. */
export const indexFrom = (calls: readonly Call[], startMs: number): number =>
  partitionPoint(calls.length, (at) => (calls[at]?.startMs ?? 0) >= startMs);

/** How many of these, in their order, had begun by this time. */
export const begunBy = (calls: readonly { startMs?: number }[], atMs: number): number =>
  partitionPoint(calls.length, (at) => (calls[at]?.startMs ?? Number.NEGATIVE_INFINITY) > atMs);

const byNumber = remembered(
  (lives: readonly Life[]) => new Map(lives.map((life): [number | undefined, Life] => [life.number, life])),
);

/** The life of the token with this number. */
export const lifeNumbered = ({ lives }: Pick<Traffic, 'lives'>, number: number | undefined) =>
  byNumber(lives).get(number);

/** A read that brought the data, or that they have not changed. */
export const isServed = ({ kind, status, ended }: Call): boolean =>
  kind === 'data' && (status < 300 || status === 304) && ended === undefined;

/** A token that reached the client. */
export const isIssue = ({ kind, status, token, ended }: Call): boolean =>
  kind === 'token' && status < 300 && token !== undefined && ended === undefined;

/** A token request that brought no token, through no fault of its own. */
export const isOutage = ({ kind, status, ended }: Call): boolean =>
  kind === 'token' && (status >= 500 || status === 429 || ended === 'reset' || ended === 'cut');

/** A client may read on through this time, or this number of refusals, before it asks for a token again. */
const GIVEN_UP_MS = 10_000;
const GIVEN_UP_READS = 10;

/** The reads that were refused since the last token request failed; none while the client may wait before it asks again. */
export const refusedSinceGivingUp = ({ calls }: Pick<Traffic, 'calls'>): readonly Call[] => givenUpIn(calls);

const givenUpIn = remembered((calls: readonly Call[]) => {
  const asked = calls.findLast(({ kind }) => kind === 'token');
  if (!asked || !isOutage(asked)) return [];
  const fromMs = asked.endMs + 1000 * (asked.retryAfterSeconds ?? 0);
  const since = calls.filter((call) => call.startMs > fromMs && isExpiredRefusal(call));
  const untilMs = since.at(-1)?.startMs ?? fromMs;
  return since.length >= GIVEN_UP_READS && untilMs - fromMs >= GIVEN_UP_MS ? since : [];
});

/** A client may wait for so long before it reads again after a failure; one that reads seldom, for some of its own pauses. */
const RECOVERY_MS = 10_000;
const RECOVERY_PAUSES = 4;

/** The client that is silent for longer after a failure has stopped. */
export function recoveryMs(traffic: Traffic): number {
  const served = dataCalls(traffic).filter(isServed);
  const pauses = served.slice(1).map(({ startMs }, at) => startMs - (served[at]?.endMs ?? startMs));
  return Math.max(RECOVERY_MS, RECOVERY_PAUSES * (median(pauses) ?? 0));
}

export const isRefused = ({ kind, status, ended }: Call): boolean =>
  kind === 'data' && (status === 401 || status === 403) && ended === undefined;

/** Tokens that the client had before its first call, and that were alive then. */
export const heldAtStart = ({ calls, lives }: Traffic): Life[] => {
  const asked = new Set(calls.filter(({ kind }) => kind === 'token').map(({ token }) => token));
  return lives.filter((life) => life.issuedMs < 0 && endOf(life) > 0 && !asked.has(life.number));
};

/** Each token that the client had, and from when on; those that it had from the start come first. */
export const tokensReceived = (
  traffic: Traffic,
): { token?: number | undefined; startMs?: number; endMs: number }[] => [
  ...heldAtStart(traffic).map(({ number }) => ({ token: number, endMs: Number.NEGATIVE_INFINITY })),
  ...traffic.calls.filter(isIssue),
];

/** The last tokens of `had` that had come by this time, at most this many, in order. */
export function lastBefore<Had extends { endMs: number; startMs?: number }>(
  had: readonly Had[],
  atMs: number,
  count: number,
): Had[] {
  const found: Had[] = [];
  for (let at = begunBy(had, atMs) - 1; at >= 0 && found.length < count; at--)
    if ((had[at] as Had).endMs <= atMs) found.unshift(had[at] as Had);
  return found;
}

/** The 403 of an expired token (MRS-7a), whatever its body is. */
export const isExpiredRefusal = (call: Call): boolean =>
  isRefused(call) && call.status === 403 && call.standing === 'expired';

/** Whether the token ended before its agreed lifetime was over, which no client can foresee. */
export const isEarlyEnd = (traffic: ScenarioTraffic, token: number): boolean => {
  const life = lifeNumbered(traffic, token);
  return life !== undefined && endOf(life) < life.issuedMs + traffic.agreedSeconds * 1000;
};

/** From then on a client that renews by its clock should have done so, however slow it is. */
export const overdueFrom = ({ issuedMs }: Life, agreedSeconds: number): number =>
  issuedMs + agreedSeconds * 1000 + 500;

export const endOf = ({ expiresMs, endedMs = expiresMs }: Life): number => Math.min(expiresMs, endedMs);

/** Calls of a client that makes several at once may have been on their way for so long when one of them is answered. */
export const SETTLING_MS = 250;

/** How many of these calls were under way at once. */
export function overlapOf(calls: readonly Call[]): number {
  const ends: number[] = [];
  let most = 0;
  for (const { startMs, endMs } of [...calls].sort((a, b) => a.startMs - b.startMs)) {
    const underWay = ends.filter((end) => end > startMs).length;
    most = Math.max(most, underWay + 1);
    ends.push(endMs);
    if (ends.length > 200) ends.shift();
  }
  return most;
}

/** Calls in rows: each but the first of a row belongs to the one before it. */
export function rowsOf(calls: readonly Call[], isNext: (before: Call, call: Call) => boolean): Call[][] {
  const rows: Call[][] = [];
  for (const [at, call] of calls.entries()) {
    const before = calls[at - 1];
    if (before && isNext(before, call)) rows.at(-1)?.push(call);
    else rows.push([call]);
  }
  return rows;
}

/** The first of the longest rows. */
export const longest = (rows: readonly Call[][]): Call[] =>
  rows.reduce((most, row) => (row.length > most.length ? row : most), []);

/** Time between two calls in which no token request was under way. */
export function idleBetween(before: Call, after: Call, traffic: Traffic): number {
  const requests = tokenCalls(traffic);
  let idle = after.startMs - before.endMs;
  for (let at = indexFrom(requests, before.startMs); at < requests.length; at++) {
    const request = requests[at] as Call;
    if (request.startMs > after.endMs) break;
    if (request.endMs <= after.endMs) idle -= within(request, before.endMs, after.startMs);
  }
  return Math.max(0, idle);
}

/** By how much a span overlaps with another. */
const within = ({ startMs, endMs }: Stall, fromMs: number, untilMs: number): number =>
  Math.max(0, Math.min(endMs, untilMs) - Math.max(startMs, fromMs));

/** For how long the examiner got no processor time within a span, in milliseconds. */
export const stalledMs = ({ stalls = [] }: ScenarioTraffic, fromMs: number, untilMs: number): number =>
  stalls.reduce((sum, stall) => sum + within(stall, fromMs, untilMs), 0);

/** In milliseconds from a time until now, as far as the examiner was there to notice; 0 in a scenario that was cut short. */
export const silentMs = (traffic: ScenarioTraffic, fromMs: number): number =>
  traffic.isCut ? 0 : traffic.durationMs - fromMs - stalledMs(traffic, fromMs, traffic.durationMs);

/** Why a rule is not judged where the examiner got no processor time for so long. */
export const stalledFor = (milliseconds: number): string =>
  `The examiner got no processor time for ${seconds(milliseconds)}, which is more than this rule allows. Run again on a machine that is less busy.`;

/** Without a limit on how many there are, as the arguments of Math.max have. */
export const maxOf = (numbers: readonly number[]): number =>
  numbers.reduce((most, one) => Math.max(most, one), Number.NEGATIVE_INFINITY);

export const median = (numbers: readonly number[]): number | undefined =>
  [...numbers].sort((a, b) => a - b)[Math.floor(numbers.length / 2)];

export const seconds = (milliseconds: number): string => `${(milliseconds / 1000).toFixed(1)} s`;
