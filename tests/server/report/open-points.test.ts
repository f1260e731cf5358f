import { expect, test } from 'vitest';
import { ledger } from '../../support/requirements.ts';
import { observeOpenPoints } from './open-points.ts';
import { evidence as sample } from './testing/sample-reports.ts';

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
