/** Deployments whose token endpoint issues a token where it must not, or none where it must (section 4.1). */
import { createRequire } from 'node:module';
import type { Client } from '../../clients.ts';
import {
  absent,
  BAD_FORM,
  type Field,
  form,
  GRANT,
  instead,
  move,
  near,
  on,
  type When,
} from '../behaviour.ts';
import { type Defect, defectsOf, type Override, type Wrong, wrong } from '../deployment.ts';
import { add, body, type Edit, edited, empty, headers } from '../edits.ts';

const requirements: readonly { id: string; needs?: string }[] = createRequire(import.meta.url)(
  'mrs-contract/requirements.json',
);
/** The requirements that cannot run where a deployment gives none of these. */
const needing = (...things: string[]): string[] =>
  requirements.flatMap(({ id, needs }) => (needs !== undefined && things.includes(needs) ? id : []));

/** Nothing was served with a valid token, so no refusal proves anything. */
export const withoutData = needing('data');
/** Valid credentials obtained no token. */
export const withoutToken = needing('data', 'token');
/** Valid credentials had no success, so there is no token response to judge. */
const withoutTokenResponse = needing('data', 'token', 'token-response');

const WITHOUT_END = 'a form with the client_secret without its last character';
const OTHER_GRANT = 'a form with another grant_type';

/** Issues a token for a form. */
const issues = (id: string, given: string, does: Override): Wrong =>
  wrong({ [id]: `a form with${given}: 200` }, does);

const OF_FIELD = { grant_type: 'MRS-4.1f', client_id: 'MRS-4.1h', client_secret: 'MRS-4.1j' };

/** Takes a value of a field for the right one if it is near to it; `given` ends what the report says of the form. */
const takes = (field: Field, given: string, isNear: Parameters<typeof near>[1]): Wrong =>
  issues(OF_FIELD[field], ` .*${given}`, near(field, isNear));

const isEmpty = (value: string) => value === '';
const inLowerCase = (value: string, right: string) => value.toLowerCase() === right.toLowerCase();
const begins = (value: string, right: string) => value.length >= 3 && right.startsWith(value);
const isExtended = (value: string, right: string) => value.startsWith(right);
const isEnd = (value: string, right: string) => value.endsWith(right.slice(1));
const isTrimmed = (value: string, right: string) => value.trim() === right;
const isAsLong = (value: string, right: string) => value.length === right.length;

/** Gives a token for forms that it should refuse. */
const withToken =
  (when: When, put: (token: string) => Edit): Override =>
  (parts) =>
    on(when, (reply, moment) => {
      const client = moment.client as Client; // A mock has at least one.
      return edited(reply, put(parts.tokens.issue({ client, lifetimeSeconds: 3600 })), moment);
    })(parts);

/** Compares the secret of an unknown client with one that was not sent. */
const unchecked = form((fields, { id, secret }) => {
  if (fields.has('client_secret') || !fields.has('client_id') || fields.get('client_id') === id) return;
  fields.set('client_id', id);
  fields.set('client_secret', secret);
});
const ofGrant = (other: string): Wrong => takes('grant_type', other, (value) => value === other);

/** Refuses valid credentials. */
const refuses = (code: number, does: Override): Wrong =>
  wrong({ 'MRS-4.1a': `a form with valid credentials: ${code}` }, does, {
    cannotRun: ['MRS-4.1b', ...withoutTokenResponse],
  });

export const tokenRequestDefects: readonly Defect[] = defectsOf({
  'grant-type-optional: needs no grant_type': () =>
    issues('MRS-4.1e', 'out grant_type', absent('grant_type')),
  'any-grant-type: accepts any grant_type': () =>
    issues('MRS-4.1f', ' another grant_type', near('grant_type')),
  'client-id-optional: needs no client_id': () => issues('MRS-4.1g', 'out client_id', absent('client_id')),
  'any-client: accepts unknown clients': () => issues('MRS-4.1h', ' an unknown client_id', near('client_id')),
  'client-secret-optional: needs no secret': () =>
    issues('MRS-4.1i', 'out client_secret', absent('client_secret')),
  'unknown-client-unchecked: compares the secret of a client that it does not know with a secret that was not sent':
    () => issues('MRS-4.1i', ' an unknown client_id and without client_secret', unchecked),
  'client-secret-third-time: accepts any secret but an empty one once it has refused two': () =>
    issues('MRS-4.1j', ' the client_secret .*', (parts) => {
      let refused = 0;
      return near('client_secret', (value, right) => value !== '' && value !== right && ++refused > 2)(parts);
    }),
  'any-client-secret: issues a token to a known client for any secret': () =>
    wrong(
      { 'MRS-4.1i': 'a form with an empty client_secret: 200', 'MRS-4.1j': `${WITHOUT_END}: 200` },
      near('client_secret'),
    ),
  'token-in-refusal: refuses forms with a 4xx status, but includes a token': () =>
    wrong(
      {
        'MRS-4.1e': 'a form without grant_type: 400',
        'MRS-4.1f': `${OTHER_GRANT}: 400`,
        'MRS-4.1g': 'a form without client_id: 400',
        'MRS-4.1h': 'a form with an unknown client_id: 401',
        'MRS-4.1i': 'a form without client_secret: 400',
        'MRS-4.1j': `${WITHOUT_END}: 401`,
      },
      withToken({ to: BAD_FORM }, (token) => add({ token })),
    ),
  'wants-basic-authentication: requires the client credentials in an Authorization header': () =>
    wrong(
      {
        'MRS-4.1a': 'a form with valid credentials: 401',
        'MRS-4.1b': 'a token without an Authorization header; seen: .* credentials: 401, .* header: 200',
      },
      on(
        { at: 'obtainToken', if: ({ request }) => !request.headers.authorization?.startsWith('Basic ') },
        401,
        headers({ 'www-authenticate': 'Basic' }),
        empty,
      ),
      { cannotRun: withoutTokenResponse },
    ),
  'token-path-without-slash: has its token endpoint at /token': () =>
    refuses(404, move('obtainToken', '/token')),
  'error-with-200: answers valid credentials with an error and status 200': () =>
    wrong(
      { 'MRS-2a': 'credentials: 200', 'MRS-4.1l': 'no further field, but there is error; seen: ' },
      on('issued', body('{"error":"temporarily_unavailable"}')),
      { cannotRun: ['MRS-4.1b', ...withoutToken] },
    ),
  'one-token-per-client: issues one token only': () =>
    // Nothing that it refuses after the first token proves anything.
    wrong(
      {
        'MRS-4.1m': 'a token for the same credentials again; seen: the form .* again: 401',
        'MRS-5.6b': 'a new token for the same credentials; seen: the form .* again: 401',
      },
      instead({ to: 'issued', from: 2 }, 'wrongCredentials'),
      { mayNotRun: true },
    ),
  'grant-type-password: issues a token for the grant_type password': () => ofGrant('password'),
  'grant-type-authorization-code: accepts the grant_type authorization_code': () =>
    ofGrant('authorization_code'),
  'grant-type-refresh-token: issues a token for the grant_type refresh_token': () => ofGrant('refresh_token'),
  'grant-type-empty: accepts an empty grant_type': () => takes('grant_type', 'an empty grant_type', isEmpty),
  'grant-type-cut: issues a token for the beginning of the right grant_type': () =>
    takes('grant_type', 'client_credential', begins),
  'grant-type-upper-case: issues a token for the right grant_type in capitals': () =>
    takes('grant_type', 'CLIENT_CREDENTIALS', inLowerCase),
  'grant-type-extended: issues a token for whatever contains the right grant_type': () =>
    takes('grant_type', 'client_credentialsx', (value) => value.includes(GRANT)),
  'grant-type-jwt-bearer: issues a token for the grant_type of RFC 7523': () =>
    takes('grant_type', 'the JWT bearer grant_type', (value) => value.startsWith('urn:ietf:params:oauth:')),
  'client-id-empty: accepts an empty client_id': () => takes('client_id', 'an empty client_id', isEmpty),
  'client-id-cut: accepts a cut id': () => takes('client_id', 'without its last character', begins),
  'client-id-suffix-only: compares only the last characters of an id': () =>
    takes('client_id', 'without its first character', isEnd),
  'client-id-padded: ignores a space after the id': () =>
    takes('client_id', 'and a space after it', (value, right) => value === `${right} `),
  'client-id-extended: accepts a longer id': () => takes('client_id', 'and one more character', isExtended),
  'client-id-of-same-length: compares only the length of an id': () =>
    takes('client_id', 'in the other case', isAsLong),
  'client-secret-trimmed: trims a secret': () => takes('client_secret', 'and a space after it', isTrimmed),
});
