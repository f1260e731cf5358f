import { expect, _baseTest as test } from '@playwright/test';
import { ledger } from '../../support/requirements.ts';
import type { Evidence, Exchange } from '../support/evidence.ts';
import { answer, blankEvidence, exchange } from '../testing/evidence.ts';
import { observeOpenPoints } from './open-points.ts';
import { evidence as sample } from './testing/sample-reports.ts';

const answered = (what: string, status: number): Exchange =>
  exchange(1, what, answer(status, { bodyBytes: 2, mediaType: 'application/json' }));

function observed(id: string, change: (evidence: Evidence) => void): string | undefined {
  const evidence = blankEvidence();
  change(evidence);
  return observeOpenPoints(evidence).find((point) => point.id === id)?.observed;
}

test('a ban at the end is said, and what is not judged by it', () => {
  const atTheEnd = (status: number) =>
    observed('MRS-8a', ({ probes }) => {
      probes['data.control'] = answered('the data with the newest token, at the end', status);
    });
  expect(atTheEnd(401)).toBe(
    'a valid token is refused too after tokens that were never issued, and a second later (the data with the newest token, at ' +
      'the end: 401, application/json): taken for a ban, by which neither this answer nor those to the expired token before ' +
      'it are judged',
  );
  expect(atTheEnd(200)).toBeUndefined();
});

test('an answer to an expired token that a newer one has ended is said not to be judged', () => {
  const later = (status: number) =>
    observed('MRS-5e', (evidence) => {
      evidence.tokenRepeats = false;
      evidence.probes['open.tokenBefore'] = answered('the data with the token before', 401);
      evidence.probes['data.expiredLast'] = answered('the expired token', status);
    });
  expect(later(401)).toBe(
    'a newer token invalidates the one before; so this answer is not judged: the expired token: 401, application/json',
  );
  expect(later(403)).toBe('a newer token invalidates the one before');
});

test('what was observed of open points is said, and none of them is judged', () => {
  const seen = Object.fromEntries(observeOpenPoints(sample).map(({ id, observed }) => [id, observed]));
  expect(seen).toMatchObject({
    'MRS-4.3c': '/live',
    'MRS-4.3d': 'GET /live: 204',
    'MRS-4.3e': 'no body',
    'MRS-7e': 'the data without a token: 401, no body',
    'MRS-5e': undefined,
    'MRS-9': undefined,
  });
  expect(Object.keys(seen)).toEqual(ledger.filter(({ kind }) => kind === 'open').map(({ id }) => id));
});
