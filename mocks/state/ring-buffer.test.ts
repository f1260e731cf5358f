import { expect, test } from '@playwright/test';
import { createRing } from './ring-buffer.ts';

test('up to the capacity everything is kept, and from then on the latest', () => {
  for (const capacity of [1, 2, 3, 7]) {
    const ring = createRing<number>(capacity);
    expect(ring.items()).toEqual([]);
    for (let nth = 1; nth <= 3 * capacity + 1; nth++) {
      ring.add(nth);
      const first = Math.max(1, nth - capacity + 1);
      const latest = Array.from({ length: nth - first + 1 }, (_, index) => first + index);
      expect(ring.items(), `${nth} into ${capacity}`).toEqual(latest);
    }
  }
});

for (const added of [1, 3, 5])
  test(`cleared after ${added}, it is empty, and begins again`, () => {
    const ring = createRing<number>(3);
    for (let nth = 1; nth <= added; nth++) ring.add(nth);
    ring.clear();
    expect(ring.items()).toEqual([]);
    ring.add(7);
    expect(ring.items()).toEqual([7]);
    for (const item of [8, 9, 10]) ring.add(item);
    expect(ring.items()).toEqual([8, 9, 10]);
  });

test('what was listed stays as it was when more is added', () => {
  const ring = createRing<string>(2);
  ring.add('a');
  const editRecords = ring.items();
  editRecords.push('x');
  ring.add('b');
  expect([editRecords, ring.items()]).toEqual([
    ['a', 'x'],
    ['a', 'b'],
  ]);
});
