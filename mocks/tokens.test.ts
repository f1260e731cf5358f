import { expect, test } from '@playwright/test';
import { createClients } from './clients.ts';
import { createRandom } from './random.ts';
import { createTokens, type Issued, type Tokens } from './tokens.ts';

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

for (const [ended, standingThen] of [
  ['expired', 'expired'],
  ['revoked', 'unknown'],
] as const)
  test(`a token that is ended as ${ended} is ${standingThen} at once, and stays so when time goes back`, () => {
    let now = 5_000;
    const tokens = createTokens(() => now, random);
    const [first, second] = [issue(tokens, 60), issue(tokens, 60)];
    expect(tokens.end(found(tokens, first), ended)).toBe(1);
    now = 0;
    expect(tokens.find(first)).toMatchObject({ standing: standingThen, issued: { number: 1, ended } });
    expect(tokens.standingOf(found(tokens, first))).toBe(standingThen);
    expect(tokens.find(second)).toMatchObject({ standing: 'valid', issued: { number: 2 } });
    expect(found(tokens, second)).not.toHaveProperty('ended');
  });

test('only those are ended that are meant, and only the living are counted', () => {
  let now = 0;
  const tokens = createTokens(() => now, random);
  const [short, ...long] = [1, 60, 60, 60, 60].map((lifetime) => issue(tokens, lifetime));
  now = 1_000;
  const early = ({ number }: Issued) => number <= 3;
  expect(tokens.end(early, 'expired')).toBe(2);
  expect(tokens.end(early, 'expired')).toBe(0);
  expect(tokens.end(() => true, 'revoked')).toBe(2);
  expect([short ?? '', ...long].map((token) => standing(tokens, token))).toEqual(Array(5).fill('unknown'));
});

test('what has expired is not expired on order, and lives again when time goes back', () => {
  let now = 1_000;
  const tokens = createTokens(() => now, random);
  const token = issue(tokens, 60);
  now = 61_000;
  expect(tokens.end(() => true, 'expired')).toBe(0);
  now = 60_999;
  expect(standing(tokens, token)).toBe('valid');
});

test('what has expired is revoked all the same, and lives no more when time goes back', () => {
  let now = 1_000;
  const tokens = createTokens(() => now, random);
  const token = issue(tokens, 60);
  now = 61_000;
  expect(tokens.end(() => true, 'revoked')).toBe(0);
  expect(standing(tokens, token)).toBe('unknown');
  now = 1_000;
  expect(standing(tokens, token)).toBe('unknown');
});

test('a token is ended as it is now, not as it was when it was looked at', () => {
  const tokens = createTokens(() => 0, random);
  const token = issue(tokens, 60);
  const seen = found(tokens, token);
  tokens.end(seen, 'revoked');
  expect(tokens.end(seen, 'expired')).toBe(0);
  expect(standing(tokens, token)).toBe('unknown');
});

test('a token that was let go, or never was, does not come back by being ended', () => {
  const tokens = createTokens(() => 0, random, 1);
  const restore = tokens.save();
  const token = issue(tokens, 60);
  const seen = found(tokens, token);
  issue(tokens, 60);
  expect(tokens.end(seen, 'expired')).toBe(0);
  expect(tokens.find(token)).toEqual({ standing: 'unknown' });
  restore();
  expect(tokens.end(seen, 'expired')).toBe(0);
  expect(tokens.find(token)).toEqual({ standing: 'unknown' });
});

const found = (tokens: Tokens, token: string): Issued => {
  const { issued } = tokens.find(token);
  if (issued) return issued;
  throw new Error(`${token} is not known.`);
};
