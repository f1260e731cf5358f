/** Deployments that issue a token for a form whose fields are only near to what they should be. */
import type { Client } from '../../clients.ts';
import type { Defect } from '../deployment.ts';
import { mapForm } from '../overrides.ts';

const GRANT = 'client_credentials';
const SPECIFIED = { grant_type: GRANT } as const;

const noTokenTo = (form: string) => new RegExp(`^expected no token; seen: a form with ${form}: 200\\b`);

type Field = 'grant_type' | 'client_id' | 'client_secret';

/** Takes a value of the field for the right one if it is near to it. */
const near = (
  name: string,
  field: Field,
  id: string,
  form: string,
  summary: string,
  isNear: (value: string, right: string) => boolean,
): Defect => ({
  name,
  summary,
  fails: { [id]: noTokenTo(form) },
  override: mapForm((fields, { id, secret }: Client) => {
    const right = { ...SPECIFIED, client_id: id, client_secret: secret }[field];
    const value = fields.get(field);
    if (value !== null && isNear(value, right)) fields.set(field, right);
  }),
});

const grant = (name: string, form: string, summary: string, isNear: (value: string) => boolean) =>
  near(`grant-type-${name}`, 'grant_type', 'MRS-4.1f', form, `issues a token for ${summary}`, isNear);

const clientId = (
  name: string,
  id: string,
  form: string,
  summary: string,
  isNear: (value: string, right: string) => boolean,
) => near(`client-id-${name}`, 'client_id', id, form, summary, isNear);

const clientSecret = (
  name: string,
  form: string,
  summary: string,
  isNear: (value: string, right: string) => boolean,
) => near(`client-secret-${name}`, 'client_secret', 'MRS-4.1j', form, summary, isNear);

const inLowerCase = (value: string, right: string) => value.toLowerCase() === right.toLowerCase();
const begins = (value: string, right: string) => value.length >= 3 && right.startsWith(value);
const extends_ = (value: string, right: string) => value.startsWith(right);

export const nearCredentialDefects: readonly Defect[] = [
  grant('empty', 'an empty grant_type', 'an empty grant_type', (value) => value === ''),
  grant('cut', 'the grant_type client_credential', 'the beginning of the right grant_type', (value) =>
    begins(value, GRANT),
  ),
  grant('upper-case', 'the grant_type CLIENT_CREDENTIALS', 'the right grant_type in capitals', (value) =>
    inLowerCase(value, GRANT),
  ),
  grant('extended', 'the grant_type client_credentialsx', 'whatever contains the right grant_type', (value) =>
    value.includes(GRANT),
  ),
  grant('jwt-bearer', 'the JWT bearer grant_type', 'the grant_type of RFC 7523', (value) =>
    value.startsWith('urn:ietf:params:oauth:grant-type:'),
  ),
  ...['password', 'authorization_code', 'refresh_token'].map((other) =>
    grant(
      other.replace('_', '-'),
      `the grant_type ${other}`,
      `the grant_type ${other}`,
      (value) => value === other,
    ),
  ),
  grant('not-known', 'another grant_type', 'a grant_type that OAuth does not know', (value) =>
    /^[\w-]{20,}$/.test(value),
  ),
  grant('with-client', 'the grant_type client_credential', 'any grant_type with the word client', (value) =>
    /client/i.test(value),
  ),
  clientId(
    'empty',
    'MRS-4.1h',
    'an empty client_id',
    'identifies a client by its secret if its id is empty',
    (value) => value === '',
  ),
  clientId(
    'cut',
    'MRS-4.1h',
    'the client_id without its last character',
    'accepts the beginning of an id',
    begins,
  ),
  clientId(
    'suffix-only',
    'MRS-4.1h',
    'the client_id without its first character',
    'compares only the last characters of an id',
    (value, right) => value.endsWith(right.slice(1)),
  ),
  clientId(
    'extended',
    'MRS-4.1h',
    'the client_id and one more character',
    'accepts an id with more characters after it',
    extends_,
  ),
  clientId(
    'case-insensitive',
    'MRS-4.1h',
    'the client_id in the other case',
    'ignores the case of an id',
    inLowerCase,
  ),
  clientId(
    'of-same-length',
    'MRS-4.1h',
    'the client_id in the other case',
    'compares only the length of an id',
    (value, right) => value.length === right.length,
  ),
  clientSecret(
    'cut',
    'the client_secret without its last character',
    'accepts the beginning of a secret',
    begins,
  ),
  clientSecret(
    'extended',
    'the client_secret and a space after it',
    'accepts a secret with more characters after it',
    extends_,
  ),
  clientSecret(
    'trimmed',
    'the client_secret and a space after it',
    'ignores spaces around a secret',
    (value, right) => value.trim() === right,
  ),
  {
    name: 'unknown-client-unchecked',
    summary: 'compares the secret of a client that it does not know with a secret that was not sent',
    fails: { 'MRS-4.1i': noTokenTo('an unknown client_id and without client_secret') },
    override: mapForm((fields, { id, secret }) => {
      if (fields.has('client_secret') || !fields.has('client_id') || fields.get('client_id') === id) return;
      fields.set('client_id', id);
      fields.set('client_secret', secret);
    }),
  },
  clientSecret(
    'case-insensitive',
    'the client_secret in the other case',
    'ignores the case of a secret',
    inLowerCase,
  ),
  clientSecret(
    'of-same-length',
    'the client_secret in the other case',
    'compares only the length of a secret',
    (value, right) => value.length === right.length,
  ),
  {
    name: 'client-secret-third-time',
    summary: 'accepts any secret once it has refused two',
    fails: { 'MRS-4.1j': noTokenTo('the client_secret .*') },
    override(parts) {
      let refused = 0;
      return mapForm((fields, { secret }) => {
        const value = fields.get('client_secret');
        if (value !== null && value !== secret && ++refused > 2) fields.set('client_secret', secret);
      })(parts);
    },
  },
];
