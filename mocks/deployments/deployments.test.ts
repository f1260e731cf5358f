/** Defects and variants as mocks. What the suite makes of them is for `mrs prove` to show. */
import { expect, test } from 'vitest';
import { type MockOptions, startMock as startPlain } from '../index.ts';
import { obtainToken, statusOf } from '../testing/described.ts';
import { refusesOptions } from '../testing/refused.ts';
import { defects } from './defects.ts';
import { findDeployments } from './find-deployment.ts';
import { variants } from './variants.ts';

const startMock = (options: MockOptions) => startPlain({ ...options, deployments: findDeployments });

test('no two deployments have one name, and each fits the matrix', () => {
  const names = [...defects, ...variants].map(({ name }) => name);
  expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
  for (const name of names) expect(name).toMatch(/^[a-z\d]+(-[a-z\d]+)*$/);
  for (const { name } of defects) expect(name.length).toBeLessThanOrEqual(33);
});

test('a mock with a defect shows it, and another mock in the same process does not', async () => {
  let now = 0;
  await using broken = await startMock({ defect: 'never-expires', now: () => now });
  await using whole = await startMock({ now: () => now });
  const tokens = [await obtainToken(broken), await obtainToken(whole)] as const;
  now = 900_000;
  expect([await statusOf(broken, tokens[0]), await statusOf(whole, tokens[1])]).toEqual([200, 403]);
});

test('state of a defect is not shared by two mocks that have it', async () => {
  await using one = await startMock({ defect: 'one-token-per-client' });
  await using other = await startMock({ defect: 'one-token-per-client' });
  const issued = [];
  for (const mock of [one, one, other, other]) issued.push((await obtainToken(mock)) !== undefined);
  expect(issued).toEqual([true, false, true, false]);
});

for (const [options, sentence] of [
  [
    { defect: 'never-expire' },
    'There is no defect "never-expire". The nearest is "never-expires". See mrs mock --list-defects.',
  ],
  [
    { variant: 'token-jwts' },
    'There is no variant "token-jwts". The nearest is "token-jwt". See mrs mock --list-defects.',
  ],
  [{ defect: 'rec-past' }, '"rec-past" requires the profile nrao-ods. Add that profile.'],
  [{ variant: 'rec-empty' }, '"rec-empty" requires the profile nrao-ods. Add that profile.'],
] satisfies [MockOptions, string][])
  test(`${JSON.stringify(options)} is refused with a sentence`, () =>
    refusesOptions({ ...options, deployments: findDeployments }, sentence));
