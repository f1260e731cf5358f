/** Good practice while nothing goes wrong. */

import { perCall, perScenario, type Rule, several, warns } from '../rule.ts';
import { dataCalls, indexFrom, isIssue, SETTLING_MS, tokenCalls } from '../scenario-traffic.ts';
import { isLongLived } from '../strategy.ts';
import type { Call } from '../traffic.ts';
import { whyUnused } from '../unsent-tokens.ts';
import { BASIC, isBasic, isNear } from './requests.ts';
import { TELLING_SECONDS } from './token-reuse.ts';

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
  {
    id: 'health-without-token',
    statement: 'Health checks are made without a token.',
    advice:
      'Call the health checks without Authorization. They report whether the service is up, also when no token is ' +
      'available; they cannot test a token.',
    passive: 'tokens',
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
    statement: 'The client requests only what the contract defines.',
    advice:
      'Compare the paths and methods with the contract: POST /token/, GET /ods_data/ and the health checks. The ' +
      'specification does not show whether a service has others.',
    untried: 'The client made no call.',
    judge: warned(
      perCall(
        // Other rules report what is almost a path of the contract.
        ({ calls }) => calls.filter((call) => !isNear(call, 'token') && !isNear(call, 'ods_data')),
        ({ kind }) => kind !== 'other',
        ([first, ...more]) =>
          `It asked for ${first?.method} ${first?.path}, which is answered with ${first?.status}${more.length > 0 ? `, and so on: ${several(more.length + 1, 'call')}` : ''}.`,
      ),
    ),
  },
  {
    id: 'unused-token',
    statement: 'A requested token is used.',
    advice:
      'Request a token when a call needs one, and share it among all callers. An unused token costs the service work and ' +
      'is one more valid secret.',
    passive: 'tokens',
    untried: 'No token was issued that could have been used.',
    judge: perScenario((traffic, evidence) => {
      const sentNone = whyUnused(evidence);
      if (sentNone) return sentNone;
      const reads = dataCalls(traffic);
      const used = new Set(reads.map(({ token }) => token));
      const issued = traffic.calls.filter(isIssue);
      // A client that was stopped had no time to use the last one.
      const due = issued.filter(
        ({ endMs }) => reads.length - indexFrom(reads, endMs) >= 2 + traffic.processes,
      );
      if (due.length === 0) return undefined;
      // A client that renews by a timer may have read nothing while a token lived.
      const hadOccasion = ({ endMs, token }: Call) => {
        const next = issued.find((other) => (other.token ?? 0) > (token ?? 0));
        const read = reads[indexFrom(reads, endMs)];
        return (
          !next || next.startMs < endMs + SETTLING_MS || (read !== undefined && read.startMs < next.startMs)
        );
      };
      // A client that keeps a fixed time in reserve may drop a token where its tokens live shorter than that.
      const isTelling = isLongLived(traffic) || traffic.agreedSeconds >= TELLING_SECONDS;
      const left = new Set(issued.flatMap(({ token }) => (used.has(token) ? [] : (token ?? []))));
      const isInRow = ({ token = 0 }: Call) => left.has(token - 1) || left.has(token + 1);
      const unused = due.filter(
        (call) => !used.has(call.token) && (isTelling || isInRow(call)) && hadOccasion(call),
      );
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
