/** The requests of a run, as a table in its order. What they are sent for is in tests/requirements.yaml. */
import {
  alter,
  alterClaims,
  changed,
  cut,
  extended,
  inOtherCase,
  randomBeginning,
  randomEnd,
  randomLike,
  type TokenForm,
  unguessable,
  unsigned,
  type ValidForm,
  without,
  withoutFirstCharacter,
  withoutLastCharacter,
  withoutSignature,
} from './forge.ts';

/** A token that a run obtains, by the name that rows know it by. */
export type TokenName = 'first' | 'expired' | 'renewed' | 'another' | 'newest';

interface Row<Key extends string = string> {
  /** Where the evidence has the answer: a group and a name. */
  key: Key;
  /** What the request is, as a noun phrase. */
  what: string;
  /** The condition of the contract that it meets, an `x-response-when` of its operation. */
  when?: string;
  /** Meets its condition only if it was served: the token may have ended before. */
  ifServed?: true;
  /** The requirement by which it must be refused. */
  refusedBy?: string;
}

/** A request to the token endpoint. */
export interface TokenRow<Key extends string = string> extends Row<Key> {
  /** Undefined where the credentials give no occasion for it. */
  post(valid: ValidForm): TokenForm | undefined;
  /** Keeps the token of the answer under this name. */
  issues?: TokenName;
  /** With the credentials in an Authorization header too (RFC 7617); sent only where the form by itself is refused. */
  withHeader?: true;
  /**
   * What reports call the wrong secret that is posted for the real client; --safe leaves it out, since some deployments
   * lock a client for it.
   */
  wrongSecret?: string;
}

/**
 * A request without a form, most often for the data by GET. `newest`: with the token that was obtained last, if any; `live`:
 * the same, replaced first where it has grown old.
 */
export interface DataRow<Key extends string = string> extends Row<Key> {
  by:
    | TokenName
    | 'newest'
    | 'live'
    | 'nothing'
    | 'credentials'
    | { forged(token: string): string | undefined; alias: string }
    /** The header itself. */
    | { header(): string };
  /** Of a request that the contract does not have: its method and its path. */
  aside?: { method: 'GET' | 'HEAD' | 'OPTIONS'; path(dataPath: string): string };
}

export type ProbeRow = TokenRow | DataRow;

type More<R extends Row> = Omit<R, 'key' | 'what' | 'post' | 'by'>;
type Change = (value: string) => string | undefined;

/** A form with valid credentials, unless `post` changes it. */
const form = <Name extends string>(
  name: Name,
  what: string,
  more: More<TokenRow>,
  post: TokenRow['post'] = (valid) => valid,
): TokenRow<`token.${Name}`> => ({ key: `token.${name}`, what, post, ...more });

const grant = <Name extends string>(name: Name, what: string, change: Change) =>
  form(name, `a form with ${what}`, { refusedBy: 'MRS-4.1f' }, changed('grant_type', change));

const client = <Name extends string>(name: Name, what: string, change: Change) =>
  form(name, `a form with ${what}`, { refusedBy: 'MRS-4.1h' }, changed('client_id', change));

const secret = <Name extends string>(name: Name, how: string, change: Change) => {
  const wrongSecret = `the client_secret ${how}`;
  const more = { when: 'wrong-credentials', refusedBy: 'MRS-4.1j', wrongSecret };
  return form(name, `a form with ${wrongSecret}`, more, changed('client_secret', change));
};

const malformed = <Name extends string>(name: Name, field: keyof TokenForm, refusedBy: string) =>
  form(name, `a form without ${field}`, { when: 'malformed-request', refusedBy }, without(field));

const read = <Name extends string>(
  name: Name,
  what: string,
  by: DataRow['by'],
  more: More<DataRow> = {},
): DataRow<`data.${Name}`> => ({ key: `data.${name}`, what: `the data ${what}`.trimEnd(), by, ...more });

const served = <Name extends string>(name: Name, what: string, by: DataRow['by']) =>
  read(name, what, by, { when: 'valid-token', ifServed: true });

const refused = <Name extends string>(name: Name, what: string, by: DataRow['by'], refusedBy: string) =>
  read(name, what, by, { refusedBy });

const expired = <Name extends string>(name: Name, what: string) => refused(name, what, 'expired', 'MRS-5.6a');

const anonymous = <Name extends string>(name: Name, what: string) =>
  read(name, what, 'nothing', { when: 'missing-token', refusedBy: 'MRS-1.3' });

const NEVER_ISSUED = { header: () => `Bearer ${unguessable()}` };
const unknown = <Name extends string>(name: Name, what: string) =>
  read(name, what, NEVER_ISSUED, { when: 'unknown-token', refusedBy: 'MRS-5.5a' });

/** With a token that is close to one that was issued; `alias` is what reports call it. */
const near = <Name extends string>(name: Name, alias: string, forged: Change, refusedBy = 'MRS-5.5b') =>
  refused(name, `with ${alias}`, { forged, alias }, refusedBy);

type Aside = NonNullable<DataRow['aside']>;
const itself: Aside['path'] = (dataPath) => dataPath;
const withoutSlash: Aside['path'] = (dataPath) => dataPath.replace(/\/$/, '');
const withQuery: Aside['path'] = (dataPath) => `${dataPath}?format=json`;

/** What no clause binds: its answer is observed. */
const asked = <Name extends string>(name: Name, what: string, method: Aside['method'], path = itself) => {
  const row = read(name, what, 'newest', { aside: { method, path } });
  return { ...row, key: `open.${name}` } as DataRow<`open.${Name}`>;
};

const askedWithoutToken = <Name extends string>(name: Name, what: string, path: Aside['path']) =>
  read(name, `without a token, ${what}`, 'nothing', { refusedBy: 'MRS-1.3', aside: { method: 'GET', path } });

/** The beginning of a run, which is repeated once where its token turns out to have expired. */
export const firstRows = [
  form('valid', 'a form with valid credentials', { when: 'valid-credentials', issues: 'first' }),
  form('withAuthorization', 'the same form with an Authorization header', { withHeader: true }),
  read('first', 'with the token', 'first', { when: 'valid-token' }),
  read('second', 'with the same token again', 'first', { when: 'valid-token' }),
  served('third', 'with the same token once more', 'first'),
];

/** Before the token expires: only what provokes no defence of the deployment. */
export const earlyRows = [
  anonymous('withoutToken', 'without a token'),
  anonymous('withoutTokenAgain', 'without a token again'),
];

/** When these two are sent, and with which token, is up to the way in which a token is seen to expire. */
export const lateRow = served('late', 'with the token shortly before it expires', 'first');
export const expiredRow = read('expiredToken', 'with the expired token', 'expired', {
  when: 'expired-token',
  refusedBy: 'MRS-5.6a',
});

/** The form that renews a token. */
export const renewalForm = form('again', 'the form with the same credentials again', {
  when: 'valid-credentials',
  issues: 'renewed',
});

/** After that: a deployment may keep only the newest token alive. */
export const renewalRows = [
  renewalForm,
  served('freshToken', 'with the new token', 'renewed'),
  served('freshTokenAgain', 'with the new token again', 'renewed'),
  expired('expiredAgain', 'with the expired token again'),
];

/** What follows the renewal of a run. */
export const rowsAfterRenewal = [
  // Two more tokens, and the data with each of them at once.
  form('another', 'the form with the same credentials once more', { issues: 'another' }),
  served('newestToken', 'with the newest token', 'another'),
  { ...read('', 'with the token before the newest', 'renewed'), key: 'open.tokenBefore' } as const,
  form('last', 'the form with the same credentials a fourth time', { issues: 'newest' }),
  served('lastToken', 'with the fourth token', 'newest'),

  // One request at least for each requirement that a deployment meets by refusing, before all variants of them: it may
  // limit how often it is asked, or ban a client for odd requests.
  {
    ...refused(
      'malformedToken',
      'with a bearer header without a token',
      { header: () => 'Bearer' },
      'MRS-1.3',
    ),
    when: 'malformed-token',
  },
  refused(
    'otherScheme',
    'with random Basic credentials',
    { header: () => `Basic ${unguessable()}` },
    'MRS-1.3',
  ),
  unknown('unknownToken', 'with a token that was never issued'),
  near('alteredToken', 'the token, one character altered', alter),
  malformed('withoutGrantType', 'grant_type', 'MRS-4.1e'),
  { ...grant('otherGrantType', 'another grant_type', unguessable), when: 'other-grant-type' },
  malformed('withoutClientId', 'client_id', 'MRS-4.1g'),
  { ...client('unknownClientId', 'an unknown client_id', unguessable), when: 'wrong-credentials' },
  malformed('withoutClientSecret', 'client_secret', 'MRS-4.1i'),
  secret('cutClientSecret', 'without its last character', withoutLastCharacter),

  // After all that needs an expiry: a deployment may ban a client for tokens that were never issued.
  near('likeToken', 'a random token of the same form', randomLike, 'MRS-5.5a'),
  near('alteredClaims', 'the token, one character of its claims altered', alterClaims),
  near('cutToken', 'the token, cut at its end', cut),
  near('extendedToken', 'the token, extended at its end', extended),
  near('cutBeginning', 'the token without its first character', withoutFirstCharacter),
  near('prefixedToken', 'the token and one character before it', (text) => `x${text}`),
  near('otherCaseToken', 'the token in the other case', inOtherCase),
  anonymous('withoutTokenLater', 'without a token, later'),
  unknown('unknownTokenAgain', 'with another token that was never issued'),
  refused('undefinedToken', 'with the token undefined', { header: () => 'Bearer undefined' }, 'MRS-5.5a'),
  refused('nullToken', 'with the token null', { header: () => 'Bearer null' }, 'MRS-5.5a'),
  refused('ownCredentials', 'with the client credentials by HTTP Basic', 'credentials', 'MRS-1.3'),
  near('sameBeginning', 'a random token that begins like the real one', randomEnd),
  anonymous('withoutTokenOnceMore', 'without a token once more'),
  near('sameEnd', 'a random token that ends like the real one', randomBeginning),
  near('strippedToken', 'the token without its signature', withoutSignature),
  near('unsignedToken', 'the token, unsigned by its own header', unsigned),

  // The refusals again, and the data once more, which shows that the deployment has not banned the client meanwhile.
  expired('expiredLater', 'with the expired token, later'),
  unknown('unknownTokenLater', 'with one more token that was never issued'),
  anonymous('withoutTokenLast', 'without a token, at the end'),
  anonymous('withoutTokenAfterwards', 'without a token, once more at the end'),
  expired('expiredLast', 'with the expired token, at the end'),
  served('control', 'with the newest token, at the end', 'live'),

  // Near forms. Those with a wrong secret come last, since a deployment may lock a client for them.
  grant('emptyGrantType', 'an empty grant_type', () => ''),
  grant('cutGrantType', 'the grant_type client_credential', withoutLastCharacter),
  grant('extendedGrantType', 'the grant_type client_credentialsx', (text) => `${text}x`),
  grant('upperCaseGrantType', 'the grant_type CLIENT_CREDENTIALS', inOtherCase),
  grant('passwordGrant', 'the grant_type password', () => 'password'),
  grant('authorizationCodeGrant', 'the grant_type authorization_code', () => 'authorization_code'),
  grant('refreshTokenGrant', 'the grant_type refresh_token', () => 'refresh_token'),
  grant('jwtBearerGrant', 'the JWT bearer grant_type', () => 'urn:ietf:params:oauth:grant-type:jwt-bearer'),
  client('emptyClientId', 'an empty client_id', () => ''),
  client('cutClientId', 'the client_id without its last character', withoutLastCharacter),
  client('cutBeginningOfClientId', 'the client_id without its first character', withoutFirstCharacter),
  client('extendedClientId', 'the client_id and one more character', (text) => `${text}x`),
  client('otherCaseClientId', 'the client_id in the other case', inOtherCase),
  form(
    'unknownClientWithoutSecret',
    'a form with an unknown client_id and without client_secret',
    { refusedBy: 'MRS-4.1i' },
    ({ grant_type }) => ({ grant_type, client_id: unguessable() }),
  ),
  form(
    'emptyClientSecret',
    'a form with an empty client_secret',
    { refusedBy: 'MRS-4.1i', wrongSecret: 'an empty client_secret' },
    changed('client_secret', () => ''),
  ),
  secret('extendedClientSecret', 'and a space after it', (text) => `${text} `),
  secret('otherCaseClientSecret', 'in the other case', inOtherCase),

  // At the very end, since no clause says what a deployment does there, and some hang. No verdict depends on it, but for
  // one point: the data is not given without a token anywhere.
  askedWithoutToken('withoutTokenByQuery', 'with a query', withQuery),
  askedWithoutToken('withoutTokenOrSlash', 'at its path without the slash', withoutSlash),
  asked('head', 'by HEAD', 'HEAD'),
  asked('options', 'by OPTIONS', 'OPTIONS'),
  asked('withoutSlash', 'without the slash at the end of its path', 'GET', withoutSlash),
];

/** All requests of a run at a deployment that offers no tokens: everyone may read its data. */
export const feedRows = [
  read('first', '', 'nothing'),
  read('second', 'again', 'nothing'),
  asked('head', 'by HEAD', 'HEAD'),
  asked('options', 'by OPTIONS', 'OPTIONS'),
];

const rows = [...firstRows, ...earlyRows, lateRow, expiredRow, ...renewalRows, ...rowsAfterRenewal];

/** Where the evidence has the answer to a request: its group and its name. */
export type ProbeKey = (typeof rows)[number]['key'];

/** A row of the table of a run. */
export type PlannedRow = ProbeRow & { key: ProbeKey };

/** All requests of a run, in its order. */
export const requests: readonly PlannedRow[] = rows;

/** The same of rows that send the same request: a decision on one of them is enough. */
export const kindOf = (row: ProbeRow): unknown => ('post' in row ? row.post : row.aside ? row : row.by);
