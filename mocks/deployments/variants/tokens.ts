/** Deployments whose tokens have another form or lifetime. The specification says only that a token is a string. */

import { answers } from '../../contract/answers.ts';
import type { Variant } from '../deployment.ts';
import { encodeToken, mapReplyTo, wrapTokens } from '../overrides.ts';
import { bytes, mediaType, sequence } from '../reply-edits.ts';

const CLAIMS = 'eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiJkZW1vIiwic2NvcGUiOiJyZWFkIn0';
/** Length of the tokens that the mock issues. */
const LENGTH = 32;

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
