/** The requests with tokens that were never issued, as rows of data. */
import {
  alterClaims,
  cut,
  extended,
  inOtherCase,
  randomBeginning,
  randomEnd,
  randomLike,
  unguessable,
  unsigned,
  withACharacterBefore,
  withoutFirstCharacter,
  withoutSignature,
} from './forged-token.ts';
import type { DataRow } from './row.ts';

/** After all that needs an expiry: a deployment may ban a client for tokens that were never issued. */
export const unknownTokenRows: readonly DataRow[] = [
  {
    key: 'data.likeToken',
    what: 'the data with a random token of the same form',
    refusedBy: 'MRS-5.5a',
    read: { forged: randomLike, alias: 'token, random' },
  },
  {
    key: 'data.alteredClaims',
    what: 'the data with the token, one character of its claims altered',
    refusedBy: 'MRS-5.5b',
    read: { forged: alterClaims, alias: 'token, altered in its claims' },
  },
  {
    key: 'data.cutToken',
    what: 'the data with the token, cut at its end',
    refusedBy: 'MRS-5.5b',
    read: { forged: cut, alias: 'token, cut' },
  },
  {
    key: 'data.extendedToken',
    what: 'the data with the token, extended at its end',
    refusedBy: 'MRS-5.5b',
    read: { forged: extended, alias: 'token, extended' },
  },
  {
    key: 'data.cutBeginning',
    what: 'the data with the token without its first character',
    refusedBy: 'MRS-5.5b',
    read: { forged: withoutFirstCharacter, alias: 'token, cut at its beginning' },
  },
  {
    key: 'data.prefixedToken',
    what: 'the data with the token and one character before it',
    refusedBy: 'MRS-5.5b',
    read: { forged: withACharacterBefore, alias: 'token, with a character before it' },
  },
  {
    key: 'data.otherCaseToken',
    what: 'the data with the token in the other case',
    refusedBy: 'MRS-5.5b',
    read: { forged: inOtherCase, alias: 'token, in the other case' },
  },
  {
    key: 'data.withoutTokenLater',
    what: 'the data without a token, later',
    meets: 'readData missing-token',
    refusedBy: 'MRS-1.3',
    repeats: 'data.withoutToken',
    read: { anonymous: true },
  },
  {
    key: 'data.unknownTokenAgain',
    what: 'the data with another token that was never issued',
    meets: 'readData unknown-token',
    refusedBy: 'MRS-5.5a',
    repeats: 'data.unknownToken',
    read: { bearer: unguessable },
  },
  {
    key: 'data.undefinedToken',
    what: 'the data with the token undefined',
    refusedBy: 'MRS-5.5a',
    read: { bearer: () => 'undefined' },
  },
  {
    key: 'data.nullToken',
    what: 'the data with the token null',
    refusedBy: 'MRS-5.5a',
    read: { bearer: () => 'null' },
  },
  {
    key: 'data.ownCredentials',
    what: 'the data with the client credentials by HTTP Basic',
    refusedBy: 'MRS-1.3',
    read: { credentials: true },
  },
  {
    key: 'data.sameBeginning',
    what: 'the data with a random token that begins like the real one',
    refusedBy: 'MRS-5.5b',
    read: { forged: randomEnd, alias: 'token, with a random end' },
  },
  {
    key: 'data.withoutTokenOnceMore',
    what: 'the data without a token once more',
    meets: 'readData missing-token',
    refusedBy: 'MRS-1.3',
    repeats: 'data.withoutToken',
    read: { anonymous: true },
  },
  {
    key: 'data.sameEnd',
    what: 'the data with a random token that ends like the real one',
    refusedBy: 'MRS-5.5b',
    read: { forged: randomBeginning, alias: 'token, with a random beginning' },
  },
  {
    key: 'data.strippedToken',
    what: 'the data with the token without its signature',
    refusedBy: 'MRS-5.5b',
    read: { forged: withoutSignature, alias: 'token, without its signature' },
  },
  {
    key: 'data.unsignedToken',
    what: 'the data with the token, unsigned by its own header',
    refusedBy: 'MRS-5.5b',
    read: { forged: unsigned, alias: 'token, unsigned' },
  },
];
