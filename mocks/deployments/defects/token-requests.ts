/** Deployments whose token endpoint issues a token where it must not, or none where it must (section 4.1). */
import type { Client } from '../../clients.ts';
import { absent, BAD_FORM, type Field, form, GRANT, instead, move, near, on } from '../behaviour.ts';
import { type Defect, defectsOf, type Override, UNDECIDED, wrong } from '../deployment.ts';
import { add, body, edited, empty, headers } from '../edits.ts';

const OF_FIELD = { grant_type: 'MRS-4.1f', client_id: 'MRS-4.1h', client_secret: 'MRS-4.1j' };

/** Takes a value of a field for the right one if it is near to it. */
const takes = (field: Field, isNear: Parameters<typeof near>[1]) =>
  wrong(OF_FIELD[field], near(field, isNear));
const takesGrant = (other: string) => takes('grant_type', (value) => value === other);

const isEmpty = (value: string) => value === '';
const inLowerCase = (value: string, right: string) => value.toLowerCase() === right.toLowerCase();
const begins = (value: string, right: string) => value.length >= 3 && right.startsWith(value);

/** Gives a token for forms that it refuses. */
const withToken: Override = (parts) =>
  on(BAD_FORM, (reply, moment) => {
    const client = moment.client as Client; // A mock has at least one.
    return edited(reply, add({ token: parts.tokens.issue({ client, lifetimeSeconds: 3600 }) }), moment);
  })(parts);

/** Compares the secret of an unknown client with one that was not sent. */
const unchecked = form((fields, { id, secret }) => {
  if (fields.has('client_secret') || !fields.has('client_id') || fields.get('client_id') === id) return;
  fields.set('client_id', id);
  fields.set('client_secret', secret);
});

export const tokenRequestDefects: readonly Defect[] = defectsOf({
  'grant-type-optional: needs no grant_type': () => wrong('MRS-4.1e', absent('grant_type')),
  'any-grant-type: accepts any grant_type': () => wrong('MRS-4.1f', near('grant_type')),
  'client-id-optional: needs no client_id': () => wrong('MRS-4.1g', absent('client_id')),
  'any-client: accepts unknown clients': () => wrong('MRS-4.1h', near('client_id')),
  'client-secret-optional: needs no secret': () => wrong('MRS-4.1i', absent('client_secret')),
  'unknown-client-unchecked: compares the secret of a client that it does not know with a secret that was not sent':
    () => wrong('MRS-4.1i', unchecked),
  'any-client-secret: issues a token to a known client for any secret': () =>
    wrong('MRS-4.1i MRS-4.1j', near('client_secret')),
  'token-in-refusal: refuses forms with a 4xx status, but includes a token': () =>
    wrong('MRS-4.1e MRS-4.1f MRS-4.1g MRS-4.1h MRS-4.1i MRS-4.1j', withToken),
  'wants-basic-authentication: requires the client credentials in an Authorization header': () =>
    wrong(
      'MRS-4.1a MRS-4.1b',
      on(
        { at: 'obtainToken', if: ({ request }) => !request.headers.authorization?.startsWith('Basic ') },
        401,
        headers({ 'www-authenticate': 'Basic' }),
        empty,
      ),
      UNDECIDED,
    ),
  'token-path-without-slash: has its token endpoint at /token': () =>
    wrong('MRS-4.1a', move('obtainToken', { path: '/token' }), UNDECIDED),
  'error-with-200: answers valid credentials with an error and status 200': () =>
    wrong('MRS-2a MRS-4.1l', on('issued', body('{"error":"temporarily_unavailable"}')), UNDECIDED),
  // Nothing that it refuses after the first token proves anything.
  'one-token-per-client: issues one token only': () =>
    wrong('MRS-4.1m MRS-5.6b', instead({ to: 'issued', from: 2 }, 'wrongCredentials'), UNDECIDED),
  'grant-type-password: issues a token for the grant_type password': () => takesGrant('password'),
  'grant-type-authorization-code: accepts the grant_type authorization_code': () =>
    takesGrant('authorization_code'),
  'grant-type-refresh-token: issues a token for the grant_type refresh_token': () =>
    takesGrant('refresh_token'),
  'grant-type-empty: accepts an empty grant_type': () => takes('grant_type', isEmpty),
  'grant-type-cut: issues a token for the beginning of the right grant_type': () =>
    takes('grant_type', begins),
  'grant-type-upper-case: issues a token for the right grant_type in capitals': () =>
    takes('grant_type', inLowerCase),
  'grant-type-extended: issues a token for whatever contains the right grant_type': () =>
    takes('grant_type', (value) => value.includes(GRANT)),
  'grant-type-jwt-bearer: issues a token for the grant_type of RFC 7523': () =>
    takes('grant_type', (value) => value.startsWith('urn:ietf:params:oauth:')),
  'client-id-empty: accepts an empty client_id': () => takes('client_id', isEmpty),
  'client-id-cut: accepts a cut id': () => takes('client_id', begins),
  'client-id-suffix-only: compares only the last characters of an id': () =>
    takes('client_id', (value, right) => value.endsWith(right.slice(1))),
  'client-id-padded: ignores a space after the id': () =>
    takes('client_id', (value, right) => value === `${right} `),
  'client-id-extended: accepts a longer id': () =>
    takes('client_id', (value, right) => value.startsWith(right)),
  'client-id-any-case: ignores the case of an id': () => takes('client_id', inLowerCase),
  'client-secret-any-case: ignores the case of a secret': () => takes('client_secret', inLowerCase),
  'client-secret-trimmed: trims a secret': () =>
    takes('client_secret', (value, right) => value.trim() === right),
});
