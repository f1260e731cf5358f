/** The requests with tokens that were never issued, as rows of data. */
import {
  alter,
  alterClaims,
  inOtherCase,
  randomBeginning,
  randomEnd,
  randomLike,
  unguessable,
  unsigned,
  withOneMoreCharacter,
  withoutLastCharacter,
  withoutSignature,
} from './forged-token.ts';
import type { DataRow, TokenRow } from './row.ts';

/** Tokens that were never issued, after all that needs an expiry: a deployment may ban a client for them. */
export const unknownTokenProbes: readonly (TokenRow | DataRow)[] = [
  {
    key: 'token.another',
    what: 'the form with the same credentials once more',
    post: (form) => form,
    issues: 'another',
  },
  {
    key: 'data.newestToken',
    what: 'the data with the newest token',
    meets: 'readData valid-token',
    ifServed: true,
    read: { token: 'another' },
  },
  {
    key: 'open.tokenBefore',
    what: 'the data with the token before the newest',
    read: { token: 'renewed' },
  },
  {
    key: 'token.last',
    what: 'the form with the same credentials a fourth time',
    post: (form) => form,
    issues: 'newest',
  },
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
    key: 'data.likeToken',
    what: 'the data with a random token of the same form',
    refusedBy: 'MRS-5.5a',
    read: { forged: randomLike, alias: 'token, random' },
  },
  {
    key: 'data.alteredToken',
    what: 'the data with the token, one character altered',
    refusedBy: 'MRS-5.5b',
    read: { forged: alter, alias: 'token, altered' },
  },
  {
    key: 'data.alteredClaims',
    what: 'the data with the token, one character of its claims altered',
    refusedBy: 'MRS-5.5b',
    read: { forged: alterClaims, alias: 'token, altered in its claims' },
  },
  {
    key: 'data.cutToken',
    what: 'the data with the token without its last character',
    refusedBy: 'MRS-5.5b',
    read: { forged: withoutLastCharacter, alias: 'token, cut' },
  },
  {
    key: 'data.extendedToken',
    what: 'the data with the token and one more character',
    refusedBy: 'MRS-5.5b',
    read: { forged: withOneMoreCharacter, alias: 'token, extended' },
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
    read: { anonymous: true },
  },
  {
    key: 'data.unknownTokenAgain',
    what: 'the data with another token that was never issued',
    meets: 'readData unknown-token',
    refusedBy: 'MRS-5.5a',
    read: { bearer: unguessable },
  },
  {
    key: 'data.sameBeginning',
    what: 'the data with a random token that begins like the real one',
    refusedBy: 'MRS-5.5b',
    read: { forged: randomEnd, alias: 'token, with a random end' },
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
