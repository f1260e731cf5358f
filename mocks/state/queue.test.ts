import { expect, _baseTest as test } from '@playwright/test';
import { createQueue } from './queue.ts';

test('a queue returns its items in the order in which they were added, while more are added', () => {
  const queue = createQueue<number>();
  const taken: (number | undefined)[] = [];
  for (let nth = 0; nth < 100; nth++) {
    queue.add(2 * nth);
    queue.add(2 * nth + 1);
    expect(queue.head()).toBe(nth);
    taken.push(queue.take());
  }
  for (let nth = 0; nth <= 100; nth++) taken.push(queue.take());
  expect(taken).toEqual([...Array.from({ length: 200 }, (_, nth) => nth), undefined]);
});

test('a copy holds the remaining items and is independent', () => {
  const queue = createQueue(['a', 'b', 'c']);
  queue.take();
  const copy = queue.copy();
  queue.add('d');
  expect([copy.take(), copy.take(), copy.take()]).toEqual(['b', 'c', undefined]);
  expect([queue.take(), queue.take(), queue.take()]).toEqual(['b', 'c', 'd']);
});
