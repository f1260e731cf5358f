/** The condition in which a recorded call shows a service (`x-response-when` in openapi.yaml), or why it counts for none. */
import { endOfWatch, firstMomentOf, lastMomentOf } from '../support/clock.ts';
import { groupBy, partitionPoint } from '../support/collections.ts';
import { OPTION_ADVICE } from '../support/options.ts';
import { isMasked } from '../traffic/credentials.ts';
import {
  type Field,
  FORM_FIELDS,
  fieldNamed,
  isRefusal,
  isServed,
  type RecordedCall,
  requestHeader,
} from '../traffic/exchange.ts';
import {
  type ClientLifetimes,
  isMadeUp,
  lastIssueOf,
  type TokenHistory,
  type TokenLife,
} from '../traffic/tokens.ts';
import { shown } from './conditions.ts';
import type { Condition } from './requests.ts';
import type { Exchange } from './support/evidence.ts';
import { couldNotRun, type Shown } from './support/judgement.ts';

/** Conditions that a call would have shown, and why it does not, as a sentence. */
export interface NotCounted {
  when: readonly Condition[];
  gap: string;
}

const MAY_HAVE_EXPIRED = 'A token was refused, and the traffic does not show whether it had expired.';

/** Why a call counts for no condition, or not for each. */
export const GAPS = {
  'lacks-authorization':
    'The file has no Authorization header at all, or only replaced ones: browsers leave it out of an export unless sensitive data is included.',
  'lacks-headers': 'The recorder left headers out, emptied or replaced them.',
  'lacks-form': 'The file does not have the whole form of a token request.',
  'lacks-body': 'The file does not have the body of the answer.',
  'has-another-form':
    'A success without a valid token is no JSON: it may be a page, or hold the data in another form.',
  'may-be-identified': 'A read without a token had a replaced header, a cookie or a query that may hold one.',
  'may-be-wrong-credentials': 'Credentials were refused that never obtained a token: they may be wrong.',
  'has-a-replaced-value': 'A token request was refused, and the file does not have each value of its form.',
  'may-lack-a-scope': 'A client was refused with its new tokens each time: it may lack a scope.',
  'is-superseded':
    'A new token was refused after another had been issued: a service may keep only the newest one alive.',
  'lacks-lifetime': `${MAY_HAVE_EXPIRED} ${OPTION_ADVICE.lifetime}`,
  'may-have-expired': MAY_HAVE_EXPIRED,
  'may-be-late': 'A token was accepted after its agreed lifetime: it may have expired a little late.',
  'accepts-no-json': 'A request does not accept application/json. What the service answers to it is open.',
  'has-another-query':
    'A request has a query with which none was accepted. What the service answers is open.',
};

type Found = (Shown | NotCounted)[];
type Compared = {
  [Name in 'issue' | 'read' | 'authorized' | 'renewal' | 'fresh']?: RecordedCall | undefined;
};

/** Statuses by which a service may say that credentials are wrong. */
const REFUSES_CREDENTIALS = [400, 401, 403];
/** A token that is refused at a lower age has not expired, whatever its lifetime. */
const YOUNG_SECONDS = 5;
/** Statuses that say something else than that a token has ended: of the request, its rate, or the service. */
const OTHER_CAUSES: ReadonlySet<number> = new Set([
  ...[304, 403, 406, 407, 408, 412, 416, 417, 421, 425, 428, 429, 431],
]);
/** As clause 5.4 writes it; a service may refuse another spelling. */
const BEARER = /^Bearer [^ ]+$/;
/** A call in its condition, next to the calls that it is compared with. `doubt`: why a violation by it decides nothing. */
function shownBy(
  when: Condition,
  call: RecordedCall,
  index: Index,
  { doubt, isRepeated, ...compared }: Compared & { doubt?: string | undefined; isRepeated?: boolean } = {},
): Shown[] {
  const life = index.history.lifeOf(call);
  const beside = Object.entries(compared).map(([name, one]) => [name, one && index.exchangeOf(one)]);
  return shown(when, index.exchangeOf(call), {
    ...Object.fromEntries(beside),
    ...{ isRepeated, lifetimeSeconds: life && index.agreedFor(life) },
    doubt: doubt === undefined ? undefined : couldNotRun(doubt),
  });
}

/** What a call of the traffic shows, and what it would have shown; nothing where it shows nothing at all. */
export const classify = (call: RecordedCall, index: Index): Found => BY_KIND[call.kind](call, index);

const BY_KIND = { token: ofTokenRequest, data: ofRead, other: (): Found => [] };

export const not = (why: keyof typeof GAPS, ...when: Condition[]): NotCounted => ({ when, gap: GAPS[why] });

/**
 * Why clauses 4.1 and 4.2 leave the answer open: other types, and query parameters that the accepted call did not have. Or the
 * types are not in the file.
 */
function doubtOf(call: RecordedCall | undefined, compared: RecordedCall | undefined): string | undefined {
  if (call?.accepts === 'refused') return GAPS['accepts-no-json'];
  const lacksTypes = (!call?.accepts && call?.lacks.includes('headers')) === true;
  if (lacksTypes || call?.lacks.includes('headers of the answer')) return GAPS['lacks-headers'];
  return call && call.queryDigest !== (compared?.queryDigest ?? '') ? GAPS['has-another-query'] : undefined;
}

// Token requests.

/** Each field once, and not empty. A grant type that was masked is taken for right. */
const isComplete = (form: readonly Field[]): boolean =>
  FORM_FIELDS.every((name) => {
    const values = form.filter(([field]) => field === name);
    return values.length === 1 && values[0]?.[1] !== '';
  }) && isRightGrant(fieldNamed(form, 'grant_type'));

const isRightGrant = (grant = ''): boolean => grant === 'client_credentials' || isMasked(grant);

/** Whether a form was refused, and the value that may have been wrong was replaced. */
const isRefusedUnread = (call: RecordedCall): boolean =>
  !isServed(call) &&
  (call.status ?? 0) < 500 &&
  FORM_FIELDS.some((name) => isMasked(fieldNamed(call.form ?? [], name) ?? ''));

function ofTokenRequest(call: RecordedCall, index: Index): Found {
  const { form, status = 0, brings } = call;
  const isPlain = call.authorization === undefined;
  if (call.lacks.includes('form') && !form)
    return [not('lacks-form', 'valid-credentials', 'valid-credentials again')];
  if (form === undefined) return [];
  if (!isComplete(form)) return isPlain && !call.isIdentified ? ofIncompleteForm(call, form, index) : [];
  const { first, last, withHeader } = index.issuesWith.get(credentialsKey(call)) ?? {};
  const before = first && first.startMs < call.startMs ? first : undefined;
  const isLater = last !== undefined && last.startMs > call.startMs;
  const mayBeWrong = REFUSES_CREDENTIALS.includes(status);
  if (isRefusedUnread(call))
    return [
      not(
        'has-a-replaced-value',
        'valid-credentials',
        'valid-credentials again',
        'valid-credentials refused',
      ),
    ];
  const doubt = doubtOf(call, before);
  const found: Found = [];
  if (isServed(call)) {
    const isProof = isPlain && (brings.token || !call.hasBody);
    const when = isProof ? 'valid-credentials' : 'valid-credentials with a header';
    found.push(...shownBy(when, call, index, { doubt }));
    if (call.lacks.includes('headers')) found.push(not('lacks-headers', 'valid-credentials'));
  }
  if (before && (brings.token || !mayBeWrong || isLater))
    found.push(...shownBy('valid-credentials again', call, index, { issue: before, doubt }));
  else if (!isServed(call) && mayBeWrong && !withHeader && !isLater)
    found.push(not('may-be-wrong-credentials', 'valid-credentials refused'));
  else if (!isServed(call)) {
    const authorized = isPlain ? withHeader : undefined;
    found.push(...shownBy('valid-credentials refused', call, index, { authorized, doubt }));
  }
  return found;
}

/** A form that must not obtain a token, next to one that does. Credentials in another place may make up for it. */
function ofIncompleteForm(call: RecordedCall, form: readonly Field[], index: Index): Found {
  const grant = fieldNamed(form, 'grant_type');
  const when: Condition[] = [];
  if (grant === undefined) when.push('malformed-request without grant_type');
  else if (!isRightGrant(grant)) when.push('other-grant-type');
  if (!fieldNamed(form, 'client_id')) when.push('malformed-request without client_id');
  if (!fieldNamed(form, 'client_secret')) when.push('malformed-request without client_secret');
  return when.flatMap((one) => shownBy(one, call, index, { issue: index.accepted.issue }));
}

// Reads.

function ofRead(call: RecordedCall, index: Index): Found {
  const { status, authorization, token } = call;
  // Without an answer nothing is shown; 206 and 304 answer a range and a condition of the client.
  if (status === undefined || status === 206 || status === 304) return [];
  if (index.lacksAuthorization) return [not('lacks-authorization', 'missing-token', 'valid-token')];
  if (authorization !== 'bearer' || token === undefined)
    return authorization === 'masked' || call.isIdentified
      ? [not('may-be-identified', 'missing-token')]
      : shownBy('missing-token', call, index, index.accepted);
  if (isMadeUp(token)) return shownBy('unknown-token', call, index, index.accepted);
  const life = index.history.lifeOf(call);
  if (!life || (!isServed(call) && !BEARER.test(requestHeader(call, 'authorization') ?? ''))) return [];
  return isServed(call) ? ofServed(call, life, index) : ofUnserved(call, life, index);
}

/** The first read with this query that any token opened, or that this one did. */
const readLike = (index: Index, call: RecordedCall, life?: TokenLife) => index.like.get(likeKey(call, life));
const anyRead = (index: Index, call: RecordedCall) => readLike(index, call) ?? index.accepted.read;

/** A read next to another one that was served, with the token request that brought its token. */
const validToken = (
  call: RecordedCall,
  issue: RecordedCall | undefined,
  read: RecordedCall | undefined,
  index: Index,
): Shown[] =>
  shownBy('valid-token', call, index, { issue, read, doubt: doubtOf(call, anyRead(index, call)) });

function ofServed(call: RecordedCall, life: TokenLife, index: Index): Found {
  const lifetimeSeconds = index.agreedFor(life);
  const ageSeconds = ageOf(call, life)?.least ?? 0;
  const { issue, read } = index.of(life);
  // A violation once it is sure that it was not only a little late.
  if (lifetimeSeconds !== undefined && ageSeconds > lastMomentOf(lifetimeSeconds))
    return ageSeconds < endOfWatch(lifetimeSeconds)
      ? [not('may-be-late', 'expired-token served')]
      : shownBy('expired-token served', call, index, { issue, read });
  const own = { issue: issue ?? index.accepted.issue, read: call };
  const other = anyRead(index, call);
  const first = readLike(index, call, life) ?? read;
  const found: Found = [
    ...validToken(call, own.issue, call.brings.error ? undefined : other, index),
    ...shownBy('valid-token body', call, index, { ...own, doubt: doubtOf(call, other) }),
  ];
  if (first !== call && !call.brings.error)
    found.push(...shownBy('valid-token again', call, index, { ...own, doubt: doubtOf(call, first) }));
  return found;
}

function ofUnserved(call: RecordedCall, life: TokenLife, index: Index): Found {
  if (hasOutlived(call, life, index)) return ofExpired(call, life, index);
  if (!isRefusal(call)) return ofBroken(call, life, index);
  const lifetimeSeconds = index.agreedFor(life);
  const age = ageOf(call, life);
  const isPastEnd = life.refused !== undefined && call.startMs >= life.refused.startMs;
  const isOld = (age?.least ?? 0) > lastMomentOf(lifetimeSeconds ?? Number.POSITIVE_INFINITY);
  const isEarly = age !== undefined && age.most < firstMomentOf(lifetimeSeconds ?? 0);
  if (isOld || (isPastEnd && life.hasExpired && !life.isSuperseded && !isEarly))
    return ofExpired(call, life, index);
  const own = index.of(life);
  const read = readLike(index, call, life) ?? own.read;
  const isAlive = isEarly || (life.accepted !== undefined && life.accepted.startMs >= call.endMs);
  if (read && isAlive && !(isPastEnd && life.isSuperseded)) {
    return shownBy('valid-token again', call, index, { issue: own.issue, read, doubt: doubtOf(call, read) });
  }
  // The refusal before it shows the violation: MRS-5.6b.
  if (life.isRepeated && !life.accepted) return [];
  const { atLeastSeconds = YOUNG_SECONDS } = index.history.seenLifetimes.get(life.clientId) ?? {};
  const youngest = Math.min(lifetimeSeconds ?? YOUNG_SECONDS, atLeastSeconds, YOUNG_SECONDS);
  if (!read && age && age.most < youngest && isPastEnd && life.isSuperseded)
    return [not('is-superseded', 'valid-token')];
  if (!read && age && age.most < youngest)
    return hasRight(life, index) ? ofBroken(call, life, index) : [not('may-lack-a-scope', 'valid-token')];
  const why = lifetimeSeconds === undefined ? 'lacks-lifetime' : 'may-have-expired';
  return [not(why, 'valid-token again', 'expired-token', 'expired-token status', 'expired-token renewed')];
}

/**
 * Whether another status than 403 answers an expired token: the token had opened the same data until its lifetime was over,
 * never did again, and one that was issued after that did. The lifetime is the agreed one, or what other tokens showed.
 */
function hasOutlived(call: RecordedCall, life: TokenLife, index: Index): boolean {
  const { status = 0, startMs, endMs, queryDigest } = call;
  const { history, carrying } = index;
  if (status < 300 || status >= 500 || OTHER_CAUSES.has(status)) return false;
  if (life.isShared || index.lifetimes.doubt(life.clientId) !== undefined) return false;
  // Where 403 answers a later read with this token, that is the answer to its expiry, and this one had another cause.
  if (status !== 401 && firstFrom(carrying.get(life) ?? [], endMs, (one) => one.status === 403)) return false;
  const age = ageOf(call, life);
  const agreedSeconds = index.agreedFor(life);
  const seenSeconds = history.seenLifetimes.get(life.clientId)?.atMostSeconds ?? Number.POSITIVE_INFINITY;
  if (!age || (agreedSeconds === undefined ? age.most < seenSeconds : age.least < agreedSeconds))
    return false;
  const like = readLike(index, call, life);
  if (!like || like.startMs > startMs || (life.accepted?.startMs ?? 0) > startMs) return false;
  const { accepted: newer, cameMs } = history.newerThan(life);
  if (!newer || cameMs <= startMs) return false;
  const isLike = (one: RecordedCall) => isServed(one) && one.queryDigest === queryDigest;
  return firstFrom(carrying.get(newer) ?? [], endMs, isLike) !== undefined;
}

/** Whether tokens of this client opened the data before this one was issued, and after it: it may gain or lose its right. */
function hasRight(life: TokenLife, { readers, history }: Index): boolean {
  const { clientId = '', issued } = life;
  if (clientId === '' || isMasked(clientId) || !issued) return false;
  const firstMs = readers.get(clientId)?.startMs ?? Number.POSITIVE_INFINITY;
  return firstMs < issued.startMs && history.newerThan(life).accepted !== undefined;
}

/** A read that brought neither the data nor a refusal of its token. */
function ofBroken(call: RecordedCall, life: TokenLife, index: Index): Found {
  if (call.status !== 403 && OTHER_CAUSES.has(call.status ?? 0)) return [];
  const { issue } = index.of(life);
  return issue ? validToken(call, issue, anyRead(index, call), index) : [];
}

/** The refusal of an expired token, and the renewal after it. */
function ofExpired(call: RecordedCall, life: TokenLife, index: Index): Found {
  const gap = index.lifetimes.doubt(life.clientId);
  const { issue, read } = index.of(life);
  const own = { issue: issue ?? index.accepted.issue, read: read ?? index.accepted.read };
  const { read: fresh } = index.of(index.history.newerThan(life).accepted);
  const isFirst = issue && call.startMs === life.refused?.startMs;
  return [
    ...(gap === undefined
      ? shownBy('expired-token', call, index, own)
      : [{ when: ['expired-token'] as const, gap }]),
    ...shownBy('expired-token status', call, index, { ...own, fresh }),
    ...(isFirst ? ofRenewal(call, life, issue, own, index) : []),
  ];
}

/** The token request that followed, with the credentials that obtained the token. */
function ofRenewal(
  call: RecordedCall,
  life: TokenLife,
  issue: RecordedCall,
  compared: Compared,
  index: Index,
): Found {
  const own = index.requests.get(credentialsKey(issue)) ?? [];
  const renewal = firstFrom(own, call.startMs, ({ form }) => form !== undefined);
  if (!renewal) return [];
  if (isRefusedUnread(renewal)) return [not('has-a-replaced-value', 'expired-token renewed')];
  if (isServed(renewal) && !renewal.hasBody) return [not('lacks-body', 'expired-token renewed')];
  const renewed = isServed(renewal) ? index.history.lifeOf(renewal) : undefined;
  const fresh = renewed && freshRead(renewed, renewal.endMs, index);
  if (renewed?.isSuperseded && !(fresh && isServed(fresh)))
    return [not('is-superseded', 'expired-token renewed')];
  const isRepeated = renewed?.value === life.value;
  const ofFresh = fresh && doubtOf(fresh, readLike(index, fresh) ?? index.of(life).read);
  return shownBy('expired-token renewed', call, index, {
    ...{ ...compared, renewal, fresh, isRepeated },
    doubt: isRepeated ? undefined : (doubtOf(renewal, issue) ?? ofFresh),
  });
}

/** The first read with a token since then; of one that was served or not modified, the first that shows the data. */
function freshRead(life: TokenLife, sinceMs: number, { carrying }: Index): RecordedCall | undefined {
  const own = carrying.get(life) ?? [];
  const first = firstFrom(own, sinceMs, ({ status }) => status !== undefined);
  if (!first || !(isServed(first) || first.status === 304) || (isServed(first) && first.hasBody))
    return first;
  return firstFrom(own, sinceMs, (one) => isServed(one) && one.hasBody) ?? firstFrom(own, sinceMs, isServed);
}

// The calls that others are compared with, found in one go through the traffic.

/** Recorded traffic of one service. */
export interface ServiceTraffic {
  baseUrl: string;
  /** In the order of time. */
  calls: readonly RecordedCall[];
  history: TokenHistory;
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
}

type Index = ReturnType<typeof createIndex>;

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
  /** The first read with a query that a token opened, of all and of a life. */
  const like = new Map<string, RecordedCall>();
  /** The lifetime agreed with the client of a token, in seconds. */
  const agreedFor = ({ clientId }: TokenLife) => lifetimes.agreed(clientId);
  for (const call of calls) {
    const life = history.lifeOf(call);
    const own = life && lives.get(life);
    if (!own) continue;
    if (call.kind === 'token' && call.brings.token) own.issue ??= call;
    if (call.kind !== 'data' || !isServed(call)) continue;
    if (worthOf(call) > worthOf(own.read)) own.read = call;
    if (!readers.has(life.clientId)) readers.set(life.clientId, call);
    if (call.accepts === 'refused' || !call.brings.json || call.brings.error) continue;
    for (const key of [likeKey(call), likeKey(call, life)]) if (!like.has(key)) like.set(key, call);
  }
  const all = [...lives.values()];
  const best = all
    .filter(({ issue, read }) => issue && read)
    .reduce<OfLife>((one, other) => (worthOf(one.read) >= worthOf(other.read) ? one : other), {});
  return {
    ...traffic,
    ...{ requests, carrying, issuesWith, readers, like, agreedFor },
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

const credentialsKey = ({ clientId, clientSecret }: RecordedCall): string =>
  JSON.stringify([clientId, clientSecret]);
const likeKey = ({ queryDigest }: RecordedCall, life?: TokenLife): string =>
  `${life?.number ?? ''} ${queryDigest}`;
/** The first call of a list in the order of time that was sent at this moment or later, and is wanted. */
function firstFrom(
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
