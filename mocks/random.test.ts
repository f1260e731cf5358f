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

test('shares are evenly distributed from 0 up to 1', () => {
  const { share } = createRandom('a seed');
  const shares = Array.from({ length: 10_000 }, (_, nth) => share(`share ${nth}`));
  for (let tenth = 0; tenth < 10; tenth++) {
    const within = shares.filter((one) => Math.floor(one * 10) === tenth);
    expect(Math.abs(within.length - 1000), `${tenth}`).toBeLessThan(150);
  }
  expect(shares.every((one) => one >= 0 && one < 1)).toBe(true);
});
