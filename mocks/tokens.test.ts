import { expect, test } from '@playwright/test';
import { createClients } from './clients.ts';
import { createRandom } from './random.ts';
import { createTokens, type Tokens } from './tokens.ts';

const client = createClients(900).add({ id: 'a', secret: 'x' });
const random = createRandom('a seed');
const issue = (tokens: Tokens, lifetimeSeconds: number) => tokens.issue({ client, lifetimeSeconds });
const standing = (tokens: Tokens, token: string) => tokens.find(token).standing;

test('a token is valid until its last millisecond, and expired from then on', () => {
  let now = 5_000;
  const tokens = createTokens(() => now, random);
  const token = issue(tokens, 60);
  expect(standing(tokens, token)).toBe('valid');
  now = 64_999;
  expect(standing(tokens, token)).toBe('valid');
  now = 65_000;
  expect(standing(tokens, token)).toBe('expired');
  now = 9e9;
  expect(standing(tokens, token)).toBe('expired');
});

test('a token that was never issued is unknown, also when it is an altered one', () => {
  const tokens = createTokens(() => 0, random);
  const token = issue(tokens, 60);
  expect(standing(tokens, `${token}x`)).toBe('unknown');
  expect(standing(tokens, token.toUpperCase())).toBe('unknown');
  expect(standing(tokens, '__proto__')).toBe('unknown');
});

test('tokens are all different, and fit into a header as they are', () => {
  const tokens = createTokens(() => 0, random);
  const issued = Array.from({ length: 500 }, () => issue(tokens, 60));
  expect(new Set(issued).size).toBe(500);
  for (const token of issued) expect(token).toMatch(/^[\w-]{32}$/);
});

test('every token has the lifetime that it was issued with', () => {
  let now = 0;
  const tokens = createTokens(() => now, random);
  const [short, long] = [issue(tokens, 1), issue(tokens, 0.5 * 60)];
  now = 1_000;
  expect([standing(tokens, short), standing(tokens, long)]).toEqual(['expired', 'valid']);
});

test('above the capacity an expired token is let go before a valid one that is older', () => {
  let now = 0;
  const tokens = createTokens(() => now, random, 2);
  const long = issue(tokens, 60);
  const short = issue(tokens, 1);
  now = 1_000;
  const third = issue(tokens, 60);
  expect([long, short, third].map((token) => standing(tokens, token))).toEqual(['valid', 'unknown', 'valid']);
});

test('above the capacity the oldest token is let go when none has expired', () => {
  const tokens = createTokens(() => 0, random, 2);
  const issued = [issue(tokens, 60), issue(tokens, 60), issue(tokens, 60)];
  expect(issued.map((token) => standing(tokens, token))).toEqual(['unknown', 'valid', 'valid']);
});
