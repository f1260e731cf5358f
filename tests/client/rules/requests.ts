/** The form of each request. */

import { several } from '../../report/text.ts';
import { FORM_FIELDS, FORM_TYPE, jsonAcceptance } from '../../traffic/exchange.ts';
import { type Check, perCall } from '../rule.ts';
import { type Call, dataCalls, type ScenarioTraffic, tokenCalls, tokensReceived } from '../traffic.ts';

const isForm = ({ contentType = '' }: Call) => contentType.split(';')[0]?.trim().toLowerCase() === FORM_TYPE;

/** Whether the header names the type itself, as clauses 4.1 and 4.2 state it: a wider range is not enough. */
const acceptsJson = ({ accept }: Call) => jsonAcceptance(accept) === 'named';

/** Whether a call keeps a rule on a header; undefined where a recorder may have left the header out. */
const ifShown =
  (headerOf: (call: Call) => string | undefined, keeps: (call: Call) => boolean) => (call: Call) =>
    call.lacksHeaders && headerOf(call) === undefined ? undefined : keeps(call);

const shown = (value: string | undefined) => (value === undefined ? 'none' : `"${value}"`);

/** Whether a token request authenticates the client by HTTP Basic, as most OAuth2 libraries do by default. */
const isBasic = ({ kind, authorization, misplaced }: Call): boolean =>
  kind === 'token' &&
  authorization === 'malformed' &&
  misplaced.some(({ what, where }) => what === 'client_secret' && where === 'header');

/** A client that gets no token for it does not show its next mistake yet. */
const BASIC =
  'The client authenticates by HTTP Basic, as OAuth2 libraries do by default: let it put the credentials into the form, which ' +
  'libraries call client_secret_post, "body" or include_client_id, and read the member token of the answer where the ' +
  'library looks for access_token.';

const hintOfBasic = (calls: readonly Call[]) => (calls.some(isBasic) ? ` ${BASIC}` : '');

function missing(call: Call): string {
  const { fields = [], reason } = call;
  const left = FORM_FIELDS.filter((name) => !fields.includes(name));
  if (left.length > 0) return `without ${left.join(' and ')}.${hintOfBasic([call])}`;
  if (reason === 'unsupported-grant-type') return 'with another grant_type than client_credentials.';
  if (reason === 'wrong-credentials')
    return 'with another client_id or client_secret than it was given, or one that was not encoded as forms are.';
  return 'with a field that is empty, is there twice, or was not encoded as forms are.';
}

const isMisplaced = ({ misplaced }: Call, secret: 'token' | 'client_secret') =>
  misplaced.some(({ what }) => what === secret);

/** The places in which a secret was that has no business there: `query and the header`. */
const places = (calls: readonly Call[], secret: 'token' | 'client_secret') => {
  const found = calls.flatMap(({ misplaced }) => misplaced.filter(({ what }) => what === secret));
  return [...new Set(found.map(({ where }) => where))].join(' and the ');
};

const isFirst = (call: Call, traffic: ScenarioTraffic) =>
  !tokensReceived(traffic).some(({ endMs }) => endMs <= call.startMs);

/**
 * Whether a call is meant for this path, and goes to one that is almost it, or by another method, of the client's own accord.
 * What a service answers with success may be another endpoint (clause 4.4), unless only slashes and case differ.
 */
function isNear({ kind, method, path, status, isRedirected }: Call, name: 'token' | 'ods_data'): boolean {
  const segments = path
    .toLowerCase()
    .split('/')
    .filter((segment) => segment !== '');
  if (kind !== 'other' || method === 'HEAD' || isRedirected || segments.at(-1) !== name) return false;
  const isItself = segments.length === 1 && method === (name === 'token' ? 'POST' : 'GET');
  return isItself || status < 200 || status > 299;
}

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
      `It sent ${first?.method} ${first?.path}, which is ${first?.status ? `answered with ${first.status}` : 'not answered'}${more.length > 0 ? `, in ${several(more.length + 1, 'call')}` : ''}. ${correctionOf(first, name)}`,
  );

/** What is wrong with a call that is near: its method, or its path. */
function correctionOf(call: Call | undefined, name: 'token' | 'ods_data'): string {
  const isPath =
    /[^/]\/$/.test(call?.path ?? '') && !call?.path.includes('//') && call?.path.endsWith(`/${name}/`);
  const right = name === 'token' ? 'POST' : 'GET';
  if (isPath && call?.method === right)
    return `Keep the path of the base URL, to which ${name}/ is appended: a join with /${name}/ drops it.`;
  if (isPath) return `Use the method ${right}.`;
  return `Use the path /${name}/ as it is: one slash before it, and one at its end.`;
}

const hasToken = ({ kind, token }: Call) => kind !== 'token' && token !== undefined;

export const requestChecks: Record<string, Check> = {
  'token-path': atPath('token'),
  'data-path': atPath('ods_data'),
  'form-content-type': perCall(
    tokenCalls,
    ifShown(({ contentType }) => contentType, isForm),
    ([first]) => `The content type of a token request was ${shown(first?.contentType)}.`,
  ),
  'token-accept': perCall(
    tokenCalls,
    ifShown(({ accept }) => accept, acceptsJson),
    ([first]) => `The accept header of a token request was ${shown(first?.accept)}.`,
  ),
  'data-accept': perCall(
    dataCalls,
    ifShown(({ accept }) => accept, acceptsJson),
    (calls) => `The accept header of ${several(calls.length, 'read')} was ${shown(calls[0]?.accept)}.`,
  ),
  'form-fields': perCall(
    tokenCalls,
    (call, traffic) => {
      if (!isForm(call) || call.fields === undefined) return undefined;
      if (call.reason === 'wrong-credentials') return isFirst(call, traffic) ? false : undefined;
      return (
        FORM_FIELDS.every((name) => call.fields?.includes(name)) &&
        !['invalid-request', 'unsupported-grant-type'].includes(call.reason)
      );
    },
    ([first]) => `A token request came ${first ? missing(first) : ''}`,
  ),
  'credentials-place': perCall(
    ({ calls }) => calls,
    (call) => !isMisplaced(call, 'client_secret'),
    (calls) =>
      `The client secret was in the ${places(calls, 'client_secret')} of ${several(calls.length, 'request')}.${hintOfBasic(calls)}`,
  ),
  'bearer-header': perCall(
    ({ calls }) => calls.filter(({ kind }) => kind === 'data'),
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
      return `${several(calls.length, 'read')} came ${how}.`;
    },
  ),
  'token-place': perCall(
    ({ calls }) => (calls.some((call) => hasToken(call) || isMisplaced(call, 'token')) ? calls : []),
    (call) => !isMisplaced(call, 'token'),
    (calls) => `A token was in the ${places(calls, 'token')} of ${several(calls.length, 'request')}.`,
  ),
};
