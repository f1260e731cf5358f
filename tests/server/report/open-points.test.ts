import { expect, _baseTest as test } from '@playwright/test';
import { ledger } from '../../support/requirements.ts';
import type { Evidence, Exchange } from '../support/evidence.ts';
import { blankEvidence } from '../testing/blank-evidence.ts';
import { observeOpenPoints } from './open-points.ts';

let sent = 0;
const answer = (what: string, status: number): Exchange => ({
  id: `x${++sent}`,
  what,
  request: { method: 'GET', path: '/ods_data/', headers: [] },
  sentAtMs: 0,
  durationMs: 0,
  response: {
    status,
    headers: [],
    bodyBytes: 2,
    mediaType: 'application/json',
    digest: '',
    excerpt: '{}',
    json: { wellFormed: true, type: 'object', empty: true },
  },
});

function observed(id: string, change: (evidence: Evidence) => void): string | null | undefined {
  const evidence = blankEvidence();
  change(evidence);
  return observeOpenPoints(ledger, evidence).find((point) => point.id === id)?.observed;
}

test('a ban at the end is said, and what is not judged by it', () => {
  const atTheEnd = (status: number) =>
    observed('MRS-8a', ({ data }) => {
      data.control = answer('the data with the newest token, at the end', status);
    });
  expect(atTheEnd(401)).toBe(
    'a valid token is refused too after tokens that were never issued, and a second later (the data with the newest token, at ' +
      'the end: 401, application/json): taken for a ban, by which neither this answer nor those to the expired token before ' +
      'it are judged',
  );
  expect(atTheEnd(200)).toBeNull();
});

test('an answer to an expired token that a newer one has ended is said not to be judged', () => {
  const later = (status: number) =>
    observed('MRS-5e', (evidence) => {
      evidence.tokenRepeats = false;
      evidence.open.tokenBefore = answer('the data with the token before', 401);
      evidence.data.expiredLast = answer('the expired token', status);
    });
  expect(later(401)).toBe(
    'a newer token ends the one before; so this answer is not judged: the expired token: 401, application/json',
  );
  expect(later(403)).toBe('a newer token ends the one before');
});
