/** Whether a client sends the tokens that it is given. */
import { isIssue, type ScenarioTraffic } from './scenario-traffic.ts';

interface Traffics {
  scenarios: readonly ScenarioTraffic[];
}

/** Whether a call may have had a token: also a malformed Authorization may hold one. */
export const maySendToken = ({ calls }: ScenarioTraffic): boolean =>
  calls.some(
    ({ kind, token, authorization, misplaced }) =>
      (kind !== 'token' && (token !== undefined || authorization === 'malformed')) ||
      misplaced.some(({ what }) => what === 'token'),
  );

/** Whether tokens reached the client. */
const isGivenTokens = ({ scenarios }: Traffics): boolean =>
  scenarios.some(({ calls }) => calls.some(isIssue));

/** Whether tokens reached the client, and it sent none of them. */
export const sendsNoToken = (traffic: Traffics): boolean =>
  isGivenTokens(traffic) && !traffic.scenarios.some(maySendToken);

/** Why nothing is known of how a client uses its tokens; `undefined` if a call carried one as it should. */
export function whyUnused(traffic: Traffics): string | undefined {
  const carriesToken = traffic.scenarios.some(({ calls }) =>
    calls.some(({ kind, token }) => kind !== 'token' && token !== undefined),
  );
  if (carriesToken || !isGivenTokens(traffic)) return undefined;
  return sendsNoToken(traffic)
    ? 'The client sent none of its tokens: the rule token-member has the cause.'
    : 'No call carried a token as Authorization: Bearer <token>: the rule bearer-header has the cause.';
}
