import { expect, _baseTest as test } from '@playwright/test';
import { defects } from '../../mocks/deployments/defects.ts';
import { isBinding, ledger } from '../../tests/support/requirements.ts';
import { renderMatrix } from './matrix.ts';

const binding = ledger.filter(isBinding).map(({ id }) => id);

test('ids stand upright above their columns, and what is not as stated is marked', () => {
  const cells = [
    { id: 'MRS-4.1a', verdict: 'failed' },
    { id: 'MRS-5.6b', verdict: 'failed', fault: 'no' },
    { id: 'MRS-7a', verdict: 'could-not-run' },
    { id: 'MRS-2a', verdict: 'passed' },
  ] as const;
  expect(
    renderMatrix([{ name: 'broken', cells }])
      .split('\n')
      .slice(0, 5),
  ).toEqual(['MRS-   4 5 7 2', '       . . a a', '       1 6', '       a b', 'broken ✗ ! ? ·']);
});

test('the matrix of all defects fits 80 columns', () => {
  const cells = binding.map((id) => ({ id, verdict: 'passed' as const }));
  const lines = renderMatrix(defects.map(({ name }) => ({ name, cells }))).split('\n');
  expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(80);
});

test('without a row there is no matrix', () => {
  expect(renderMatrix([])).toBe('');
});
