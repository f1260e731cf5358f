/** What each recorded health check gives occasion to judge. */
import { healthCheckAt } from '../../support/health-paths.ts';
import { OPTION_ADVICE } from '../../support/option-advice.ts';
import { answerOf, type ServiceCall } from './call.ts';
import { type CaseContext, type Found, LEFT_OUT, placed } from './cases.ts';
import { LACKS_AUTHORIZATION } from './data-cases.ts';

export const OF_HEALTH_CHECKS = ['MRS-4.3a', 'MRS-4.3b'];
export const NO_HEALTH_PATHS = `The specification does not show the paths of health checks (clause 4.3). ${OPTION_ADVICE.healthPaths}`;

export function healthCases(call: ServiceCall, context: CaseContext): Found[] {
  if (context.lacksAuthorization) return [{ requirements: OF_HEALTH_CHECKS, reason: LACKS_AUTHORIZATION }];
  if (!answerOf(call)) return [];
  if (call.authorization !== undefined || call.isIdentified)
    return [
      { requirements: OF_HEALTH_CHECKS, reason: 'Each health check carried a token, a cookie or a key.' },
    ];
  const { method, path } = call.exchange.request;
  const check = healthCheckAt(context.healthPaths, method, path);
  if (check === undefined) return [];
  const other = context.healthWithToken(method, path);
  const withToken = other?.exchange;
  const { issue, read } = context.acceptance; // They show that the service is up.
  const found = context.caseOf(OF_HEALTH_CHECKS, placed({ 'token.valid': issue, 'data.first': read }));
  return [
    // Their bodies show whether the one without a token is a refusal.
    ...(other && context.isPublic && !(call.hasBody && other.hasBody)
      ? [{ requirements: ['MRS-4.3b'], reason: LEFT_OUT }]
      : []),
    {
      ...found,
      evidence: {
        ...found.evidence,
        health: [{ plain: call.exchange, ...(withToken && { withToken }) }],
        target: { ...found.evidence.target, healthPaths: [check] },
      },
    },
  ];
}
