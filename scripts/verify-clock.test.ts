/** The suite against the mock, in every mode of its clock and with all that makes it more than a plain one. */
import { expect, test } from '@playwright/test';
import { type Mock, type MockOptions, startMock } from '../mocks/index.ts';
import { judgeAll } from './testing/judge-all.ts';

const KEY = 'a-key-of-the-test';
const LIFETIME = 900;

const modes: Record<string, [options: MockOptions, scale: number]> = {
  real: [{}, 1],
  'real, of a later day': [{ startsAt: '2031-02-03T04:05:06Z' }, 1],
  'frozen, long ago': [{ clock: 'frozen', startsAt: '1999-12-31T23:59:59Z', seed: 'seven' }, 0],
  'ten times as fast': [{}, 10],
  'a tenth as fast': [{}, 0.1],
};

for (const profile of ['specification', 'nrao-ods', 'static-feed'])
  test(`under ${profile} the mock is conformant in every mode of its clock`, async () => {
    test.setTimeout(180_000);
    const mocks: Mock[] = [];
    for (const [options, scale] of Object.values(modes)) {
      const mock = await startMock({ profile, controlKey: KEY, explain: true, ...options });
      mock.clock.setScale(scale);
      mocks.push(mock);
    }
    const reports = await judgeAll(mocks.map((mock) => ({ profile, env: variablesOf(mock) })));
    for (const mock of mocks) await mock.close();

    const outcome = profile === 'static-feed' ? 'conformant-to-profile' : 'conformant';
    for (const [nth, mode] of Object.keys(modes).entries()) {
      expect(reports[nth], mode).toMatchObject({ outcome, problems: [] });
      expect(
        reports[nth]?.requirements.flatMap(({ evidence }) => evidence.findings ?? []),
        mode,
      ).toEqual([]);
    }
  });

test('a clock that stands and that nobody moves is no pass', async () => {
  test.setTimeout(180_000);
  await using mock = await startMock({ clock: 'frozen', tokenLifetime: 2 });
  const { MRS_MOCK_CONTROL_KEY: _, ...env } = variablesOf(mock);
  const [report] = await judgeAll([{ env: { ...env, MRS_TOKEN_LIFETIME: '2' } }]);
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
  MRS_ALLOW_UPLOADS: '1',
});
