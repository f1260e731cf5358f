/** Reproducible chance for tests. */
import { createHmac } from 'node:crypto';

/** `share` is a number from 0 up to, but not including, 1: the same one for each seed and purpose. */
export const createRandom = (seed: string) => ({
  share: (purpose: string) => createHmac('sha256', seed).update(purpose).digest().readUIntBE(0, 6) / 2 ** 48,
});
