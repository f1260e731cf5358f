/** Whether a client sends the tokens that it is given. */
import { isIssue, type ScenarioTraffic } from './scenario-traffic.ts';

/** Whether a call may have had a token: also a malformed Authorization may hold one. */
export const maySendToken = ({ calls }: ScenarioTraffic): boolean =>
  calls.some(
    ({ kind, token, authorization, misplaced }) =>
      (kind !== 'token' && (token !== undefined || authorization === 'malformed')) ||
      misplaced.some(({ what }) => what === 'token'),
  );

/** Whether tokens reached the client, and it sent none of them. */
export const sendsNoToken = ({ scenarios }: { scenarios: readonly ScenarioTraffic[] }): boolean =>
  scenarios.some(({ calls }) => calls.some(isIssue)) && !scenarios.some(maySendToken);

/** Why a rule about the use of tokens was not tried then. */
export const SENDS_NONE = 'The client sent none of its tokens: the rule token-member has the cause.';
