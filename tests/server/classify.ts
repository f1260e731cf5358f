/** The condition in which a recorded call shows a service (`x-response-when` in openapi.yaml), or why it counts for none. */
import { endOfWatch, firstMomentOf, lastMomentOf } from '../support/clock.ts';
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
import { isMadeUp, type TokenLife } from '../traffic/tokens.ts';
import { ageOf, credentialsKey, firstFrom, type Index, likeKey } from './compared-calls.ts';
import type { ProbeKey } from './requests.ts';

/** The requests of a run that meet the same condition. tests/requirements.yaml names the conditions of a requirement. */
export const PROBES_OF = {
  // What the token endpoint answers to valid credentials, without and with an Authorization header, again, and by refusing.
  'valid-credentials': ['token.valid'],
  'valid-credentials with a header': ['token.valid'],
  'valid-credentials again': ['token.again'],
  'valid-credentials refused': ['token.valid'],
  'malformed-request without grant_type': ['token.withoutGrantType'],
  'malformed-request without client_id': ['token.withoutClientId'],
  'malformed-request without client_secret': ['token.withoutClientSecret'],
  'other-grant-type': ['token.otherGrantType'],
  'wrong-credentials': [],
  // A read, what it brought, and a later one with the same token.
  'valid-token': ['data.newestToken'],
  'valid-token body': ['data.first'],
  'valid-token again': ['data.second', 'data.third'],
  'missing-token': ['data.withoutToken'],
  'unknown-token': ['data.unknownToken'],
  'unknown-token altered': ['data.alteredToken'],
  // Of a token that was refused, or was served after its lifetime; the token after it.
  'expired-token': ['data.expiredToken'],
  'expired-token status': ['data.expiredToken'],
  'expired-token served': ['data.expiredToken'],
  'expired-token renewed': ['data.expiredToken'],
  healthy: [],
} satisfies Record<string, ProbeKey[]>;

export type Condition = keyof typeof PROBES_OF;

/** By the requests of a run that they correspond to. */
type Answers = Partial<Record<ProbeKey, RecordedCall | undefined>>;

/** A condition that a call is in, with the calls to compare it with. */
export interface Occasion {
  when: Condition;
  answers: Answers;
  /** Why it decides nothing where it would fail. */
  doubt?: string | undefined;
  renewalRepeats?: boolean;
}

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
  'may-be-identified': 'A read without a token had a replaced header, a cookie or a query that may hold one.',
  'no-plain-check': 'Each health check carried a token, a cookie or a key.',
  'no-health-paths': `The specification does not show the paths of health checks (clause 4.3). ${OPTION_ADVICE.healthPaths}`,
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

type Shown = (Occasion | NotCounted)[];

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
/** What a call of the traffic shows, and what it would have shown; nothing where it is not an occasion at all. */
export const classify = (call: RecordedCall, index: Index): Shown => BY_KIND[call.kind](call, index);

const BY_KIND = { token: ofTokenRequest, data: ofRead, health: ofHealthCheck, other: (): Shown => [] };

export const not = (why: keyof typeof GAPS, ...when: Condition[]): NotCounted => ({ when, gap: GAPS[why] });

/**
 * Why clauses 4.1 and 4.2 leave the answer open: other types, and query parameters that the accepted call did not have. Or the
 * types are not in the file.
 */
function doubtOf(call: RecordedCall | undefined, compared: RecordedCall | undefined): string | undefined {
  if (call?.accepts === 'refused') return GAPS['accepts-no-json'];
  const lacksTypes = (!call?.accepts && call?.lacks.includes('headers')) === true;
  if (lacksTypes || call?.lacks.includes('headers of the answer')) return GAPS['lacks-headers'];
  return call && call.query !== (compared?.query ?? '') ? GAPS['has-another-query'] : undefined;
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

function ofTokenRequest(call: RecordedCall, index: Index): Shown {
  const { form, status = 0, brings } = call;
  const isPlain = call.authorization === undefined;
  if (call.lacks.includes('form') && !form)
    return [not('lacks-form', 'valid-credentials', 'valid-credentials again')];
  if (form === undefined) return [];
  if (!isComplete(form)) return isPlain && !call.isIdentified ? ofIncompleteForm(form, index) : [];
  const { first, last, withHeader } = index.issuesWith.get(credentialsKey(call)) ?? {};
  const before = first && first.startMs < call.startMs ? first : undefined;
  const isLater = last !== undefined && last.startMs > call.startMs;
  const mayBeWrong = REFUSES_CREDENTIALS.includes(status);
  if (isRefusedUnread(call))
    return [not('has-a-replaced-value', 'valid-credentials', 'valid-credentials again', 'wrong-credentials')];
  const doubt = doubtOf(call, before);
  const found: Shown = [];
  if (isServed(call)) {
    const isProof = isPlain && (brings.token || !call.hasBody);
    const when = isProof ? 'valid-credentials' : 'valid-credentials with a header';
    found.push({ when, answers: {}, doubt });
    if (call.lacks.includes('headers')) found.push(not('lacks-headers', 'valid-credentials'));
  }
  if (before && (brings.token || !mayBeWrong || isLater))
    found.push({ when: 'valid-credentials again', answers: { 'token.valid': before }, doubt });
  else if (!isServed(call) && mayBeWrong && !withHeader && !isLater)
    found.push(not('may-be-wrong-credentials', 'wrong-credentials'));
  else if (!isServed(call)) {
    const answers = { 'token.withAuthorization': isPlain ? withHeader : undefined };
    found.push({ when: 'valid-credentials refused', answers, doubt });
  }
  return found;
}

/** A form that must not obtain a token, next to one that does. Credentials in another place may make up for it. */
function ofIncompleteForm(form: readonly Field[], { accepted }: Index): Shown {
  const grant = fieldNamed(form, 'grant_type');
  const when: Condition[] = [];
  if (grant === undefined) when.push('malformed-request without grant_type');
  else if (!isRightGrant(grant)) when.push('other-grant-type');
  if (!fieldNamed(form, 'client_id')) when.push('malformed-request without client_id');
  if (!fieldNamed(form, 'client_secret')) when.push('malformed-request without client_secret');
  return when.map((one) => ({ when: one, answers: { 'token.valid': accepted['token.valid'] } }));
}

function ofHealthCheck(call: RecordedCall, index: Index): Shown {
  if (index.lacksAuthorization) return [not('lacks-authorization', 'healthy')];
  if (call.status === undefined) return [];
  if (call.lacks.includes('headers')) return [not('lacks-headers', 'healthy')];
  if (call.authorization !== undefined || call.isIdentified) return [not('no-plain-check', 'healthy')];
  return [{ when: 'healthy', answers: index.accepted }]; // They show that the service is up.
}

// Reads.

function ofRead(call: RecordedCall, index: Index): Shown {
  const { status, authorization, token } = call;
  const answers = index.accepted;
  // Without an answer nothing is shown; 206 and 304 answer a range and a condition of the client.
  if (status === undefined || status === 206 || status === 304) return [];
  if (index.lacksAuthorization) return [not('lacks-authorization', 'missing-token', 'valid-token')];
  if (authorization !== 'bearer' || token === undefined)
    return authorization === 'masked' || call.isIdentified
      ? [not('may-be-identified', 'missing-token')]
      : [{ when: 'missing-token', answers }];
  if (isMadeUp(token)) return [{ when: 'unknown-token', answers }];
  const life = index.history.lifeOf(call);
  if (index.isAltered(token)) return [{ when: 'unknown-token altered', answers }];
  if (!life || (!isServed(call) && !BEARER.test(requestHeader(call.exchange, 'authorization') ?? '')))
    return [];
  return isServed(call) ? ofServed(call, life, index) : ofUnserved(call, life, index);
}

/** The first read with this query that any token opened, or that this one did. */
const readLike = (index: Index, call: RecordedCall, life?: TokenLife) => index.like.get(likeKey(call, life));
const anyRead = (index: Index, call: RecordedCall) => readLike(index, call) ?? index.accepted['data.first'];

/** A read next to another one that was served, each with the token request that brought its token; or by itself. */
function validToken(
  call: RecordedCall,
  ownIssue: RecordedCall | undefined,
  read: RecordedCall | undefined,
  index: Index,
): Occasion {
  const beside = { 'data.first': read, 'data.freshToken': read, 'token.another': ownIssue };
  return {
    when: 'valid-token',
    answers: read
      ? { 'token.valid': index.accepted['token.valid'], ...beside }
      : { 'token.valid': ownIssue, 'data.first': call },
    doubt: doubtOf(call, anyRead(index, call)),
  };
}

function ofServed(call: RecordedCall, life: TokenLife, index: Index): Shown {
  const lifetimeSeconds = index.agreedFor(life);
  const ageSeconds = ageOf(call, life)?.least ?? 0;
  const { issue, read, oldRefusal } = index.of(life);
  if (lifetimeSeconds !== undefined && ageSeconds > lastMomentOf(lifetimeSeconds)) {
    // A violation once it is sure that it was not only a little late.
    if (ageSeconds < endOfWatch(lifetimeSeconds) && !(oldRefusal && oldRefusal.endMs <= call.startMs))
      return [not('may-be-late', 'expired-token served')];
    const answers = { 'token.valid': issue, 'data.first': read };
    return [{ when: 'expired-token served', answers }];
  }
  const answers = { 'token.valid': issue ?? index.accepted['token.valid'], 'data.first': call };
  const other = anyRead(index, call);
  const first = readLike(index, call, life) ?? read;
  const found: Shown = [
    validToken(call, answers['token.valid'], call.brings.error ? undefined : other, index),
    { when: 'valid-token body', answers, doubt: doubtOf(call, other) },
  ];
  if (first !== call && !call.brings.error)
    found.push({ when: 'valid-token again', answers, doubt: doubtOf(call, first) });
  return found;
}

function ofUnserved(call: RecordedCall, life: TokenLife, index: Index): Shown {
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
    const answers = { 'token.valid': own.issue, 'data.first': read };
    return [{ when: 'valid-token again', answers, doubt: doubtOf(call, read) }];
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
  const { status = 0, startMs, endMs } = call;
  const { history, lastLike } = index;
  if (status < 300 || status >= 500 || OTHER_CAUSES.has(status)) return false;
  if (life.isShared || index.lifetimes.doubt(life.clientId) !== undefined) return false;
  // Where 403 answers a later read with this token, that is the answer to its expiry, and this one had another cause.
  if (status !== 401 && (index.of(life).forbidden?.startMs ?? -1) >= endMs) return false;
  const age = ageOf(call, life);
  const agreedSeconds = index.agreedFor(life);
  const seenSeconds = history.seenLifetimes.get(life.clientId)?.atMostSeconds ?? Number.POSITIVE_INFINITY;
  if (!age || (agreedSeconds === undefined ? age.most < seenSeconds : age.least < agreedSeconds))
    return false;
  const like = readLike(index, call, life);
  if (!like || like.startMs > startMs || (life.accepted?.startMs ?? 0) > startMs) return false;
  const { accepted: newer, cameMs } = history.newerThan(life);
  if (!newer || cameMs <= startMs) return false;
  return (lastLike.get(likeKey(call, newer))?.startMs ?? -1) >= endMs;
}

/** Whether tokens of this client opened the data before this one was issued, and after it: it may gain or lose its right. */
function hasRight(life: TokenLife, { readers, history }: Index): boolean {
  const { clientId = '', issued } = life;
  if (clientId === '' || isMasked(clientId) || !issued) return false;
  const firstMs = readers.get(clientId)?.startMs ?? Number.POSITIVE_INFINITY;
  return firstMs < issued.startMs && history.newerThan(life).accepted !== undefined;
}

/** A read that brought neither the data nor a refusal of its token. */
function ofBroken(call: RecordedCall, life: TokenLife, index: Index): Shown {
  if (call.status !== 403 && OTHER_CAUSES.has(call.status ?? 0)) return [];
  const { issue } = index.of(life);
  return issue ? [validToken(call, issue, anyRead(index, call), index)] : [];
}

/** The refusal of an expired token, and the renewal after it. */
function ofExpired(call: RecordedCall, life: TokenLife, index: Index): Shown {
  const gap = index.lifetimes.doubt(life.clientId);
  const { issue, read } = index.of(life);
  const answers = {
    'token.valid': issue ?? index.accepted['token.valid'],
    'data.first': read ?? index.accepted['data.first'],
  };
  const { read: fresh } = index.of(index.history.newerThan(life).accepted);
  const isFirst = issue && call.startMs === life.refused?.startMs;
  return [
    gap === undefined ? { when: 'expired-token', answers } : { when: ['expired-token'], gap },
    { when: 'expired-token status', answers: { ...answers, 'data.freshToken': fresh } },
    ...(isFirst ? ofRenewal(call, life, issue, answers, index) : []),
  ];
}

/** The token request that followed, with the credentials that obtained the token. */
function ofRenewal(
  call: RecordedCall,
  life: TokenLife,
  issue: RecordedCall,
  answers: Answers,
  index: Index,
): Shown {
  const own = index.requests.get(credentialsKey(issue)) ?? [];
  const renewal = firstFrom(own, call.startMs, ({ form }) => form !== undefined);
  if (!renewal) return [];
  if (isRefusedUnread(renewal)) return [not('has-a-replaced-value', 'expired-token renewed')];
  if (isServed(renewal) && !renewal.hasBody) return [not('lacks-body', 'expired-token renewed')];
  const renewed = isServed(renewal) ? index.history.lifeOf(renewal) : undefined;
  const fresh = renewed && freshRead(renewed, renewal.endMs, index);
  if (renewed?.isSuperseded && !(fresh && isServed(fresh)))
    return [not('is-superseded', 'expired-token renewed')];
  const renewalRepeats = renewed?.value === life.value;
  const ofFresh = fresh && doubtOf(fresh, readLike(index, fresh) ?? index.of(life).read);
  return [
    {
      when: 'expired-token renewed',
      answers: { ...answers, 'token.again': renewal, 'data.freshToken': fresh },
      renewalRepeats,
      doubt: renewalRepeats ? undefined : (doubtOf(renewal, issue) ?? ofFresh),
    },
  ];
}

/** The first read with a token since then; of one that was served or not modified, the first that shows the data. */
function freshRead(life: TokenLife, sinceMs: number, { carrying }: Index): RecordedCall | undefined {
  const own = carrying.get(life) ?? [];
  const first = firstFrom(own, sinceMs, ({ status }) => status !== undefined);
  if (!first || !(isServed(first) || first.status === 304) || (isServed(first) && first.hasBody))
    return first;
  return firstFrom(own, sinceMs, (one) => isServed(one) && one.hasBody) ?? firstFrom(own, sinceMs, isServed);
}
