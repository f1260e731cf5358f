/** Deployments that conform to the specification, but violate what their profile declares. */

import { answers } from '../../contract/answers.ts';
import type { Defect } from '../deployment.ts';
import { mapReplyTo } from '../overrides.ts';
import { headers, status } from '../reply-edits.ts';

const NO_CHALLENGE = /that the header www-authenticate is there/;

export const profileDefects: readonly Defect[] = [
  {
    name: 'rfc6750-missing-token-403',
    summary: 'answers a missing token with 403',
    profile: 'rfc6750',
    fails: { 'MRS-7e@rfc6750': /^expected status 401; seen: .* 403/ },
    override: mapReplyTo(answers.missingToken, status(403)),
  },
  {
    name: 'rfc6750-no-challenge',
    summary: 'sends no challenge with its 401',
    profile: 'rfc6750',
    fails: { 'MRS-7e@rfc6750': NO_CHALLENGE, 'MRS-7f@rfc6750': NO_CHALLENGE },
    override: mapReplyTo(
      [answers.missingToken, answers.unknownToken],
      headers({ 'www-authenticate': undefined }),
    ),
  },
  {
    name: 'rfc6750-unknown-token-400',
    summary: 'answers a token that it never issued with 400',
    profile: 'rfc6750',
    fails: { 'MRS-7f@rfc6750': /^expected status 401; seen: .* 400/ },
    override: mapReplyTo(answers.unknownToken, status(400)),
  },
  {
    name: 'static-feed-gone',
    summary: 'has no file at the path of its profile',
    profile: 'static-feed',
    fails: {
      'MRS-4.4@static-feed': /^expected a 2xx status; seen: .* 404/,
      'MRS-4.2g@static-feed': /status 200/,
    },
    cannotRun: ['MRS-4.2b', 'MRS-2b@static-feed'],
    override: mapReplyTo(answers.served, status(404)),
  },
];
