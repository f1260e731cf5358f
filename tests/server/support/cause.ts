/** Why a run could test nothing: most often a mistake in its settings, and no evidence against the deployment. */
import { offersTokens } from './declared.ts';
import {
  type Answered,
  type Evidence,
  exchanges,
  isAnswered,
  isIssued,
  isSuccess,
  type Probe,
  type TokenProbes,
} from './evidence.ts';

export type CauseReason =
  | 'unknown-host'
  | 'unreachable'
  | 'proxy'
  | 'tls'
  | 'unavailable'
  | 'wrong-base-url'
  | 'credentials-refused';

export interface Cause {
  /** For programs. */
  reason: CauseReason;
  /** What is the matter, as a short sentence without its full stop. */
  headline: string;
  /** What was seen, and what to change; sentences. */
  sentence: string;
}

/** The cause that kept every requirement from being tested; undefined where the deployment could be tested. */
export function causeOf(evidence: Evidence): Cause | undefined {
  return silence(evidence) ?? (offersTokens(evidence.profile) ? misdirection(evidence) : undefined);
}

/** Whether the cause concerns a requirement: health checks need no credentials. */
export const concerns = ({ reason }: Cause, id: string): boolean =>
  reason !== 'credentials-refused' || !/^MRS-4\.3[ab]/.test(id);

/** No request had an answer, or each that of a gateway. */
function silence(evidence: Evidence): Cause | undefined {
  const all = exchanges(evidence);
  const [first] = all;
  if (!first) return undefined;
  const { baseUrl } = evidence.target;
  if (all.every(isGatewayError)) {
    const { status } = (first as Answered).response;
    return {
      reason: 'unavailable',
      headline: 'The deployment is not available',
      sentence: `${baseUrl} answered every request with ${status}: the service, or what is in front of it, is down. Run again when it is up.`,
    };
  }
  if (all.some(isAnswered)) return undefined;
  const { failure = 'gave no answer' } = first;
  const reason = REASONS.find(([pattern]) => pattern.test(failure))?.[1] ?? 'unreachable';
  return { reason, ...silenceInWords(reason, failure, baseUrl) };
}

/** By what `failureOf` says. */
const REASONS: [failure: RegExp, reason: CauseReason][] = [
  [/proxy/i, 'proxy'],
  [/does not resolve/, 'unknown-host'],
  [/certificate|EPROTO|ERR_SSL|ERR_TLS|not HTTP/, 'tls'],
];

function silenceInWords(
  reason: CauseReason,
  failure: string,
  baseUrl: string,
): Pick<Cause, 'headline' | 'sentence'> {
  const headline = 'The deployment cannot be reached';
  if (reason === 'unknown-host')
    return {
      headline,
      sentence: `Cannot reach ${baseUrl}: unknown host. Correct the host name in MRS_BASE_URL.`,
    };
  if (reason === 'proxy')
    return {
      headline,
      sentence: `Cannot reach ${baseUrl}: it ${failure}. Correct HTTP_PROXY or HTTPS_PROXY, or name the host in NO_PROXY.`,
    };
  if (reason === 'tls')
    return {
      headline: 'No secure connection to the deployment',
      sentence: `Cannot connect to ${baseUrl}: it ${failure}.${/certificate/.test(failure) ? '' : ' Check the scheme, host and port in MRS_BASE_URL.'}`,
    };
  return {
    headline,
    sentence: `Cannot reach ${baseUrl}: it ${failure}. Check the host and port in MRS_BASE_URL, and that the service is up.`,
  };
}

/** The configured credentials obtained no token, and the answer says that they are wrong. */
export function refusesCredentials({
  valid,
  withAuthorization,
}: Pick<TokenProbes, 'valid' | 'withAuthorization'>): boolean {
  if (!isAnswered(valid) || isIssued(valid)) return false;
  if (isAnswered(withAuthorization) && isIssued(withAuthorization)) return false;
  return [400, 401, 403].includes(valid.response.status);
}

/** Valid credentials obtained no token, and in a way that a mistake in the settings explains. */
function misdirection({ target, token, data }: Evidence): Cause | undefined {
  const { valid, withAuthorization } = token;
  if (!isAnswered(valid) || isIssued(valid)) return undefined;
  if (isAnswered(withAuthorization) && isIssued(withAuthorization)) return undefined;
  const { baseUrl } = target;
  const anonymous = data.withoutToken;
  const seen = `POST /token/ was answered with ${valid.response.status}, GET ${pathOf(anonymous)} with ${statusOf(anonymous)}`;
  const headline = 'The base URL seems to be wrong';
  const [added] = /\/(token|ods_data)\/?$/.exec(baseUrl) ?? [];
  const change = added
    ? `Leave ${added} out of MRS_BASE_URL: the suite adds it.`
    : 'Correct MRS_BASE_URL: its host, port and path prefix.';
  if (isAbsent(valid) && isAbsent(anonymous))
    return {
      reason: 'wrong-base-url',
      headline,
      sentence: `There is no such service at ${baseUrl}: ${seen}. ${change}`,
    };
  if (isRedirect(valid) && isRedirect(anonymous))
    return {
      reason: 'wrong-base-url',
      headline,
      sentence: `${baseUrl} redirects every request${destinationOf(anonymous)}. Set --base-url (MRS_BASE_URL) to the address that it leads to.`,
    };
  if (isPage(valid) && isPage(anonymous))
    return {
      reason: 'wrong-base-url',
      headline,
      sentence: `${baseUrl} answers with web pages: ${seen}. ${change}`,
    };
  if (!refusesCredentials(token)) return undefined;
  const page =
    valid.response.mediaType === 'text/html'
      ? ' The answer is a web page, so a proxy or gateway may have sent it.'
      : '';
  return {
    reason: 'credentials-refused',
    headline: 'The client credentials were refused',
    sentence: `The token endpoint refused the credentials of client ${target.clientId} with ${valid.response.status}. Check MRS_CLIENT_ID and MRS_CLIENT_SECRET; a gateway may require a header (--header).${page}`,
  };
}

const statusOf = (probe: Probe): number | undefined =>
  isAnswered(probe) ? probe.response.status : undefined;
const pathOf = (probe: Probe): string => ('id' in probe ? probe.request.path : '/ods_data/');

const isAbsent = (probe: Probe): boolean => [404, 405, 410, 501].includes(statusOf(probe) ?? 0);
const isRedirect = (probe: Probe): boolean => [301, 302, 303, 307, 308].includes(statusOf(probe) ?? 0);
const isPage = (probe: Probe): boolean =>
  isAnswered(probe) && isSuccess(probe) && probe.response.mediaType === 'text/html';
const isGatewayError = (probe: Probe): boolean => [502, 503, 504].includes(statusOf(probe) ?? 0);

function destinationOf(probe: Probe): string {
  const location = isAnswered(probe) && probe.response.headers.find(([name]) => name === 'location')?.[1];
  return location && URL.canParse(location) ? ` to ${new URL(location).origin}` : '';
}
