import { expect, _baseTest as test } from '@playwright/test';
import { scenarios as ofMock } from '../../mocks/state/scenarios.ts';
import { scenarios as ofJudge } from '../../tests/client/scenarios.ts';
import { deadlineOf, joinScenarios, readerScenarios, scenarios, withTokenLifetime } from './scenarios.ts';

const named = (name: string) => scenarios.find((one) => one.name === name);

test('a judged scenario that the mock does not play is refused by name', () => {
  const without = ofMock.filter(({ name }) => name !== 'token-down');
  expect(() => joinScenarios(ofJudge, without)).toThrow('The scenario "token-down" of tests/client');
});

test('tokens live as agreed unless the mock gives a scenario lifetimes of its own', () => {
  expect(named('ended-early')).toMatchObject({ agreedSeconds: 6, lifetimesSeconds: [6] });
  expect(named('shorter-than-agreed')).toMatchObject({ agreedSeconds: 6, lifetimesSeconds: [2] });
  expect(named('token-slow')).toMatchObject({ agreedSeconds: 3, lifetimesSeconds: [4, 900] });
});

test('a script disturbs the renewal of the first token, whichever request that is', () => {
  const steps = [2, 4].map((renewal) => named('token-429')?.script(renewal));
  expect(steps).toMatchObject([[{ on: 'obtainToken', from: 2 }], [{ on: 'obtainToken', from: 4 }]]);
});

const readers = (name: string) => readerScenarios.find((one) => one.name === name);

test('a scenario for readers plays what the mock has under its name, with the number of records that is judged', () => {
  expect(readers('data-500')).toMatchObject({ served: 20, mock: { records: 20 } });
  expect(readers('data-500')?.mock).not.toHaveProperty('variant');
  expect(readers('data-500')?.script(2)).toMatchObject([
    { from: 3, times: 3, do: { answer: { status: 500 } } },
  ]);
  expect(readers('data-emptied')?.served).toBe(0);
  expect(readers('rec-several-bands')).toMatchObject({
    served: 40,
    mock: { records: 20, variant: 'rec-several-bands' },
  });
  // The mock also has a permitted deployment of this name.
  expect(readers('data-array')).toMatchObject({ mock: { records: 20 } });
  expect(readers('data-array')?.script(2)).toHaveLength(1);
});

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
