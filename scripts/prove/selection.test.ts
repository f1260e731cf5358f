import { expect, _baseTest as test } from '@playwright/test';
import { isBinding, ledger } from '../../tests/support/requirements.ts';
import { sampleClients } from './select-clients.ts';
import { pointOf, sampleDeployments, selectDeployments } from './selection.ts';

const pointsFailedBy = (defects: ReturnType<typeof selectDeployments>['defects']) =>
  [...new Set(defects.flatMap(({ fails }) => Object.keys(fails).map(pointOf)))].toSorted();

test('a sample fails each requirement that the whole proof fails, with a small part of the defects', () => {
  const { defects } = selectDeployments([]);
  const sample = sampleDeployments();
  expect(pointsFailedBy(sample.defects)).toEqual(pointsFailedBy(defects));
  expect(pointsFailedBy(sample.defects)).toEqual(
    expect.arrayContaining(ledger.filter(isBinding).map(({ id }) => id)),
  );
  expect(sample.defects.length).toBeLessThan(defects.length / 3);
});

test('a sample has several variants, wrong clients and a permitted client, and is the same each time', () => {
  const { variants, scope } = sampleDeployments();
  expect(variants.length).toBeGreaterThan(3);
  expect(scope).toBe('sample');
  const { wrong, permitted } = sampleClients();
  expect([wrong.length, permitted.length]).toEqual([3, 1]);
  expect(sampleDeployments()).toEqual(sampleDeployments());
});
