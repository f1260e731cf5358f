/**
 * One request at least for each requirement that a deployment meets by refusing, before all variants of them: it may limit
 * how often it is asked, or ban a client for odd requests.
 */
import { alter, unguessable, withoutLastCharacter } from './forged-token.ts';
import { changed, without } from './form-changes.ts';
import type { DataRow, TokenRow } from './row.ts';

export const firstRefusals: readonly (TokenRow | DataRow)[] = [
  {
    key: 'data.malformedToken',
    what: 'the data with a bearer header without a token',
    meets: 'readData malformed-token',
    refusedBy: 'MRS-1.3',
    read: { bearer: () => '' },
  },
  {
    key: 'data.otherScheme',
    what: 'the data with random Basic credentials',
    refusedBy: 'MRS-1.3',
    read: { basic: unguessable },
  },
  {
    key: 'data.unknownToken',
    what: 'the data with a token that was never issued',
    meets: 'readData unknown-token',
    refusedBy: 'MRS-5.5a',
    read: { bearer: unguessable },
  },
  {
    key: 'data.alteredToken',
    what: 'the data with the token, one character altered',
    refusedBy: 'MRS-5.5b',
    read: { forged: alter, alias: 'token, altered' },
  },
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
    key: 'token.cutClientSecret',
    what: 'a form with the client_secret without its last character',
    meets: 'obtainToken wrong-credentials',
    refusedBy: 'MRS-4.1j',
    post: changed('client_secret', withoutLastCharacter),
    wrongSecret: 'client secret, cut',
  },
];
