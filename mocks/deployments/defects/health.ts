/** Deployments whose health checks are missing or require a token (section 4.3), or that violate what a profile declares. */
import { on, type When } from '../behaviour.ts';
import { type Defect, defectsOf, UNDECIDED, wrong } from '../deployment.ts';
import { headers } from '../edits.ts';

const withoutToken: When = { at: 'checkHealth', if: ({ request }) => !request.headers.authorization };
const NO_CHALLENGE = 'that the header www-authenticate is there';
const rfc6750 = { profile: 'rfc6750' };

export const healthDefects: readonly Defect[] = defectsOf({
  'health-404: has no health check at the configured path': () =>
    wrong('MRS-4.3a', on({ at: 'checkHealth' }, 404), UNDECIDED),
  'health-401: requires a token for health': () =>
    wrong('MRS-4.3b', on(withoutToken, 401, headers({ 'www-authenticate': 'Bearer' }))),
  'health-401-later: requires a token for health from the second request without one on': () =>
    wrong('MRS-4.3b', on({ ...withoutToken, from: 2 }, 401)),
});

export const profileDefects: readonly Defect[] = defectsOf({
  'rfc6750-missing-token-403: answers a missing token with 403': () =>
    wrong({ 'MRS-7e@rfc6750': 'status 401' }, on('missingToken', 403), rfc6750),
  'rfc6750-no-challenge: sends no challenge with its 401': () =>
    wrong(
      { 'MRS-7e@rfc6750': NO_CHALLENGE, 'MRS-7f@rfc6750': NO_CHALLENGE },
      on(['missingToken', 'unknownToken'], headers({ 'www-authenticate': undefined })),
      rfc6750,
    ),
  'rfc6750-unknown-token-400: answers a token that it never issued with 400': () =>
    wrong({ 'MRS-7f@rfc6750': 'status 401' }, on('unknownToken', 400), rfc6750),
  'static-feed-gone: has no file at the path of its profile': () =>
    wrong(
      { 'MRS-4.4@static-feed': 'a 2xx status', 'MRS-4.2g@static-feed': 'status 200' },
      on('served', 404),
      { profile: 'static-feed', ...UNDECIDED },
    ),
});
