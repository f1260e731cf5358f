/** Why a run could test nothing: most often a mistake in its settings, and no evidence against the deployment. */
import { fieldNamed, REDIRECTS } from '../../traffic/exchange.ts';
import type { FailureCode } from '../probe/connection.ts';
import { offersTokens } from '../profile.ts';
import { decided } from './condition.ts';
import {
  type Answered,
  answerInWords,
  type Evidence,
  exchanges,
  hasStatus,
  isAnswered,
  isIssued,
  isSuccess,
  type Observed,
  type Probe,
} from './evidence.ts';

interface Cause {
  /** For programs. */
  reason: FailureCode | 'unavailable' | 'wrong-base-url' | 'credentials-refused';
  /** The problem, as a short sentence without its full stop. */
  headline: string;
  /** What was seen, and what to change; sentences. */
  sentence: string;
}

/** The cause that kept every requirement from being tested; undefined where the deployment could be tested. */
export const causeOf = (evidence: Evidence): Cause | undefined =>
  silence(evidence) ?? (offersTokens(evidence.profile) ? misdirection(evidence) : undefined);

/** Whether the cause concerns a requirement: health checks need no credentials. */
export const concerns = ({ reason }: Cause, id: string): boolean =>
  reason !== 'credentials-refused' || !/^MRS-4\.3[ab]/.test(id);

/** No request had an answer, or each that of a gateway. */
function silence(evidence: Evidence): Cause | undefined {
  const all = exchanges(evidence);
  const [first] = all;
  if (!first) return undefined;
  const { baseUrl } = evidence.target;
  if (all.every((one) => hasStatus(one, 502, 503, 504)))
    return {
      reason: 'unavailable',
      headline: 'The deployment is not available',
      sentence: `${baseUrl} answered every request with ${first.response?.status}: the service, or what is in front of it, is down. Run again when it is up.`,
    };
  if (all.some(isAnswered)) return undefined;
  const { failure = 'gave no answer', failureCode = 'unreachable' } = first;
  // What is wrong with a certificate says what to do.
  const advice = failureCode === 'tls' ? '' : ` ${ADVICE[failureCode] ?? CHECK_HOST}`;
  return {
    reason: ['hang-up', 'timeout', 'failure'].includes(failureCode) ? 'unreachable' : failureCode,
    headline: 'The deployment cannot be reached',
    sentence: `No answer from ${baseUrl}: it ${failure}.${advice}`,
  };
}

const CHECK_HOST = 'Check the scheme, host and port of the base URL, and that the service is up.';
const ADVICE: Partial<Record<FailureCode, string>> = {
  'unknown-host': 'Correct the host name in the base URL.',
  proxy: 'Correct HTTP_PROXY or HTTPS_PROXY, or name the host in NO_PROXY.',
};

/** Valid credentials obtained no token: by status they are wrong, or wrong ones are answered alike, and a faulty form is not. */
export function refusesCredentials({ probes }: Pick<Observed, 'probes'>): boolean {
  const valid = withoutToken(probes);
  if (!valid || 'verdict' in decided(valid)) return false;
  const { status } = valid.response;
  const faulty = probes['token.withoutGrantType'];
  const isAlike = hasStatus(probes['token.unknownClientId'], status) && isAnswered(faulty);
  return hasStatus(valid, 400, 401, 403) || (isAlike && !hasStatus(faulty, status));
}

/** The answer to valid credentials, where it issued no token, and that to the same with a header none either. */
function withoutToken(probes: Observed['probes']): Answered | undefined {
  const { 'token.valid': valid, 'token.withAuthorization': authorized } = probes;
  if (!isAnswered(valid) || isIssued(valid)) return undefined;
  return isAnswered(authorized) && isIssued(authorized) ? undefined : valid;
}

/** Valid credentials obtained no token, and in a way that a mistake in the settings explains. */
function misdirection(evidence: Evidence): Cause | undefined {
  const valid = withoutToken(evidence.probes);
  if (!valid) return undefined;
  const { baseUrl, clientId } = evidence.target;
  const anonymous = evidence.probes['data.withoutToken'];
  const other = isAnswered(anonymous) ? anonymous.response : undefined;
  const both = [valid, anonymous];
  const isElsewhere = both.every((one) => hasStatus(one, 404, 405, 410, 501, ...REDIRECTS));
  const isPage = (one: Probe | undefined) =>
    isAnswered(one) && isSuccess(one) && one.response.mediaType === 'text/html';
  if (isElsewhere || both.every(isPage)) {
    const location = fieldNamed(other?.headers ?? [], 'location') ?? '';
    const to = URL.canParse(location) ? ` to ${new URL(location).origin}` : '';
    return {
      reason: 'wrong-base-url',
      headline: 'The base URL seems to be wrong',
      sentence: `There is no such service at ${baseUrl}: POST /token/ was answered with ${valid.response.status}, GET /ods_data/ with ${other?.status}${to}. Correct the base URL: its host, port and path prefix. The suite adds /token/ and /ods_data/.`,
    };
  }
  if (!refusesCredentials(evidence)) return undefined;
  return {
    reason: 'credentials-refused',
    headline: 'The client credentials were refused',
    sentence: `The token endpoint refused the credentials of the client "${clientId}" with ${answerInWords(valid)}. Check MRS_CLIENT_ID and MRS_CLIENT_SECRET; a gateway may require a header (--header).`,
  };
}
