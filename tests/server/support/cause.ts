/** Why a run could test nothing: most often a mistake in its settings, and no evidence against the deployment. */
import { offersTokens } from '../profile.ts';
import {
  type Answered,
  type Evidence,
  exchanges,
  hasStatus,
  isAnswered,
  isIssued,
  isSuccess,
  type Observed,
  type Probe,
} from './evidence.ts';

type CauseReason =
  | 'unknown-host'
  | 'unreachable'
  | 'proxy'
  | 'tls'
  | 'not-http'
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
  if (all.every((one) => hasStatus(one, 502, 503, 504)))
    return {
      reason: 'unavailable',
      headline: 'The deployment is not available',
      sentence: `${baseUrl} answered every request with ${first.response?.status}: the service, or what is in front of it, is down. Run again when it is up.`,
    };
  if (all.some(isAnswered)) return undefined;
  const { failure = 'gave no answer' } = first;
  const [, reason, advice] = SILENCES.find(([pattern]) => pattern.test(failure)) as Silence;
  const [headline, verb] = HEADLINES[reason] ?? ['The deployment cannot be reached', 'reach'];
  return {
    reason,
    headline,
    sentence: `Cannot ${verb} ${baseUrl}: ${reason === 'unknown-host' ? 'unknown host' : `it ${failure}`}.${advice}`,
  };
}

const HEADLINES: Partial<Record<CauseReason, [headline: string, verb: string]>> = {
  tls: ['No secure connection to the deployment', 'connect to'],
  'not-http': ['The deployment does not answer in HTTP', 'read the answers of'],
};

type Silence = [failure: RegExp, reason: CauseReason, advice: string];

/** By what `failureOf` says; the first that fits. */
const SILENCES: Silence[] = [
  [/proxy/i, 'proxy', ' Correct HTTP_PROXY or HTTPS_PROXY, or name the host in NO_PROXY.'],
  [/does not resolve/, 'unknown-host', ' Correct the host name in MRS_BASE_URL.'],
  [/certificate/, 'tls', ''], // The failure says what to do.
  [/EPROTO|ERR_SSL|ERR_TLS/, 'tls', ' Check the scheme, host and port in MRS_BASE_URL.'],
  [/not HTTP/, 'not-http', ' Check the scheme, host and port in MRS_BASE_URL.'],
  [/(?:)/, 'unreachable', ' Check the host and port in MRS_BASE_URL, and that the service is up.'],
];

/** The configured credentials obtained no token, and the answer says that they are wrong. */
export const refusesCredentials = (observed: Pick<Observed, 'probes'>): boolean =>
  hasStatus(withoutToken(observed), 400, 401, 403);

/** The answer to valid credentials, where it issued no token, and that to the same with a header none either. */
function withoutToken({ probes }: Pick<Observed, 'probes'>): Answered | undefined {
  const [valid, authorized] = [probes['token.valid'], probes['token.withAuthorization']];
  if (!isAnswered(valid) || isIssued(valid)) return undefined;
  return isAnswered(authorized) && isIssued(authorized) ? undefined : valid;
}

/** Valid credentials obtained no token, and in a way that a mistake in the settings explains. */
function misdirection(evidence: Evidence): Cause | undefined {
  const valid = withoutToken(evidence);
  if (!valid) return undefined;
  const { baseUrl, clientId } = evidence.target;
  const { status, mediaType } = valid.response;
  const anonymous = evidence.probes['data.withoutToken'];
  const path = anonymous && 'id' in anonymous ? anonymous.request.path : '/ods_data/';
  const other = isAnswered(anonymous) ? anonymous.response.status : undefined;
  const seen = `POST /token/ was answered with ${status}, GET ${path} with ${other}`;
  const [added] = /\/(token|ods_data)\/?$/.exec(baseUrl) ?? [];
  const change = added
    ? `Leave ${added} out of MRS_BASE_URL: the suite adds it.`
    : 'Correct MRS_BASE_URL: its host, port and path prefix.';
  const wrongUrl = (sentence: string): Cause => ({
    reason: 'wrong-base-url',
    headline: 'The base URL seems to be wrong',
    sentence,
  });
  const both = [valid, anonymous];
  if (both.every((one) => hasStatus(one, 404, 405, 410, 501)))
    return wrongUrl(`There is no such service at ${baseUrl}: ${seen}. ${change}`);
  if (both.every((one) => hasStatus(one, 301, 302, 303, 307, 308)))
    return wrongUrl(
      `${baseUrl} redirects every request${destinationOf(anonymous)}. Set --base-url (MRS_BASE_URL) to the address that it leads to.`,
    );
  if (both.every(isPage)) return wrongUrl(`${baseUrl} answers with web pages: ${seen}. ${change}`);
  if (!refusesCredentials(evidence)) return undefined;
  const page =
    mediaType === 'text/html' ? ' The answer is a web page, so a proxy or gateway may have sent it.' : '';
  return {
    reason: 'credentials-refused',
    headline: 'The client credentials were refused',
    sentence: `The token endpoint refused the credentials of client ${clientId} with ${status}. Check MRS_CLIENT_ID and MRS_CLIENT_SECRET; a gateway may require a header (--header).${page}`,
  };
}

const isPage = (probe: Probe | undefined): boolean =>
  isAnswered(probe) && isSuccess(probe) && probe.response.mediaType === 'text/html';

function destinationOf(probe: Probe | undefined): string {
  const location = isAnswered(probe) && probe.response.headers.find(([name]) => name === 'location')?.[1];
  return location && URL.canParse(location) ? ` to ${new URL(location).origin}` : '';
}
