/** What each recorded token request gives occasion to judge. */
import { isMasked } from '../../traffic/credentials.ts';
import { type Field, fieldNamed } from '../../traffic/exchange.ts';
import { answerOf, isIssue, isServed, type ServiceCall } from './call.ts';
import { type CaseContext, doubtOf, type Found, placed } from './cases.ts';

/** What a success answer to valid credentials shows. */
const OF_ANSWER = ['MRS-2a', 'MRS-4.1a', 'MRS-4.1k', 'MRS-4.1l'];
const WITHOUT_HEADER = 'MRS-4.1b';
/** Statuses by which a service may say that credentials are wrong. */
const REFUSES_CREDENTIALS = [400, 401, 403];

export function tokenCases(call: ServiceCall, context: CaseContext): Found[] {
  const { form } = call;
  if (form === undefined) return [];
  if (!isComplete(form)) return call.authorization ? [] : incompleteForm(call, form, context);
  const isPlain = call.authorization === undefined;
  const { first, last, withHeader } = context.issuesWith(call);
  const before = first && first.startMs < call.startMs ? first : undefined;
  const after = last && last.startMs > call.startMs ? last : undefined;
  const circumstances = { clientId: call.clientId };
  const doubt = doubtOf(call, before);
  const found: Found[] = [];
  if (isServed(call)) {
    const requirements = isPlain && isIssue(call) ? [...OF_ANSWER, WITHOUT_HEADER] : OF_ANSWER;
    found.push(
      call.hasBody
        ? { ...context.caseOf(requirements, placed({ 'token.valid': call }), circumstances), doubt }
        : { requirements: isPlain ? [...OF_ANSWER, WITHOUT_HEADER] : OF_ANSWER, reason: context.noBody },
    );
  }
  const { status } = answerOf(call)?.response ?? {};
  const mayBeWrong = status !== undefined && REFUSES_CREDENTIALS.includes(status);
  if (before && (isIssue(call) || !mayBeWrong || after)) {
    found.push(
      call.hasBody || !isServed(call)
        ? {
            ...context.caseOf(
              ['MRS-4.1m'],
              placed({ 'token.valid': before, 'token.again': call }),
              circumstances,
            ),
            doubt,
          }
        : { requirements: ['MRS-4.1m'], reason: context.noBody },
    );
  } else if (!isServed(call)) {
    const isKnown = withHeader !== undefined || after !== undefined;
    found.push(
      mayBeWrong && !isKnown
        ? {
            requirements: ['MRS-4.1a'],
            reason: 'Credentials were refused that never obtained a token: they may be wrong.',
          }
        : {
            ...context.caseOf(
              ['MRS-4.1a', WITHOUT_HEADER],
              placed({ 'token.valid': call, 'token.withAuthorization': isPlain ? withHeader : undefined }),
              circumstances,
            ),
            doubt,
          },
    );
  }
  return found;
}

/** One that was masked is taken for right. */
const isRightGrant = (grant = ''): boolean => grant === 'client_credentials' || isMasked(grant);

/** Each field once, and not empty. */
function isComplete(form: readonly Field[]): boolean {
  return (
    ['grant_type', 'client_id', 'client_secret'].every((name) => {
      const values = form.filter(([field]) => field === name);
      return values.length === 1 && values[0]?.[1] !== '';
    }) && isRightGrant(fieldNamed(form, 'grant_type'))
  );
}

/** A form that must not obtain a token, next to one that does. Credentials in another place may make up for it. */
function incompleteForm(call: ServiceCall, form: readonly Field[], context: CaseContext): Found[] {
  const { issue } = context.acceptance;
  if (call.isIdentified) return [];
  const grant = fieldNamed(form, 'grant_type');
  const faults = [
    grant === undefined && (['MRS-4.1e', 'token.withoutGrantType'] as const),
    grant !== undefined && !isRightGrant(grant) && (['MRS-4.1f', 'token.otherGrantType'] as const),
    !fieldNamed(form, 'client_id') && (['MRS-4.1g', 'token.withoutClientId'] as const),
    !fieldNamed(form, 'client_secret') && (['MRS-4.1i', 'token.withoutClientSecret'] as const),
  ].filter((fault) => fault !== false);
  if (!call.hasBody && answerOf(call) && (isServed(call) || context.isPublic))
    return [{ requirements: faults.map(([requirement]) => requirement), reason: context.noBody }];
  return faults.map(([requirement, key]) =>
    context.caseOf([requirement], placed({ 'token.valid': issue, [key]: call })),
  );
}
