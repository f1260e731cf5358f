/** The forms that must not obtain a token, as rows of data. */
import {
  inOtherCase,
  unguessable,
  withASpaceAfter,
  withOneMoreCharacter,
  withoutFirstCharacter,
  withoutLastCharacter,
} from './forged-token.ts';
import { changed, constant } from './form-changes.ts';
import type { TokenRow } from './row.ts';

/** Near forms that must not obtain a token. Those with a wrong secret come last, since a deployment may lock a client for them. */
export const refusedForms: readonly TokenRow[] = [
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
    key: 'token.extendedGrantType',
    what: 'a form with the grant_type client_credentialsx',
    refusedBy: 'MRS-4.1f',
    post: changed('grant_type', withOneMoreCharacter),
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
    key: 'token.jwtBearerGrant',
    what: 'a form with the JWT bearer grant_type',
    refusedBy: 'MRS-4.1f',
    post: changed('grant_type', constant('urn:ietf:params:oauth:grant-type:jwt-bearer')),
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
    key: 'token.cutBeginningOfClientId',
    what: 'a form with the client_id without its first character',
    refusedBy: 'MRS-4.1h',
    post: changed('client_id', withoutFirstCharacter),
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
    key: 'token.unknownClientWithoutSecret',
    what: 'a form with an unknown client_id and without client_secret',
    refusedBy: 'MRS-4.1i',
    post: ({ grant_type }) => ({ grant_type, client_id: unguessable() }),
  },
  {
    key: 'token.emptyClientSecret',
    what: 'a form with an empty client_secret',
    refusedBy: 'MRS-4.1i',
    post: changed('client_secret', constant('')),
    wrongSecret: 'client secret, empty',
  },
  {
    key: 'token.extendedClientSecret',
    what: 'a form with the client_secret and a space after it',
    meets: 'obtainToken wrong-credentials',
    refusedBy: 'MRS-4.1j',
    post: changed('client_secret', withASpaceAfter),
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
