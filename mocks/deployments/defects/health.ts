/** Deployments whose health checks are missing or require a token. */

import type { Defect } from '../deployment.ts';
import { mapOperation, mapReply } from '../overrides.ts';
import { empty, headers, sequence, status, toLoginPage } from '../reply-edits.ts';

const missing = (code: number) =>
  new RegExp(
    `^expected a health check at this path; check MRS_HEALTH_PATHS .*; seen: the health check .* without a token: ${code}\\b`,
  );
const refused = (code: number) =>
  new RegExp(`^expected an answer without a token; seen: the health check .* without a token: ${code}\\b`);
const withoutToken = (request: { headers: { authorization?: string | undefined } }) =>
  request.headers.authorization === undefined;

export const healthDefects: Defect[] = [
  {
    name: 'health-404',
    summary: 'has no health check at the configured path',
    fails: { 'MRS-4.3a': missing(404) },
    cannotRun: ['MRS-4.3b'],
    override: mapOperation('checkHealth', status(404)),
  },
  {
    name: 'health-410',
    summary: 'had a health check at the configured path, and has removed it',
    fails: { 'MRS-4.3a': missing(410) },
    cannotRun: ['MRS-4.3b'],
    override: mapOperation('checkHealth', status(410)),
  },
  {
    name: 'health-404-behind-401',
    summary: 'has no health check at the configured path, and says so only to clients with a token',
    fails: { 'MRS-4.3a': missing(401) },
    cannotRun: ['MRS-4.3b'],
    override: mapReply((reply, { expected, request }) =>
      expected?.operation === 'checkHealth' ? status(withoutToken(request) ? 401 : 404)(reply) : reply,
    ),
  },
  {
    name: 'health-401',
    summary: 'answers health checks without a token with 401',
    fails: { 'MRS-4.3b': refused(401) },
    override: mapOperation(
      'checkHealth',
      sequence(status(401), headers({ 'www-authenticate': 'Bearer' })),
      withoutToken,
    ),
  },
  {
    name: 'health-403',
    summary: 'answers health checks with 403, unless there is a token',
    fails: { 'MRS-4.3b': refused(403) },
    override: mapOperation('checkHealth', status(403), withoutToken),
  },
  {
    name: 'health-404-without-token',
    summary: 'hides health checks with 404, unless there is a token',
    fails: { 'MRS-4.3b': refused(404) },
    override: mapOperation('checkHealth', sequence(status(404), empty), withoutToken),
  },
  {
    name: 'health-redirects',
    summary: 'redirects health checks to a login page, unless there is a token',
    fails: { 'MRS-4.3b': refused(302) },
    override: mapOperation('checkHealth', toLoginPage, withoutToken),
  },
];
