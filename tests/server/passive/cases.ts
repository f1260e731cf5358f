/** What recorded traffic gives occasion to judge: a call, the requirements that it shows, and the calls to compare it with. */
import { groupBy, partitionPoint } from '../../support/collections.ts';
import type { ClientLifetimes, TokenHistory, TokenLife } from '../../traffic/tokens.ts';
import { firstMomentOf } from '../probe/expiry.ts';
import { speaksOnlyOfError } from '../support/data.ts';
import type { Evidence } from '../support/evidence.ts';
import { isJson } from '../support/expectations.ts';
import { createAlteredTokens } from './altered-token.ts';
import { ageOf, answerOf, isIssue, isRefusal, isServed, type ServiceCall } from './call.ts';
import { type Circumstances, frameOf, type Placed } from './frame.ts';

export interface Case {
  /** Ids in tests/requirements.yaml. */
  requirements: readonly string[];
  evidence: Evidence;
  /** Whether the words of a refusal are compared with those of the data. */
  countsValues?: true;
  /** Whether some of those are not in the file, so that it does not pass. */
  mayLackValues?: boolean;
  /** Why it decides nothing where it would fail, as a sentence. */
  doubt?: string | undefined;
}

/** A call that shows nothing, and why, as a sentence. */
export interface Undecided {
  requirements: readonly string[];
  reason: string;
}

export type Found = Case | Undecided;

/** Recorded traffic of one service, in the order of time. */
export interface ServiceTraffic {
  baseUrl: string;
  calls: readonly ServiceCall[];
  history: TokenHistory;
  /** Those of the health checks, as readHealthPaths returns them. */
  healthPaths: readonly string[];
  lifetimes: ClientLifetimes;
  /** Whether the recorder left Authorization headers out. */
  lacksAuthorization: boolean;
  /** Whether the recorder left out when requests were sent; `calls` may then be in any order. */
  lacksTimes?: boolean;
  /** Whether it is a file of mrs mock or mrs proxy: parts that may hold secrets are left out. */
  isPublic?: boolean;
}

export const LACKS_TIMES =
  'The file does not have the times of all requests, or they are too coarse: their order is not known.';

/** What may decide a requirement or a rule is not there: nothing else that is there makes it pass. */
export const LEFT_OUT =
  'The recording leaves it out: mrs proxy writes no secrets, and no body that is long or may hold one.';
const NO_BODY = 'The file does not have the body of the answer.';

export interface Ends {
  /** The first refusal at an age at which the token may have expired, by the agreed lifetime. */
  old?: ServiceCall | undefined;
  /** The first refusal after the last read that it opened. */
  last?: ServiceCall | undefined;
  /** The last read that was answered with 403. */
  forbidden?: ServiceCall | undefined;
}

/** Of the token requests with the same credentials. */
export interface Issues {
  first?: ServiceCall | undefined;
  last?: ServiceCall | undefined;
  /** The first that had an Authorization header. */
  withHeader?: ServiceCall | undefined;
}

/** What the functions of a kind of call share. */
export interface CaseContext extends ServiceTraffic {
  /** The request that brought a token first. */
  issueOf(life: TokenLife | undefined): ServiceCall | undefined;
  /** The first read that a token opened. */
  firstReadOf(life: TokenLife | undefined): ServiceCall | undefined;
  /** The first read that a token of this client opened. */
  firstReadBy(clientId: string): ServiceCall | undefined;
  /** The first read with the query of this one that a token opened, of all or of this life. */
  readLike(call: ServiceCall, life?: TokenLife): ServiceCall | undefined;
  /** The last read with the query of this one that this life opened. */
  lastReadLike(call: ServiceCall, life: TokenLife): ServiceCall | undefined;
  /** The token requests with the same credentials, in order. */
  requestsWith(call: ServiceCall): readonly ServiceCall[];
  /** Those of them that brought a token. */
  issuesWith(call: ServiceCall): Issues;
  /** Whether a token is almost one that was issued. */
  isAltered(token: string): boolean;
  /** The reads that carried a token, in order. */
  readsWith(life: TokenLife): readonly ServiceCall[];
  /** The health check at this path that carried a token and was served, or else refused. */
  healthWithToken(method: string, path: string): ServiceCall | undefined;
  /** The refusals by which its end is judged. */
  endsOf(life: TokenLife): Ends;
  /** A token request that brought a token, and a read that it opened. */
  acceptance: { issue?: ServiceCall | undefined; read?: ServiceCall | undefined };
  /** Why nothing is judged that takes the body of an answer which the file does not have, as a sentence. */
  noBody: string;
  /** Whether a file left out, or replaced, values of the data that refusals are compared with. */
  lacksValues: boolean;
  /** The lifetime agreed with the client of a token, in seconds. */
  agreedFor(life: TokenLife): number | undefined;
  caseOf(requirements: readonly string[], placed: Placed, more?: Partial<Circumstances>): Case;
}

export function contextOf(traffic: ServiceTraffic): CaseContext {
  const { calls, history, baseUrl, lifetimes } = traffic;
  const agreedFor = ({ clientId }: TokenLife) => lifetimes.agreed(clientId);
  const requests = groupBy(
    calls.filter(({ kind }) => kind === 'token'),
    credentialsKey,
  );
  const carrying = groupBy(
    calls.filter(({ kind }) => kind === 'data'),
    history.lifeOf,
  );
  const issues = new Map<TokenLife, ServiceCall>();
  const reads = new Map<TokenLife, ServiceCall>();
  const readers = new Map<string | undefined, ServiceCall>();
  const like = new Map<string, ServiceCall>();
  const lastLike = new Map<string, ServiceCall>();
  for (const call of calls) {
    const life = history.lifeOf(call);
    if (!life) continue;
    if (call.kind === 'token' && isIssue(call) && !issues.has(life)) issues.set(life, call);
    if (call.kind !== 'data' || !isServed(call)) continue;
    if (worthOf(call) > worthOf(reads.get(life))) reads.set(life, call);
    if (!readers.has(life.clientId)) readers.set(life.clientId, call);
    lastLike.set(likeKey(call, life), call);
    if (!isUsual(call)) continue;
    for (const key of [likeKey(call), likeKey(call, life)]) if (!like.has(key)) like.set(key, call);
  }
  const opened = history.lives.filter((life) => issues.has(life) && reads.has(life));
  const best = opened.reduce<TokenLife | undefined>(
    (one, other) => (one && worthOf(reads.get(one)) >= worthOf(reads.get(other)) ? one : other),
    undefined,
  );
  const readsWith = (life: TokenLife) => carrying.get(life) ?? [];
  const ends = new Map<TokenLife, Ends>();
  const endsOf = (life: TokenLife): Ends => {
    const known = ends.get(life);
    if (known) return known;
    const refusals = readsWith(life).filter(isRefusal);
    const found = {
      old: refusals.find(
        (call) =>
          (ageOf(call, life)?.least ?? 0) >= firstMomentOf(agreedFor(life) ?? Number.POSITIVE_INFINITY),
      ),
      last: refusals.find(({ startMs }) => startMs === life.refused?.startMs),
      forbidden: refusals.findLast((call) => answerOf(call)?.response.status === 403),
    };
    ends.set(life, found);
    return found;
  };
  const issuesWith = remembering((credentials: string): Issues => {
    const own = (requests.get(credentials) ?? []).filter(isIssue);
    return {
      first: own[0],
      last: own.at(-1),
      withHeader: own.find(({ authorization }) => authorization !== undefined),
    };
  });
  const isAltered = remembering(
    createAlteredTokens(history.lives.flatMap((life) => (life.issued ? life.value : []))),
  );
  const anyIssue = [...issues.values()][0];
  return {
    ...traffic,
    issueOf: (life) => life && issues.get(life),
    firstReadOf: (life) => life && reads.get(life),
    firstReadBy: (clientId) => readers.get(clientId),
    requestsWith: (call) => requests.get(credentialsKey(call)) ?? [],
    issuesWith: (call) => issuesWith(credentialsKey(call)),
    isAltered: (token) => !history.livesOf(token).some((life) => life.issued) && isAltered(token),
    readLike: (call, life) => like.get(likeKey(call, life)),
    lastReadLike: (call, life) => lastLike.get(likeKey(call, life)),
    readsWith,
    healthWithToken: healthWithTokenIn(calls),
    endsOf,
    noBody: traffic.isPublic ? LEFT_OUT : NO_BODY,
    lacksValues:
      traffic.isPublic === true &&
      calls.some((call) => call.kind === 'data' && isServed(call) && (!call.hasBody || call.isReplaced)),
    agreedFor,
    acceptance: best
      ? { issue: issues.get(best), read: reads.get(best) }
      : { issue: anyIssue, read: [...reads.values()][0] },
    caseOf: (requirements, placed, more = {}) => ({
      requirements,
      evidence: frameOf(placed, { baseUrl, ...more }),
    }),
  };
}

/** Finds out each answer once. */
function remembering<T>(find: (key: string) => T): (key: string) => T {
  const known = new Map<string, T>();
  return (key) => {
    const before = known.get(key);
    if (before !== undefined) return before;
    const found = find(key);
    known.set(key, found);
    return found;
  };
}

/** The first call of a list in the order of time that was sent at this moment or later, and is wanted. */
export function firstFrom(
  calls: readonly ServiceCall[],
  startMs: number,
  isWanted: (call: ServiceCall) => boolean = () => true,
): ServiceCall | undefined {
  let at = partitionPoint(calls.length, (nth) => (calls[nth]?.startMs ?? 0) >= startMs);
  for (; at < calls.length; at++) {
    const call = calls[at];
    if (call && isWanted(call)) return call;
  }
  return undefined;
}

/** How much a read is worth to compare others with: it has a body, and is as clause 4.2 describes it. */
const worthOf = (call: ServiceCall | undefined): number =>
  call ? 1 + (call.hasBody ? 2 : 0) + (call.query === '' && call.accepts !== 'refused' ? 1 : 0) : 0;

/** Whether it shows what reads with its query bring. */
const isUsual = (call: ServiceCall): boolean => {
  const answer = answerOf(call);
  if (!answer || call.accepts === 'refused') return false;
  return isJson(answer).verdict === 'passed' && !speaksOnlyOfError(answer.response.json);
};

const likeKey = ({ query }: ServiceCall, life?: TokenLife): string => `${life?.number ?? ''} ${query}`;

/**
 * Why a call is not one that clause 4.1 or 4.2 describes, as a sentence: a service is free in what it answers to other
 * types and to query parameters. `compared`: the call with the same parameters that was accepted.
 */
export function doubtOf(
  call: ServiceCall | undefined,
  compared: ServiceCall | undefined,
): string | undefined {
  if (call?.accepts === 'refused')
    return 'A request does not accept application/json. What the service answers to it is open.';
  if (call && call.query !== (compared?.query ?? ''))
    return 'A request has query parameters with which none was accepted. What the service answers to them is open.';
  return undefined;
}

/** Of the health checks at each path that carried a token, the first that was served, or else the first. */
function healthWithTokenIn(calls: readonly ServiceCall[]): CaseContext['healthWithToken'] {
  const found = new Map<string, ServiceCall>();
  for (const call of calls) {
    if (call.kind !== 'health' || call.authorization !== 'bearer' || !answerOf(call)) continue;
    const { method, path } = call.exchange.request;
    const key = `${method} ${path}`;
    const known = found.get(key);
    if (!known || (!isServed(known) && isServed(call))) found.set(key, call);
  }
  return (method, path) => found.get(`${method} ${path}`);
}

const credentialsKey = ({ clientId, clientSecret }: ServiceCall): string =>
  JSON.stringify([clientId, clientSecret]);

/** Places those calls that there are. */
export function placed(calls: Readonly<Partial<Record<keyof Placed, ServiceCall | undefined>>>): Placed {
  const found: Placed = {};
  for (const [key, call] of Object.entries(calls) as [keyof Placed, ServiceCall | undefined][])
    if (call) found[key] = call.exchange;
  return found;
}
