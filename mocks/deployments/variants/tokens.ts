/** Deployments whose tokens have another form or lifetime. The specification says only that a token is a string. */

import { randomUUID } from 'node:crypto';
import { answers } from '../../contract/answers.ts';
import { TOKEN_LENGTH as LENGTH } from '../../tokens.ts';
import type { Variant } from '../deployment.ts';
import { agedTokens, combine, encodeToken, mapReplyTo, substituteSome, wrapTokens } from '../overrides.ts';
import { bytes, mediaType, sequence } from '../reply-edits.ts';
import { serveRecords } from '../served-records.ts';
import { isSigned, signTokens } from '../signed-tokens.ts';

const CLAIMS = 'eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiJkZW1vIiwic2NvcGUiOiJyZWFkIn0';

/** As an encoder writes what a lenient decoder reads. */
const recoded = (token: string) =>
  token
    .split('.')
    .map((part) => Buffer.from(part, 'base64url').toString('base64url'))
    .join('.');

/** Issues tokens that `encode` makes of their number. */
const encodeNth = (encode: (nth: number) => string) =>
  wrapTokens((tokens) => {
    const issued = new Map<string, string>();
    return {
      issue(options) {
        const token = encode(issued.size + 1);
        issued.set(token, tokens.issue(options));
        return token;
      },
      find: (token) => tokens.find(issued.get(token) ?? ''),
    };
  });

/** Another client has obtained the token before the run: it ends after this number of reads. */
const nearlyOver = (reads: number): Variant => ({
  name: `same-token-ends-after-${reads}`,
  summary: `issues the same token until it expires, and the first one expires after ${reads} reads`,
  override: combine(
    serveRecords,
    wrapTokens((tokens) => {
      let [current, first, left] = ['', '', reads];
      const isOver = (token: string) => token === first && left <= 0;
      return {
        issue(options) {
          if (isOver(current) || tokens.find(current).status !== 'valid') current = tokens.issue(options);
          first ||= current;
          return current;
        },
        find(token) {
          const found = tokens.find(token);
          if (isOver(token)) return { ...found, status: 'expired' };
          if (token === first) left--;
          return found;
        },
      };
    }),
  ),
});

export const tokenVariants: Variant[] = [
  {
    name: 'token-jwt',
    summary: 'issues tokens of three parts, like a signed JWT',
    override: encodeToken(
      (issued) => `${CLAIMS}.${issued}`,
      (token) => token.slice(CLAIMS.length + 1),
    ),
  },
  {
    name: 'token-4-kib',
    summary: 'issues tokens of 4 KiB',
    override: encodeToken(
      (issued) => issued + 'A'.repeat(4096 - LENGTH),
      (token) => token.slice(0, LENGTH),
    ),
  },
  {
    name: 'token-special-characters',
    summary: 'issues tokens with every special character that a bearer token may have',
    override: encodeToken(
      (issued) => `${issued}-._~+/==`,
      (token) => token.slice(0, LENGTH),
    ),
  },
  {
    name: 'token-short',
    summary: 'issues tokens of six characters',
    override: wrapTokens((tokens) => {
      const issued = new Map<string, string>();
      return {
        issue(options) {
          const token = tokens.issue(options);
          issued.set(token.slice(0, 6), token);
          return token.slice(0, 6);
        },
        find: (token) => tokens.find(issued.get(token) ?? token),
      };
    }),
  },
  {
    name: 'token-digit',
    summary: 'issues the numbers from 1 on as tokens, as strings',
    override: wrapTokens((tokens) => {
      const issued: string[] = [];
      return {
        issue: (options) => String(issued.push(tokens.issue(options))),
        find: (token) => tokens.find(issued[Number(token) - 1] ?? ''),
      };
    }),
  },
  {
    name: 'token-word',
    summary: 'issues tokens that begin with the word token',
    override: wrapTokens((tokens) => {
      const issued: string[] = [];
      return {
        issue: (options) => `token${'s'.repeat(issued.push(tokens.issue(options)) - 1)}`,
        find: (token) => tokens.find(/^tokens*$/.test(token) ? (issued[token.length - 5] ?? '') : ''),
      };
    }),
  },
  {
    name: 'replicas-clocks-differ',
    summary:
      'consists of two replicas in turn, of which one lets a token expire 0.4 s earlier than the other',
    override: combine(
      serveRecords,
      agedTokens((sinceExpiryMs, _, nth) => sinceExpiryMs < (nth % 2 ? -200 : 200)),
    ),
  },
  {
    name: 'replicas-clocks-differ-reversed',
    summary: 'consists of two replicas in turn, of which one lets a token expire 0.4 s later than the other',
    override: combine(
      serveRecords,
      agedTokens((sinceExpiryMs, _, nth) => sinceExpiryMs < (nth % 2 ? 200 : -200)),
    ),
  },
  {
    name: 'same-token-until-expiry',
    summary: 'issues the same token again until it has expired',
    override: wrapTokens((tokens) => {
      let current = '';
      return {
        issue(options) {
          if (tokens.find(current).status !== 'valid') current = tokens.issue(options);
          return current;
        },
      };
    }),
  },
  nearlyOver(0),
  nearlyOver(1),
  nearlyOver(2),
  {
    name: 'token-jwt-signed',
    summary: 'issues JWTs, and checks their signatures',
    override: combine(serveRecords, signTokens(isSigned)),
  },
  {
    name: 'token-decoded-leniently',
    summary: 'compares the bytes that its tokens stand for in base64url, and ignores bits that are too many',
    override: wrapTokens((tokens) => ({ find: (token) => tokens.find(recoded(token)) })),
  },
  {
    name: 'token-jwt-decoded-leniently',
    summary: 'issues tokens of three parts, and compares the bytes of each, without bits that are too many',
    override: wrapTokens((tokens) => ({
      issue: (options) => `${CLAIMS}.${tokens.issue(options)}`,
      find(token) {
        const own = recoded(token);
        return tokens.find(own.startsWith(`${CLAIMS}.`) ? own.slice(CLAIMS.length + 1) : '');
      },
    })),
  },
  {
    name: 'token-padded-decoded-leniently',
    summary: 'issues tokens in base64 with padding, and decodes them without looking at it',
    override: wrapTokens((tokens) => ({
      issue: (options) => Buffer.from(tokens.issue(options)).toString('base64'),
      find: (token) => tokens.find(Buffer.from(token, 'base64').toString()),
    })),
  },
  {
    name: 'token-uuid',
    summary: 'issues UUIDs as tokens',
    override: encodeNth(() => randomUUID()),
  },
  {
    name: 'token-hexadecimal',
    summary: 'issues tokens of 64 hexadecimal digits',
    override: encodeToken(
      (issued) => Buffer.from(issued).toString('hex'),
      (token) => Buffer.from(token, 'hex').toString(),
    ),
  },
  {
    name: 'token-of-client-and-number',
    summary: 'issues tokens that begin and end alike',
    override: encodeNth((nth) => `client-demo.${String(nth * 7_368_787 + 1e9)}.v1`),
  },
  {
    name: 'token-all-characters',
    summary: 'issues tokens with each character that a bearer token may have',
    override: encodeToken(
      (issued) => `${issued}ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~+/=`,
      (token) => token.slice(0, LENGTH),
    ),
  },
  {
    name: 'bad-tokens-limited',
    cannotRun: ['MRS-5.5a', 'MRS-5.5b'],
    summary: 'answers more than three tokens that it never issued with 429',
    override: combine(
      serveRecords,
      substituteSome(answers.unknownToken, answers.dataRateLimited, (nth) => nth > 3),
    ),
  },
  {
    name: 'bad-tokens-lock',
    summary: 'treats each token that it never issued like an expired one after the third',
    override: combine(
      serveRecords,
      substituteSome(answers.unknownToken, answers.expired, (nth) => nth > 3),
    ),
  },
  {
    name: 'newest-token-only',
    summary: 'keeps only the newest token valid',
    override: wrapTokens((tokens) => {
      let newest = '';
      return {
        issue(options) {
          newest = tokens.issue(options);
          return newest;
        },
        find(token) {
          const found = tokens.find(token);
          return token === newest ? found : { ...found, status: 'unknown' };
        },
      };
    }),
  },
  {
    name: 'token-response-charset',
    summary: 'sends the token response as application/json; charset=utf-8',
    override: mapReplyTo(answers.issued, mediaType('application/json; charset=utf-8')),
  },
  {
    name: 'token-response-json-suffix',
    summary: 'sends the token response as a media type that ends with +json, and indented',
    override: mapReplyTo(
      answers.issued,
      sequence(
        mediaType('application/vnd.example.token+json'),
        bytes((old) => Buffer.from(`${JSON.stringify(JSON.parse(old.toString()), null, 2)}\n`)),
      ),
    ),
  },
  {
    name: 'token-response-escaped',
    summary: 'writes the name of the field token with a JSON escape',
    override: mapReplyTo(
      answers.issued,
      bytes((old) => Buffer.from(old.toString().replace('"token"', '"\\u0074oken"'))),
    ),
  },
];
