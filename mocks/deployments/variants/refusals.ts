/** Deployments that refuse in other ways. The specification does not show the status and body of a refusal. */

import { answers } from '../../contract/answers.ts';
import type { Variant } from '../deployment.ts';
import { mapReplyTo, substituteAnswer } from '../overrides.ts';
import {
  body,
  type Change,
  empty,
  headers,
  json,
  loginPage,
  mediaType,
  sequence,
  status,
  toLoginPage,
} from '../reply-edits.ts';

const missingToken = (name: string, summary: string, change: Change): Variant => ({
  name: `missing-token-${name}`,
  summary: `answers a missing token with ${summary}`,
  override: mapReplyTo(answers.missingToken, change),
});

const unknownToken = (name: string, summary: string, change: Change): Variant => ({
  name: `unknown-token-${name}`,
  summary: `answers a token that it never issued with ${summary}`,
  override: mapReplyTo([answers.unknownToken, answers.malformedToken], change),
});

const wrongCredentials = (name: string, summary: string, change: Change): Variant => ({
  name: `wrong-credentials-${name}`,
  summary: `answers wrong client credentials with ${summary}`,
  override: mapReplyTo(answers.wrongCredentials, change),
});

const badForm = (name: string, summary: string, change: Change): Variant => ({
  name: `bad-form-${name}`,
  summary: `answers a form that lacks a field or asks for another grant with ${summary}`,
  override: mapReplyTo([answers.invalidRequest, answers.unsupportedGrantType], change),
});

const expired = (name: string, summary: string, change: Change): Variant => ({
  name: `expired-${name}`,
  summary: `answers an expired token with 403 and ${summary}`,
  override: mapReplyTo(answers.expired, change),
});

const errorWith200 = sequence(
  status(200),
  json((error) => error),
);

export const refusalVariants: Variant[] = [
  missingToken('400', '400', status(400)),
  missingToken('403', '403', status(403)),
  missingToken('404', '404', status(404)),
  missingToken('empty', '401 and no body', empty),
  missingToken('login-page', 'a login page and status 200', loginPage),
  missingToken('redirect', 'a redirect to a login page', toLoginPage),
  missingToken('error-with-200', 'an error and status 200', errorWith200),
  unknownToken('400', '400', status(400)),
  unknownToken('403', '403', status(403)),
  unknownToken('404', '404', status(404)),
  unknownToken('redirect', 'a redirect to a login page', toLoginPage),
  unknownToken('error-with-200', 'an error and status 200', errorWith200),
  {
    name: 'unknown-token-as-expired',
    summary: 'treats a token that it never issued like an expired one',
    override: substituteAnswer(answers.unknownToken, answers.expired),
  },
  wrongCredentials('400', '400', status(400)),
  wrongCredentials('403', '403', status(403)),
  wrongCredentials('404', '404', status(404)),
  wrongCredentials('redirect', 'a redirect to a login page', toLoginPage),
  wrongCredentials('error-with-200', 'an error and status 200', errorWith200),
  badForm('401', '401', sequence(status(401), headers({ 'www-authenticate': 'Basic' }))),
  badForm('422', '422', status(422)),
  badForm('error-with-200', 'an error and status 200', errorWith200),
  expired('empty', 'no body', empty),
  expired('html', 'a page of HTML', sequence(loginPage, status(403))),
  expired('text', 'plain text', sequence(body('Token expired'), mediaType('text/plain'))),
  expired('problem', 'a problem of RFC 9457', mediaType('application/problem+json')),
];
