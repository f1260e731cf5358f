import { expect, _baseTest as test } from '@playwright/test';
import { createFingerprints } from './fingerprint.ts';
import { but, contract } from './testing/sample-feed.ts';

test('records that differ in one number, letter or member differ in every word of their fingerprints', () => {
  const fingerprintOf = createFingerprints(contract);
  const seen = Array.from({ length: 4 }, () => new Set<number | undefined>());
  const count = 3000;
  for (let at = 0; at < count; at++)
    for (const record of [but({ subarray: at }), but({ src_id: `x${at}` }), but({ x: at })]) {
      const words = fingerprintOf(record);
      for (const [nth, set] of seen.entries()) set.add(words[nth]);
    }
  // Of 9000 random words of 32 bits, two are the same once in a hundred times, and these are always the same.
  expect(seen.map(({ size }) => size)).toEqual(seen.map(() => 3 * count));
});
