import { expect, _baseTest as test } from '@playwright/test';
import { scenarios } from './scenario-catalogue.ts';
import { withTokenLifetime } from './token-lifetime.ts';

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
