/** What each recorded read gives occasion to judge. */
import { isMadeUp, type TokenLife } from '../../traffic/tokens.ts';
import { lastMomentOf } from '../probe/expiry.ts';
import { endOfWatch } from '../probe/late-expiry.ts';
import { speaksOnlyOfError } from '../support/data.ts';
import { ageOf, answerOf, isServed, type ServiceCall } from './call.ts';
import { type CaseContext, doubtOf, type Found, LEFT_OUT, placed } from './cases.ts';
import { refusalCases } from './refusal-cases.ts';

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
  return [...ofUnnamed(token, context), ...withToken(call, life, context)];
}

/** The proxy names a token that was not issued by a number: whether it is almost one that was issued is not seen. */
const ofUnnamed = (token: string, { isPublic }: CaseContext): Found[] =>
  isPublic && /^‹unknown-\d+›$/.test(token) ? [{ requirements: ['MRS-5.5b'], reason: LEFT_OUT }] : [];

function withToken(call: ServiceCall, life: TokenLife, context: CaseContext): Found[] {
  return isServed(call) ? served(call, life, context) : refusalCases(call, life, context);
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
  if (!call.hasBody) return { requirements: [requirement], reason: context.noBody };
  return {
    ...context.caseOf([requirement], placed({ 'token.valid': issue, 'data.first': read, [key]: call })),
    countsValues: true,
    mayLackValues: context.lacksValues || call.isReplaced === true,
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
    ...(!call.hasBody && context.isPublic
      ? [{ requirements: ['MRS-4.2a', 'MRS-5.3b'], reason: LEFT_OUT }]
      : []),
    { ...caseOf(['MRS-4.2a'], placed(compared)), doubt },
    call.hasBody
      ? { ...caseOf(['MRS-4.2b'], placed(valid)), doubt }
      : { requirements: ['MRS-4.2b'], reason: context.noBody },
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
