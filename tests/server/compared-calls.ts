/** The calls of recorded traffic that others are compared with, found in one go through it. */

import { firstMomentOf } from '../support/clock.ts';
import { groupBy, partitionPoint } from '../support/collections.ts';
import { isRefusal, isServed, type RecordedCall } from '../traffic/exchange.ts';
import { type ClientLifetimes, lastIssueOf, type TokenHistory, type TokenLife } from '../traffic/tokens.ts';
import type { Exchange } from './support/evidence.ts';

/** Recorded traffic of one service. */
export interface ServiceTraffic {
  baseUrl: string;
  /** In the order of time. */
  calls: readonly RecordedCall[];
  history: TokenHistory;
  /** Those of the health checks, as readHealthPaths returns them. */
  healthPaths: readonly string[];
  lifetimes: ClientLifetimes;
  /** Whether the recorder left Authorization headers out. */
  lacksAuthorization: boolean;
  /** By `x` and the entry in the file: the request line of each call, and what is kept of its answer. */
  exchanges: ReadonlyMap<string, Exchange>;
}

/** What the calls with one token show. */
interface OfLife {
  /** The request that brought it first, and the best of the reads that it opened. */
  issue?: RecordedCall;
  read?: RecordedCall;
  /** The first refusal of a read at an age at which it may have expired, and the last 403. */
  oldRefusal?: RecordedCall;
  forbidden?: RecordedCall;
}

export type Index = ReturnType<typeof createIndex>;

/** The traffic with the calls that others are compared with, found in one go through it. */
export function createIndex(traffic: ServiceTraffic) {
  const { calls, history, lifetimes } = traffic;
  /** By their credentials, and by the lives of their tokens, in order. */
  const requests = groupBy(
    calls.filter(({ kind }) => kind === 'token'),
    credentialsKey,
  );
  const carrying = groupBy(
    calls.filter(({ kind }) => kind === 'data'),
    history.lifeOf,
  );
  /** Of those with the same credentials that brought a token: the first, the last, and the first with a header. */
  const issuesWith = new Map(
    [...requests].map(([key, all]) => {
      const own = all.filter(({ brings }) => brings.token);
      const withHeader = own.find(({ authorization }) => authorization !== undefined);
      return [key, { first: own[0], last: own.at(-1), withHeader }];
    }),
  );
  const lives = new Map<TokenLife, OfLife>(history.lives.map((life) => [life, {}]));
  /** The first read that a token of a client opened. */
  const readers = new Map<string | undefined, RecordedCall>();
  /** The first read with a query that a token opened, of all and of a life; the last of a life. */
  const like = new Map<string, RecordedCall>();
  const lastLike = new Map<string, RecordedCall>();
  /** The health check at a path that carried a token and was served, or else refused. */
  const checks = new Map<string, RecordedCall>();
  /** The lifetime agreed with the client of a token, in seconds. */
  const agreedFor = ({ clientId }: TokenLife) => lifetimes.agreed(clientId);
  for (const call of calls) {
    if (call.kind === 'health' && call.authorization === 'bearer' && call.status !== undefined) {
      const known = checks.get(checkKey(call));
      if (!known || (!isServed(known) && isServed(call))) checks.set(checkKey(call), call);
    }
    const life = history.lifeOf(call);
    const own = life && lives.get(life);
    if (!own) continue;
    if (call.kind === 'token' && call.brings.token) own.issue ??= call;
    if (call.kind === 'data' && isRefusal(call)) {
      if (call.status === 403) own.forbidden = call;
      const oldSeconds = firstMomentOf(agreedFor(life) ?? Number.POSITIVE_INFINITY);
      if ((ageOf(call, life)?.least ?? 0) >= oldSeconds) own.oldRefusal ??= call;
    }
    if (call.kind !== 'data' || !isServed(call)) continue;
    if (worthOf(call) > worthOf(own.read)) own.read = call;
    if (!readers.has(life.clientId)) readers.set(life.clientId, call);
    lastLike.set(likeKey(call, life), call);
    if (call.accepts === 'refused' || !call.brings.json || call.brings.error) continue;
    for (const key of [likeKey(call), likeKey(call, life)]) if (!like.has(key)) like.set(key, call);
  }
  const all = [...lives.values()];
  const best = all
    .filter(({ issue, read }) => issue && read)
    .reduce<OfLife>((one, other) => (worthOf(one.read) >= worthOf(other.read) ? one : other), {});
  return {
    ...traffic,
    ...{ requests, carrying, issuesWith, readers, like, lastLike, checks, agreedFor },
    of: (life: TokenLife | undefined): OfLife => (life && lives.get(life)) ?? {},
    exchangeOf: ({ entry }: RecordedCall) => traffic.exchanges.get(`x${entry}`) as Exchange,
    /** A token request that brought a token, and a read that it opened: as the requests of a run. */
    accepted: {
      issue: best.issue ?? all.find(({ issue }) => issue)?.issue,
      read: best.read ?? all.find(({ read }) => read)?.read,
    },
  };
}

/** How much a read is worth to compare others with: it has a body, and is as clause 4.2 describes it. */
const worthOf = (call: RecordedCall | undefined): number =>
  call ? 1 + (call.hasBody ? 2 : 0) + (call.queryDigest === '' && call.accepts !== 'refused' ? 1 : 0) : 0;

export const credentialsKey = ({ clientId, clientSecret }: RecordedCall): string =>
  JSON.stringify([clientId, clientSecret]);
export const likeKey = ({ queryDigest }: RecordedCall, life?: TokenLife): string =>
  `${life?.number ?? ''} ${queryDigest}`;
export const checkKey = ({ method, path }: RecordedCall): string => `${method} ${path}`;

/** The first call of a list in the order of time that was sent at this moment or later, and is wanted. */
export function firstFrom(
  calls: readonly RecordedCall[],
  startMs: number,
  isWanted: (call: RecordedCall) => boolean,
): RecordedCall | undefined {
  let at = partitionPoint(calls.length, (nth) => (calls[nth]?.startMs ?? 0) >= startMs);
  while (at < calls.length && !isWanted(calls[at] as RecordedCall)) at++;
  return calls[at];
}

/** In seconds, when the request came in and when it was answered. One that is handed out again may be as old as before. */
export function ageOf(call: RecordedCall, life: TokenLife): { least: number; most: number } | undefined {
  const { issued } = life;
  const last = lastIssueOf(life, call.startMs);
  if (!issued || !last) return undefined;
  return { least: (call.startMs - last.endMs) / 1000, most: (call.endMs - issued.startMs) / 1000 };
}
