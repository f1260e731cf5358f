import { expect, test } from '@playwright/test';
import { createQueue } from './queue.ts';

test('what came first is taken first, also while more comes', () => {
  const queue = createQueue<number>();
  const taken: (number | undefined)[] = [];
  for (let nth = 0; nth < 100; nth++) {
    queue.add(2 * nth);
    queue.add(2 * nth + 1);
    expect(queue.head()).toBe(nth);
    taken.push(queue.take());
  }
  for (let nth = 0; nth < 100; nth++) taken.push(queue.take());
  expect(taken).toEqual(Array.from({ length: 200 }, (_, nth) => nth));
});

test('from an empty queue nothing is taken, and it can be filled again', () => {
  const queue = createQueue<string>();
  expect([queue.head(), queue.take()]).toEqual([undefined, undefined]);
  queue.add('a');
  expect([queue.take(), queue.take(), queue.head()]).toEqual(['a', undefined, undefined]);
});
