/** Deployments whose health checks are missing or require a token (section 4.3), or that violate what a profile declares. */
import { on, type When } from '../behaviour.ts';
import { type Defect, defect } from '../deployment.ts';
import { type Edit, empty, headers, toLoginPage } from '../edits.ts';

const HEALTH = 'the health check .* without a token';
const NO_CHALLENGE = /that the header www-authenticate is there/;

type Rows = Record<string, [summary: string, code: number, ...edits: Edit[]]>;

const missing = (rows: Rows): Defect[] =>
  Object.entries(rows).map(([name, [summary, code, ...edits]]) =>
    defect(name, summary, {
      fails: { 'MRS-4.3a': `${HEALTH}: ${code}` },
      cannotRun: ['MRS-4.3b'],
      does: on({ at: 'checkHealth' }, code, ...edits),
    }),
  );

const withoutToken: When = { at: 'checkHealth', if: ({ request }) => !request.headers.authorization };

const refused = (rows: Rows): Defect[] =>
  Object.entries(rows).map(([name, [summary, code, ...edits]]) =>
    defect(name, summary, {
      fails: { 'MRS-4.3b': `${HEALTH}: ${code}` },
      does: on(withoutToken, code, ...edits),
    }),
  );

export const healthDefects: readonly Defect[] = [
  ...missing({
    'health-404': ['has no health check at the configured path', 404],
    'health-410': ['had a health check at the configured path, and has removed it', 410],
  }),
  defect(
    'health-404-behind-401',
    'has no health check at the configured path, and says so only to clients with a token',
    {
      fails: { 'MRS-4.3a': `${HEALTH}: 401` },
      cannotRun: ['MRS-4.3b'],
      does: [on({ at: 'checkHealth' }, 404), on(withoutToken, 401)],
    },
  ),
  ...refused({
    'health-401': [
      'answers health checks without a token with 401',
      401,
      headers({ 'www-authenticate': 'Bearer' }),
    ],
    'health-403': ['answers health checks with 403, unless there is a token', 403],
    'health-404-without-token': ['hides health checks with 404, unless there is a token', 404, empty],
    'health-redirects': [
      'redirects health checks to a login page, unless there is a token',
      302,
      toLoginPage,
    ],
  }),
];

export const profileDefects: readonly Defect[] = [
  defect('rfc6750-missing-token-403', 'answers a missing token with 403', {
    profile: 'rfc6750',
    fails: { 'MRS-7e@rfc6750': 'status 401; seen: .* 403' },
    does: on('missingToken', 403),
  }),
  defect('rfc6750-no-challenge', 'sends no challenge with its 401', {
    profile: 'rfc6750',
    fails: { 'MRS-7e@rfc6750': NO_CHALLENGE, 'MRS-7f@rfc6750': NO_CHALLENGE },
    does: on(['missingToken', 'unknownToken'], headers({ 'www-authenticate': undefined })),
  }),
  defect('rfc6750-unknown-token-400', 'answers a token that it never issued with 400', {
    profile: 'rfc6750',
    fails: { 'MRS-7f@rfc6750': 'status 401; seen: .* 400' },
    does: on('unknownToken', 400),
  }),
  defect('static-feed-gone', 'has no file at the path of its profile', {
    profile: 'static-feed',
    fails: { 'MRS-4.4@static-feed': 'a 2xx status; seen: .* 404', 'MRS-4.2g@static-feed': /status 200/ },
    cannotRun: ['MRS-4.2b', 'MRS-2b@static-feed'],
    does: on('served', 404),
  }),
];
