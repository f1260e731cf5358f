/**
 * The condition that each recorded call shows a service in: what openapi.yaml names in `x-response-when`, with the calls to
 * compare it with; or why it counts for none.
 */
import { groupBy, partitionPoint } from '../support/collections.ts';
import { endOfWatch, firstMomentOf, lastMomentOf } from '../support/duration.ts';
import { healthCheckAt } from '../support/health-paths.ts';
import { OPTION_ADVICE } from '../support/option-advice.ts';
import { isMasked } from './credentials.ts';
import { type Field, fieldNamed, isRefusal, isServed, type RecordedCall } from './exchange.ts';
import { type ClientLifetimes, isMadeUp, lastIssueOf, type TokenHistory, type TokenLife } from './tokens.ts';

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

/** Why a call counts for no condition, or not for each. */
export interface Gap {
  code: keyof typeof GAPS | 'lifetime-contradicted' | 'accepted-late' | 'may-have-expired';
  sentence: string;
}

export const GAPS = {
  'lacks-authorization':
    'The file has no Authorization header at all, or only replaced ones: browsers leave it out of an export unless sensitive data is included.',
  'lacks-times':
    'The file does not have the times of all requests, or they are too coarse: their order is not known.',
  'lacks-body': 'The file does not have the body of the answer.',
  'left-out':
    'The recording leaves it out: mrs proxy writes no secrets, and no body that is long or may hold one.',
  'may-be-identified':
    'A read without a bearer token had a replaced header, a cookie or a query that may hold one.',
  'no-plain-check': 'Each health check carried a token, a cookie or a key.',
  'no-health-paths': `The specification does not show the paths of health checks (clause 4.3). ${OPTION_ADVICE.healthPaths}`,
  'may-be-wrong-credentials': 'Credentials were refused that never obtained a token: they may be wrong.',
  'may-lack-a-scope':
    'A client was refused with its new tokens each time: it may lack a scope, and what the service answers then is open.',
  'accepts-no-json': 'A request does not accept application/json. What the service answers to it is open.',
  'has-another-query':
    'A request has query parameters with which none was accepted. What the service answers to them is open.',
};

export const gap = (code: keyof typeof GAPS): Gap => ({ code, sentence: GAPS[code] });

type Shown = (Occasion | NotCounted)[];

const LACKS_AUTHORIZATION = gap('lacks-authorization');
const LEFT_OUT = gap('left-out');
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
  if (call?.accepts === 'refused') return gap('accepts-no-json');
  return call && call.query !== (compared?.query ?? '') ? gap('has-another-query') : undefined;
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

const acceptedLate = (ageSeconds: number, lifetimeSeconds: number): Gap => ({
  code: 'accepted-late',
  sentence: `A token was accepted at the age of ${ageSeconds.toFixed(1)} s, and the traffic does not show when it expired: ${lifetimeSeconds} s are agreed.`,
});

function mayHaveExpired({ status }: RecordedCall, ageSeconds?: number, lifetimeSeconds?: number): Gap {
  const age = ageSeconds === undefined ? '' : ` at the age of ${ageSeconds.toFixed(1)} s`;
  const advice = lifetimeSeconds === undefined ? ` ${OPTION_ADVICE.lifetime}` : '';
  return {
    code: 'may-have-expired',
    sentence: `A token was refused with ${status}${age}, and the traffic does not show whether it had expired.${advice}`,
  };
}

/**
 * The age of a token when the request came in, at least, and when it was answered, at most; in seconds. It is open whether
 * one that is handed out again is as old as before.
 */
function ageOf(call: RecordedCall, life: TokenLife): { least: number; most: number } | undefined {
  const { issued } = life;
  const last = lastIssueOf(life, call.startMs);
  if (!issued || !last) return undefined;
  return { least: (call.startMs - last.endMs) / 1000, most: (call.endMs - issued.startMs) / 1000 };
}

/** How much a read is worth to compare others with: it has a body, and is as clause 4.2 describes it. */
const worthOf = (call: RecordedCall | undefined): number =>
  call ? 1 + (call.hasBody ? 2 : 0) + (call.query === '' && call.accepts !== 'refused' ? 1 : 0) : 0;

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
const checkKey = ({ exchange: { method, path } }: RecordedCall): string => `${method} ${path}`;

/** The calls that others are compared with, found in one go through the traffic. */
function createIndex({ calls, history, lifetimes, isPublic }: ServiceTraffic) {
  /** By their credentials, and by the lives of their tokens, in order. */
  const requests = groupBy(
    calls.filter(({ kind }) => kind === 'token'),
    credentialsKey,
  );
  const carrying = groupBy(
    calls.filter(({ kind }) => kind === 'data'),
    history.lifeOf,
  );
  /** The request that brought a token first, and the first read that it opened. */
  const issues = new Map<TokenLife | undefined, RecordedCall>();
  const reads = new Map<TokenLife | undefined, RecordedCall>();
  /** The first read that a token of a client opened. */
  const readers = new Map<string | undefined, RecordedCall>();
  /** The first read with a query that a token opened, of all and of a life; the last of a life. */
  const like = new Map<string, RecordedCall>();
  const lastLike = new Map<string, RecordedCall>();
  /** The health check at a path that carried a token and was served, or else refused. */
  const checks = new Map<string, RecordedCall>();
  let lacksValues = false;
  for (const call of calls) {
    const isRead = call.kind === 'data' && isServed(call);
    if (isRead && isPublic && (!call.hasBody || isReplaced(call))) lacksValues = true;
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
    if (call.accepts === 'refused' || !call.brings.json || call.brings.error) continue;
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
  /** The first and the last request with these credentials that brought a token, and the first with a header. */
  const issuesBy = remembering((key: string) => {
    const own = (requests.get(key) ?? []).filter(({ brings }) => brings.token);
    return [own[0], own.at(-1), own.find(({ authorization }) => authorization !== undefined)] as const;
  });
  const isAltered = remembering(
    createAlteredTokens(history.lives.flatMap((life) => (life.issued ? life.value : []))),
  );
  return {
    issues,
    reads,
    readers,
    like,
    lastLike,
    checks,
    readsWith,
    requestsWith,
    issuesWith: (call: RecordedCall) => issuesBy(credentialsKey(call)),
    isAltered: (token: string) => !history.livesOf(token).some(({ issued }) => issued) && isAltered(token),
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

const isReplaced = ({ exchange }: RecordedCall): boolean => exchange.answer?.isReplaced === true;

/** Returns what a call of the traffic shows; nothing where it is no occasion at all. */
export function createClassifier(traffic: ServiceTraffic): (call: RecordedCall) => Shown {
  const { history, lifetimes, lacksAuthorization, lacksTimes, isPublic, healthPaths } = traffic;
  const index = createIndex(traffic);
  const { accepted, agreedFor, issues, reads, endsOf } = index;
  const readLike = (call: RecordedCall, life?: TokenLife) => index.like.get(likeKey(call, life));
  const lacksBody = isPublic ? LEFT_OUT : gap('lacks-body');
  const not = (why: Gap, ...when: Condition[]): NotCounted => ({ when, gap: why });
  /** What takes the body of the answer. */
  const ifBody = (one: Occasion): Occasion | NotCounted =>
    one.call.hasBody ? one : not(lacksBody, one.when);
  const refused = (one: Occasion): Occasion | NotCounted =>
    ifBody({ ...one, mayLackValues: index.lacksValues || isReplaced(one.call) });

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
    const [first, last, withHeader] = index.issuesWith(call);
    const before = first && first.startMs < call.startMs ? first : undefined;
    const isLater = last !== undefined && last.startMs > call.startMs;
    const doubt = doubtOf(call, before);
    const found: Shown = [];
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
      found.push(not(gap('may-be-wrong-credentials'), 'wrong-credentials'));
    else if (!isServed(call))
      found.push({ when: 'valid-credentials refused', call, other: isPlain ? withHeader : undefined, doubt });
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
    if (!call.hasBody && call.status !== undefined && (isServed(call) || isPublic))
      return [not(lacksBody, ...when)];
    return when.map((one) => ({ when: one, call, issue: accepted.issue }));
  }

  function ofHealthCheck(call: RecordedCall): Shown {
    if (lacksAuthorization) return [not(LACKS_AUTHORIZATION, 'healthy')];
    if (call.status === undefined) return [];
    if (call.authorization !== undefined || call.isIdentified) return [not(gap('no-plain-check'), 'healthy')];
    const check = healthCheckAt(healthPaths, call.exchange.method, call.exchange.path);
    if (check === undefined) return [];
    const other = index.checks.get(checkKey(call));
    // Their bodies show whether the one without a token is a refusal.
    const isOpen = other !== undefined && isPublic && !(call.hasBody && other.hasBody);
    return [
      ...(isOpen ? [not(LEFT_OUT, 'healthy without a token')] : []),
      { when: 'healthy', call, ...accepted, other, check },
    ];
  }

  function ofRead(call: RecordedCall): Shown {
    const { status, authorization, token } = call;
    // Without an answer nothing is shown, and 304 answers a condition of the client.
    if (status === undefined || status === 304) return [];
    if (lacksAuthorization) return [not(LACKS_AUTHORIZATION, 'missing-token', 'valid-token')];
    if (authorization !== 'bearer' || token === undefined)
      return authorization === 'masked' || call.isIdentified
        ? [not(gap('may-be-identified'), 'missing-token')]
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

  function ofServed(call: RecordedCall, life: TokenLife): Shown {
    const lifetime = agreedFor(life);
    const age = ageOf(call, life);
    if (lifetime !== undefined && age && age.least > lastMomentOf(lifetime))
      return ofServedLate(call, life, age.least, lifetime);
    const issue = issues.get(life) ?? accepted.issue;
    const first = readLike(call, life) ?? reads.get(life);
    const read = readLike(call) ?? accepted.read;
    const doubt = doubtOf(call, read);
    const isCompared = !call.brings.error && read !== undefined;
    const others = isCompared ? { issue: accepted.issue, read, ownIssue: issue } : { issue };
    const found: Shown = [
      { when: 'valid-token', call, ...others, doubt },
      ifBody({ when: 'valid-token body', call, issue, doubt }),
    ];
    if (!call.hasBody && isPublic) found.push(not(LEFT_OUT, 'valid-token', 'valid-token again'));
    if (first !== call && !call.brings.error)
      found.push({ when: 'valid-token again', call, issue, read: call, doubt: doubtOf(call, first) });
    return found;
  }

  /** After its agreed lifetime: a violation once it is sure that it was not only a little late. */
  function ofServedLate(
    call: RecordedCall,
    life: TokenLife,
    ageSeconds: number,
    lifetimeSeconds: number,
  ): Shown {
    const all = { issue: issues.get(life), read: reads.get(life), lifetimeSeconds, ageSeconds };
    const isLong = ageSeconds >= endOfWatch(lifetimeSeconds);
    const { old, last } = isLong ? {} : endsOf(life);
    if (isLong || (old && old.endMs <= call.startMs)) return [{ when: 'expired-token served', call, ...all }];
    const later = last && last.startMs >= call.endMs ? last : undefined;
    const refusedSeconds = later && ageOf(later, life)?.most;
    if (!later || refusedSeconds === undefined)
      return [not(acceptedLate(ageSeconds, lifetimeSeconds), 'expired-token served')];
    const late = { acceptedSeconds: ageSeconds, refusedSeconds };
    return [{ when: 'expired-token late', call: later, ...all, late }];
  }

  function ofUnserved(call: RecordedCall, life: TokenLife): Shown {
    if (hasOutlived(call, life)) return ofExpired(call, life);
    if (!isRefusal(call)) return ofBroken(call, life);
    if (lacksTimes) return [not(gap('lacks-times'), ...OF_REFUSAL)];
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
      const doubt = doubtOf(call, read);
      return [{ when: 'valid-token again', call, issue: issues.get(life), read, lifetimeSeconds, doubt }];
    }
    const { atLeastSeconds = YOUNG_SECONDS } = history.seenLifetimes.get(life.clientId) ?? {};
    const youngest = Math.min(lifetimeSeconds ?? YOUNG_SECONDS, atLeastSeconds, YOUNG_SECONDS);
    // The refusal before it shows the violation: MRS-5.6b.
    if (life.isRepeated && !life.accepted) return [];
    if (!read && age && age.most < youngest)
      return hasRight(life) ? ofBroken(call, life) : [not(gap('may-lack-a-scope'), 'valid-token')];
    return [not(mayHaveExpired(call, age?.least, lifetimeSeconds), ...OF_REFUSAL)];
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
    const ownIssue = issues.get(life);
    const read = readLike(call) ?? accepted.read;
    const others = read ? { issue: accepted.issue, read, ownIssue } : { issue: ownIssue };
    const common = { when: 'valid-token', call, lifetimeSeconds: agreedFor(life) } as const;
    return ownIssue ? [{ ...common, ...others, doubt: doubtOf(call, read) }] : [];
  }

  /** The refusal of an expired token, and the renewal after it. */
  function ofExpired(call: RecordedCall, life: TokenLife): Shown {
    const lifetimeDoubt = lifetimes.doubt(life.clientId);
    const issue = issues.get(life);
    const common = {
      issue: issue ?? accepted.issue,
      read: reads.get(life) ?? accepted.read,
      lifetimeSeconds: agreedFor(life),
      ageSeconds: ageOf(call, life)?.least,
    };
    const found: Shown = [
      lifetimeDoubt === undefined
        ? refused({ when: 'expired-token', call, ...common })
        : not({ code: 'lifetime-contradicted', sentence: lifetimeDoubt }, 'expired-token'),
      { when: 'expired-token status', call, ...common, fresh: reads.get(history.newerThan(life).accepted) },
    ];
    if (!issue || call.startMs !== life.refused?.startMs) return found;
    // The token request that followed, with the credentials that obtained the token.
    const renewal = firstFrom(index.requestsWith(issue), call.startMs, ({ form }) => form !== undefined);
    if (!renewal) return found;
    if (isServed(renewal) && !renewal.hasBody) return [...found, not(lacksBody, 'expired-token renewed')];
    const renewed = isServed(renewal) ? history.lifeOf(renewal) : undefined;
    const fresh = renewed && freshRead(renewed, renewal.endMs);
    if (fresh && isServed(fresh) && !fresh.hasBody && isPublic)
      found.push(not(LEFT_OUT, 'expired-token renewed'));
    const renewalRepeats = renewed?.value === life.value;
    const doubt = renewalRepeats
      ? undefined
      : (doubtOf(renewal, issue) ?? (fresh && doubtOf(fresh, readLike(fresh) ?? reads.get(life))));
    found.push({ when: 'expired-token renewed', call, ...common, renewal, fresh, renewalRepeats, doubt });
    return found;
  }

  /** The first read with a token since then; of one that was served or not modified, the first that shows the data. */
  function freshRead(life: TokenLife, sinceMs: number): RecordedCall | undefined {
    const own = index.readsWith(life);
    const first = firstFrom(own, sinceMs, ({ status }) => status !== undefined);
    if (!first || !(isServed(first) || first.status === 304) || (isServed(first) && first.hasBody))
      return first;
    return (
      firstFrom(own, sinceMs, (one) => isServed(one) && one.hasBody) ?? firstFrom(own, sinceMs, isServed)
    );
  }
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
