/** Good practice while nothing goes wrong. */

import { perCall, type Rule, several } from '../rule.ts';
import { tokenCalls } from '../scenario-traffic.ts';
import { BASIC, isBasic } from './requests.ts';

const warned =
  (judge: Rule['judge']): Rule['judge'] =>
  (evidence) => {
    const { tried, findings } = judge(evidence);
    return { tried, findings: findings.map((one) => ({ ...one, verdict: 'warned' })) };
  };

export const goodPracticeRules: readonly Rule[] = [
  {
    id: 'token-request-without-token',
    statement: 'The token request carries no Authorization header.',
    advice:
      'Omit Authorization from POST /token/: the credentials in the form are enough, and an expired token or a second ' +
      'copy of the secret does not belong there. Where it is not HTTP Basic, look for an interceptor that adds the header to ' +
      'every request.',
    passive: 'tokens',
    untried: 'The client sent no token request.',
    judge: warned(
      perCall(
        tokenCalls,
        ({ authorization }) => authorization === undefined,
        (calls) =>
          `${several(calls.length, 'token request')} had an Authorization header.${calls.some(isBasic) ? ` ${BASIC}` : ''}`,
      ),
    ),
  },
];
