/** The suite against the mock, in every mode of its clock and with all that makes it more than a plain one. */
import { expect, test } from '@playwright/test';
import { type MockOptions, startMock } from '../mocks/index.ts';
import { verify } from './testing/verify-run.ts';

const KEY = 'a-key-of-the-test';
const LIFETIME = 900;

for (const [mode, options, scale] of [
  ['real', { startsAt: '2031-02-03T04:05:06Z' }, 1],
  ['frozen, long ago', { clock: 'frozen', startsAt: '1999-12-31T23:59:59Z', seed: 'seven' }, 0],
  ['ten times as fast', {}, 10],
] as [string, MockOptions, number][])
  test(`with a clock that is ${mode} the mock is conformant, also for a scenario where nothing goes wrong`, async () => {
    test.setTimeout(180_000);
    await using mock = await startMock({ controlKey: KEY, explain: true, ...options });
    mock.clock.setScale(scale);
    const run = await verify({
      MRS_BASE_URL: mock.url,
      MRS_CLIENT_ID: 'demo-ok',
      MRS_CLIENT_SECRET: 'demo-secret',
      MRS_TOKEN_LIFETIME: String(LIFETIME),
      MRS_HEALTH_PATHS: mock.healthPaths.join(','),
      MRS_MOCK_CONTROL_KEY: KEY,
    });
    expect(run, run.stdout).toMatchObject({ code: 0, stderr: '' });
    expect(run.report?.counts).toMatchObject({
      passed: 23,
      failed: 0,
      'could-not-run': 0,
      'not-applicable': 0,
    });
  });

test('a clock that stands and that nobody moves is no pass', async () => {
  test.setTimeout(180_000);
  await using mock = await startMock({ clock: 'frozen', tokenLifetime: 2 });
  const run = await verify({
    MRS_BASE_URL: mock.url,
    MRS_CLIENT_ID: 'demo',
    MRS_CLIENT_SECRET: 'demo-secret',
    MRS_TOKEN_LIFETIME: '2',
    MRS_HEALTH_PATHS: mock.healthPaths.join(','),
  });
  expect(run.code).toBe(1);
  expect(run.report?.requirements.find(({ id }) => id === 'MRS-7a')).toMatchObject({ verdict: 'failed' });
});
