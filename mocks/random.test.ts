import { expect, _baseTest as test } from '@playwright/test';
import { createRandom } from './random.ts';

test('the same seed gives the same values in any order', () => {
  const [one, other] = [createRandom('a seed'), createRandom('a seed')];
  const first = [one.bytes('a'), one.bytes('b'), one.share('a')];
  expect([other.share('a'), other.bytes('b'), other.bytes('a')]).toEqual(first.toReversed());
});

test('another seed or purpose gives other values', () => {
  const values = ['a seed', 'another', Buffer.from('bytes')].flatMap((seed) =>
    ['', 'a', 'b'].map((purpose) => Buffer.from(createRandom(seed).bytes(purpose)).toString('hex')),
  );
  expect(new Set(values).size).toBe(9);
});
