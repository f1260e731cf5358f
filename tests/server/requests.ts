/** The requests of a run, as a table in its order, each in its condition: the requirements ask for answers by conditions. */
import {
  alter,
  alterClaims,
  type Change,
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
  unsignedInOtherCase,
  type ValidForm,
  withoutFirstCharacter,
  withoutLastCharacter,
  withoutSignature,
} from './forge.ts';

/**
 * The conditions of requests, by which requirements ask for answers: an `x-response-when` of the contract and, after a space, what
 * is particular. A run knows the condition of each request that it sends; classify.ts recognises that of a recorded call.
 */
export const CONDITIONS = [
  'valid-credentials',
  'valid-credentials with a header',
  'valid-credentials refused',
  'valid-credentials again',
  'malformed-request without grant_type',
  'malformed-request without client_id',
  'malformed-request without client_secret',
  'other-grant-type',
  'wrong-credentials client_id',
  'wrong-credentials client_secret',
  // A read, what it brought, and a later one with the same token.
  'valid-token',
  'valid-token body',
  'valid-token again',
  'missing-token',
  'malformed-token',
  'unknown-token',
  'unknown-token altered',
  // Of a token that was refused, or was served after its lifetime; the token after it.
  'expired-token',
  'expired-token status',
  'expired-token served',
  'expired-token renewed',
  'healthy',
] as const;
export type Condition = (typeof CONDITIONS)[number];

/** The tokens that a run obtains, by the names that rows know them by. */
export const TOKENS = ['first', 'expired', 'given', 'renewed', 'another', 'newest'] as const;
export type TokenName = (typeof TOKENS)[number];

interface Row {
  /** What the request is, as a noun phrase. */
  what: string;
  /** The condition that it is in. */
  when?: Condition;
  /** Only close to it: no example of the contract says how such a request is answered. */
  isNear?: true;
  /** In its condition only if it was served: the token may have ended before. */
  ifServed?: true;
}

/** A request to the token endpoint. */
export interface TokenRow extends Row {
  /** Undefined where the credentials give no occasion for it. */
  post(valid: ValidForm): TokenForm | undefined;
  /** Keeps the token of the answer under this name. */
  issues?: TokenName;
  /** With the credentials in an Authorization header too (RFC 7617); sent only where the form by itself is refused. */
  withHeader?: true;
  /** What reports call the wrong secret that is posted for the real client, which --safe leaves out. */
  wrongSecret?: string;
}

/**
 * A request without a form, most often for the data by GET. `live`: with the token that was obtained last, replaced first
 * where it has grown old.
 */
export interface DataRow extends Row {
  by:
    | TokenName
    | 'live'
    | 'nothing'
    | 'credentials'
    /** Those that the deployment set with the data. */
    | 'cookies'
    /** Nothing but headers of `fromInside`. */
    | 'inside'
    | { forged: Change; alias: string }
    /** The header itself. */
    | { header(): string };
  /** Where it does not ask for JSON. */
  accept?: string;
  /** Of a request that the contract does not have: its method and its path. */
  aside?: { method: 'GET' | 'OPTIONS'; path(dataPath: string): string };
}

export type ProbeRow = TokenRow | DataRow;

/** Rows in their order, each by its key: where the evidence has the answer. */
const table = <Key extends string>(rows: Record<Key, ProbeRow>) =>
  Object.entries<ProbeRow>(rows).map(([key, row]) => ({ key: key as Key, ...row }));

type More<R extends Row> = Omit<R, 'what' | 'post' | 'by'>;

/** A form with valid credentials, unless `post` changes it. */
const form = (what: string, more: More<TokenRow>, post: TokenRow['post'] = (valid) => valid): TokenRow => ({
  what,
  post,
  ...more,
});

const wrong =
  (field: keyof TokenForm, when: Condition) =>
  (what: string, change: Change, more: Pick<Row, 'isNear'> = { isNear: true }) =>
    form(`a form with ${what}`, { when, ...more }, changed(field, change));
const grant = wrong('grant_type', 'other-grant-type');
const client = wrong('client_id', 'wrong-credentials client_id');

const secret = (how: string, change: Change) => {
  const wrongSecret = `the client_secret ${how}`;
  const more = { when: 'wrong-credentials client_secret', wrongSecret } as const;
  return form(`a form with ${wrongSecret}`, more, changed('client_secret', change));
};

const malformed = (field: keyof TokenForm) =>
  form(
    `a form without ${field}`,
    { when: `malformed-request without ${field}` },
    ({ [field]: _, ...form }) => form,
  );

const read = (what: string, by: DataRow['by'], more: More<DataRow> = {}): DataRow => ({
  what: `the data ${what}`.trimEnd(),
  by,
  ...more,
});

const served = (what: string, by: DataRow['by']) => read(what, by, { when: 'valid-token', ifServed: true });

/** How reads are called that show whether the deployment still serves the client. */
export const WATCH = 'the data with the newest token, ';
const watch = (when: string) => served(`with the newest token, ${when}`, 'live');

const refused = (what: string, by: DataRow['by'], when: Condition, more: More<DataRow> = {}) =>
  read(what, by, { when, isNear: true, ...more });

const expired = (what: string) => refused(what, 'expired', 'expired-token');

const anonymous = (what: string) => read(what, 'nothing', { when: 'missing-token' });

const NEVER_ISSUED = { header: () => `Bearer ${unguessable()}` };
const unknown = (what: string) => read(what, NEVER_ISSUED, { when: 'unknown-token' });

/** A deployment may check tokens only where JSON is asked for. What it answers then, no condition of the contract says. */
const asHtml = (what: string, by: DataRow['by'], when: Condition) =>
  refused(`${what}, as HTML`, by, when, { accept: 'text/html,*/*;q=0.8' });

/** With a token that is close to one that was issued; `alias` is what reports call it. */
const near = (alias: string, forged: Change, when: Condition = 'unknown-token altered') =>
  refused(`with ${alias}`, { forged, alias }, when);

type Aside = NonNullable<DataRow['aside']>;
const askedWithoutToken = (what: string, path: Aside['path']) =>
  refused(`without a token, ${what}`, 'nothing', 'missing-token', { aside: { method: 'GET', path } });

/** No clause says how it is answered, so the answer is observed. */
const options = read('by OPTIONS, without a token', 'nothing', {
  aside: { method: 'OPTIONS', path: (dataPath) => dataPath },
});

/** The beginning of a run, which is repeated once where its token turns out to have expired. */
export const firstRows = table({
  'token.valid': form('a form with valid credentials', { when: 'valid-credentials', issues: 'first' }),
  'token.withAuthorization': form('the same form with an Authorization header', { withHeader: true }),
  'data.first': read('with the token', 'first', { when: 'valid-token' }),
  'data.second': read('with the same token again', 'first', { when: 'valid-token' }),
  'data.third': served('with the same token once more', 'first'),
  'data.fourth': served('with the same token a fourth time', 'first'),
  'data.fifth': served('with the same token a fifth time', 'first'),
});

/** Before the token expires: only what provokes no defence of the deployment. */
export const earlyRows = table({
  'data.withoutToken': anonymous('without a token'),
  'data.withoutTokenAgain': anonymous('without a token again'),
});

/** When these are sent, and with which token, is up to the way in which a token is seen to expire. */
export const expiryRows = table({
  'data.late': served('with the token shortly before it expires', 'first'),
  'data.expiredToken': read('with the expired token', 'expired', { when: 'expired-token' }),
  'data.givenToken': refused('with the token in MRS_EXPIRED_TOKEN', 'given', 'expired-token'),
});

/**
 * The last requests of a run, where its time allows to wait once more: a deployment may end only the first token, and forget it a
 * while later. Only the refusals of the first token count by status: those of the other two may come from a lock for wrong
 * secrets.
 */
export const secondExpiryRows = table({
  'data.newestExpired': expired('with the newest token, after its end'),
  'data.anotherExpired': expired('with an earlier token, after its end'),
  'data.expiredLongAgo': expired('with the expired token, long after its end'),
});

/** The form that renews a token. */
export const renewalForm = form('the form with the same credentials again', {
  when: 'valid-credentials',
  issues: 'renewed',
});

/** After that: a deployment may keep only the newest token alive. */
export const renewalRows = table({
  'token.again': renewalForm,
  'data.freshToken': served('with the new token', 'renewed'),
  'data.freshTokenAgain': served('with the new token again', 'renewed'),
  'data.expiredAgain': expired('with the expired token again'),
});

/** What follows the renewal of a run. */
export const rowsAfterRenewal = table({
  // Two more tokens, and the data with each of them at once.
  'token.another': form('the form with the same credentials once more', { issues: 'another' }),
  'data.newestToken': served('with the newest token', 'another'),
  'open.tokenBefore': read('with the token before the newest', 'renewed'),
  'token.last': form('the form with the same credentials a fourth time', { issues: 'newest' }),
  'data.lastToken': served('with the fourth token', 'newest'),

  // One request at least for each requirement that a deployment meets by refusing, before all variants of them: it may
  // limit how often it is asked, or ban a client for odd requests.
  'data.malformedToken': read(
    'with Authorization: Bearer, without a token',
    { header: () => 'Bearer' },
    { when: 'malformed-token' },
  ),
  'data.otherScheme': refused(
    'with Authorization: Basic and random credentials',
    { header: () => `Basic ${unguessable()}` },
    'missing-token',
  ),
  'data.unknownToken': unknown('with a token that was never issued'),
  'data.alteredToken': near('the token, one character altered', alter),
  'token.withoutGrantType': malformed('grant_type'),
  'token.otherGrantType': grant('another grant_type', unguessable, {}),
  'token.withoutClientId': malformed('client_id'),
  'token.unknownClientId': client('an unknown client_id', unguessable, {}),
  'token.withoutClientSecret': malformed('client_secret'),
  'token.cutClientSecret': secret('without its last character', withoutLastCharacter),

  // A read that must be served among every ten requests or so that must be refused: a ban may begin and end between two of them.
  'data.watch': watch('after the first refusals'),

  // After all that needs an expiry: a deployment may ban a client for tokens that were never issued.
  'data.likeToken': near('a random token of the same form', randomLike, 'unknown-token'),
  'data.alteredClaims': near('the token, one character of its claims altered', alterClaims),
  'data.cutToken': near('the token, cut at its end', cut),
  'data.extendedToken': near('the token, extended at its end', extended),
  'data.cutBeginning': near('the token without its first character', withoutFirstCharacter),
  'data.prefixedToken': near('the token and one character before it', (text) => `x${text}`),
  'data.otherCaseToken': near('the token in the other case', inOtherCase),
  'data.withoutTokenLater': anonymous('without a token, later'),
  'data.unknownTokenAgain': unknown('with another token that was never issued'),
  'data.undefinedToken': refused(
    'with the token undefined',
    { header: () => 'Bearer undefined' },
    'unknown-token',
  ),
  'data.nullToken': refused('with the token null', { header: () => 'Bearer null' }, 'unknown-token'),
  'data.watchAgain': watch('after more refusals'),
  'data.lowerCaseScheme': refused(
    'with a token that was never issued, by the scheme bearer',
    { header: () => `bearer ${unguessable()}` },
    'unknown-token',
  ),
  'data.withoutScheme': refused(
    'with a token that was never issued in Authorization, without a scheme',
    { header: unguessable },
    'missing-token',
  ),
  'data.ownCredentials': refused(
    'with Authorization: Basic and the client credentials',
    'credentials',
    'missing-token',
  ),
  'data.sameBeginning': near('a random token that begins like the real one', randomEnd),
  'data.withoutTokenOnceMore': anonymous('without a token once more'),
  'data.sameEnd': near('a random token that ends like the real one', randomBeginning),
  'data.strippedToken': near('the token without its signature', withoutSignature),
  'data.unsignedToken': near('the token, unsigned by its own header', unsigned),

  'data.unsignedInOtherCase': near('the token, unsigned by a header in another case', unsignedInOtherCase),

  // The refusals again, and the data once more, which shows that the deployment has not banned the client meanwhile. The
  // expired token is sent an odd number of requests after the first time: one of two replicas may be wrong.
  'data.unknownTokenLater': asHtml(
    'with one more token that was never issued',
    NEVER_ISSUED,
    'unknown-token',
  ),
  'data.expiredLater': expired('with the expired token, later'),
  'data.watchLater': watch('after forged tokens'),
  'data.withoutTokenLast': anonymous('without a token, at the end'),
  'data.withoutTokenAfterwards': asHtml('without a token', 'nothing', 'missing-token'),
  'data.withCookies': refused('without a token, with its cookies', 'cookies', 'missing-token'),
  'data.expiredAsHtml': asHtml('with the expired token', 'expired', 'expired-token'),
  'data.expiredLast': expired('with the expired token, at the end'),
  'data.control': watch('at the end'),

  // Near forms. Those with a wrong secret come last, since a deployment may lock a client for them, and where one of three
  // replicas checks none, one reaches it.
  'token.emptyGrantType': grant('an empty grant_type', () => ''),
  'token.cutGrantType': grant('the grant_type client_credential', withoutLastCharacter),
  'token.extendedGrantType': grant('the grant_type client_credentialsx', (text) => `${text}x`),
  'token.upperCaseGrantType': grant('the grant_type CLIENT_CREDENTIALS', inOtherCase),
  'token.passwordGrant': grant('the grant_type password', () => 'password'),
  'token.authorizationCodeGrant': grant('the grant_type authorization_code', () => 'authorization_code'),
  'token.refreshTokenGrant': grant('the grant_type refresh_token', () => 'refresh_token'),
  'token.jwtBearerGrant': grant(
    'the JWT bearer grant_type',
    () => 'urn:ietf:params:oauth:grant-type:jwt-bearer',
  ),
  'data.watchForms': watch('among the forms'),
  'token.emptyClientId': client('an empty client_id', () => ''),
  'token.cutClientId': client('the client_id without its last character', withoutLastCharacter),
  'token.cutBeginningOfClientId': client('the client_id without its first character', withoutFirstCharacter),
  'token.extendedClientId': client('the client_id and one more character', (text) => `${text}x`),
  'token.paddedClientId': client('the client_id and a space after it', (text) => `${text} `),
  'token.otherCaseClientId': client('the client_id in the other case', inOtherCase),
  'token.unknownClientWithoutSecret': form(
    'a form with an unknown client_id and without client_secret',
    { when: 'malformed-request without client_secret', isNear: true },
    ({ grant_type }) => ({ grant_type, client_id: unguessable() }),
  ),
  'token.extendedClientSecret': secret('and a space after it', (text) => `${text} `),
  'token.otherCaseClientSecret': secret('in the other case', inOtherCase),
  'token.emptyClientSecret': form(
    'a form with an empty client_secret',
    {
      ...{ when: 'malformed-request without client_secret', isNear: true },
      wrongSecret: 'an empty client_secret',
    },
    changed('client_secret', () => ''),
  ),

  // Valid credentials and a valid token once more: without an acceptance after them, the refusals prove nothing.
  'token.end': form('the form with the same credentials, at the end', { issues: 'newest' }),
  'data.end': watch('after all refusals'),

  // At the very end, since no clause says what a deployment does there, and some hang. No verdict depends on it, but for
  // one point: the data is not given without a token anywhere, by OPTIONS either.
  'data.withoutTokenByQuery': askedWithoutToken('with a query', (path) => `${path}?format=json`),
  'data.withoutTokenOrSlash': askedWithoutToken('at its path without the slash', (path) =>
    path.replace(/\/$/, ''),
  ),
  'data.fromInside': {
    ...askedWithoutToken('with headers that a gateway sets', (path) => path),
    by: 'inside',
  },
  'open.options': options,
});

/** All requests of a run at a deployment that offers no tokens: everyone may read its data. */
export const feedRows = table({
  'data.first': read('', 'nothing'),
  'data.second': read('again', 'nothing'),
  'open.options': options,
});

const rows = [
  ...firstRows,
  ...earlyRows,
  ...expiryRows,
  ...renewalRows,
  ...rowsAfterRenewal,
  ...secondExpiryRows,
];

/** Where the evidence has the answer to a request: its group and its name. */
export type ProbeKey = (typeof rows)[number]['key'];

/** All requests of a run, in its order. */
export const requests: readonly (ProbeRow & { key: ProbeKey })[] = rows;

/** Whether a row is in a condition whose requests must be refused. */
export const mustBeRefused = (row: Pick<Row, 'when'> | undefined): boolean =>
  row?.when !== undefined && !/^(valid-|healthy)/.test(row.when);

/** The row whose request is called so. */
export const rowNamed = (what: string) => ROW_OF.get(what);
const ROW_OF = new Map(requests.map((row) => [row.what, row]));

/** Whether a deployment must accept the request that is called so: a form with valid credentials, or a read with a valid token. */
export function mustBeAccepted(what: string): boolean {
  const row: ProbeRow | undefined = rowNamed(what);
  if (!row) return what.startsWith(WATCH);
  return 'post' in row ? row.issues !== undefined : row.when === 'valid-token';
}

/** The same of rows that send the same request: a decision on one of them is enough. */
export const kindOf = (row: ProbeRow): unknown => ('post' in row ? row.post : row.aside ? row : row.by);
