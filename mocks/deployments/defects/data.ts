/** Deployments that give the data where they must not, or something else where they must give it. */

import { answers } from '../../contract/answers.ts';
import type { Defect } from '../deployment.ts';
import { mapReply, mapReplyTo, moveOperation, substituteAnswer, wrapTokens } from '../overrides.ts';
import { body, bytes, empty, headers, json, loginPage, mediaType, sequence, status } from '../reply-edits.ts';
import { withoutData } from './consequences.ts';

const givenFor = (what: string) => new RegExp(`^expected that the data is not given; seen: ${what}: 200\\b`);
const unknownToken = givenFor('the data with a token that was never issued');
const alteredToken = givenFor('the data with the token, one character altered');
const notServed = (code: number) =>
  new RegExp(`^expected a 2xx status; seen: the data with the token: ${code}\\b`);
const notJson = (why: string) =>
  new RegExp(`^expected well-formed JSON, but ${why}; seen: the data with the token: 200\\b`);
const refusedAgain = /^expected a 2xx status; seen: the data with the same token again: 401\b/;
const refusedOnceMore = /^expected a 2xx status; .*the data with the same token once more: 401\b/;

const RECORDS = [
  { id: 1, site: 'a' },
  { id: 2, site: 'b' },
];

export const dataDefects: Defect[] = [
  {
    name: 'data-without-token',
    summary: 'gives the data without a token',
    fails: { 'MRS-1.3': givenFor('the data without a token') },
    override: substituteAnswer(answers.missingToken, answers.served),
  },
  {
    name: 'data-for-malformed-token',
    summary: 'gives the data if the bearer header contains no token',
    fails: { 'MRS-1.3': givenFor('the data with a bearer header without a token') },
    override: substituteAnswer(answers.malformedToken, answers.served),
  },
  {
    name: 'data-beside-refusal',
    summary: 'refuses a missing token with 401, but includes the data in the refusal',
    fails: { 'MRS-1.3': /^expected that the data is not given; seen: the data without a token: 401\b/ },
    override: mapReply((reply, { expected }) => {
      if (expected === answers.served) return json(() => ({ ods_data: RECORDS }))(reply);
      if (expected !== answers.missingToken) return reply;
      return json((error) => ({ ...error, at: Date.now(), cached: RECORDS }))(reply);
    }),
  },
  {
    name: 'any-token',
    summary: 'gives the data for any token',
    fails: { 'MRS-5.5a': unknownToken, 'MRS-5.5b': alteredToken },
    override: substituteAnswer(answers.unknownToken, answers.served),
  },
  {
    name: 'token-length-only',
    summary: 'checks only the length of a token',
    fails: {
      'MRS-5.5a': givenFor('the data with a random token of the same form'),
      'MRS-5.5b': alteredToken,
      'MRS-5.6a': givenFor('the data with the expired token again'),
      'MRS-7a': /^expected status 403; seen: the data with the expired token again: 200\b/,
    },
    override: known((token) => String(token.length)),
  },
  {
    name: 'token-prefix-only',
    summary: 'compares only the first characters of a token',
    fails: { 'MRS-5.5b': alteredToken },
    override: known((token) => token.slice(0, 12)),
  },
  {
    name: 'token-suffix-only',
    summary: 'compares only the last characters of a token',
    fails: { 'MRS-5.5b': alteredToken },
    override: known((token) => token.slice(-12)),
  },
  {
    name: 'signature-not-checked',
    summary: 'reads the claims of a signed token without checking its signature',
    fails: { 'MRS-5.5b': alteredToken },
    override: wrapTokens((tokens) => {
      const claims = (id: string) => `eyJhbGciOiJIUzI1NiJ9.${Buffer.from(id).toString('base64url')}`;
      return {
        issue: (options) => `${claims(tokens.issue(options))}.b3VyIHNpZ25hdHVyZQ`,
        find: (token) => tokens.find(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()),
      };
    }),
  },
  {
    name: 'claims-not-checked',
    summary: 'compares the signature of a token, but not its claims',
    fails: { 'MRS-5.5b': givenFor('the data with the token, one character of its claims altered') },
    override: wrapTokens((tokens) => {
      const head = 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJkZW1vIn0';
      return {
        issue: (options) => `${head}.${tokens.issue(options)}`,
        find: (token) => tokens.find(token.split('.')[2] ?? ''),
      };
    }),
  },
  {
    name: 'data-for-other-scheme',
    summary: 'gives the data for credentials of another scheme than Bearer, whatever they are',
    fails: { 'MRS-1.3': givenFor('the data with random Basic credentials') },
    override: mapReply((reply, { expected, request }) => {
      if (expected !== answers.malformedToken || !/^basic /i.test(request.headers.authorization ?? ''))
        return reply;
      return sequence(
        status(200),
        json(() => ({ ods_data: [] })),
      )(reply);
    }),
  },
  {
    name: 'token-works-once',
    summary: 'forgets a token after one call',
    fails: { 'MRS-5.3b': refusedAgain },
    override: calls(1),
  },
  {
    name: 'token-works-twice',
    summary: 'forgets a token after two calls',
    fails: { 'MRS-5.3b': refusedOnceMore },
    override: calls(2),
  },
  {
    name: 'token-works-thrice',
    summary: 'forgets a token after three calls',
    fails: {
      'MRS-5.3b': /^expected a 2xx status; seen: the data with the token shortly before it expires: 401\b/,
    },
    override: calls(3),
  },
  {
    name: 'data-403',
    summary: 'refuses the data to every client with 403',
    fails: { 'MRS-4.2a': notServed(403) },
    cannotRun: withoutData,
    override: substituteAnswer(answers.served, answers.expired),
  },
  {
    name: 'data-404',
    summary: 'answers with 404 where the data should be',
    fails: { 'MRS-4.2a': notServed(404) },
    cannotRun: withoutData,
    override: moveOperation('readData', (operation) => ({ ...operation, path: '/data/' })),
  },
  {
    name: 'data-path-redirects',
    summary: 'redirects /ods_data/ to /ods_data',
    fails: { 'MRS-4.2a': notServed(307) },
    cannotRun: withoutData,
    override: mapReplyTo(answers.served, sequence(status(307), headers({ location: '../ods_data' }), empty)),
  },
  {
    name: 'data-500',
    summary: 'fails with 500 when it serves the data',
    fails: { 'MRS-4.2a': notServed(500) },
    cannotRun: withoutData,
    override: mapReplyTo(answers.served, status(500)),
  },
  {
    name: 'data-html',
    summary: 'gives the data as a page of HTML',
    fails: { 'MRS-4.2b': notJson('it does not parse') },
    override: mapReplyTo(answers.served, loginPage),
  },
  {
    name: 'data-as-text',
    summary: 'gives the data as text/plain',
    fails: { 'MRS-4.2b': /^expected a JSON media type; seen: the data with the token: 200, text\/plain/ },
    override: mapReplyTo(answers.served, mediaType('text/plain')),
  },
  {
    name: 'data-as-nothing',
    summary: 'gives the data without a media type',
    fails: { 'MRS-4.2b': /^expected a JSON media type; seen: .*: 200, a body without a media type/ },
    override: mapReplyTo(answers.served, mediaType()),
  },
  {
    name: 'data-truncated',
    summary: 'cuts the data off',
    fails: { 'MRS-4.2b': notJson('it does not parse') },
    override: mapReplyTo(
      answers.served,
      bytes((old) => old.subarray(0, -2)),
    ),
  },
  {
    name: 'data-lines',
    summary: 'gives the data as several JSON texts, one on each line',
    fails: { 'MRS-4.2b': notJson('it does not parse') },
    override: mapReplyTo(answers.served, body('{"id":1}\n{"id":2}\n')),
  },
  {
    name: 'data-with-bom',
    summary: 'puts a byte order mark before the data',
    fails: { 'MRS-4.2b': notJson('it does not parse') },
    override: mapReplyTo(
      answers.served,
      bytes((old) => Buffer.concat([Buffer.from('\ufeff'), old])),
    ),
  },
  {
    name: 'data-latin-1',
    summary: 'gives the data in Latin-1',
    fails: { 'MRS-4.2b': notJson('it is not UTF-8') },
    override: mapReplyTo(
      answers.served,
      bytes(() => Buffer.from('{"name":"K\xf6ln"}', 'latin1')),
    ),
  },
  {
    name: 'data-empty',
    summary: 'answers with 200 and no body where the data should be',
    fails: { 'MRS-4.2b': notJson('the body is empty') },
    override: mapReplyTo(answers.served, empty),
  },
];

/** Accepts a token if an issued token has the same `mark`. */
function known(mark: (token: string) => string) {
  return wrapTokens((tokens) => {
    const issued = new Map<string, string>();
    return {
      issue(options) {
        const token = tokens.issue(options);
        issued.set(mark(token), token);
        return token;
      },
      find: (token) => tokens.find(issued.get(mark(token)) ?? token),
    };
  });
}

/** A token is accepted `limit` times. */
function calls(limit: number) {
  return wrapTokens((tokens) => {
    const made = new Map<string, number>();
    return {
      find(token) {
        const found = tokens.find(token);
        if (found.status !== 'valid') return found;
        const count = (made.get(token) ?? 0) + 1;
        made.set(token, count);
        return count > limit ? { ...found, status: 'unknown' } : found;
      },
    };
  });
}
