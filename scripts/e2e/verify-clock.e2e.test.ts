/** The suite against the mock, in every mode of its clock and with all that makes it more than a plain one. */
import { expect, _baseTest as test } from '@playwright/test';
import { type Mock, type MockOptions, startMock } from '../index.ts';
import { judgeAll } from './testing/judge-all.ts';
import { itemIn } from './testing/verify-run.ts';

const KEY = 'a-key-of-the-test';
const LIFETIME = 900;

const FROZEN: MockOptions = { clock: 'frozen', startsAt: '1999-12-31T23:59:59Z', seed: 'seven' };
const modes: [what: string, options: MockOptions, scale?: number, outcome?: string][] = [
  ['in real time', {}],
  ['on a later day', { startsAt: '2031-02-03T04:05:06Z' }],
  ['frozen, long ago', FROZEN],
  ['ten times as fast', {}, 10],
  ['a tenth as fast', {}, 0.1],
  ['under nrao-ods', { profile: 'nrao-ods', ...FROZEN }],
  ['under static-feed', { profile: 'static-feed' }, 10, 'conformant-to-profile'],
];

for (const [what, options, scale, outcome = 'conformant'] of modes)
  test(`the mock ${what} is conformant, and no answer has a finding`, async () => {
    await using mock = await startMock({ controlKey: KEY, explain: true, ...options });
    if (scale) mock.clock.setScale(scale);
    const { profile = 'specification' } = options;
    const [report] = await judgeAll([{ profile, env: variablesOf(mock) }]);
    expect(report).toMatchObject({ outcome, problems: [] });
    if (options.profile) expect(report?.properties).toMatchObject({ profile });
    const facts = report?.items.flatMap((item) => item.facts) ?? [];
    expect(facts.filter(({ name }) => ['Rule violated', 'Warning'].includes(name))).toEqual([]);
  });

test('a clock that stands and that nobody moves is no pass', async () => {
  await using mock = await startMock({ clock: 'frozen', tokenLifetime: 2 });
  const { MRS_MOCK_CONTROL_KEY: _, ...env } = variablesOf(mock);
  const [report] = await judgeAll([{ env: { ...env, MRS_TOKEN_LIFETIME: '2' } }]);
  expect(report).toMatchObject({ outcome: 'nonconformant' });
  expect(itemIn(report, 'MRS-7a')).toMatchObject({ verdict: 'failed' });
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
