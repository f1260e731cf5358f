import { expect, _baseTest as test } from '@playwright/test';
import { quietest } from './rounds.ts';

const rounds = [0.9, 0, 0.3, 0.1].map((others, at) => ({
  others,
  of: { mock: at, bare: at, prism: at, quiet: at },
}));

test('the rounds with the least disturbance are kept, in their order', () => {
  expect(quietest(rounds, 3).map(({ of }) => of.mock)).toEqual([1, 2, 3]);
});

test('of fewer rounds than asked for, all are kept', () => {
  expect(quietest(rounds, 9)).toEqual(rounds);
});
