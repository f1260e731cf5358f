/** Repeatable chance for tests: a number from 0 up to 1 that depends on the seed and on what it is drawn for. */
import { createHmac } from 'node:crypto';

export const seededRandom =
  (seed: string) =>
  (purpose: string): number =>
    createHmac('sha256', seed).update(purpose).digest().readUIntBE(0, 6) / 2 ** 48;
