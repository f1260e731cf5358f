import { expect, test } from '@playwright/test';
import { createTokens } from './tokens.ts';

test('a token is valid until its last millisecond, and expired from then on', () => {
  let now = 5_000;
  const tokens = createTokens(() => now);
  const token = tokens.issue(60);
  expect(tokens.standing(token)).toBe('valid');
  now = 64_999;
  expect(tokens.standing(token)).toBe('valid');
  now = 65_000;
  expect(tokens.standing(token)).toBe('expired');
  now = 9e9;
  expect(tokens.standing(token)).toBe('expired');
});

test('a token that was never issued is unknown, also when it is an altered one', () => {
  const tokens = createTokens(() => 0);
  const token = tokens.issue(60);
  expect(tokens.standing(`${token}x`)).toBe('unknown');
  expect(tokens.standing(token.toUpperCase())).toBe('unknown');
  expect(tokens.standing('__proto__')).toBe('unknown');
});

test('tokens are all different, and fit into a header as they are', () => {
  const tokens = createTokens(() => 0);
  const issued = Array.from({ length: 500 }, () => tokens.issue(60));
  expect(new Set(issued).size).toBe(500);
  for (const token of issued) expect(token).toMatch(/^[\w-]{32}$/);
});

test('every token has the lifetime that it was issued with', () => {
  let now = 0;
  const tokens = createTokens(() => now);
  const [short, long] = [tokens.issue(1), tokens.issue(0.5 * 60)];
  now = 1_000;
  expect([tokens.standing(short), tokens.standing(long)]).toEqual(['expired', 'valid']);
});

test('above the capacity an expired token is let go before a valid one that is older', () => {
  let now = 0;
  const tokens = createTokens(() => now, 2);
  const long = tokens.issue(60);
  const short = tokens.issue(1);
  now = 1_000;
  const third = tokens.issue(60);
  expect([long, short, third].map(tokens.standing)).toEqual(['valid', 'unknown', 'valid']);
});

test('above the capacity the oldest token is let go when none has expired', () => {
  const tokens = createTokens(() => 0, 2);
  const issued = [tokens.issue(60), tokens.issue(60), tokens.issue(60)];
  expect(issued.map(tokens.standing)).toEqual(['unknown', 'valid', 'valid']);
});
