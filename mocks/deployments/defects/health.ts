/** Deployments whose health checks are missing or require a token (section 4.3), or that violate what a profile declares. */
import { on, type When } from '../behaviour.ts';
import { type Defect, defectsOf, type Wrong, wrong } from '../deployment.ts';
import { type Edit, headers } from '../edits.ts';

const HEALTH = 'the health check .* without a token';
const NO_CHALLENGE = /that the header www-authenticate is there/;

const missing = (code: number): Wrong =>
  wrong({ 'MRS-4.3a': `${HEALTH}: ${code}` }, on({ at: 'checkHealth' }, code), { cannotRun: ['MRS-4.3b'] });

const withoutToken: When = { at: 'checkHealth', if: ({ request }) => !request.headers.authorization };

const refused = (code: number, ...edits: Edit[]): Wrong =>
  wrong({ 'MRS-4.3b': `${HEALTH}: ${code}` }, on(withoutToken, code, ...edits));

export const healthDefects: readonly Defect[] = defectsOf({
  'health-404: has no health check at the configured path': () => missing(404),
  'health-401: requires a token for health': () => refused(401, headers({ 'www-authenticate': 'Bearer' })),
  'health-401-later: requires a token for health from the second request without one on': () =>
    wrong({ 'MRS-4.3b': `${HEALTH} again: 401` }, on({ ...withoutToken, from: 2 }, 401)),
});

export const profileDefects: readonly Defect[] = defectsOf({
  'rfc6750-missing-token-403: answers a missing token with 403': () =>
    wrong({ 'MRS-7e@rfc6750': 'status 401; seen: .* 403' }, on('missingToken', 403), { profile: 'rfc6750' }),
  'rfc6750-no-challenge: sends no challenge with its 401': () =>
    wrong(
      { 'MRS-7e@rfc6750': NO_CHALLENGE, 'MRS-7f@rfc6750': NO_CHALLENGE },
      on(['missingToken', 'unknownToken'], headers({ 'www-authenticate': undefined })),
      { profile: 'rfc6750' },
    ),
  'rfc6750-unknown-token-400: answers a token that it never issued with 400': () =>
    wrong({ 'MRS-7f@rfc6750': 'status 401; seen: .* 400' }, on('unknownToken', 400), { profile: 'rfc6750' }),
  'static-feed-gone: has no file at the path of its profile': () =>
    wrong(
      { 'MRS-4.4@static-feed': 'a 2xx status; seen: .* 404', 'MRS-4.2g@static-feed': /status 200/ },
      on('served', 404),
      { profile: 'static-feed', cannotRun: ['MRS-4.2b', 'MRS-2b@static-feed'] },
    ),
});
