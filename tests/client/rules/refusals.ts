/** What a client does on the 403 of an expired token. */

import type { Finding } from '../certificate.ts';
import { silenceMs } from '../pace.ts';
import {
  isExcused,
  isOverdue,
  isWithoutAnswer,
  mayCross,
  type RefusedToken,
  refusedTokens,
  repeats,
} from '../refused-token.ts';
import { type Evidence, fails, perScenario, type Rule, several, warns } from '../rule.ts';
import {
  dataCalls,
  endInWords,
  isEarlyEnd,
  refusedSinceGivingUp,
  type ScenarioTraffic,
  seconds,
  silentMs,
  tokenCalls,
  tokensHad,
} from '../scenario-traffic.ts';
import { whyUnused } from '../unsent-tokens.ts';
import { retryRule } from './retry.ts';

function renewalFindings(traffic: ScenarioTraffic, one: RefusedToken, evidence: Evidence): Finding[] {
  const { request, first, refusals } = one;
  const again = repeats(traffic, one, evidence, request?.startMs).filter(
    (call) => !isWithoutAnswer(traffic, call),
  );
  const refused = [first, ...again.slice(0, 18)]; // Of the twenty calls of a finding one is for the request.
  if (isExcused(traffic, one, evidence) && (request || !isOverdue(traffic, one))) return [];
  if (!request) {
    // By its clock the client may still renew it: only the end of the scenario kept that from being seen.
    const ended = endInWords(traffic);
    if (isEarlyEnd(traffic, one.token) && !isOverdue(traffic, one) && !ended) return [];
    if (again.length > 0)
      return [
        fails(
          traffic,
          refused,
          `No new token was asked for: token ${one.token} was sent ${several(again.length, 'more time')} after its 403.`,
        ),
      ];
    if (ended)
      return [fails(traffic, refusals, `On the 403 the client ${ended}, and asked for no new token.`)];
    const waited = silentMs(traffic, first.endMs);
    return waited > silenceMs(evidence.pace)
      ? [fails(traffic, [first], `In the ${seconds(waited)} after the 403 no new token was asked for.`)]
      : [];
  }
  if (again.length > 0)
    return [
      fails(
        traffic,
        [...refused, request],
        `Token ${one.token} was sent ${several(again.length, 'more time')} after its 403 before a new one was asked for.`,
      ),
    ];
  const vain = refusedSinceGivingUp(traffic).filter(({ token }) => token === one.token);
  return vain.length === 0
    ? []
    : [
        fails(
          traffic,
          [request, ...vain],
          `After a token request that failed, none followed: token ${one.token} was refused ${several(vain.length, 'more time')}.`,
        ),
      ];
}

/**
 * Whether the client reads while it waits for a token: then a read may cross the answer on its way. An answer that takes a
 * moment shows it, and holds for those that come at once.
 */
const readsMeanwhile = ({ scenarios, atOnce }: Evidence): boolean =>
  atOnce > 1 ||
  scenarios.some((traffic) => {
    const reads = dataCalls(traffic);
    return tokenCalls(traffic).some(({ startMs, endMs }) =>
      reads.some((call) => call.startMs > startMs && call.startMs < endMs),
    );
  });

/** A later request with other credentials than those that obtained a token. A secret that obtains one may be a new one. */
function otherCredentials(traffic: ScenarioTraffic): Finding[] {
  const [first] = tokensHad(traffic);
  const later = (wanted: string) =>
    tokenCalls(traffic).filter(
      ({ reason, startMs }) => reason === wanted && first !== undefined && startMs >= first.endMs,
    );
  const [wrong, other] = [later('wrong-credentials'), later('other-credentials')];
  return [
    ...(wrong.length > 0
      ? [
          fails(
            traffic,
            wrong,
            `${several(wrong.length, 'token request')} came with other credentials than the first: a field is missing or changed.`,
          ),
        ]
      : []),
    ...(other.length > 0
      ? [
          warns(
            traffic,
            other,
            `${several(other.length, 'token request')} came with another client_secret than the first, and brought a token: credentials do not change when a token is renewed. It is right only if an administrator issued a new secret.`,
          ),
        ]
      : []),
  ];
}

const judgeRenewal: Rule['judge'] = (evidence) => {
  const sentNone = whyUnused(evidence);
  if (sentNone) return { tried: false, findings: [], untried: sentNone };
  const { scenarios, renewals } = evidence;
  const findings = scenarios.flatMap((traffic) => [
    ...refusedTokens(traffic).flatMap((one) => renewalFindings(traffic, one, evidence)),
    ...otherCredentials(traffic),
  ]);
  const met = scenarios.some((traffic) =>
    refusedTokens(traffic).some(({ request }) => request !== undefined),
  );
  return { tried: met || findings.length > 0 || renewals.strategy !== 'none', findings };
};

export const refusalRules: readonly Rule[] = [
  {
    id: 'renewal',
    clause: 'MRS-5.6c',
    severity: 'breaks-clients',
    statement: 'When the token has expired, a new one is requested with the same credentials.',
    advice:
      'Treat a 403 as the end of the token, whatever its body: drop the token, post the same form to /token/, and continue ' +
      'with the new one. OAuth libraries renew only on 401 unless configured otherwise.',
    required: true,
    passive: 'lifetime',
    untried: 'No token expired while the client was calling.',
    judge: judgeRenewal,
  },
  retryRule,
  {
    id: 'dead-token',
    clause: 'MRS-5c',
    severity: 'burdens-service',
    statement: 'The retry carries the new token, and the expired one is not sent again.',
    advice:
      'Build the Authorization header for each attempt from the one place where the token is kept. A request object that ' +
      'is sent twice, or a default header that was set once, still carries the old token.',
    passive: 'tokens',
    untried: 'No token was refused and replaced.',
    judge: perScenario((traffic, evidence) => {
      const replaced = refusedTokens(traffic).filter(({ issue }) => issue !== undefined);
      if (replaced.length === 0) return undefined;
      const mayBeOnItsWay = readsMeanwhile(evidence);
      return replaced.flatMap((one) => {
        if (isExcused(traffic, one, evidence)) return [];
        const { issue } = one;
        if (!issue) return [];
        const dead = repeats(traffic, one, evidence).filter(
          (call) => call.startMs >= issue.endMs && !(mayBeOnItsWay && mayCross(traffic, issue.endMs, call)),
        );
        return dead.length === 0
          ? []
          : [
              fails(
                traffic,
                [one.first, issue, ...dead],
                `Token ${one.token} was sent ${several(dead.length, 'more time')} after it had been refused and token ${issue.token} had come in its place.`,
              ),
            ];
      });
    }),
  },
];
