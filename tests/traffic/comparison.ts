/** The calls of recorded traffic that others are compared with. */
import { groupBy } from '../support/collections.ts';
import { firstMomentOf } from '../support/duration.ts';
import type { RecordedCall } from './call.ts';
import { type ClientLifetimes, lastIssueOf, type TokenHistory, type TokenLife } from './tokens.ts';

export const isServed = ({ status = 0 }: RecordedCall): boolean => status >= 200 && status <= 299;
export const isRefusal = ({ status }: RecordedCall): boolean => status === 401 || status === 403;

/** Recorded traffic of one service. */
export interface ServiceTraffic {
  /** In the order of time. */
  calls: readonly RecordedCall[];
  history: TokenHistory;
  /** Those of the health checks, as readHealthPaths returns them. */
  healthPaths: readonly string[];
  lifetimes: ClientLifetimes;
  /** Whether the recorder left Authorization headers out. */
  lacksAuthorization: boolean;
  /** Whether the recorder left out when requests were sent; `calls` may then be in any order. */
  lacksTimes: boolean;
  /** Whether it is a file of mrs mock or mrs proxy: parts that may hold secrets are left out. */
  isPublic: boolean;
}

/**
 * The age of a token when the request came in, at least, and when it was answered, at most; in seconds. It is open whether
 * one that is handed out again is as old as before.
 */
export function ageOf(call: RecordedCall, life: TokenLife): { least: number; most: number } | undefined {
  const { issued } = life;
  const last = lastIssueOf(life, call.startMs);
  if (!issued || !last) return undefined;
  return { least: (call.startMs - last.endMs) / 1000, most: (call.endMs - issued.startMs) / 1000 };
}

/** How much a read is worth to compare others with: it has a body, and is as clause 4.2 describes it. */
const worthOf = (call: RecordedCall | undefined): number =>
  call ? 1 + (call.hasBody ? 2 : 0) + (call.query === '' && call.accepts !== 'refused' ? 1 : 0) : 0;

/** Whether it shows what reads with its query bring. */
const isUsual = ({ accepts, brings }: RecordedCall): boolean =>
  accepts !== 'refused' && brings.json && !brings.error;

/** Finds out each answer once. */
function remembering<Key, T>(find: (key: Key) => T): (key: Key) => T {
  const known = new Map<Key, T>();
  return (key) => {
    if (!known.has(key)) known.set(key, find(key));
    return known.get(key) as T;
  };
}

const credentialsKey = ({ clientId, clientSecret }: RecordedCall): string =>
  JSON.stringify([clientId, clientSecret]);
const likeKey = ({ query }: RecordedCall, life?: TokenLife): string => `${life?.number ?? ''} ${query}`;
const checkKey = ({ recorded: { method, path } }: RecordedCall): string => `${method} ${path}`;

/** The calls that others are compared with, found in one go through the traffic. */
export function createIndex({ calls, history, lifetimes, isPublic }: ServiceTraffic) {
  const requests = groupBy(
    calls.filter(({ kind }) => kind === 'token'),
    credentialsKey,
  );
  const carrying = groupBy(
    calls.filter(({ kind }) => kind === 'data'),
    history.lifeOf,
  );
  const issues = new Map<TokenLife, RecordedCall>();
  const reads = new Map<TokenLife, RecordedCall>();
  const readers = new Map<string | undefined, RecordedCall>();
  const like = new Map<string, RecordedCall>();
  const lastLike = new Map<string, RecordedCall>();
  const checks = new Map<string, RecordedCall>();
  let lacksValues = false;
  for (const call of calls) {
    const isRead = call.kind === 'data' && isServed(call);
    if (isRead && isPublic && (!call.hasBody || call.isReplaced)) lacksValues = true;
    if (call.kind === 'health' && call.authorization === 'bearer' && call.status !== undefined) {
      const known = checks.get(checkKey(call));
      if (!known || (!isServed(known) && isServed(call))) checks.set(checkKey(call), call);
    }
    const life = history.lifeOf(call);
    if (!life) continue;
    if (call.kind === 'token' && call.brings.token && !issues.has(life)) issues.set(life, call);
    if (!isRead) continue;
    if (worthOf(call) > worthOf(reads.get(life))) reads.set(life, call);
    if (!readers.has(life.clientId)) readers.set(life.clientId, call);
    lastLike.set(likeKey(call, life), call);
    if (isUsual(call))
      for (const key of [likeKey(call), likeKey(call, life)]) if (!like.has(key)) like.set(key, call);
  }
  const opened = history.lives.filter((life) => issues.has(life) && reads.has(life));
  const best = opened.reduce<TokenLife | undefined>(
    (one, other) => (one && worthOf(reads.get(one)) >= worthOf(reads.get(other)) ? one : other),
    undefined,
  );
  const agreedFor = ({ clientId }: TokenLife) => lifetimes.agreed(clientId);
  const readsWith = (life: TokenLife): readonly RecordedCall[] => carrying.get(life) ?? [];
  const requestsWith = (call: RecordedCall) => requests.get(credentialsKey(call)) ?? [];
  const issuesWith = remembering((key: string) =>
    (requests.get(key) ?? []).filter(({ brings }) => brings.token),
  );
  const isAltered = remembering(
    createAlteredTokens(history.lives.flatMap((life) => (life.issued ? life.value : []))),
  );
  const issueOf = (life: TokenLife | undefined) => life && issues.get(life);
  const firstReadOf = (life: TokenLife | undefined) => life && reads.get(life);
  return {
    /** The request that brought a token first, and the first read that it opened. */
    issueOf,
    firstReadOf,
    /** The first read that a token of this client opened. */
    firstReadBy: (clientId: string) => readers.get(clientId),
    /** The first read with the query of this one that a token opened, of all or of this life; the last of this life. */
    readLike: (call: RecordedCall, life?: TokenLife) => like.get(likeKey(call, life)),
    lastReadLike: (call: RecordedCall, life: TokenLife) => lastLike.get(likeKey(call, life)),
    /** The token requests with the same credentials, in order, and those of them that brought a token. */
    requestsWith,
    issuesWith: (call: RecordedCall) => issuesWith(credentialsKey(call)),
    isAltered: (token: string) => !history.livesOf(token).some(({ issued }) => issued) && isAltered(token),
    /** The reads that carried a token, in order. */
    readsWith,
    /** The health check at this path that carried a token and was served, or else refused. */
    checkWithToken: (call: RecordedCall) => checks.get(checkKey(call)),
    /** Of its reads: the first refusal at an age at which it may have expired, that after the last success, the last 403. */
    endsOf: remembering((life: TokenLife) => {
      const refusals = readsWith(life).filter(isRefusal);
      const oldSeconds = firstMomentOf(agreedFor(life) ?? Number.POSITIVE_INFINITY);
      return {
        old: refusals.find((call) => (ageOf(call, life)?.least ?? 0) >= oldSeconds),
        last: refusals.find(({ startMs }) => startMs === life.refused?.startMs),
        forbidden: refusals.findLast(({ status }) => status === 403),
      };
    }),
    /** A token request that brought a token, and a read that it opened. */
    accepted: {
      issue: best ? issues.get(best) : [...issues.values()][0],
      read: best ? reads.get(best) : [...reads.values()][0],
    },
    lacksValues,
    /** The lifetime agreed with the client of a token, in seconds. */
    agreedFor,
  };
}

/** Each part between dots as a library reads it that takes both alphabets and ignores what it cannot decode. */
export const bytesOf = (token: string): string =>
  token
    .split('.')
    .map((part) => Buffer.from(part, 'base64').toString('hex'))
    .join('.');

/** At most this many tokens are compared. */
const MOST_COMPARED = 1000;
/** Parts are looked for in this number of characters of issued tokens, the first ones. */
const MOST_CHARACTERS = 1024 * 1024;
/** Of a shorter token, another one may be a part by chance. */
const TELLING_LENGTH = 16;
/** In parts, with both alphabets. */
const IS_BASE64 = /^[\w+/=.-]*$/;
/** What a token has too much at its ends, as arguments of `slice`. */
const ENDS = [[0, -1], [0, -2], [1], [2], [1, -1]] as const;

/**
 * Compares a token with those that were issued: it may be in other letters of upper and lower case, be longer by one or two
 * characters, or be a part. One that decodes to the same bytes is the same token to a deployment that decodes it. A token
 * that was issued itself must not be given.
 */
export function createAlteredTokens(issued: readonly string[]): (token: string) => boolean {
  const telling = issued.filter(({ length }) => length >= TELLING_LENGTH);
  const values = new Set(telling);
  const lowerCase = new Set(telling.map((value) => value.toLowerCase()));
  const bytes = new Set(telling.map(bytesOf));
  // One search in a text of many is much faster than one in each. No token in a header has a line break.
  const first = telling.join('\n').slice(0, MOST_CHARACTERS);
  let compared = 0;
  return (token) => {
    if (token.length < TELLING_LENGTH || compared++ >= MOST_COMPARED) return false;
    if (IS_BASE64.test(token) && bytes.has(bytesOf(token))) return false;
    return (
      lowerCase.has(token.toLowerCase()) ||
      ENDS.some(([from, to]) => values.has(token.slice(from, to))) ||
      first.includes(token)
    );
  };
}
