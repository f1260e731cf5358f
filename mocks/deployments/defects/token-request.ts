/** Deployments whose token endpoint issues a token where it must not, or none where it must. */

import type { Client } from '../../clients.ts';
import { answers } from '../../contract/answers.ts';
import type { Defect } from '../deployment.ts';
import {
  mapForm,
  mapOperation,
  mapReplyTo,
  moveOperation,
  substituteAnswer,
  wrapTokens,
} from '../overrides.ts';
import { body, type Change, empty, headers, json, sequence, status } from '../reply-edits.ts';
import { withoutToken, withoutTokenResponse } from './consequences.ts';

const refusals = [answers.invalidRequest, answers.unsupportedGrantType, answers.wrongCredentials];
const noTokenTo = (form: string, seen = '200') => new RegExp(`^expected no token; seen: ${form}: ${seen}\\b`);

/** Refuses another grant, with a token in an unusual place. */
const tokenInRefusal = (name: string, place: string, put: (token: string) => Change): Defect => ({
  name: `token-in-refusal-${name}`,
  summary: `refuses a form with another grant_type, but includes a token ${place}`,
  fails: { 'MRS-4.1f': noTokenTo('a form with another grant_type', '400') },
  override: (parts) => {
    const client = parts.state.clients.list()[0] as Client; // a mock has at least one client
    const token = parts.tokens.issue({ client, lifetimeSeconds: 3600 });
    return mapReplyTo(answers.unsupportedGrantType, put(token))(parts);
  },
});

export const tokenRequestDefects: Defect[] = [
  {
    name: 'grant-type-optional',
    summary: 'issues a token without grant_type',
    fails: { 'MRS-4.1e': noTokenTo('a form without grant_type') },
    override: mapForm((form) => form.has('grant_type') || form.set('grant_type', 'client_credentials')),
  },
  {
    name: 'any-grant-type',
    summary: 'issues a token for any grant_type',
    fails: { 'MRS-4.1f': noTokenTo('a form with another grant_type') },
    override: mapForm((form) => form.has('grant_type') && form.set('grant_type', 'client_credentials')),
  },
  {
    name: 'client-id-optional',
    summary: 'identifies a client by its secret only',
    fails: { 'MRS-4.1g': noTokenTo('a form without client_id') },
    override: mapForm((form, { id }) => form.has('client_id') || form.set('client_id', id)),
  },
  {
    name: 'any-client',
    summary: 'issues a token to unknown clients',
    fails: { 'MRS-4.1h': noTokenTo('a form with an unknown client_id') },
    override: mapForm((form, { id }) => form.has('client_id') && form.set('client_id', id)),
  },
  {
    name: 'client-secret-optional',
    summary: 'issues a token without client_secret',
    fails: { 'MRS-4.1i': noTokenTo('a form without client_secret') },
    override: mapForm((form, { secret }) => form.has('client_secret') || form.set('client_secret', secret)),
  },
  {
    name: 'empty-client-secret',
    summary: 'issues a token for an empty client_secret',
    fails: { 'MRS-4.1i': noTokenTo('a form with an empty client_secret') },
    override: mapForm(
      (form, { secret }) => form.get('client_secret') === '' && form.set('client_secret', secret),
    ),
  },
  {
    name: 'client-secret-prefix-only',
    summary: 'compares only the first characters of a secret',
    fails: { 'MRS-4.1j': noTokenTo('a form with the client_secret without its last character') },
    override: mapForm((form, { secret }) => {
      if (form.get('client_secret')?.startsWith(secret.slice(0, 8))) form.set('client_secret', secret);
    }),
  },
  {
    name: 'any-client-secret',
    summary: 'issues a token to a known client for any secret',
    fails: {
      'MRS-4.1i': noTokenTo('a form with an empty client_secret'),
      'MRS-4.1j': noTokenTo('a form with the client_secret without its last character'),
    },
    override: mapForm((form, { secret }) => form.has('client_secret') && form.set('client_secret', secret)),
  },
  {
    name: 'token-in-refusal',
    summary: 'refuses forms with a 4xx status, but includes a token',
    fails: {
      'MRS-4.1e': noTokenTo('a form without grant_type', '400'),
      'MRS-4.1f': noTokenTo('a form with another grant_type', '400'),
      'MRS-4.1g': noTokenTo('a form without client_id', '400'),
      'MRS-4.1h': noTokenTo('a form with an unknown client_id', '401'),
      'MRS-4.1i': noTokenTo('a form without client_secret', '400'),
      'MRS-4.1j': noTokenTo('a form with the client_secret without its last character', '401'),
    },
    override: (parts) => {
      const client = parts.state.clients.list()[0] as Client; // a mock has at least one client
      const addToken = json((error) => ({
        ...error,
        token: parts.tokens.issue({ client, lifetimeSeconds: 60 }),
      }));
      return mapReplyTo(refusals, addToken)(parts);
    },
  },
  tokenInRefusal('nested', 'under debug/issued', (token) =>
    json((error) => ({ ...error, debug: { issued: token } })),
  ),
  tokenInRefusal('cookie', 'in a cookie', (token) => headers({ 'set-cookie': `token=${token}` })),
  {
    name: 'wants-basic-authentication',
    summary: 'requires the client credentials in an Authorization header',
    fails: {
      'MRS-4.1a': /^expected status 200; seen: a form with valid credentials: 401\b/,
      'MRS-4.1b':
        /^expected a token without an Authorization header; seen: .* credentials: 401, .* header: 200/,
    },
    cannotRun: withoutTokenResponse,
    override: mapOperation(
      'obtainToken',
      sequence(status(401), headers({ 'www-authenticate': 'Basic' }), empty),
      ({ headers: { authorization = '' } }) => !authorization.startsWith('Basic '),
    ),
  },
  {
    name: 'form-not-read',
    summary: 'refuses the form with 415, since it only reads JSON',
    fails: { 'MRS-4.1a': /^expected status 200; seen: a form with valid credentials: 415\b/ },
    cannotRun: ['MRS-4.1b', ...withoutTokenResponse],
    override: mapOperation('obtainToken', sequence(status(415), body('{"error":"invalid_request"}'))),
  },
  {
    name: 'token-path-without-slash',
    summary: 'has its token endpoint at /token, and 404 at /token/',
    fails: {
      'MRS-4.1a': /^expected status 200; check the base URL .*; seen: a form with valid credentials: 404\b/,
    },
    cannotRun: ['MRS-4.1b', ...withoutTokenResponse],
    override: moveOperation('obtainToken', (operation) => ({ ...operation, path: '/token' })),
  },
  {
    name: 'token-path-redirects',
    summary: 'redirects /token/ to /token',
    fails: { 'MRS-4.1a': /^expected status 200; seen: a form with valid credentials: 308\b/ },
    cannotRun: ['MRS-4.1b', ...withoutTokenResponse],
    override: mapOperation('obtainToken', sequence(status(308), headers({ location: '../token' }), empty)),
  },
  {
    name: 'error-with-200',
    summary: 'answers valid credentials with an error and status 200',
    fails: {
      'MRS-2a': /^expected the field token; seen: .* credentials: 200\b/,
      'MRS-4.1l': /^expected no further field, but there is error/,
    },
    cannotRun: ['MRS-4.1b', ...withoutToken],
    override: mapReplyTo(answers.issued, body('{"error":"temporarily_unavailable"}')),
  },
  {
    name: 'one-token-per-client',
    summary: 'issues one token, and refuses the same credentials from then on',
    fails: {
      'MRS-4.1m': /^expected a token for the same credentials again; seen: the form .* again: 401\b/,
      'MRS-5.6b': /^expected a new token for the same credentials; seen: the form .* again: 401\b/,
    },
    cannotRun: ['MRS-5.5a', 'MRS-5.5b', 'MRS-7a'], // An altered form of an expired token is refused for its age.
    override: (parts) => {
      let issued = 0;
      return {
        selectAnswer(call) {
          const own = parts.selectAnswer(call);
          return own === answers.issued && issued++ > 0 ? answers.wrongCredentials : own;
        },
      };
    },
  },
  {
    name: 'no-renewal',
    summary: 'refuses a client permanently once its token has expired',
    fails: {
      'MRS-4.1m': /^expected a token for the same credentials again; seen: the form .* again: 401\b/,
      'MRS-5.6b': /^expected a new token for the same credentials; seen: the form .* again: 401\b/,
    },
    cannotRun: ['MRS-5.5a', 'MRS-5.5b', 'MRS-7a'], // An altered form of an expired token is refused for its age.
    override: (parts) => {
      let expired = false;
      const watch = wrapTokens((tokens) => ({
        find(token) {
          const found = tokens.find(token);
          expired ||= found.status === 'expired';
          return found;
        },
      }));
      const refuse =
        substituteAnswer(answers.issued, answers.wrongCredentials)(parts).selectAnswer ?? parts.selectAnswer;
      return { ...watch(parts), selectAnswer: (call) => (expired ? refuse(call) : parts.selectAnswer(call)) };
    },
  },
];
