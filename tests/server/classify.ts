/**
 * The condition in which each recorded call shows a service, as openapi.yaml names it in `x-response-when`, with the calls to
 * compare it with; or why it counts for none.
 */
import { endOfWatch, firstMomentOf, lastMomentOf } from '../support/clock.ts';
import { healthCheckAt, OPTION_ADVICE } from '../support/options.ts';
import { isMasked } from '../traffic/credentials.ts';
import {
  type Field,
  FORM_FIELDS,
  fieldNamed,
  isRefusal,
  isServed,
  type RecordedCall,
} from '../traffic/exchange.ts';
import { isMadeUp, type TokenLife } from '../traffic/tokens.ts';
import {
  type Accepted,
  ageOf,
  checkKey,
  createIndex,
  credentialsKey,
  firstFrom,
  likeKey,
  type ServiceTraffic,
} from './compared-calls.ts';
import type { ProbeKey } from './requests.ts';

/**
 * By a condition of the contract, and what is particular about the call that meets it: the requests of a run that meet the
 * same. tests/requirements.yaml names the conditions that show a requirement.
 */
export const CONDITIONS = {
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
  'healthy without a token': [],
} satisfies Record<string, ProbeKey[]>;

export type Condition = keyof typeof CONDITIONS;

/** A call in a condition, and the calls to compare it with, by the requests of a run that meet their conditions. */
export interface Occasion {
  when: Condition;
  call: RecordedCall;
  answers: Partial<Record<ProbeKey, RecordedCall | undefined>>;
  renewalRepeats?: boolean;
  lifetimeSeconds?: number | undefined;
  /** The path of a health check as it was given, and the same with a token. */
  check?: { path: string; withToken: RecordedCall | undefined };
  /** Set for a refusal, whose words are compared with those of the data. */
  countsValues?: true;
  /** Why it decides nothing where it would fail. */
  doubt?: string | undefined;
}

/** A call that would have shown conditions, and why it does not, as a sentence. */
export interface NotCounted {
  when: readonly Condition[];
  gap: string;
}

/** Why a call counts for no condition, or not for each. */
export const GAPS = {
  'lacks-authorization':
    'The file has no Authorization header at all, or only replaced ones: browsers leave it out of an export unless sensitive data is included.',
  'lacks-body': 'The file does not have the body of the answer.',
  'may-be-identified':
    'A read without a bearer token had a replaced header, a cookie or a query that may hold one.',
  'no-plain-check': 'Each health check carried a token, a cookie or a key.',
  'no-health-paths': `The specification does not show the paths of health checks (clause 4.3). ${OPTION_ADVICE.healthPaths}`,
  'may-be-wrong-credentials': 'Credentials were refused that never obtained a token: they may be wrong.',
  'may-lack-a-scope':
    'A client was refused with its new tokens each time: it may lack a scope, and what the service answers then is open.',
  'lacks-lifetime': `A token was refused, and the traffic does not show whether it had expired. ${OPTION_ADVICE.lifetime}`,
  'may-have-expired': 'A token was refused, and the traffic does not show whether it had expired.',
  'may-be-late': 'A token was accepted after its agreed lifetime: it may have expired a little late.',
  'accepts-no-json': 'A request does not accept application/json. What the service answers to it is open.',
  'has-another-query':
    'A request has query parameters with which none was accepted. What the service answers to them is open.',
};

type Shown = (Occasion | NotCounted)[];

/** Statuses by which a service may say that credentials are wrong. */
const REFUSES_CREDENTIALS = [400, 401, 403];
/** A token that is refused at a lower age has not expired, whatever its lifetime. */
const YOUNG_SECONDS = 5;
/** Statuses that say something else than that a token has ended: of the request, its rate, or the service. */
const OTHER_CAUSES: ReadonlySet<number> = new Set([304, 403, 406, 408, 412, 416, 425, 428, 429, 431]);
/** What the refusal of a token may violate, or show. */
const OF_REFUSAL: Condition[] = [
  'valid-token again',
  'expired-token',
  'expired-token status',
  'expired-token renewed',
];

/**
 * Why a call is not one that clause 4.1 or 4.2 describes: a service is free in what it answers to other types and to query
 * parameters. `compared`: the call with the same parameters that was accepted.
 */
function doubtOf(call: RecordedCall | undefined, compared: RecordedCall | undefined): string | undefined {
  if (call?.accepts === 'refused') return GAPS['accepts-no-json'];
  return call && call.query !== (compared?.query ?? '') ? GAPS['has-another-query'] : undefined;
}

/** Each field once, and not empty. A grant type that was masked is taken for right. */
const isComplete = (form: readonly Field[]): boolean =>
  FORM_FIELDS.every((name) => {
    const values = form.filter(([field]) => field === name);
    return values.length === 1 && values[0]?.[1] !== '';
  }) && isRightGrant(fieldNamed(form, 'grant_type'));

const isRightGrant = (grant = ''): boolean => grant === 'client_credentials' || isMasked(grant);

/** Returns what a call of the traffic shows; nothing where it is no occasion at all. */
export function createClassifier(traffic: ServiceTraffic): (call: RecordedCall) => Shown {
  const { history, lifetimes, lacksAuthorization, healthPaths } = traffic;
  const index = createIndex(traffic);
  const { accepted, agreedFor, issues, reads } = index;
  const readLike = (call: RecordedCall, life?: TokenLife) => index.like.get(likeKey(call, life));
  const not = (why: keyof typeof GAPS, ...when: Condition[]): NotCounted => ({ when, gap: GAPS[why] });
  /** What takes the body of the answer. */
  const ifBody = (one: Occasion): Occasion | NotCounted =>
    one.call.hasBody ? one : not('lacks-body', one.when);
  /** `more`: the answers to other requests of a run, and what else is known. */
  function shown(
    when: Condition,
    call: RecordedCall,
    { issue, read }: Accepted,
    { answers, ...more }: Partial<Occasion> = {},
  ): Occasion {
    const own = Object.fromEntries(CONDITIONS[when].map((key) => [key, call]));
    return { when, call, answers: { 'token.valid': issue, 'data.first': read, ...answers, ...own }, ...more };
  }
  const refused = (when: Condition, call: RecordedCall, by = accepted, more: Partial<Occasion> = {}) =>
    ifBody(shown(when, call, by, { ...more, countsValues: true }));

  return (call) => {
    if (call.kind === 'token') return ofTokenRequest(call);
    if (call.kind === 'data') return ofRead(call);
    return call.kind === 'health' ? ofHealthCheck(call) : [];
  };

  function ofTokenRequest(call: RecordedCall): Shown {
    const { form, status, brings } = call;
    const isPlain = call.authorization === undefined;
    if (form === undefined) return [];
    if (!isComplete(form)) return isPlain && !call.isIdentified ? ofIncompleteForm(call, form) : [];
    const { first, last, withHeader } = index.issuesWith.get(credentialsKey(call)) ?? {};
    const before = first && first.startMs < call.startMs ? first : undefined;
    const isLater = last !== undefined && last.startMs > call.startMs;
    const doubt = doubtOf(call, before);
    const found: Shown = [];
    if (isServed(call)) {
      const isProof = isPlain && (brings.token || !call.hasBody);
      const when = isProof ? 'valid-credentials' : 'valid-credentials with a header';
      found.push(ifBody(shown(when, call, { issue: call }, { doubt })));
    }
    const mayBeWrong = status !== undefined && REFUSES_CREDENTIALS.includes(status);
    if (before && (brings.token || !mayBeWrong || isLater)) {
      const again = shown('valid-credentials again', call, { issue: before }, { doubt });
      found.push(isServed(call) ? ifBody(again) : again);
    } else if (!isServed(call) && mayBeWrong && !withHeader && !isLater)
      found.push(not('may-be-wrong-credentials', 'wrong-credentials'));
    else if (!isServed(call)) {
      const answers = { 'token.withAuthorization': isPlain ? withHeader : undefined };
      found.push(shown('valid-credentials refused', call, { issue: call }, { answers, doubt }));
    }
    return found;
  }

  /** A form that must not obtain a token, next to one that does. Credentials in another place may make up for it. */
  function ofIncompleteForm(call: RecordedCall, form: readonly Field[]): Shown {
    const grant = fieldNamed(form, 'grant_type');
    const when: Condition[] = [];
    if (grant === undefined) when.push('malformed-request without grant_type');
    else if (!isRightGrant(grant)) when.push('other-grant-type');
    if (!fieldNamed(form, 'client_id')) when.push('malformed-request without client_id');
    if (!fieldNamed(form, 'client_secret')) when.push('malformed-request without client_secret');
    if (!call.hasBody && isServed(call)) return [not('lacks-body', ...when)];
    return when.map((one) => shown(one, call, { issue: accepted.issue }));
  }

  function ofHealthCheck(call: RecordedCall): Shown {
    if (lacksAuthorization) return [not('lacks-authorization', 'healthy')];
    if (call.status === undefined) return [];
    if (call.authorization !== undefined || call.isIdentified) return [not('no-plain-check', 'healthy')];
    const path = healthCheckAt(healthPaths, call.exchange.method, call.exchange.path);
    if (path === undefined) return [];
    const withToken = index.checks.get(checkKey(call));
    return [shown('healthy', call, accepted, { check: { path, withToken } })]; // `accepted` shows that the service is up.
  }

  function ofRead(call: RecordedCall): Shown {
    const { status, authorization, token } = call;
    // Without an answer nothing is shown, and 304 answers a condition of the client.
    if (status === undefined || status === 304) return [];
    if (lacksAuthorization) return [not('lacks-authorization', 'missing-token', 'valid-token')];
    if (authorization !== 'bearer' || token === undefined)
      return authorization === 'masked' || call.isIdentified
        ? [not('may-be-identified', 'missing-token')]
        : [refused('missing-token', call)];
    if (isMadeUp(token)) return [refused('unknown-token', call)];
    const life = history.lifeOf(call);
    if (index.isAltered(token)) return [refused('unknown-token altered', call)];
    if (!life) return [];
    return isServed(call) ? ofServed(call, life) : ofUnserved(call, life);
  }

  /** A read next to another one that was served, each with the token request that brought its token; or by itself. */
  function validToken(
    call: RecordedCall,
    ownIssue: RecordedCall | undefined,
    read?: RecordedCall,
    lifetimeSeconds?: number,
  ): Occasion {
    const doubt = doubtOf(call, readLike(call) ?? accepted.read);
    const more = { doubt, lifetimeSeconds };
    if (!read) return shown('valid-token', call, { issue: ownIssue, read: call }, more);
    const answers = { 'data.freshToken': read, 'token.another': ownIssue };
    return shown('valid-token', call, { issue: accepted.issue, read }, { ...more, answers });
  }

  function ofServed(call: RecordedCall, life: TokenLife): Shown {
    const lifetime = agreedFor(life);
    const age = ageOf(call, life);
    if (lifetime !== undefined && age && age.least > lastMomentOf(lifetime))
      return ofServedLate(call, life, age.least, lifetime);
    const issue = issues.get(life) ?? accepted.issue;
    const first = readLike(call, life) ?? reads.get(life);
    const read = readLike(call) ?? accepted.read;
    const body = shown('valid-token body', call, { issue }, { doubt: doubtOf(call, read) });
    const found = [validToken(call, issue, call.brings.error ? undefined : read), ifBody(body)];
    if (first !== call && !call.brings.error)
      found.push(shown('valid-token again', call, { issue, read: call }, { doubt: doubtOf(call, first) }));
    return found;
  }

  /** After its agreed lifetime: a violation once it is sure that it was not only a little late. */
  function ofServedLate(
    call: RecordedCall,
    life: TokenLife,
    ageSeconds: number,
    lifetimeSeconds: number,
  ): Shown {
    const by = { issue: issues.get(life), read: reads.get(life) };
    const old = index.oldRefusals.get(life);
    if (ageSeconds >= endOfWatch(lifetimeSeconds) || (old && old.endMs <= call.startMs))
      return [shown('expired-token served', call, by, { lifetimeSeconds })];
    return [not('may-be-late', 'expired-token served')];
  }

  function ofUnserved(call: RecordedCall, life: TokenLife): Shown {
    if (hasOutlived(call, life)) return ofExpired(call, life);
    if (!isRefusal(call)) return ofBroken(call, life);
    const lifetimeSeconds = agreedFor(life);
    const age = ageOf(call, life);
    const isPastEnd = life.refused !== undefined && call.startMs >= life.refused.startMs;
    const isOld =
      lifetimeSeconds !== undefined && age !== undefined && age.least > lastMomentOf(lifetimeSeconds);
    const isEarly =
      age !== undefined && age.most < (lifetimeSeconds === undefined ? 0 : firstMomentOf(lifetimeSeconds));
    if (isOld || (isPastEnd && life.hasExpired && !life.isSuperseded && !isEarly))
      return ofExpired(call, life);
    const read = readLike(call, life) ?? reads.get(life);
    const isAlive = isEarly || (life.accepted !== undefined && life.accepted.startMs >= call.endMs);
    if (read && isAlive && !(isPastEnd && life.isSuperseded)) {
      const more = { lifetimeSeconds, doubt: doubtOf(call, read) };
      return [shown('valid-token again', call, { issue: issues.get(life), read }, more)];
    }
    const { atLeastSeconds = YOUNG_SECONDS } = history.seenLifetimes.get(life.clientId) ?? {};
    const youngest = Math.min(lifetimeSeconds ?? YOUNG_SECONDS, atLeastSeconds, YOUNG_SECONDS);
    // The refusal before it shows the violation: MRS-5.6b.
    if (life.isRepeated && !life.accepted) return [];
    if (!read && age && age.most < youngest)
      return hasRight(life) ? ofBroken(call, life) : [not('may-lack-a-scope', 'valid-token')];
    return [not(lifetimeSeconds === undefined ? 'lacks-lifetime' : 'may-have-expired', ...OF_REFUSAL)];
  }

  /**
   * Whether another status than 403 answers an expired token: the token had opened the same data until its lifetime was over,
   * never did again, and one that was issued after that did. The lifetime is the agreed one, or what other tokens showed.
   */
  function hasOutlived(call: RecordedCall, life: TokenLife): boolean {
    const { status = 0 } = call;
    if (status < 300 || status >= 500 || OTHER_CAUSES.has(status)) return false;
    if (life.isShared || lifetimes.doubt(life.clientId) !== undefined) return false;
    // Where 403 answers a later read with this token, that is the answer to its expiry, and this one had another cause.
    const forbiddenMs = index.forbidden.get(life)?.startMs ?? Number.NEGATIVE_INFINITY;
    if (status !== 401 && forbiddenMs >= call.endMs) return false;
    const age = ageOf(call, life);
    const agreedSeconds = agreedFor(life);
    const seenSeconds = history.seenLifetimes.get(life.clientId)?.atMostSeconds ?? Number.POSITIVE_INFINITY;
    if (!age || (agreedSeconds === undefined ? age.most < seenSeconds : age.least < agreedSeconds))
      return false;
    const like = readLike(call, life);
    if (!like || like.startMs > call.startMs || (life.accepted?.startMs ?? 0) > call.startMs) return false;
    const { accepted: newer, cameMs } = history.newerThan(life);
    if (!newer || cameMs <= call.startMs) return false;
    return (index.lastLike.get(likeKey(call, newer))?.startMs ?? Number.NEGATIVE_INFINITY) >= call.endMs;
  }

  /**
   * Whether tokens of this client opened the data before this one was issued and after it: a client may gain its right, or
   * lose it. Not known where the file does not show whose they are.
   */
  function hasRight(life: TokenLife): boolean {
    const { clientId = '', issued } = life;
    if (clientId === '' || isMasked(clientId) || !issued) return false;
    const firstMs = index.readers.get(clientId)?.startMs ?? Number.POSITIVE_INFINITY;
    return firstMs < issued.startMs && history.newerThan(life).accepted !== undefined;
  }

  /** A read that brought neither the data nor a refusal. */
  function ofBroken(call: RecordedCall, life: TokenLife): Shown {
    const issue = issues.get(life);
    return issue ? [validToken(call, issue, readLike(call) ?? accepted.read, agreedFor(life))] : [];
  }

  /** The refusal of an expired token, and the renewal after it. */
  function ofExpired(call: RecordedCall, life: TokenLife): Shown {
    const sentence = lifetimes.doubt(life.clientId);
    const issue = issues.get(life);
    const by = { issue: issue ?? accepted.issue, read: reads.get(life) ?? accepted.read };
    const lifetimeSeconds = agreedFor(life);
    const fresh = reads.get(history.newerThan(life).accepted);
    const found: Shown = [
      sentence === undefined
        ? refused('expired-token', call, by, { lifetimeSeconds })
        : { when: ['expired-token'], gap: sentence },
      shown('expired-token status', call, by, { lifetimeSeconds, answers: { 'data.freshToken': fresh } }),
    ];
    return issue && call.startMs === life.refused?.startMs
      ? [...found, ...ofRenewal(call, life, issue, by)]
      : found;
  }

  /** The token request that followed, with the credentials that obtained the token. */
  function ofRenewal(call: RecordedCall, life: TokenLife, issue: RecordedCall, by: Accepted): Shown {
    const own = index.requests.get(credentialsKey(issue)) ?? [];
    const renewal = firstFrom(own, call.startMs, ({ form }) => form !== undefined);
    if (!renewal) return [];
    if (isServed(renewal) && !renewal.hasBody) return [not('lacks-body', 'expired-token renewed')];
    const renewed = isServed(renewal) ? history.lifeOf(renewal) : undefined;
    const fresh = renewed && freshRead(renewed, renewal.endMs);
    const renewalRepeats = renewed?.value === life.value;
    const doubt = renewalRepeats
      ? undefined
      : (doubtOf(renewal, issue) ?? (fresh && doubtOf(fresh, readLike(fresh) ?? reads.get(life))));
    const answers = { 'token.again': renewal, 'data.freshToken': fresh };
    const more = { answers, renewalRepeats, doubt, lifetimeSeconds: agreedFor(life) };
    return [shown('expired-token renewed', call, by, more)];
  }

  /** The first read with a token since then; of one that was served or not modified, the first that shows the data. */
  function freshRead(life: TokenLife, sinceMs: number): RecordedCall | undefined {
    const own = index.carrying.get(life) ?? [];
    const first = firstFrom(own, sinceMs, ({ status }) => status !== undefined);
    if (!first || !(isServed(first) || first.status === 304) || (isServed(first) && first.hasBody))
      return first;
    return (
      firstFrom(own, sinceMs, (one) => isServed(one) && one.hasBody) ?? firstFrom(own, sinceMs, isServed)
    );
  }
}
