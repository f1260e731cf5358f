import { createHmac } from 'node:crypto';
import { expect, test } from '@playwright/test';
import { createRandom } from './random.ts';

const hexOf = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex');

test('what is drawn comes again with its seed, in any order', () => {
  const [one, other] = [createRandom('a seed'), createRandom('a seed')];
  const first = [one.bytes('a'), one.bytes('b'), one.share('a')];
  expect([other.share('a'), other.bytes('b'), other.bytes('a')]).toEqual(first.toReversed());
});

test('another seed and another purpose draw something else', () => {
  const delayMs = ['a seed', 'another', Buffer.from('bytes')].flatMap((seed) =>
    ['', 'a', 'b'].map((purpose) => hexOf(createRandom(seed).bytes(purpose))),
  );
  expect(new Set(delayMs).size).toBe(9);
});

test('it is the HMAC of the purpose under the seed, so that nothing tells the seed', () => {
  const expected = createHmac('sha256', 'a seed').update('a purpose').digest();
  expect(createRandom('a seed').bytes('a purpose')).toEqual(expected);
  expect(createRandom(Buffer.from('a seed')).bytes('a purpose')).toEqual(expected);
});

test('a share is the first 48 bits of the bytes, as a fraction', () => {
  const { bytes, share } = createRandom('a seed');
  for (const purpose of ['a', 'b', 'c'])
    expect(share(purpose)).toBe(Number(`0x${hexOf(bytes(purpose).subarray(0, 6))}`) / 0x1000000000000);
});

test('shares spread evenly from 0 up to 1', () => {
  const { share } = createRandom('a seed');
  const delayMs = Array.from({ length: 10_000 }, (_, nth) => share(`share ${nth}`));
  for (let tenth = 0; tenth < 10; tenth++) {
    const within = delayMs.filter((one) => Math.floor(one * 10) === tenth);
    expect(Math.abs(within.length - 1000), `${tenth}`).toBeLessThan(150);
  }
  expect(delayMs.every((one) => one >= 0 && one < 1)).toBe(true);
});
