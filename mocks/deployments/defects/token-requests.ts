/** Deployments whose token endpoint issues a token where it must not, or none where it must (section 4.1). */
import type { Client } from '../../state/clients.ts';
import { absent, BAD_FORM, type Field, form, GRANT, instead, move, near, on } from '../behaviour.ts';
import { type Defect, defect, type Override } from '../deployment.ts';
import { add, body, type Edit, empty, headers, json } from '../edits.ts';

/** Nothing was served with a valid token, so no refusal proves anything. */
export const withoutData = [
  ...['MRS-1.3', 'MRS-4.2b', 'MRS-5.3b', 'MRS-5.5a', 'MRS-5.5b', 'MRS-5.6a', 'MRS-5.6b', 'MRS-7a'],
];
/** Valid credentials obtained no token. */
export const withoutToken = [
  ...['MRS-4.1e', 'MRS-4.1f', 'MRS-4.1g', 'MRS-4.1h', 'MRS-4.1i', 'MRS-4.1j', 'MRS-4.1m', 'MRS-4.2a'],
  ...withoutData,
];
/** Valid credentials had no success, so there is no token response to judge. */
export const withoutTokenResponse = ['MRS-2a', 'MRS-4.1k', 'MRS-4.1l', ...withoutToken];

const WITHOUT_SECRET_END = 'a form with the client_secret without its last character';
const OTHER_GRANT = 'a form with another grant_type';

/** Issues a token for a form: by the name of the deployment. */
const issuing = (
  rows: Record<string, [id: string, given: string, summary: string, does: Override]>,
): Defect[] =>
  Object.entries(rows).map(([name, [id, given, summary, does]]) =>
    defect(name, summary, { fails: { [id]: `a form with${given}: 200` }, does }),
  );

/** Takes a value of a field for the right one if it is near to it: by the end of its name. */
const nearTo = (
  prefix: string,
  field: Field,
  id: string,
  rows: Record<string, [form: string, summary: string, isNear: Parameters<typeof near>[1]]>,
): Defect[] =>
  Object.entries(rows).flatMap(([name, [given, summary, isNear]]) =>
    issuing({ [`${prefix}-${name}`]: [id, ` ${given}`, summary, near(field, isNear)] }),
  );

const inLowerCase = (value: string, right: string) => value.toLowerCase() === right.toLowerCase();
const begins = (value: string, right: string) => value.length >= 3 && right.startsWith(value);
const isExtended = (value: string, right: string) => value.startsWith(right);
const isAsLong = (value: string, right: string) => value.length === right.length;

const firstClient = ({ state }: Parameters<Override>[0]) => state.clients.list()[0] as Client; // There is one at least.

/** Refuses another grant, with a token in an unusual place. */
const tokenInRefusal = (name: string, place: string, put: (token: string) => Edit): Defect =>
  defect(
    `token-in-refusal-${name}`,
    `refuses a form with another grant_type, but includes a token ${place}`,
    {
      fails: { 'MRS-4.1f': `${OTHER_GRANT}: 400` },
      does(parts) {
        const token = parts.tokens.issue({ client: firstClient(parts), lifetimeSeconds: 3600 });
        return on('unsupportedGrantType', put(token))(parts);
      },
    },
  );

/** Refuses valid credentials. */
const refuses = (name: string, summary: string, seen: string, does: Override): Defect =>
  defect(name, summary, {
    fails: { 'MRS-4.1a': seen },
    cannotRun: ['MRS-4.1b', ...withoutTokenResponse],
    does,
  });

/** Issues no second token; an altered form of an expired token is refused for its age then. */
const noSecondToken = (name: string, summary: string, does: Override): Defect =>
  defect(name, summary, {
    fails: {
      'MRS-4.1m': 'a token for the same credentials again; seen: the form .* again: 401',
      'MRS-5.6b': 'a new token for the same credentials; seen: the form .* again: 401',
    },
    cannotRun: ['MRS-5.5a', 'MRS-5.5b', 'MRS-7a'],
    does,
  });

export const tokenRequestDefects: readonly Defect[] = [
  ...issuing({
    'grant-type-optional': [
      'MRS-4.1e',
      'out grant_type',
      'issues a token without grant_type',
      absent('grant_type'),
    ],
    'any-grant-type': [
      'MRS-4.1f',
      ' another grant_type',
      'issues a token for any grant_type',
      near('grant_type'),
    ],
    'client-id-optional': [
      'MRS-4.1g',
      'out client_id',
      'identifies a client by its secret only',
      absent('client_id'),
    ],
    'any-client': [
      'MRS-4.1h',
      ' an unknown client_id',
      'issues a token to unknown clients',
      near('client_id'),
    ],
    'client-secret-optional': [
      'MRS-4.1i',
      'out client_secret',
      'issues a token without client_secret',
      absent('client_secret'),
    ],
    'empty-client-secret': [
      'MRS-4.1i',
      ' an empty client_secret',
      'issues a token for an empty client_secret',
      near('client_secret', (value) => value === ''),
    ],
    'unknown-client-unchecked': [
      'MRS-4.1i',
      ' an unknown client_id and without client_secret',
      'compares the secret of a client that it does not know with a secret that was not sent',
      form((fields, { id, secret }) => {
        if (fields.has('client_secret') || !fields.has('client_id') || fields.get('client_id') === id) return;
        fields.set('client_id', id);
        fields.set('client_secret', secret);
      }),
    ],
    'client-secret-third-time': [
      'MRS-4.1j',
      ' the client_secret .*',
      'accepts any secret once it has refused two',
      (parts) => {
        let refused = 0;
        return near('client_secret', (value, right) => value !== right && ++refused > 2)(parts);
      },
    ],
  }),
  defect('any-client-secret', 'issues a token to a known client for any secret', {
    fails: {
      'MRS-4.1i': 'a form with an empty client_secret: 200',
      'MRS-4.1j': `${WITHOUT_SECRET_END}: 200`,
    },
    does: near('client_secret'),
  }),
  defect('token-in-refusal', 'refuses forms with a 4xx status, but includes a token', {
    fails: {
      'MRS-4.1e': 'a form without grant_type: 400',
      'MRS-4.1f': `${OTHER_GRANT}: 400`,
      'MRS-4.1g': 'a form without client_id: 400',
      'MRS-4.1h': 'a form with an unknown client_id: 401',
      'MRS-4.1i': 'a form without client_secret: 400',
      'MRS-4.1j': `${WITHOUT_SECRET_END}: 401`,
    },
    does: (parts) => {
      const token = () => parts.tokens.issue({ client: firstClient(parts), lifetimeSeconds: 60 });
      return on(
        BAD_FORM,
        json((error) => ({ ...error, token: token() })),
      )(parts);
    },
  }),
  tokenInRefusal('nested', 'under debug/issued', (token) => add({ debug: { issued: token } })),
  tokenInRefusal('cookie', 'in a cookie', (token) => headers({ 'set-cookie': `token=${token}` })),
  defect('second-bad-form-served', 'issues a token for every other form that it should refuse', {
    fails: { 'MRS-4.1f': ': 200', 'MRS-4.1h': ': 200', 'MRS-4.1i': ': 200', 'MRS-4.1j': ': 200' },
    does: (parts) => {
      const token = () => parts.tokens.issue({ client: firstClient(parts), lifetimeSeconds: 60 });
      return on(
        { to: BAD_FORM, every: 2 },
        200,
        json(() => ({ token: token() })),
      )(parts);
    },
  }),
  defect('wants-basic-authentication', 'requires the client credentials in an Authorization header', {
    fails: {
      'MRS-4.1a': 'a form with valid credentials: 401',
      'MRS-4.1b': 'a token without an Authorization header; seen: .* credentials: 401, .* header: 200',
    },
    cannotRun: withoutTokenResponse,
    does: on(
      { at: 'obtainToken', if: ({ request }) => !request.headers.authorization?.startsWith('Basic ') },
      401,
      headers({ 'www-authenticate': 'Basic' }),
      empty,
    ),
  }),
  refuses(
    'form-not-read',
    'refuses the form with 415, since it only reads JSON',
    'a form with valid credentials: 415',
    on({ at: 'obtainToken' }, 415, body('{"error":"invalid_request"}')),
  ),
  refuses(
    'token-path-without-slash',
    'has its token endpoint at /token, and 404 at /token/',
    'status 200; check the base URL .*; seen: a form with valid credentials: 404',
    move('obtainToken', (operation) => ({ ...operation, path: '/token' })),
  ),
  refuses(
    'token-path-redirects',
    'redirects /token/ to /token',
    'a form with valid credentials: 308',
    on({ at: 'obtainToken' }, 308, headers({ location: '../token' }), empty),
  ),
  defect('error-with-200', 'answers valid credentials with an error and status 200', {
    fails: {
      'MRS-2a': 'credentials: 200',
      'MRS-4.1l': 'no further field, but there is error; seen: ',
    },
    cannotRun: ['MRS-4.1b', ...withoutToken],
    does: on('issued', body('{"error":"temporarily_unavailable"}')),
  }),
  noSecondToken(
    'one-token-per-client',
    'issues one token, and refuses the same credentials from then on',
    instead({ to: 'issued', from: 2 }, 'wrongCredentials'),
  ),
  noSecondToken(
    'no-renewal',
    'refuses a client permanently once its token has expired',
    instead({ to: 'issued', if: ({ count }) => count('expired') > 0 }, 'wrongCredentials'),
  ),
  ...nearTo('grant-type', 'grant_type', 'MRS-4.1f', {
    empty: ['an empty grant_type', 'issues a token for an empty grant_type', (value) => value === ''],
    cut: [
      'the grant_type client_credential',
      'issues a token for the beginning of the right grant_type',
      begins,
    ],
    'upper-case': [
      'the grant_type CLIENT_CREDENTIALS',
      'issues a token for the right grant_type in capitals',
      inLowerCase,
    ],
    extended: [
      'the grant_type client_credentialsx',
      'issues a token for whatever contains the right grant_type',
      (value) => value.includes(GRANT),
    ],
    'jwt-bearer': [
      'the JWT bearer grant_type',
      'issues a token for the grant_type of RFC 7523',
      (value) => value.startsWith('urn:ietf:params:oauth:grant-type:'),
    ],
    'not-known': [
      'another grant_type',
      'issues a token for a grant_type that OAuth does not know',
      (value) => /^[\w-]{20,}$/.test(value),
    ],
    'with-client': [
      'the grant_type client_credential',
      'issues a token for any grant_type with the word client',
      (value) => /client/i.test(value),
    ],
  }),
  ...['password', 'authorization_code', 'refresh_token'].flatMap((other) =>
    nearTo('grant-type', 'grant_type', 'MRS-4.1f', {
      [other.replace('_', '-')]: [
        `the grant_type ${other}`,
        `issues a token for the grant_type ${other}`,
        (value) => value === other,
      ],
    }),
  ),
  ...nearTo('client-id', 'client_id', 'MRS-4.1h', {
    empty: [
      'an empty client_id',
      'identifies a client by its secret if its id is empty',
      (value) => value === '',
    ],
    cut: ['the client_id without its last character', 'accepts the beginning of an id', begins],
    'suffix-only': [
      'the client_id without its first character',
      'compares only the last characters of an id',
      (value, right) => value.endsWith(right.slice(1)),
    ],
    extended: [
      'the client_id and one more character',
      'accepts an id with more characters after it',
      isExtended,
    ],
    'case-insensitive': ['the client_id in the other case', 'ignores the case of an id', inLowerCase],
    'of-same-length': ['the client_id in the other case', 'compares only the length of an id', isAsLong],
  }),
  ...nearTo('client-secret', 'client_secret', 'MRS-4.1j', {
    'prefix-only': [
      'the client_secret without its last character',
      'compares only the first characters of a secret',
      (value, right) => value.startsWith(right.slice(0, 8)),
    ],
    cut: ['the client_secret without its last character', 'accepts the beginning of a secret', begins],
    extended: [
      'the client_secret and a space after it',
      'accepts a secret with more characters after it',
      isExtended,
    ],
    trimmed: [
      'the client_secret and a space after it',
      'ignores spaces around a secret',
      (value, right) => value.trim() === right,
    ],
    'case-insensitive': ['the client_secret in the other case', 'ignores the case of a secret', inLowerCase],
    'of-same-length': [
      'the client_secret in the other case',
      'compares only the length of a secret',
      isAsLong,
    ],
  }),
];
