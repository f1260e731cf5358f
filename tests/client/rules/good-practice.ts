/** Good practice of a client whom nothing troubles. */

import { perCall, perScenario, type Rule, several, warns } from '../rule.ts';
import { dataCalls, isIssue, SETTLING_MS, tokenCalls } from '../scenario-traffic.ts';
import type { Call } from '../traffic.ts';
import { isNear } from './requests.ts';

const warned =
  (judge: Rule['judge']): Rule['judge'] =>
  (evidence) => {
    const { tried, findings } = judge(evidence);
    return { tried, findings: findings.map((one) => ({ ...one, severity: 'warns' })) };
  };

export const goodPracticeRules: readonly Rule[] = [
  {
    id: 'token-request-without-token',
    statement: 'The token request carries no Authorization header.',
    advice:
      'Leave Authorization out of POST /token/: the credentials in the form are all that it takes, and a dead token or a ' +
      'second copy of the secret has no business there. Look for an interceptor that adds the header to every request.',
    untried: 'The client sent no token request.',
    judge: warned(
      perCall(
        tokenCalls,
        ({ authorization }) => authorization === undefined,
        (calls) => `${several(calls.length, 'token request')} had an Authorization header.`,
      ),
    ),
  },
  {
    id: 'health-without-token',
    statement: 'Health checks are made without a token.',
    advice:
      'Call the health checks without Authorization. They tell whether the service is there, and have to do so when no ' +
      'token can be had; used as a test of the token they tell nothing.',
    untried: 'The client made no health check.',
    judge: warned(
      perCall(
        ({ calls }) => calls.filter(({ kind }) => kind === 'health'),
        ({ authorization }) => authorization === undefined,
        (calls) => `${several(calls.length, 'health check')} carried an Authorization header.`,
      ),
    ),
  },
  {
    id: 'known-paths',
    statement: 'The client asks for nothing that the contract does not have.',
    advice:
      'Compare the paths and methods with the contract: POST /token/, GET /ods_data/, and the health checks. What else a ' +
      'service may have, the specification does not show.',
    untried: 'The client made no call.',
    judge: warned(
      perCall(
        // What is almost a path of the contract is told by other rules.
        ({ calls }) => calls.filter((call) => !isNear(call, 'token') && !isNear(call, 'ods_data')),
        ({ kind }) => kind !== 'other',
        ([first, ...more]) =>
          `It asked for ${first?.method} ${first?.path}, which is answered with ${first?.status}${more.length > 0 ? `, and so on: ${several(more.length + 1, 'call')}` : ''}.`,
      ),
    ),
  },
  {
    id: 'unused-token',
    statement: 'A token that was asked for is used.',
    advice:
      'Ask for a token when a call needs one, and share it among all callers. A token that nobody uses costs the service ' +
      'an issue, and is one more secret that is valid somewhere.',
    untried: 'No token was issued that could have been used.',
    judge: perScenario((traffic) => {
      const used = new Set(dataCalls(traffic).map(({ token }) => token));
      const issued = traffic.calls.filter(isIssue);
      // Who was ended in between had no time to use the last one.
      const due = issued.filter(
        ({ endMs }) =>
          dataCalls(traffic).filter(({ startMs }) => startMs >= endMs).length >= 2 + traffic.processes,
      );
      if (due.length === 0) return undefined;
      // Who renews by a timer may have read nothing while a token lived.
      const hadOccasion = ({ endMs, token }: Call) => {
        const next = issued.find((other) => (other.token ?? 0) > (token ?? 0));
        const reads = dataCalls(traffic).filter(({ startMs }) => startMs >= endMs);
        return (
          !next || next.startMs < endMs + SETTLING_MS || reads.some(({ startMs }) => startMs < next.startMs)
        );
      };
      const unused = due.filter((call) => !used.has(call.token) && hadOccasion(call));
      return unused.length === 0
        ? []
        : [
            warns(
              traffic,
              unused,
              `${several(unused.length, 'token')} of ${issued.length} never carried a call.`,
            ),
          ];
    }),
  },
];
