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

test('a ban at the end is said', () => {
  const atTheEnd = (status: number) =>
    observed('MRS-8a', ({ probes }) => {
      probes['data.control'] = answered('the data with the newest token, at the end', status);
    });
  expect(atTheEnd(401)).toBe(
    'a valid token is refused after forged ones, which is taken for a ban: the data with the newest token, at the end: ' +
      '401, application/json',
  );
  expect(atTheEnd(200)).toBeUndefined();
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
