/** The forms that must not obtain a token, as rows of data. */
import { inOtherCase, unguessable, withOneMoreCharacter, withoutLastCharacter } from './forged-token.ts';
import type { TokenForm, TokenRow, ValidForm } from './row.ts';

const without =
  (field: keyof TokenForm) =>
  (form: ValidForm): TokenForm =>
    Object.fromEntries(Object.entries(form).filter(([name]) => name !== field));
/** The form with another value in one field; undefined where there is no such value, or it is the same. */
const changed =
  (field: keyof ValidForm, change: (value: string) => string | undefined) =>
  (form: ValidForm): TokenForm | undefined => {
    const value = change(form[field] ?? '');
    return value === undefined || value === form[field] ? undefined : { ...form, [field]: value };
  };
const constant = (value: string) => () => value;
/**
 * Forms that must not obtain a token: one for each requirement first, since a deployment may limit how often it is asked.
 * Those with a wrong secret come last, since it may lock a client for them.
 */
export const refusedForms: readonly TokenRow[] = [
  {
    key: 'token.withoutGrantType',
    what: 'a form without grant_type',
    meets: 'obtainToken malformed-request',
    refusedBy: 'MRS-4.1e',
    post: without('grant_type'),
  },
  {
    key: 'token.otherGrantType',
    what: 'a form with another grant_type',
    meets: 'obtainToken other-grant-type',
    refusedBy: 'MRS-4.1f',
    post: changed('grant_type', unguessable),
  },
  {
    key: 'token.withoutClientId',
    what: 'a form without client_id',
    meets: 'obtainToken malformed-request',
    refusedBy: 'MRS-4.1g',
    post: without('client_id'),
  },
  {
    key: 'token.unknownClientId',
    what: 'a form with an unknown client_id',
    meets: 'obtainToken wrong-credentials',
    refusedBy: 'MRS-4.1h',
    post: changed('client_id', unguessable),
  },
  {
    key: 'token.withoutClientSecret',
    what: 'a form without client_secret',
    meets: 'obtainToken malformed-request',
    refusedBy: 'MRS-4.1i',
    post: without('client_secret'),
  },
  {
    key: 'token.emptyGrantType',
    what: 'a form with an empty grant_type',
    refusedBy: 'MRS-4.1f',
    post: changed('grant_type', constant('')),
  },
  {
    key: 'token.cutGrantType',
    what: 'a form with the grant_type client_credential',
    refusedBy: 'MRS-4.1f',
    post: changed('grant_type', withoutLastCharacter),
  },
  {
    key: 'token.upperCaseGrantType',
    what: 'a form with the grant_type CLIENT_CREDENTIALS',
    refusedBy: 'MRS-4.1f',
    post: changed('grant_type', inOtherCase),
  },
  {
    key: 'token.passwordGrant',
    what: 'a form with the grant_type password',
    refusedBy: 'MRS-4.1f',
    post: changed('grant_type', constant('password')),
  },
  {
    key: 'token.authorizationCodeGrant',
    what: 'a form with the grant_type authorization_code',
    refusedBy: 'MRS-4.1f',
    post: changed('grant_type', constant('authorization_code')),
  },
  {
    key: 'token.refreshTokenGrant',
    what: 'a form with the grant_type refresh_token',
    refusedBy: 'MRS-4.1f',
    post: changed('grant_type', constant('refresh_token')),
  },
  {
    key: 'token.emptyClientId',
    what: 'a form with an empty client_id',
    refusedBy: 'MRS-4.1h',
    post: changed('client_id', constant('')),
  },
  {
    key: 'token.cutClientId',
    what: 'a form with the client_id without its last character',
    refusedBy: 'MRS-4.1h',
    post: changed('client_id', withoutLastCharacter),
  },
  {
    key: 'token.extendedClientId',
    what: 'a form with the client_id and one more character',
    refusedBy: 'MRS-4.1h',
    post: changed('client_id', withOneMoreCharacter),
  },
  {
    key: 'token.otherCaseClientId',
    what: 'a form with the client_id in the other case',
    refusedBy: 'MRS-4.1h',
    post: changed('client_id', inOtherCase),
  },
  {
    key: 'token.emptyClientSecret',
    what: 'a form with an empty client_secret',
    refusedBy: 'MRS-4.1i',
    post: changed('client_secret', constant('')),
    wrongSecret: 'client secret, empty',
  },
  {
    key: 'token.cutClientSecret',
    what: 'a form with the client_secret without its last character',
    meets: 'obtainToken wrong-credentials',
    refusedBy: 'MRS-4.1j',
    post: changed('client_secret', withoutLastCharacter),
    wrongSecret: 'client secret, cut',
  },
  {
    key: 'token.extendedClientSecret',
    what: 'a form with the client_secret and one more character',
    meets: 'obtainToken wrong-credentials',
    refusedBy: 'MRS-4.1j',
    post: changed('client_secret', withOneMoreCharacter),
    wrongSecret: 'client secret, extended',
  },
  {
    key: 'token.otherCaseClientSecret',
    what: 'a form with the client_secret in the other case',
    meets: 'obtainToken wrong-credentials',
    refusedBy: 'MRS-4.1j',
    post: changed('client_secret', inOtherCase),
    wrongSecret: 'client secret, in the other case',
  },
];
