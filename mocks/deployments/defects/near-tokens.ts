/** Deployments that accept tokens which they never issued, if they are near enough to one that they issued. */
import { randomUUID } from 'node:crypto';
import type { TokenLookup } from '../../tokens.ts';
import type { Defect } from '../deployment.ts';
import { combine, wrapTokens } from '../overrides.ts';
import { serveRecords } from '../served-records.ts';
import { isSigned, readJwt, signTokens } from '../signed-tokens.ts';

const given = (what: string) =>
  new RegExp(`^expected that the data is not given\\b.*; seen: the data with ${what}: 200\\b`);
const RANDOM = 'a token that was never issued';
const LIKE = 'a random token of the same form';

/** Accepts what `nearest` says an issued token is meant by; of several issued tokens, the newest. */
const nearest = (isNear: (token: string, issued: string) => boolean) =>
  wrapTokens((tokens) => {
    const known: string[] = [];
    return {
      issue(options) {
        const token = tokens.issue(options);
        known.unshift(token);
        return token;
      },
      find(token) {
        const found = tokens.find(token);
        if (found.status !== 'unknown') return found;
        const meant = known.find((issued) => isNear(token, issued));
        return meant === undefined ? found : tokens.find(meant);
      },
    };
  });

/** Issues tokens that `encode` makes of their number; a token of this form that it did not issue is as good as the newest that it issued. */
const anyOfForm = (form: RegExp, encode: (nth: number) => string) =>
  wrapTokens((tokens) => {
    const issued = new Map<string, string>();
    return {
      issue(options) {
        const token = encode(issued.size);
        issued.set(token, tokens.issue(options));
        return token;
      },
      find(token): TokenLookup {
        const known = issued.get(token);
        if (known !== undefined) return tokens.find(known);
        const newest = [...issued.values()].at(-1);
        return form.test(token) && newest !== undefined ? tokens.find(newest) : { status: 'unknown' };
      },
    };
  });

export const nearTokenDefects: readonly Defect[] = [
  {
    name: 'token-extended',
    summary: 'accepts a token with more characters after it',
    fails: { 'MRS-5.5b': given('the token, extended at its end') },
    override: combine(
      serveRecords,
      nearest((token, issued) => token.startsWith(issued)),
    ),
  },
  {
    name: 'token-cut',
    summary: 'accepts the beginning of a token, if it is half as long',
    fails: { 'MRS-5.5b': given('the token, cut at its end') },
    override: combine(
      serveRecords,
      nearest((token, issued) => issued.startsWith(token) && token.length >= issued.length / 2),
    ),
  },
  {
    name: 'token-without-first',
    summary: 'accepts a token without its first character',
    fails: { 'MRS-5.5b': given('the token without its first character') },
    override: combine(
      serveRecords,
      nearest((token, issued) => issued.slice(1) === token),
    ),
  },
  {
    name: 'token-with-prefix',
    summary: 'accepts a token with characters before it',
    fails: { 'MRS-5.5b': given('the token and one character before it') },
    override: combine(
      serveRecords,
      nearest((token, issued) => token.endsWith(issued)),
    ),
  },
  {
    name: 'token-case-insensitive',
    summary: 'ignores the case of a token',
    fails: { 'MRS-5.5b': given('the token in the other case') },
    override: combine(
      serveRecords,
      nearest((token, issued) => token.toLowerCase() === issued.toLowerCase()),
    ),
  },
  {
    name: 'token-first-half-only',
    summary: 'compares only the first half of a token, and its length',
    fails: {
      'MRS-5.5b': given('the token, one character altered'),
    },
    override: combine(
      serveRecords,
      nearest(
        (token, issued) =>
          token.length === issued.length &&
          token.slice(0, issued.length / 2) === issued.slice(0, issued.length / 2),
      ),
    ),
  },
  {
    name: 'token-last-half-only',
    summary: 'compares only the last half of a token, and its length',
    fails: {
      'MRS-5.5b': given('a random token that ends like the real one'),
    },
    override: combine(
      serveRecords,
      nearest(
        (token, issued) =>
          token.length === issued.length &&
          token.slice(-issued.length / 2) === issued.slice(-issued.length / 2),
      ),
    ),
  },
  {
    name: 'token-any-of-form',
    summary: 'accepts any 64 letters, digits, hyphens and underscores',
    fails: { 'MRS-5.5a': given(LIKE), 'MRS-5.5b': given('the token, one character altered') },
    override: combine(
      serveRecords,
      nearest((token) => /^[\w-]{64}$/.test(token)),
    ),
  },
  {
    name: 'token-any-uuid',
    summary: 'issues UUIDs, and accepts any UUID',
    fails: { 'MRS-5.5a': given(LIKE), 'MRS-5.5b': given('the token, one character altered') },
    override: combine(
      serveRecords,
      anyOfForm(/^[\da-f]{8}-([\da-f]{4}-){3}[\da-f]{12}$/i, () => randomUUID()),
    ),
  },
  {
    name: 'token-any-number',
    summary: 'issues numbers of ten digits, and accepts any of them',
    fails: { 'MRS-5.5a': given(LIKE), 'MRS-5.5b': given('the token, one character altered') },
    override: combine(
      serveRecords,
      anyOfForm(/^\d{10}$/, (nth) => String(4_075_310_288 + nth * 90_001)),
    ),
  },
  {
    name: 'token-client-part-only',
    summary: 'issues tokens that begin with the client, and compares only that',
    fails: {
      'MRS-5.5b': given('the token, one character altered'),
    },
    override: combine(
      serveRecords,
      anyOfForm(
        /^client-demo-of-the-service\./,
        (nth) => `client-demo-of-the-service.${7_210_000 + nth * 917}`,
      ),
    ),
  },
  {
    name: 'token-jwt-alg-none',
    summary: 'accepts a JWT with the algorithm none and no signature',
    fails: { 'MRS-5.5b': given('the token, unsigned by its own header') },
    override: combine(
      serveRecords,
      signTokens((sent) => isSigned(sent) || (sent.header.alg === 'none' && sent.signature.length === 0)),
    ),
  },
  {
    name: 'token-jwt-stripped',
    summary: 'checks the signature of a JWT only if there is one',
    fails: { 'MRS-5.5b': given('the token without its signature') },
    override: combine(
      serveRecords,
      signTokens((sent) => isSigned(sent) || (sent.header.alg === 'HS256' && sent.signature.length === 0)),
    ),
  },
  {
    name: 'token-jwt-signature-length',
    summary: 'checks only the length of the signature of a JWT',
    fails: { 'MRS-5.5b': given('the token, one character altered') },
    override: combine(
      serveRecords,
      signTokens(({ header, signature, expected }) => {
        return header.alg === 'HS256' && signature.length === expected.length;
      }),
    ),
  },
  {
    name: 'token-jwt-signature-start',
    summary: 'compares only the first bytes of the signature of a JWT',
    fails: { 'MRS-5.5b': given('the token, (one character altered|cut at its end)') },
    override: combine(
      serveRecords,
      signTokens(({ header, signature, expected }) => {
        return header.alg === 'HS256' && signature.subarray(0, 8).equals(expected.subarray(0, 8));
      }),
    ),
  },
  {
    name: 'token-jwt-fails-open',
    summary: 'accepts a token that it cannot read as a JWT',
    // A cut signature can still be read, in one of sixteen cases.
    fails: {
      'MRS-5.5a': given(RANDOM),
      'MRS-5.5b': given(
        'the token(, cut at its end| without its first character|, one character of its claims altered)',
      ),
    },
    override: combine(
      serveRecords,
      signTokens(isSigned),
      wrapTokens((tokens) => ({
        find: (token) => (readJwt(token) ? tokens.find(token) : { status: 'valid' }),
      })),
    ),
  },
];
