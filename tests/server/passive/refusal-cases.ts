/** What each recorded read that was not served gives occasion to judge, where its token is known. */
import { OPTION_ADVICE } from '../../support/option-advice.ts';
import { isMasked } from '../../traffic/credentials.ts';
import type { TokenLife } from '../../traffic/tokens.ts';
import { firstMomentOf, lastMomentOf } from '../probe/expiry.ts';
import type { ExpiryEvidence } from '../support/evidence.ts';
import { ageOf, answerOf, isServed, type ServiceCall } from './call.ts';
import { type CaseContext, doubtOf, type Found, firstFrom, LACKS_TIMES, placed } from './cases.ts';

/** A token that is refused at a lower age has not expired, whatever its lifetime. */
const YOUNG_SECONDS = 5;

/** What the refusal of a token may violate, or show. */
const OF_REFUSAL = ['MRS-5.3b', 'MRS-5.6a', 'MRS-5.6b', 'MRS-7a'];

export function refusalCases(call: ServiceCall, life: TokenLife, context: CaseContext): Found[] {
  const { status } = answerOf(call)?.response ?? {};
  if (hasOutlived(call, life, context)) return expired(call, life, context);
  return status === 401 || status === 403 ? refused(call, life, context) : broken(call, life, context);
}

/** Statuses that say something else than that a token has ended: of the request, its rate, or the service. */
const OTHER_CAUSES: ReadonlySet<number> = new Set([304, 403, 406, 408, 412, 416, 425, 428, 429, 431]);

/**
 * Whether another status than 403 answers an expired token: the token had opened the same data until its lifetime was over,
 * never did again, and one that was issued after that did. The lifetime is the agreed one, or what other tokens showed.
 */
function hasOutlived(call: ServiceCall, life: TokenLife, context: CaseContext): boolean {
  const { lifetimes, lacksTimes, history, readLike, lastReadLike } = context;
  const status = answerOf(call)?.response.status ?? 0;
  if (lacksTimes || status < 300 || status >= 500 || OTHER_CAUSES.has(status)) return false;
  if (life.isShared || lifetimes.doubt(life.clientId) !== undefined) return false;
  if (status !== 401 && isRefusedLater(call, life, context)) return false;
  const age = ageOf(call, life);
  const agreedSeconds = context.agreedFor(life);
  const seenSeconds = history.seenLifetimes.get(life.clientId)?.atMostSeconds ?? Number.POSITIVE_INFINITY;
  if (!age || (agreedSeconds === undefined ? age.most < seenSeconds : age.least < agreedSeconds))
    return false;
  const like = readLike(call, life);
  if (!like || like.startMs > call.startMs || (life.accepted?.startMs ?? 0) > call.startMs) return false;
  const newer = history.newerAccepted(life);
  if (!newer || history.hadNewer(life, call.startMs)) return false;
  return (lastReadLike(call, newer)?.startMs ?? Number.NEGATIVE_INFINITY) >= call.endMs;
}

/** Whether 403 answers a later read with this token: that is the answer to its expiry, and this one had another cause. */
const isRefusedLater = (call: ServiceCall, life: TokenLife, { endsOf }: CaseContext): boolean =>
  (endsOf(life).forbidden?.startMs ?? Number.NEGATIVE_INFINITY) >= call.endMs;

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
      reason: `A token was refused with ${answerOf(call)?.response.status}${when}, and the traffic does not show whether it had expired.${lifetime === undefined ? ` ${OPTION_ADVICE.lifetime}` : ''}`,
    },
  ];
}

const NO_RIGHT =
  'A client was refused with its new tokens each time: it may lack a scope, and what the service answers then is open.';

/**
 * Whether tokens of this client opened the data before this one was issued and after it: a client may gain its right, or
 * lose it. Not known where the file does not show whose they are.
 */
const hasRight = (life: TokenLife, { firstReadBy, history }: CaseContext): boolean => {
  const { clientId = '', issued } = life;
  if (clientId === '' || isMasked(clientId) || !issued) return false;
  const first = firstReadBy(clientId);
  return first !== undefined && first.startMs < issued.startMs && history.newerAccepted(life) !== undefined;
};

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
      ? {
          ...caseOf(['MRS-5.6a'], placed(common), { expiry }),
          countsValues: true,
          mayLackValues: context.lacksValues || call.isReplaced === true,
        }
      : { requirements: ['MRS-5.6a'], reason: lifetimeDoubt ?? context.noBody },
    caseOf(['MRS-7a'], placed({ ...common, 'data.freshToken': newerRead(life, context) }), { expiry }),
  ];
  const isFirst = life.refused !== undefined && call.startMs === life.refused.startMs;
  const again = isFirst ? renewalAfter(call, life, context) : undefined;
  if (!again) return found;
  if (isServed(again) && !again.hasBody)
    return [...found, { requirements: ['MRS-5.6b'], reason: context.noBody }];
  const renewed = isServed(again) ? context.history.lifeOf(again) : undefined;
  const fresh = renewed && freshRead(renewed, again.endMs, context);
  if (fresh && isServed(fresh) && !fresh.hasBody && context.isPublic)
    found.push({ requirements: ['MRS-5.6b'], reason: context.noBody });
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
