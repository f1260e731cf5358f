import { expect, test } from 'vitest';
import { deadlineOf, readerScenarios, scenarios, withTokenLifetime } from './scenarios.ts';

const scenario = (name: string) => {
  const found = scenarios.find((one) => one.name === name);
  if (!found) throw new Error(name);
  return found;
};

test('the summary of a scenario says its form, and that of a permitted feed what differs', () => {
  const summaryOf = (name: string, all = scenarios) => all.find((one) => one.name === name)?.summary;
  expect(summaryOf('expires')).toBe('the token expires when agreed; tokens have 1,500 characters');
  expect(summaryOf('steady', readerScenarios)).toBe('nothing goes wrong');
  expect(summaryOf('rec-z-times', readerScenarios)).toMatch(/^the feed .*Z/);
});

/** The agreed lifetime and those of the tokens, as they are and for a lifetime of 90 s. */
for (const [name, agreed, lives, at90] of [
  ['steady', 900, [900], [900]],
  ['expires', 3, [3], [90]],
  ['expires-again', 2, [2], [90]],
  ['ended-early', 6, [6], [90]],
  ['shorter-than-agreed', 6, [2], [30]],
  ['token-down', 3, [3], [90]],
  ['token-slow', 3, [4, 900], [91, 900]],
] as const)
  test(`tokens of ${name} live ${lives} s, and ${at90} s where 90 s are given`, () => {
    expect(scenario(name)).toMatchObject({ agreedSeconds: agreed, lifetimesSeconds: lives });
    const scaled = withTokenLifetime(scenario(name), 90);
    expect(scaled.lifetimesSeconds).toEqual(at90);
    const isScaled = name !== 'steady'; // No token expires in it.
    expect([scaled.agreedSeconds, scaled.longLived]).toEqual(isScaled ? [90, false] : [900, undefined]);
  });

test('the time limit lets a client that renews by its clock meet the end of early tokens', () => {
  const limit = (name: string) => deadlineOf(withTokenLifetime(scenario(name), 120));
  // Each token of 120 s lives 40 s, and the client renews after 118 s; the fourth has to end.
  expect(limit('shorter-than-agreed')).toBeGreaterThan(3 * 118 + 40 + 10);
  expect(limit('expires')).toBeGreaterThan(150);
  expect(limit('steady')).toBe(30);
});
