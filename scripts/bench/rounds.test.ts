import { expect, _baseTest as test } from '@playwright/test';
import { inRounds, quietest, valuesIn } from './rounds.ts';

const rounds = [0.9, 0, 0.3, 0.1].map((others, at) => ({ others, of: { mock: { p50: at } } }));

test('the rounds with the least disturbance are kept, in their order; of fewer than asked for, all', () => {
  expect(valuesIn(quietest(rounds, 3))('mock', 'p50')).toEqual([1, 2, 3]);
  expect(quietest(rounds, 9)).toEqual(rounds);
});

test('in each round every server has its turn, and each round starts with another one', async () => {
  const turns: string[] = [];
  const items = [{ name: 'a' }, { name: 'b' }];
  const done = await inRounds(3, items, async ({ name }, round) => {
    turns.push(name);
    return { own: 1000, figures: { p50: round } };
  });
  expect(turns.join('')).toBe('baabba');
  expect([valuesIn(done)('a', 'p50'), valuesIn(done)('b', 'p50')]).toEqual([
    [1, 2, 3],
    [1, 2, 3],
  ]);
});
