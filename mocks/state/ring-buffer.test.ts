import { expect, _baseTest as test } from '@playwright/test';
import { createRing } from './ring-buffer.ts';

test('a ring keeps the latest items up to its capacity', () => {
  const ring = createRing<number>(3);
  const seen = [1, 2, 3, 4, 5].map((item) => {
    ring.add(item);
    return ring.items();
  });
  expect(seen).toEqual([[1], [1, 2], [1, 2, 3], [2, 3, 4], [3, 4, 5]]);
});

test('a cleared ring is empty and can be filled again', () => {
  const ring = createRing<number>(3);
  for (const item of [1, 2, 3, 4, 5]) ring.add(item);
  ring.clear();
  expect(ring.items()).toEqual([]);
  for (const item of [6, 7, 8, 9]) ring.add(item);
  expect(ring.items()).toEqual([7, 8, 9]);
});
