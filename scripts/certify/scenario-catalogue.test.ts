import { expect, _baseTest as test } from '@playwright/test';
import { scenarios as ofMock } from '../../mocks/state/scenarios.ts';
import { scenarios as ofJudge } from '../../tests/client/scenarios.ts';
import { joinScenarios, scenarios } from './scenario-catalogue.ts';

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
