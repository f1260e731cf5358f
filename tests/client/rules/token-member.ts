/** A client that is given tokens and sends none of them. */
import { silenceMs } from '../pace.ts';
import { type Evidence, fails, type Judgement, type Rule, several } from '../rule.ts';
import { dataCalls, isIssue, type ScenarioTraffic, silentMs, tokenCalls } from '../scenario-traffic.ts';
import type { Call } from '../traffic.ts';
import { maySendToken, sendsNoToken } from '../unsent-tokens.ts';

const CAUSE =
  'the client does not find the token. The member of the answer is named token, and OAuth2 libraries look for access_token.';

/** Of a client whose reads have a bearer token that was never issued: the text of a variable, or a token that was changed. */
const OTHER_CAUSE =
  'the reads carried another value as bearer token. It is the member token of the answer that is to be sent, unchanged: without quotes, not shortened and not encoded.';

/** What the calls show of why the tokens were not sent. */
const causeIn = (calls: readonly Call[]): string =>
  calls.some(({ kind, authorization }) => kind === 'data' && authorization === 'bearer')
    ? OTHER_CAUSE
    : CAUSE;

/** Reads and token requests after the first token came: it was to be sent with the one, and made the other needless. */
function callsAfterToken(traffic: ScenarioTraffic): Call[] {
  const first = traffic.calls.find(isIssue);
  return first
    ? [...dataCalls(traffic), ...tokenCalls(traffic)]
        .filter(({ startMs }) => startMs >= first.endMs)
        .sort((one, other) => one.id - other.id)
    : [];
}

/** Whether the client got a token, and ended or made no further call for long. */
function givesUp(traffic: ScenarioTraffic, { pace }: Evidence): boolean {
  const first = traffic.calls.find(isIssue);
  if (!first) return false;
  return traffic.ended !== undefined || silentMs(traffic, first.endMs) > silenceMs(pace);
}

function judgeMember(evidence: Evidence): Judgement {
  const { scenarios } = evidence;
  if (!sendsNoToken(evidence)) return { tried: scenarios.some(maySendToken), findings: [] };
  const findings = scenarios.flatMap((traffic) => {
    const issues = traffic.calls.filter(isIssue);
    const later = callsAfterToken(traffic);
    const seen = `${several(issues.length, 'token')} came with status 200, and none was ever sent: ${causeIn(later)}`;
    return later.length === 0 ? [] : [fails(traffic, [...issues.slice(0, 1), ...later], seen)];
  });
  const hasGivenUp = findings.length === 0 && scenarios.some((traffic) => givesUp(traffic, evidence));
  const untried = `A token came with status 200, and the client made no call with it. It seems that ${CAUSE}`;
  return { tried: findings.length > 0, findings, ...(hasGivenUp && { untried }) };
}

export const tokenMemberRule: Rule = {
  id: 'token-member',
  clause: 'MRS-5.3a',
  severity: 'breaks-clients',
  statement: 'The client finds its token in the member token of the answer.',
  advice:
    'Read the member token of the answer to POST /token/. Where a library expects access_token, rename the member before ' +
    'the library reads it: most have a hook for that, such as a response hook, an interceptor or a custom transport. ' +
    'Otherwise request the token yourself, and give it to the library as a bearer token.',
  required: true,
  passive: 'tokens',
  untried: 'The client was given no token, or had no time to send it.',
  judge: judgeMember,
};
