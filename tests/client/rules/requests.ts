/** The form of each request. */

import { FORM_TYPE, jsonAcceptance } from '../../traffic/exchange.ts';
import { perCall, type Rule, several } from '../rule.ts';
import { dataCalls, type ScenarioTraffic, tokenCalls, tokensHad } from '../scenario-traffic.ts';
import type { Call } from '../traffic.ts';

const FIELDS = ['grant_type', 'client_id', 'client_secret'];

const isForm = ({ contentType = '' }: Call) => contentType.split(';')[0]?.trim().toLowerCase() === FORM_TYPE;

/** Whether the header names the type itself, as clauses 4.1 and 4.2 state it: a wider range is not enough. */
const acceptsJson = ({ accept }: Call) => jsonAcceptance(accept) === 'named';

/** Whether a call keeps a rule on a header; undefined where a recorder may have left the header out. */
const ifShown =
  (headerOf: (call: Call) => string | undefined, keeps: (call: Call) => boolean) => (call: Call) =>
    call.lacksHeaders && headerOf(call) === undefined ? undefined : keeps(call);

const NO_TOKEN_REQUEST = 'The client sent no token request.';
const NO_READ = 'The client did not read the data.';

const shown = (value: string | undefined) => (value === undefined ? 'none' : `"${value}"`);

/** Whether a token request authenticates the client by HTTP Basic, as most OAuth2 libraries do by default. */
export const isBasic = ({ kind, authorization, misplaced }: Call): boolean =>
  kind === 'token' &&
  authorization === 'malformed' &&
  misplaced.some(({ what, where }) => what === 'client_secret' && where === 'header');

export const BASIC =
  'The client authenticates by HTTP Basic; let it put the credentials into the form: libraries call that client_secret_post, "body" or include_client_id.';

/** Of a client that gets no token for it, so that its next mistake does not show yet. */
const NOTHING_BUT_BASIC =
  'The client authenticates by HTTP Basic, as OAuth2 libraries do by default: let it put the credentials into the form, which ' +
  'libraries call client_secret_post, "body" or include_client_id, and read the member token of the answer where the ' +
  'library looks for access_token.';

function missing(call: Call): string {
  const { fields = [], reason } = call;
  const left = FIELDS.filter((name) => !fields.includes(name));
  if (left.length > 0 && isBasic(call)) return `without ${left.join(' and ')}. ${NOTHING_BUT_BASIC}`;
  if (left.length > 0) return `without ${left.join(' and ')}.`;
  if (reason === 'unsupported-grant-type') return 'with another grant_type than client_credentials.';
  if (reason === 'wrong-credentials')
    return 'with another client_id or client_secret than it was given, or one that was not encoded as forms are.';
  return 'with a field that is empty, is there twice, or was not encoded as forms are.';
}

const places = (calls: readonly Call[], what: string) => [
  ...new Set(
    calls.flatMap(({ misplaced }) => misplaced.filter((one) => one.what === what).map(({ where }) => where)),
  ),
];

const isFirst = (call: Call, traffic: ScenarioTraffic) =>
  !tokensHad(traffic).some(({ endMs }) => endMs <= call.startMs);

/** Whether a call is meant for this path, and goes to one that is almost it, or by another method, of the client's own accord. */
export const isNear = ({ kind, path, isRedirected }: Call, name: 'token' | 'ods_data') =>
  kind === 'other' &&
  isRedirected === undefined &&
  path
    .toLowerCase()
    .split('/')
    .findLast((segment) => segment !== '') === name;

const atPath = (name: 'token' | 'ods_data') =>
  perCall(
    ({ calls }) =>
      calls.filter(
        (call) =>
          isNear(call, name) ||
          (name === 'token' ? call.kind === 'token' : call.kind === 'data' && call.method !== 'HEAD'),
      ),
    (call) => !isNear(call, name),
    ([first, ...more]) =>
      `It sent ${first?.method} ${first?.path}, which is answered with ${first?.status}${more.length > 0 ? `, in ${several(more.length + 1, 'call')}` : ''}. ${correctionOf(first, name)}`,
  );

/** What is wrong with a call that is near: its method, or its path. */
function correctionOf(call: Call | undefined, name: 'token' | 'ods_data'): string {
  const isPath =
    /[^/]\/$/.test(call?.path ?? '') && !call?.path.includes('//') && call?.path.endsWith(`/${name}/`);
  if (isPath) return `Use the method ${name === 'token' ? 'POST' : 'GET'}.`;
  return `Use the path /${name}/ as it is: one slash before it, and one at its end.`;
}

const hasToken = ({ kind, token }: Call) => kind !== 'token' && token !== undefined;

const isTokenMisplaced = ({ misplaced }: Call) => misplaced.some(({ what }) => what === 'token');

export const requestRules: readonly Rule[] = [
  {
    id: 'token-path',
    clause: 'MRS-4.1a',
    severity: 'breaks-clients',
    statement: 'The credentials are posted to {base_url}/token/.',
    advice:
      'Send POST {base_url}/token/, with this method and this path. A service may answer another path with a redirect, ' +
      'which many libraries turn into a GET, or not at all.',
    required: true,
    passive: 'requests',
    timeless: true,
    untried: NO_TOKEN_REQUEST,
    judge: atPath('token'),
  },
  {
    id: 'data-path',
    clause: 'MRS-4.2a',
    severity: 'breaks-clients',
    statement: 'The data is read by GET {base_url}/ods_data/.',
    advice: 'Send GET {base_url}/ods_data/, with this method and this path.',
    required: true,
    passive: 'requests',
    timeless: true,
    untried: NO_READ,
    judge: atPath('ods_data'),
  },
  {
    id: 'form-content-type',
    clause: 'MRS-4.1c',
    severity: 'breaks-clients',
    statement: 'The credentials are posted as application/x-www-form-urlencoded.',
    advice:
      'Send the body of POST /token/ as a form, with the header content-type: application/x-www-form-urlencoded. ' +
      'Only the answer is JSON.',
    required: true,
    passive: 'requests',
    timeless: true,
    untried: NO_TOKEN_REQUEST,
    judge: perCall(
      tokenCalls,
      ifShown(({ contentType }) => contentType, isForm),
      (calls) => `The content type of a token request was ${shown(calls[0]?.contentType)}.`,
    ),
  },
  {
    id: 'token-accept',
    clause: 'MRS-4.1d',
    severity: 'form',
    statement: 'The token request has the header accept: application/json.',
    advice:
      'Set accept: application/json on POST /token/. Many libraries send */* or nothing by default, and a service may ' +
      'then choose another format.',
    required: true,
    passive: 'requests',
    timeless: true,
    untried: NO_TOKEN_REQUEST,
    judge: perCall(
      tokenCalls,
      ifShown(({ accept }) => accept, acceptsJson),
      (calls) => `The accept header of a token request was ${shown(calls[0]?.accept)}.`,
    ),
  },
  {
    id: 'data-accept',
    clause: 'MRS-4.2c',
    severity: 'form',
    statement: 'Each read of the data has the header accept: application/json.',
    advice: 'Set accept: application/json on GET /ods_data/ too, on the repeated request as on the first.',
    required: true,
    passive: 'requests',
    timeless: true,
    untried: NO_READ,
    judge: perCall(
      dataCalls,
      ifShown(({ accept }) => accept, acceptsJson),
      (calls) => `The accept header of ${several(calls.length, 'read')} was ${shown(calls[0]?.accept)}.`,
    ),
  },
  {
    id: 'form-fields',
    clause: 'MRS-5.2',
    severity: 'breaks-clients',
    statement: 'The form has grant_type=client_credentials, client_id and client_secret.',
    advice:
      'Send the three fields, each once and with the values that the administrator gave you: ' +
      'grant_type=client_credentials&client_id=…&client_secret=…. Let a library encode them: a secret may hold any of ' +
      '+ & % and =, which mean something else in a form (as with curl -d, where --data-urlencode is right).',
    required: true,
    passive: 'requests',
    timeless: true,
    untried: 'No token request was a form.',
    judge: perCall(
      tokenCalls,
      (call, traffic) => {
        if (!isForm(call) || call.fields === undefined) return undefined;
        if (call.reason === 'wrong-credentials') return isFirst(call, traffic) ? false : undefined;
        return (
          FIELDS.every((name) => call.fields?.includes(name)) &&
          !['invalid-request', 'unsupported-grant-type'].includes(call.reason)
        );
      },
      ([first]) => `A token request came ${first ? missing(first) : ''}`,
    ),
  },
  {
    id: 'credentials-place',
    clause: 'MRS-5.2',
    severity: 'security',
    statement: 'The client secret is sent in the form of the token request and nowhere else.',
    advice:
      'Remove the secret from the URL, the headers and the bodies of other requests: proxies and servers log these. It ' +
      'belongs in the form that is posted to /token/.',
    required: true,
    passive: 'requests',
    timeless: true,
    untried: NO_TOKEN_REQUEST,
    judge: perCall(
      ({ calls }) => calls,
      ({ misplaced }) => !misplaced.some(({ what }) => what === 'client_secret'),
      (calls) =>
        `The client secret was in the ${places(calls, 'client_secret').join(' and the ')} of ${several(calls.length, 'request')}.${calls.some(isBasic) ? ` ${BASIC}` : ''}`,
    ),
  },
  {
    id: 'bearer-header',
    clause: 'MRS-5.4',
    severity: 'breaks-clients',
    statement: 'Each call except health checks carries the token as Authorization: Bearer <ACCESS_TOKEN>.',
    advice:
      'Obtain the token before the first read, and send it after the word Bearer and one space. A read without a token, ' +
      'with an empty one or with the text of an unset variable cannot succeed.',
    required: true,
    passive: 'tokens',
    timeless: true,
    untried: NO_READ,
    judge: perCall(
      ({ calls }) => calls.filter(({ kind }) => kind === 'data' || kind === 'upload'),
      ({ authorization, token, reason }) =>
        authorization === 'bearer' && (token !== undefined || reason !== 'unknown-token'),
      (calls) => {
        const [first] = calls;
        const how =
          first?.authorization === undefined
            ? 'without the header Authorization'
            : first.authorization === 'malformed'
              ? 'with an Authorization that is not Bearer and a token'
              : 'with a token that was never issued';
        return `${several(calls.length, first?.kind === 'upload' ? 'upload' : 'read')} came ${how}.`;
      },
    ),
  },
  {
    id: 'token-place',
    clause: 'MRS-5.4',
    severity: 'security',
    statement: 'The token is sent in the header Authorization and nowhere else.',
    advice:
      'Remove the token from the URL, cookies and bodies. Anyone who reads a log of URLs could use it until it expires ' +
      '(RFC 6750 section 5.3).',
    required: true,
    passive: 'requests',
    timeless: true,
    untried: NO_READ,
    judge: perCall(
      ({ calls }) => (calls.some((call) => hasToken(call) || isTokenMisplaced(call)) ? calls : []),
      (call) => !isTokenMisplaced(call),
      (calls) =>
        `A token was in the ${places(calls, 'token').join(' and the ')} of ${several(calls.length, 'request')}.`,
    ),
  },
];
