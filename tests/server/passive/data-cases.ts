/** What each recorded read gives occasion to judge. */
import { isMadeUp } from '../../traffic/token-history.ts';
import type { TokenLife } from '../../traffic/token-life.ts';
import { firstMomentOf, lastMomentOf } from '../probe/expiry.ts';
import { endOfWatch } from '../probe/late-expiry.ts';
import { speaksOnlyOfError } from '../support/data.ts';
import type { ExpiryEvidence } from '../support/evidence.ts';
import { ageOf, answerOf, isServed, type ServiceCall } from './call.ts';
import { type CaseContext, doubtOf, type Found, firstFrom, LACKS_TIMES, placed } from './cases.ts';
import { NO_BODY } from './token-cases.ts';

/** A token that is refused at a lower age has not expired, whatever its lifetime. */
const YOUNG_SECONDS = 5;

export function dataCases(call: ServiceCall, context: CaseContext): Found[] {
  const { status } = answerOf(call)?.response ?? {};
  // Without an answer nothing is shown, and 304 answers a condition of the client.
  if (status === undefined || status === 304) return [];
  if (context.lacksAuthorization)
    return [{ requirements: ['MRS-1.3', 'MRS-4.2a'], reason: LACKS_AUTHORIZATION }];
  const { token } = call;
  if (call.authorization !== 'bearer' || token === undefined) return withoutToken(call, context);
  if (isMadeUp(token)) return [refusable('MRS-5.5a', 'data.unknownToken', call, context)];
  const life = context.history.lifeOf(call);
  if (context.isAltered(token)) return [refusable('MRS-5.5b', 'data.alteredToken', call, context)];
  if (!life) return [];
  if (isServed(call)) return served(call, life, context);
  return status === 401 || status === 403 ? refused(call, life, context) : broken(call, life, context);
}

export const LACKS_AUTHORIZATION =
  'The file has no Authorization header at all, or only replaced ones: browsers leave it out of an export unless sensitive data is included.';

function withoutToken(call: ServiceCall, context: CaseContext): Found[] {
  if (call.authorization !== 'masked' && !call.isIdentified)
    return [refusable('MRS-1.3', 'data.withoutToken', call, context)];
  return [
    {
      requirements: ['MRS-1.3'],
      reason: 'A read without a bearer token had a replaced header, a cookie or a query that may hold one.',
    },
  ];
}

/** A read that must not be given the data, next to one that was. */
function refusable(
  requirement: string,
  key: 'data.unknownToken' | 'data.alteredToken' | 'data.withoutToken',
  call: ServiceCall,
  context: CaseContext,
): Found {
  const { issue, read } = context.acceptance;
  if (!call.hasBody) return { requirements: [requirement], reason: NO_BODY };
  return {
    ...context.caseOf([requirement], placed({ 'token.valid': issue, 'data.first': read, [key]: call })),
    countsValues: true,
  };
}

function served(call: ServiceCall, life: TokenLife, context: CaseContext): Found[] {
  const lifetime = context.agreedFor(life);
  const age = ageOf(call, life);
  if (lifetime !== undefined && age && age.least > lastMomentOf(lifetime))
    return servedLate(call, life, age.least, lifetime, context);
  const { acceptance, caseOf } = context;
  const issue = context.issueOf(life) ?? acceptance.issue;
  const valid = { 'token.valid': issue, 'data.first': call };
  const isError = speaksOnlyOfError(answerOf(call)?.response.json ?? NOT_JSON);
  const like = context.readLike(call);
  const { read } = acceptance;
  const first = context.readLike(call, life) ?? context.firstReadOf(life);
  const compared =
    isError || !read
      ? valid
      : {
          'token.valid': acceptance.issue,
          'data.first': like ?? read,
          'data.freshToken': like ?? read,
          'token.another': issue,
          'data.newestToken': call,
        };
  const doubt = doubtOf(call, like ?? read);
  return [
    { ...caseOf(['MRS-4.2a'], placed(compared)), doubt },
    call.hasBody
      ? { ...caseOf(['MRS-4.2b'], placed(valid)), doubt }
      : { requirements: ['MRS-4.2b'], reason: NO_BODY },
    ...(first === call || isError
      ? []
      : [
          {
            ...caseOf(['MRS-5.3b'], placed({ ...valid, 'data.second': call, 'data.third': call })),
            doubt: doubtOf(call, first),
          },
        ]),
  ];
}

const NOT_JSON = { wellFormed: false as const, error: '' };

/** After its agreed lifetime: a violation once it is sure that it was not only a little late. */
function servedLate(
  call: ServiceCall,
  life: TokenLife,
  ageSeconds: number,
  lifetimeSeconds: number,
  context: CaseContext,
): Found[] {
  const requirements = ['MRS-5.6a', 'MRS-7a'];
  const expiry = { kind: 'waited' as const, lifetimeSeconds, ageSeconds };
  const all = {
    'token.valid': context.issueOf(life),
    'data.first': context.firstReadOf(life),
    'data.expiredToken': call,
  };
  const isLong = ageSeconds >= endOfWatch(lifetimeSeconds);
  const { old, last } = isLong ? {} : context.endsOf(life);
  if (isLong || (old && old.endMs <= call.startMs))
    return [context.caseOf(requirements, placed(all), { expiry })];
  const later = last && last.startMs >= call.endMs ? last : undefined;
  const refusedSeconds = later && ageOf(later, life)?.most;
  if (refusedSeconds === undefined)
    return [
      {
        requirements,
        reason: `A token was accepted at the age of ${ageSeconds.toFixed(1)} s, and the traffic does not show when it expired: ${lifetimeSeconds} s are agreed.`,
      },
    ];
  const late = { acceptedSeconds: ageSeconds, refusedSeconds };
  return [
    context.caseOf(['MRS-5.6a'], placed({ ...all, 'data.expiredToken': later }), {
      expiry: { ...expiry, late },
    }),
  ];
}

/** What the refusal of a token may violate, or show. */
const OF_REFUSAL = ['MRS-5.3b', 'MRS-5.6a', 'MRS-5.6b', 'MRS-7a'];

function refused(call: ServiceCall, life: TokenLife, context: CaseContext): Found[] {
  if (context.lacksTimes) return [{ requirements: OF_REFUSAL, reason: LACKS_TIMES }];
  const { caseOf, history } = context;
  const lifetime = context.agreedFor(life);
  const age = ageOf(call, life);
  const isPastEnd = life.refused !== undefined && call.startMs >= life.refused.startMs;
  const isOld = lifetime !== undefined && age !== undefined && age.least > lastMomentOf(lifetime);
  const isEarly = age !== undefined && age.most < (lifetime === undefined ? 0 : firstMomentOf(lifetime));
  if (isOld || (isPastEnd && life.hasExpired && !life.isSuperseded && !isEarly))
    return expired(call, life, context);
  const first = context.readLike(call, life) ?? context.firstReadOf(life);
  const issue = context.issueOf(life);
  const reads = { 'token.valid': issue, 'data.first': first, 'data.second': call, 'data.third': call };
  const isAlive = isEarly || (life.accepted !== undefined && life.accepted.startMs >= call.endMs);
  if (first && isAlive && !(isPastEnd && life.isSuperseded))
    return [
      {
        ...caseOf(['MRS-5.3b'], placed(reads), { lifetimeSeconds: lifetime }),
        doubt: doubtOf(call, first),
      },
    ];
  const youngest = Math.min(
    lifetime ?? YOUNG_SECONDS,
    history.seenLifetimes.get(life.clientId)?.atLeastSeconds ?? YOUNG_SECONDS,
    YOUNG_SECONDS,
  );
  // The refusal before it shows the violation: MRS-5.6b.
  if (life.isRepeated && !life.accepted) return [];
  if (!first && age && age.most < youngest)
    return hasRight(life, context)
      ? broken(call, life, context)
      : [{ requirements: ['MRS-4.2a'], reason: NO_RIGHT }];
  const when = age ? ` at the age of ${age.least.toFixed(1)} s` : '';
  return [
    {
      requirements: OF_REFUSAL,
      reason: `A token was refused with ${answerOf(call)?.response.status}${when}, and the traffic does not show whether it had expired${lifetime === undefined ? '. Give --token-lifetime' : ''}.`,
    },
  ];
}

const NO_RIGHT =
  'A client was refused with its new tokens each time: it may lack a scope, and what the service answers then is open.';

/** Whether a token of this client has opened the data. */
const hasRight = ({ clientId }: TokenLife, { history, firstReadOf }: CaseContext): boolean =>
  history.lives.some((life) => life.clientId === clientId && firstReadOf(life) !== undefined);

/** A read that brought neither the data nor a refusal. */
function broken(call: ServiceCall, life: TokenLife, context: CaseContext): Found[] {
  const issue = context.issueOf(life);
  const { acceptance } = context;
  if (!issue) return [];
  const read = context.readLike(call) ?? acceptance.read;
  const compared = read
    ? {
        'token.valid': acceptance.issue,
        'data.first': read,
        'data.freshToken': read,
        'token.another': issue,
        'data.newestToken': call,
      }
    : { 'token.valid': issue, 'data.first': call };
  const lifetimeSeconds = context.agreedFor(life);
  return [
    { ...context.caseOf(['MRS-4.2a'], placed(compared), { lifetimeSeconds }), doubt: doubtOf(call, read) },
  ];
}

/** The refusal of an expired token, and the renewal after it. */
function expired(call: ServiceCall, life: TokenLife, context: CaseContext): Found[] {
  const { lifetimes, caseOf } = context;
  const lifetimeSeconds = context.agreedFor(life);
  const lifetimeDoubt = lifetimes.doubt(life.clientId);
  const ageSeconds = ageOf(call, life)?.least;
  const expiry: ExpiryEvidence =
    lifetimeSeconds === undefined || ageSeconds === undefined
      ? { kind: 'seen', ...(ageSeconds !== undefined && { ageSeconds }) }
      : { kind: 'waited', lifetimeSeconds, ageSeconds };
  const common = {
    'token.valid': context.issueOf(life) ?? context.acceptance.issue,
    'data.first': context.firstReadOf(life) ?? context.acceptance.read,
    'data.expiredToken': call,
  };
  const found: Found[] = [
    lifetimeDoubt === undefined && call.hasBody
      ? { ...caseOf(['MRS-5.6a'], placed(common), { expiry }), countsValues: true }
      : { requirements: ['MRS-5.6a'], reason: lifetimeDoubt ?? NO_BODY },
    caseOf(['MRS-7a'], placed({ ...common, 'data.freshToken': newerRead(life, context) }), { expiry }),
  ];
  const isFirst = life.refused !== undefined && call.startMs === life.refused.startMs;
  const again = isFirst ? renewalAfter(call, life, context) : undefined;
  if (!again) return found;
  if (isServed(again) && !again.hasBody) return [...found, { requirements: ['MRS-5.6b'], reason: NO_BODY }];
  const renewed = isServed(again) ? context.history.lifeOf(again) : undefined;
  const fresh = renewed && freshRead(renewed, again.endMs, context);
  return [
    ...found,
    {
      ...caseOf(['MRS-5.6b'], placed({ ...common, 'token.again': again, 'data.freshToken': fresh }), {
        lifetimeSeconds,
        expiry,
        renewalRepeats: renewed?.value === life.value,
      }),
      doubt:
        renewed?.value === life.value
          ? undefined
          : (doubtOf(again, context.issueOf(life)) ??
            (fresh && doubtOf(fresh, context.readLike(fresh) ?? context.firstReadOf(life)))),
    },
  ];
}

/** The first read with a token since then; of one that was served or not modified, the first that shows the data. */
function freshRead(life: TokenLife, sinceMs: number, { readsWith }: CaseContext): ServiceCall | undefined {
  const reads = readsWith(life);
  const first = firstFrom(reads, sinceMs, (call) => answerOf(call) !== undefined);
  const isOpened = first && (isServed(first) || answerOf(first)?.response.status === 304);
  if (!isOpened || (isServed(first) && first.hasBody)) return first;
  return (
    firstFrom(reads, sinceMs, (call) => isServed(call) && call.hasBody) ?? firstFrom(reads, sinceMs, isServed)
  );
}

/** The first read that a token opened which was issued later to the same client. */
const newerRead = (life: TokenLife, context: CaseContext): ServiceCall | undefined =>
  context.firstReadOf(context.history.newerAccepted(life));

/** The token request that followed the refusal, with the credentials that obtained the token. */
function renewalAfter(call: ServiceCall, life: TokenLife, context: CaseContext): ServiceCall | undefined {
  const issue = context.issueOf(life);
  const requests = issue ? context.requestsWith(issue) : [];
  return firstFrom(requests, call.startMs, ({ form }) => form !== undefined);
}
