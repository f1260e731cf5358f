import { expect, test } from '@playwright/test';
import { createQueue, type Queue } from './queue.ts';
import { createRandom } from './random.ts';

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

test('a copy has what is left, and goes its own way', () => {
  for (const taken of [0, 1, 2, 3, 4]) {
    const queue = createQueue(['a', 'b', 'c', 'd']);
    for (let nth = 0; nth < taken; nth++) queue.take();
    const copy = queue.copy();
    queue.add('of the queue');
    copy.add('of the copy');
    const left = ['a', 'b', 'c', 'd'].slice(taken);
    expect(rest(queue)).toEqual([...left, 'of the queue']);
    expect(rest(copy)).toEqual([...left, 'of the copy']);
  }
});

test('it does as an array does, whatever is asked of it', () => {
  const share = dice('queue');
  const plain: number[] = [];
  let queue = createQueue<number>(plain);
  const seen: unknown[] = [];
  const expected: unknown[] = [];
  for (let nth = 0; nth < 5_000; nth++) {
    const delayMs = share();
    if (delayMs < 0.5) plain.push(nth);
    if (delayMs < 0.5) queue.add(nth);
    else if (delayMs >= 0.95) queue = queue.copy();
    else {
      seen.push(queue.take());
      expected.push(plain.shift());
    }
    seen.push(queue.head());
    expected.push(plain[0]);
  }
  expect(seen).toEqual(expected);
  expect(rest(queue)).toEqual(plain);
});

test('what it begins with is not changed by it', () => {
  const first = ['a'];
  const queue = createQueue(first);
  queue.add('b');
  queue.take();
  expect(first).toEqual(['a']);
});

const rest = (queue: Queue<string> | Queue<number>) => {
  const items: unknown[] = [];
  for (let item = queue.take(); item !== undefined; item = queue.take()) items.push(item);
  return items;
};

const dice = (seed: string) => {
  const { share } = createRandom(seed);
  let throws = 0;
  return () => share(String(++throws));
};
