/** The suite against the mock, in every mode of its clock and with all that makes it more than a plain one. */
import { expect, _baseTest as test } from '@playwright/test';
import type { Report } from '../../tests/server/report/report.ts';
import { type Mock, type MockOptions, startMock } from '../index.ts';
import { type Case, judgeAll } from './testing/judge-all.ts';

const KEY = 'a-key-of-the-test';
const LIFETIME = 900;

const modes: Record<string, [options: MockOptions, scale: number]> = {
  real: [{}, 1],
  'real, of a later day': [{ startsAt: '2031-02-03T04:05:06Z' }, 1],
  'frozen, long ago': [{ clock: 'frozen', startsAt: '1999-12-31T23:59:59Z', seed: 'seven' }, 0],
  'ten times as fast': [{}, 10],
  'a tenth as fast': [{}, 0.1],
};

const PROFILES = ['specification', 'nrao-ods', 'static-feed'];

let reports: Report[];
test.beforeAll(async () => {
  const mocks: Mock[] = [];
  const cases: Case[] = [];
  for (const profile of PROFILES)
    for (const [options, scale] of Object.values(modes)) {
      const mock = await startMock({ profile, controlKey: KEY, explain: true, ...options });
      mock.clock.setScale(scale);
      mocks.push(mock);
      cases.push({ profile, env: variablesOf(mock) });
    }
  await using unmoved = await startMock({ clock: 'frozen', tokenLifetime: 2 });
  const { MRS_MOCK_CONTROL_KEY: _, ...env } = variablesOf(unmoved);
  cases.push({ env: { ...env, MRS_TOKEN_LIFETIME: '2' } });
  reports = await judgeAll(cases);
  for (const mock of mocks) await mock.close();
});

for (const [at, profile] of PROFILES.entries())
  test(`under ${profile} the mock is conformant in every mode of its clock`, () => {
    const outcome = profile === 'static-feed' ? 'conformant-to-profile' : 'conformant';
    const names = Object.keys(modes);
    for (const [nth, mode] of names.entries()) {
      const report = reports[at * names.length + nth];
      expect(report, mode).toMatchObject({ outcome, problems: [] });
      if (profile !== 'specification') expect(report?.profile, mode).toMatchObject({ name: profile });
      expect(
        report?.requirements.flatMap(({ evidence }) => evidence.findings ?? []),
        mode,
      ).toEqual([]);
    }
  });

test('a clock that stands and that nobody moves is no pass', () => {
  const report = reports.at(-1);
  expect(report).toMatchObject({ outcome: 'nonconformant' });
  expect(report?.requirements.find(({ id }) => id === 'MRS-7a')).toMatchObject({ verdict: 'failed' });
});

/** For a scenario where nothing goes wrong. */
const variablesOf = (mock: Mock): Record<string, string> => ({
  MRS_BASE_URL: mock.url,
  MRS_CLIENT_ID: 'demo-ok',
  MRS_CLIENT_SECRET: 'demo-secret',
  MRS_TOKEN_LIFETIME: String(LIFETIME),
  MRS_HEALTH_PATHS: mock.healthPaths.join(','),
  MRS_MOCK_CONTROL_KEY: KEY,
});
