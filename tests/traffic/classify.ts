/**
 * The condition that each recorded call shows a service in: what openapi.yaml names in `x-response-when`, with the calls to
 * compare it with; or why it counts for none.
 */
import { partitionPoint } from '../support/collections.ts';
import { endOfWatch, firstMomentOf, lastMomentOf } from '../support/duration.ts';
import { healthCheckAt } from '../support/health-paths.ts';
import type { RecordedCall } from './call.ts';
import { ageOf, createIndex, isRefusal, isServed, type ServiceTraffic } from './comparison.ts';
import { isMasked } from './credentials.ts';
import { type Field, fieldNamed } from './exchange.ts';
import type { Gap } from './gaps.ts';
import { isMadeUp, type TokenLife } from './tokens.ts';

/** What is particular about a call that meets a condition of the contract. */
export type Condition =
  // What the token endpoint answers to valid credentials, without and with an Authorization header, again, and by refusing.
  | 'valid-credentials'
  | 'valid-credentials with a header'
  | 'valid-credentials again'
  | 'valid-credentials refused'
  | 'malformed-request without grant_type'
  | 'malformed-request without client_id'
  | 'malformed-request without client_secret'
  | 'other-grant-type'
  | 'wrong-credentials'
  // A read, what it brought, and a later one with the same token.
  | 'valid-token'
  | 'valid-token body'
  | 'valid-token again'
  | 'missing-token'
  | 'unknown-token'
  | 'unknown-token altered'
  // Of a token that was refused, or was served after its lifetime, or was served late and refused later; the token after it.
  | 'expired-token'
  | 'expired-token status'
  | 'expired-token served'
  | 'expired-token late'
  | 'expired-token renewed'
  | 'healthy'
  | 'healthy without a token';

/** A call in a condition, and the calls to compare it with. */
export interface Occasion {
  when: Condition;
  call: RecordedCall;
  /** A token request that brought a token: the one of the call, if the traffic has it. */
  issue?: RecordedCall | undefined;
  /** A read that was served. */
  read?: RecordedCall | undefined;
  /** The token request that brought the token of the call, where `issue` is that of `read`. */
  ownIssue?: RecordedCall | undefined;
  /** The same with an Authorization header, or with a token. */
  other?: RecordedCall | undefined;
  /** The token request after the expiry, and the first read with a newer token. */
  renewal?: RecordedCall | undefined;
  fresh?: RecordedCall | undefined;
  renewalRepeats?: boolean;
  lifetimeSeconds?: number | undefined;
  /** The age of an expired token, and at which ages it was accepted and then refused, in seconds. */
  ageSeconds?: number | undefined;
  late?: { acceptedSeconds: number; refusedSeconds: number };
  /** The health check, as its path was given. */
  check?: string;
  /** Whether values of the data that a refusal is compared with are not in the file, so that it does not pass. */
  mayLackValues?: boolean;
  /** Why it decides nothing where it would fail. */
  doubt?: Gap | undefined;
}

/** A call that would have shown conditions, and why it does not. */
export interface NotCounted {
  when: readonly Condition[];
  gap: Gap;
}

const LACKS_AUTHORIZATION: Gap = { code: 'lacks-authorization' };
const LEFT_OUT: Gap = { code: 'left-out' };
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
function doubtOf(call: RecordedCall | undefined, compared: RecordedCall | undefined): Gap | undefined {
  if (call?.accepts === 'refused') return { code: 'accepts-no-json' };
  return call && call.query !== (compared?.query ?? '') ? { code: 'has-another-query' } : undefined;
}

/** The first call of a list in the order of time that was sent at this moment or later, and is wanted. */
function firstFrom(
  calls: readonly RecordedCall[],
  startMs: number,
  isWanted: (call: RecordedCall) => boolean,
): RecordedCall | undefined {
  let at = partitionPoint(calls.length, (nth) => (calls[nth]?.startMs ?? 0) >= startMs);
  for (; at < calls.length; at++) {
    const call = calls[at];
    if (call && isWanted(call)) return call;
  }
  return undefined;
}

/** Each field once, and not empty. A grant type that was masked is taken for right. */
const isComplete = (form: readonly Field[]): boolean =>
  ['grant_type', 'client_id', 'client_secret'].every((name) => {
    const values = form.filter(([field]) => field === name);
    return values.length === 1 && values[0]?.[1] !== '';
  }) && isRightGrant(fieldNamed(form, 'grant_type'));

const isRightGrant = (grant = ''): boolean => grant === 'client_credentials' || isMasked(grant);

/** Returns what a call of the traffic shows; nothing where it is no occasion at all. */
export function createClassifier(traffic: ServiceTraffic): (call: RecordedCall) => (Occasion | NotCounted)[] {
  const { history, lifetimes, lacksAuthorization, lacksTimes, isPublic, healthPaths } = traffic;
  const index = createIndex(traffic);
  const { accepted, agreedFor, issueOf, firstReadOf, readLike, endsOf } = index;
  const lacksBody: Gap = isPublic ? LEFT_OUT : { code: 'lacks-body' };
  const not = (gap: Gap, ...when: Condition[]): NotCounted => ({ when, gap });
  /** What takes the body of the answer. */
  const ifBody = (one: Occasion): Occasion | NotCounted =>
    one.call.hasBody ? one : not(lacksBody, one.when);
  const refused = (one: Occasion): Occasion | NotCounted =>
    ifBody({ ...one, mayLackValues: index.lacksValues || one.call.isReplaced === true });

  return (call) => {
    if (call.kind === 'token') return ofTokenRequest(call);
    if (call.kind === 'data') return ofRead(call);
    return call.kind === 'health' ? ofHealthCheck(call) : [];
  };

  function ofTokenRequest(call: RecordedCall): (Occasion | NotCounted)[] {
    const { form, status, brings } = call;
    const isPlain = call.authorization === undefined;
    if (form === undefined) return [];
    if (!isComplete(form)) return isPlain && !call.isIdentified ? ofIncompleteForm(call, form) : [];
    const issues = index.issuesWith(call);
    const before = issues[0] && issues[0].startMs < call.startMs ? issues[0] : undefined;
    const isLater = (issues.at(-1)?.startMs ?? Number.NEGATIVE_INFINITY) > call.startMs;
    const withHeader = issues.find(({ authorization }) => authorization !== undefined);
    const doubt = doubtOf(call, before);
    const found: (Occasion | NotCounted)[] = [];
    if (isServed(call)) {
      const isProof = isPlain && (brings.token || !call.hasBody);
      found.push(
        ifBody({ when: isProof ? 'valid-credentials' : 'valid-credentials with a header', call, doubt }),
      );
    }
    const mayBeWrong = status !== undefined && REFUSES_CREDENTIALS.includes(status);
    if (before && (brings.token || !mayBeWrong || isLater)) {
      const again: Occasion = { when: 'valid-credentials again', call, issue: before, doubt };
      found.push(isServed(call) ? ifBody(again) : again);
    } else if (!isServed(call) && mayBeWrong && !withHeader && !isLater)
      found.push(not({ code: 'may-be-wrong-credentials' }, 'wrong-credentials'));
    else if (!isServed(call))
      found.push({ when: 'valid-credentials refused', call, other: isPlain ? withHeader : undefined, doubt });
    return found;
  }

  /** A form that must not obtain a token, next to one that does. Credentials in another place may make up for it. */
  function ofIncompleteForm(call: RecordedCall, form: readonly Field[]): (Occasion | NotCounted)[] {
    const grant = fieldNamed(form, 'grant_type');
    const when: Condition[] = [];
    if (grant === undefined) when.push('malformed-request without grant_type');
    else if (!isRightGrant(grant)) when.push('other-grant-type');
    if (!fieldNamed(form, 'client_id')) when.push('malformed-request without client_id');
    if (!fieldNamed(form, 'client_secret')) when.push('malformed-request without client_secret');
    if (!call.hasBody && call.status !== undefined && (isServed(call) || isPublic))
      return [not(lacksBody, ...when)];
    return when.map((one) => ({ when: one, call, issue: accepted.issue }));
  }

  function ofHealthCheck(call: RecordedCall): (Occasion | NotCounted)[] {
    if (lacksAuthorization) return [not(LACKS_AUTHORIZATION, 'healthy')];
    if (call.status === undefined) return [];
    if (call.authorization !== undefined || call.isIdentified)
      return [not({ code: 'no-plain-check' }, 'healthy')];
    const check = healthCheckAt(healthPaths, call.recorded.method, call.recorded.path);
    if (check === undefined) return [];
    const other = index.checkWithToken(call);
    // Their bodies show whether the one without a token is a refusal.
    const isOpen = other !== undefined && isPublic && !(call.hasBody && other.hasBody);
    return [
      ...(isOpen ? [not(LEFT_OUT, 'healthy without a token')] : []),
      { when: 'healthy', call, ...accepted, other, check },
    ];
  }

  function ofRead(call: RecordedCall): (Occasion | NotCounted)[] {
    const { status, authorization, token } = call;
    // Without an answer nothing is shown, and 304 answers a condition of the client.
    if (status === undefined || status === 304) return [];
    if (lacksAuthorization) return [not(LACKS_AUTHORIZATION, 'missing-token', 'valid-token')];
    if (authorization !== 'bearer' || token === undefined)
      return authorization === 'masked' || call.isIdentified
        ? [not({ code: 'may-be-identified' }, 'missing-token')]
        : [refused({ when: 'missing-token', call, ...accepted })];
    if (isMadeUp(token)) return [refused({ when: 'unknown-token', call, ...accepted })];
    const life = history.lifeOf(call);
    if (index.isAltered(token)) return [refused({ when: 'unknown-token altered', call, ...accepted })];
    if (!life) return [];
    // The proxy names a token that was not issued by a number: whether it is almost one that was issued is not seen.
    const isNumbered = isPublic && /^‹unknown-\d+›$/.test(token);
    return [
      ...(isNumbered ? [not(LEFT_OUT, 'unknown-token altered')] : []),
      ...(isServed(call) ? ofServed(call, life) : ofUnserved(call, life)),
    ];
  }

  function ofServed(call: RecordedCall, life: TokenLife): (Occasion | NotCounted)[] {
    const lifetime = agreedFor(life);
    const age = ageOf(call, life);
    if (lifetime !== undefined && age && age.least > lastMomentOf(lifetime))
      return ofServedLate(call, life, age.least, lifetime);
    const issue = issueOf(life) ?? accepted.issue;
    const first = readLike(call, life) ?? firstReadOf(life);
    const read = readLike(call) ?? accepted.read;
    const doubt = doubtOf(call, read);
    const isCompared = !call.brings.error && read !== undefined;
    return [
      ...(!call.hasBody && isPublic ? [not(LEFT_OUT, 'valid-token', 'valid-token again')] : []),
      isCompared
        ? { when: 'valid-token', call, issue: accepted.issue, read, ownIssue: issue, doubt }
        : { when: 'valid-token', call, issue, doubt },
      ifBody({ when: 'valid-token body', call, issue, doubt }),
      ...(first === call || call.brings.error
        ? []
        : [{ when: 'valid-token again', call, issue, read: call, doubt: doubtOf(call, first) } as const]),
    ];
  }

  /** After its agreed lifetime: a violation once it is sure that it was not only a little late. */
  function ofServedLate(
    call: RecordedCall,
    life: TokenLife,
    ageSeconds: number,
    lifetimeSeconds: number,
  ): (Occasion | NotCounted)[] {
    const all = { issue: issueOf(life), read: firstReadOf(life), lifetimeSeconds, ageSeconds };
    const isLong = ageSeconds >= endOfWatch(lifetimeSeconds);
    const { old, last } = isLong ? {} : endsOf(life);
    if (isLong || (old && old.endMs <= call.startMs)) return [{ when: 'expired-token served', call, ...all }];
    const later = last && last.startMs >= call.endMs ? last : undefined;
    const refusedSeconds = later && ageOf(later, life)?.most;
    if (!later || refusedSeconds === undefined)
      return [not({ code: 'accepted-late', ageSeconds, lifetimeSeconds }, 'expired-token served')];
    const late = { acceptedSeconds: ageSeconds, refusedSeconds };
    return [{ when: 'expired-token late', call: later, ...all, late }];
  }

  function ofUnserved(call: RecordedCall, life: TokenLife): (Occasion | NotCounted)[] {
    if (hasOutlived(call, life)) return ofExpired(call, life);
    if (!isRefusal(call)) return ofBroken(call, life);
    if (lacksTimes) return [not({ code: 'lacks-times' }, ...OF_REFUSAL)];
    const lifetimeSeconds = agreedFor(life);
    const age = ageOf(call, life);
    const isPastEnd = life.refused !== undefined && call.startMs >= life.refused.startMs;
    const isOld =
      lifetimeSeconds !== undefined && age !== undefined && age.least > lastMomentOf(lifetimeSeconds);
    const isEarly =
      age !== undefined && age.most < (lifetimeSeconds === undefined ? 0 : firstMomentOf(lifetimeSeconds));
    if (isOld || (isPastEnd && life.hasExpired && !life.isSuperseded && !isEarly))
      return ofExpired(call, life);
    const read = readLike(call, life) ?? firstReadOf(life);
    const isAlive = isEarly || (life.accepted !== undefined && life.accepted.startMs >= call.endMs);
    if (read && isAlive && !(isPastEnd && life.isSuperseded)) {
      const doubt = doubtOf(call, read);
      return [{ when: 'valid-token again', call, issue: issueOf(life), read, lifetimeSeconds, doubt }];
    }
    const youngest = Math.min(
      lifetimeSeconds ?? YOUNG_SECONDS,
      history.seenLifetimes.get(life.clientId)?.atLeastSeconds ?? YOUNG_SECONDS,
      YOUNG_SECONDS,
    );
    // The refusal before it shows the violation: MRS-5.6b.
    if (life.isRepeated && !life.accepted) return [];
    if (!read && age && age.most < youngest)
      return hasRight(life) ? ofBroken(call, life) : [not({ code: 'may-lack-a-scope' }, 'valid-token')];
    const { status = 0 } = call;
    const isAgreed = lifetimeSeconds !== undefined;
    return [not({ code: 'may-have-expired', status, ageSeconds: age?.least, isAgreed }, ...OF_REFUSAL)];
  }

  /**
   * Whether another status than 403 answers an expired token: the token had opened the same data until its lifetime was over,
   * never did again, and one that was issued after that did. The lifetime is the agreed one, or what other tokens showed.
   */
  function hasOutlived(call: RecordedCall, life: TokenLife): boolean {
    const { status = 0 } = call;
    if (lacksTimes || status < 300 || status >= 500 || OTHER_CAUSES.has(status)) return false;
    if (life.isShared || lifetimes.doubt(life.clientId) !== undefined) return false;
    // Where 403 answers a later read with this token, that is the answer to its expiry, and this one had another cause.
    const forbiddenMs = endsOf(life).forbidden?.startMs ?? Number.NEGATIVE_INFINITY;
    if (status !== 401 && forbiddenMs >= call.endMs) return false;
    const age = ageOf(call, life);
    const agreedSeconds = agreedFor(life);
    const seenSeconds = history.seenLifetimes.get(life.clientId)?.atMostSeconds ?? Number.POSITIVE_INFINITY;
    if (!age || (agreedSeconds === undefined ? age.most < seenSeconds : age.least < agreedSeconds))
      return false;
    const like = readLike(call, life);
    if (!like || like.startMs > call.startMs || (life.accepted?.startMs ?? 0) > call.startMs) return false;
    const newer = history.newerAccepted(life);
    if (!newer || history.hadNewer(life, call.startMs)) return false;
    return (index.lastReadLike(call, newer)?.startMs ?? Number.NEGATIVE_INFINITY) >= call.endMs;
  }

  /**
   * Whether tokens of this client opened the data before this one was issued and after it: a client may gain its right, or
   * lose it. Not known where the file does not show whose they are.
   */
  function hasRight(life: TokenLife): boolean {
    const { clientId = '', issued } = life;
    if (clientId === '' || isMasked(clientId) || !issued) return false;
    const first = index.firstReadBy(clientId);
    return first !== undefined && first.startMs < issued.startMs && history.newerAccepted(life) !== undefined;
  }

  /** A read that brought neither the data nor a refusal. */
  function ofBroken(call: RecordedCall, life: TokenLife): Occasion[] {
    const ownIssue = issueOf(life);
    if (!ownIssue) return [];
    const read = readLike(call) ?? accepted.read;
    const common = {
      when: 'valid-token',
      call,
      lifetimeSeconds: agreedFor(life),
      doubt: doubtOf(call, read),
    } as const;
    return [read ? { ...common, issue: accepted.issue, read, ownIssue } : { ...common, issue: ownIssue }];
  }

  /** The refusal of an expired token, and the renewal after it. */
  function ofExpired(call: RecordedCall, life: TokenLife): (Occasion | NotCounted)[] {
    const lifetimeDoubt = lifetimes.doubt(life.clientId);
    const issue = issueOf(life);
    const common = {
      issue: issue ?? accepted.issue,
      read: firstReadOf(life) ?? accepted.read,
      lifetimeSeconds: agreedFor(life),
      ageSeconds: ageOf(call, life)?.least,
    };
    const newer = firstReadOf(history.newerAccepted(life));
    const found: (Occasion | NotCounted)[] = [
      lifetimeDoubt === undefined
        ? refused({ when: 'expired-token', call, ...common })
        : not({ code: 'lifetime-contradicted', doubt: lifetimeDoubt }, 'expired-token'),
      { when: 'expired-token status', call, ...common, fresh: newer },
    ];
    const isFirst = life.refused !== undefined && call.startMs === life.refused.startMs;
    // The token request that followed, with the credentials that obtained the token.
    const renewal =
      isFirst && issue
        ? firstFrom(index.requestsWith(issue), call.startMs, ({ form }) => form !== undefined)
        : undefined;
    if (!renewal) return found;
    if (isServed(renewal) && !renewal.hasBody) return [...found, not(lacksBody, 'expired-token renewed')];
    const renewed = isServed(renewal) ? history.lifeOf(renewal) : undefined;
    const fresh = renewed && freshRead(renewed, renewal.endMs);
    if (fresh && isServed(fresh) && !fresh.hasBody && isPublic)
      found.push(not(LEFT_OUT, 'expired-token renewed'));
    const renewalRepeats = renewed?.value === life.value;
    const doubt = renewalRepeats
      ? undefined
      : (doubtOf(renewal, issue) ?? (fresh && doubtOf(fresh, readLike(fresh) ?? firstReadOf(life))));
    return [
      ...found,
      { when: 'expired-token renewed', call, ...common, renewal, fresh, renewalRepeats, doubt },
    ];
  }

  /** The first read with a token since then; of one that was served or not modified, the first that shows the data. */
  function freshRead(life: TokenLife, sinceMs: number): RecordedCall | undefined {
    const reads = index.readsWith(life);
    const first = firstFrom(reads, sinceMs, ({ status }) => status !== undefined);
    if (!first || !(isServed(first) || first.status === 304) || (isServed(first) && first.hasBody))
      return first;
    return (
      firstFrom(reads, sinceMs, (one) => isServed(one) && one.hasBody) ?? firstFrom(reads, sinceMs, isServed)
    );
  }
}
