import { expect, _baseTest as test } from '@playwright/test';
import { needed, SHOWN_BY } from './missing.ts';

test('for each requirement and rule that a part needs, it is stated what to record', () => {
  expect(Object.keys(SHOWN_BY).sort()).toEqual([...needed].sort());
});
