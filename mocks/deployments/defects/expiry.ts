/** Deployments that are wrong about the expiry of tokens. */

import { answers } from '../../contract/answers.ts';
import type { IssueOptions } from '../../tokens.ts';
import type { Defect } from '../deployment.ts';
import { agedTokens, combine, mapReplyTo, substituteAnswer, wrapTokens } from '../overrides.ts';
import { type Change, json, loginPage, noContent, sequence, status, toLoginPage } from '../reply-edits.ts';
import { serveRecords } from '../served-records.ts';

const not403 = (code: number) =>
  new RegExp(`^expected status 403; seen: the data with the expired token: ${code}\\b`);
const stillGiven = /^expected that the data is not given; seen: the data with the expired token: 200\b/;
const newTokenRefused = (code: number) =>
  new RegExp(`^expected a 2xx status; seen: .*the data with the new token: ${code}\\b`);

const timesAsLong = (options: IssueOptions, factor: number): IssueOptions => ({
  ...options,
  lifetimeSeconds: factor * options.lifetimeSeconds,
});

const expired = (name: string, summary: string, code: number, change: Change): Defect => ({
  name: `expired-${name}`,
  summary: `answers an expired token with ${summary}`,
  fails: { 'MRS-7a': not403(code) },
  override: mapReplyTo(answers.expired, change),
});

export const expiryDefects: Defect[] = [
  {
    name: 'never-expires',
    summary: 'accepts a token forever',
    fails: { 'MRS-5.6a': stillGiven, 'MRS-7a': not403(200) },
    cannotRun: ['MRS-5.6b'],
    override: substituteAnswer(answers.expired, answers.served),
  },
  {
    name: 'expires-late',
    summary: 'accepts a token for five times the agreed time',
    fails: { 'MRS-5.6a': stillGiven, 'MRS-7a': not403(200) },
    cannotRun: ['MRS-5.6b'],
    override: wrapTokens((tokens) => ({ issue: (options) => tokens.issue(timesAsLong(options, 5)) })),
  },
  {
    name: 'expires-after-the-watch',
    summary: 'accepts a token for a tenth more than twice the agreed time',
    fails: { 'MRS-5.6a': stillGiven, 'MRS-7a': not403(200) },
    cannotRun: ['MRS-5.6b'],
    override: wrapTokens((tokens) => ({ issue: (options) => tokens.issue(timesAsLong(options, 2.1)) })),
  },
  {
    name: 'expired-opens-long-after',
    summary: 'refuses a token at its end, and accepts it again when it is a little older',
    fails: {
      'MRS-5.6a':
        /^expected that the data is not given\b.*; seen: .*the data with the expired token again: 200\b/,
      'MRS-7a': /^expected status 403; seen: .*the data with the expired token again: 200\b/,
    },
    override: combine(
      serveRecords,
      agedTokens((sinceExpiryMs, lifetimeMs) => sinceExpiryMs < 0 || sinceExpiryMs > lifetimeMs / 20 + 1000),
    ),
  },
  {
    name: 'expired-401',
    summary: 'answers an expired token with 401',
    fails: { 'MRS-7a': not403(401) },
    override: substituteAnswer(answers.expired, answers.unknownToken),
  },
  expired('400', '400', 400, status(400)),
  expired('404', '404', 404, status(404)),
  expired('410', '410', 410, status(410)),
  expired('419', '419', 419, status(419)),
  expired('redirect', 'a redirect to a login page', 302, toLoginPage),
  expired('login-page', 'a login page and status 200', 200, loginPage),
  expired(
    'error-with-200',
    'an error and status 200',
    200,
    sequence(
      status(200),
      json(() => ({ error: 'expired' })),
    ),
  ),
  expired('204', '204', 204, noContent),
  {
    name: 'second-token-dead',
    summary: 'accepts only the first token',
    fails: { 'MRS-5.6b': newTokenRefused(401) },
    cannotRun: ['MRS-7a'],
    override: wrapTokens((tokens) => {
      let first: string | undefined;
      return {
        issue(options) {
          const token = tokens.issue(options);
          first ??= token;
          return token;
        },
        find: (token) => (token === first ? tokens.find(token) : { status: 'unknown' }),
      };
    }),
  },
  {
    name: 'expired-token-again',
    summary: 'issues the same token forever, expired or not',
    fails: { 'MRS-5.6b': newTokenRefused(403) },
    cannotRun: ['MRS-7a'],
    override: wrapTokens((tokens) => {
      let only: string | undefined;
      return {
        issue(options) {
          only ??= tokens.issue(options);
          return only;
        },
      };
    }),
  },
  {
    name: 'expired-token-revived',
    summary: 'issues one token forever, and makes it valid again with each token request',
    fails: {
      'MRS-5.6b': /^expected another token than the one that has expired; seen: the form with the same/,
    },
    override: (parts) => {
      let current = '';
      const only = 'b25lIHRva2VuIGZvciBldmVy';
      const { tokens } = parts;
      return {
        tokens: {
          ...tokens,
          issue(options) {
            current = tokens.issue(options);
            return only;
          },
          find: (token) => (token === only ? tokens.find(current) : { status: 'unknown' }),
        },
      };
    },
  },
  {
    name: 'expired-once',
    summary: 'refuses an expired token once, and accepts it from then on',
    fails: {
      'MRS-5.6a': /^expected that the data is not given; seen: the data with the expired token again: 200\b/,
      'MRS-7a': /^expected status 403; seen: the data with the expired token again: 200\b/,
    },
    override: wrapTokens((tokens) => {
      const refused = new Set<string>();
      return {
        find(token) {
          const found = tokens.find(token);
          if (found.status !== 'expired') return found;
          if (refused.has(token)) return { ...found, status: 'valid' };
          refused.add(token);
          return found;
        },
      };
    }),
  },
  {
    name: 'refuses-all-after-expiry',
    summary: 'refuses every token with 403 once one has expired',
    fails: { 'MRS-5.6b': newTokenRefused(403) },
    cannotRun: ['MRS-7a'],
    override: wrapTokens((tokens) => {
      let over = false;
      return {
        find(token) {
          const found = tokens.find(token);
          over ||= found.status === 'expired';
          return over ? { ...found, status: 'expired' } : found;
        },
      };
    }),
  },
];
