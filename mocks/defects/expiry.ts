/** Deployments that go wrong when a token expires. */
import { type Change, inTurn, json, loginPage, noContent, status, toLoginPage } from '../amend.ts';
import { answers } from '../answers.ts';
import type { Defect } from '../deployment.ts';
import { instead, keeping, replying } from '../twists.ts';

const not403 = (code: number) =>
  new RegExp(`^expected status 403; seen: the data with the expired token: ${code}\\b`);
const stillGiven = /^expected that the data is not given; seen: the data with the expired token: 200\b/;
const newTokenRefused = (code: number) =>
  new RegExp(`^expected a 2xx status; seen: .*the data with the new token: ${code}\\b`);

const expired = (name: string, summary: string, code: number, change: Change): Defect => ({
  name: `expired-${name}`,
  summary: `answers an expired token with ${summary}`,
  fails: { 'MRS-7a': not403(code) },
  twist: replying(answers.expired, change),
});

export const expiryDefects: Defect[] = [
  {
    name: 'never-expires',
    summary: 'accepts a token for ever',
    fails: { 'MRS-5.6a': stillGiven, 'MRS-7a': not403(200) },
    cannotRun: ['MRS-5.6b'],
    twist: instead(answers.expired, answers.served),
  },
  {
    name: 'expires-late',
    summary: 'accepts a token for twice the agreed time',
    fails: { 'MRS-5.6a': stillGiven, 'MRS-7a': not403(200) },
    cannotRun: ['MRS-5.6b'],
    twist: keeping((tokens) => ({ issue: (lifetimeSeconds) => tokens.issue(2 * lifetimeSeconds) })),
  },
  {
    name: 'expires-a-little-late',
    summary: 'accepts a token for a sixth longer than agreed',
    fails: { 'MRS-5.6a': stillGiven, 'MRS-7a': not403(200) },
    cannotRun: ['MRS-5.6b'],
    twist: keeping((tokens) => ({ issue: (lifetimeSeconds) => tokens.issue((7 / 6) * lifetimeSeconds) })),
  },
  {
    name: 'expired-401',
    summary: 'answers an expired token with 401',
    fails: { 'MRS-7a': not403(401) },
    twist: instead(answers.expired, answers.unknownToken),
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
    inTurn(
      status(200),
      json(() => ({ error: 'expired' })),
    ),
  ),
  expired('204', '204', 204, noContent),
  {
    name: 'second-token-dead',
    summary: 'accepts no token but the first',
    fails: { 'MRS-5.6b': newTokenRefused(401) },
    cannotRun: ['MRS-7a'],
    twist: keeping((tokens) => {
      let first: string | undefined;
      return {
        issue(lifetimeSeconds) {
          const token = tokens.issue(lifetimeSeconds);
          first ??= token;
          return token;
        },
        standing: (token) => (token === first ? tokens.standing(token) : 'unknown'),
      };
    }),
  },
  {
    name: 'expired-token-again',
    summary: 'issues the same token for ever, expired or not',
    fails: { 'MRS-5.6b': newTokenRefused(403) },
    cannotRun: ['MRS-7a'],
    twist: keeping((tokens) => {
      let only: string | undefined;
      return {
        issue(lifetimeSeconds) {
          only ??= tokens.issue(lifetimeSeconds);
          return only;
        },
      };
    }),
  },
  {
    name: 'expired-token-revived',
    summary: 'issues one token for ever, and lets it live again with each request for one',
    fails: {
      'MRS-5.6b': /^expected another token than the one that has expired; seen: the form with the same/,
    },
    twist: (parts) => {
      let current = '';
      const only = 'b25lIHRva2VuIGZvciBldmVy';
      const { tokens } = parts;
      return {
        tokens: {
          ...tokens,
          issue(lifetimeSeconds) {
            current = tokens.issue(lifetimeSeconds);
            return only;
          },
          standing: (token) => (token === only ? tokens.standing(current) : 'unknown'),
        },
      };
    },
  },
  {
    name: 'expired-once',
    summary: 'refuses an expired token once, and accepts it from then on',
    fails: {
      'MRS-5.6a': /^expected that the data is not given; seen: the data with the expired token again: 200\b/,
    },
    twist: keeping((tokens) => {
      const refused = new Set<string>();
      return {
        standing(token) {
          const standing = tokens.standing(token);
          if (standing !== 'expired') return standing;
          if (refused.has(token)) return 'valid';
          refused.add(token);
          return standing;
        },
      };
    }),
  },
  {
    name: 'refuses-all-after-expiry',
    summary: 'refuses every token with 403 once one has expired',
    fails: { 'MRS-5.6b': newTokenRefused(403) },
    cannotRun: ['MRS-7a'],
    twist: keeping((tokens) => {
      let over = false;
      return {
        standing(token) {
          const standing = tokens.standing(token);
          over ||= standing === 'expired';
          return over ? 'expired' : standing;
        },
      };
    }),
  },
];
