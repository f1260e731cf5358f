import { expect, _baseTest as test } from '@playwright/test';
import { scenarios } from './scenario-catalogue.ts';
import { deadlineOf, withTokenLifetime } from './token-lifetime.ts';

const at90 = (name: string) => {
  const scenario = scenarios.find((one) => one.name === name);
  if (!scenario) throw new Error(name);
  const { agreedSeconds, lifetimesSeconds, longLived } = withTokenLifetime(scenario, 90);
  return { agreedSeconds, lifetimesSeconds, longLived };
};

test('a scenario whose tokens expire takes the given lifetime, and is not taken for one of long-lived tokens', () => {
  for (const name of ['expires', 'expires-again', 'ended-early', 'token-down'])
    expect(at90(name)).toEqual({ agreedSeconds: 90, lifetimesSeconds: [90], longLived: false });
});

test('a token that lives shorter than agreed still does, and so does one that lives longer', () => {
  expect(at90('shorter-than-agreed')).toMatchObject({ agreedSeconds: 90, lifetimesSeconds: [30] });
  expect(at90('token-slow')).toMatchObject({ agreedSeconds: 90, lifetimesSeconds: [91, 900] });
});

test('a scenario in which no token expires keeps its lifetime', () => {
  expect(at90('steady')).toEqual({ agreedSeconds: 900, lifetimesSeconds: [900], longLived: undefined });
});

test('the time limit lets a client that renews by its clock meet the end of early tokens', () => {
  const limit = (name: string, seconds: number) => {
    const scenario = scenarios.find((one) => one.name === name);
    return scenario && deadlineOf(withTokenLifetime(scenario, seconds));
  };
  // Each token of 120 s lives 40 s, and the client renews after 118 s; the fourth has to end.
  expect(limit('shorter-than-agreed', 120)).toBeGreaterThan(3 * 118 + 40 + 10);
  expect(limit('expires', 120)).toBeGreaterThan(150);
  expect(limit('steady', 120)).toBe(30);
});
