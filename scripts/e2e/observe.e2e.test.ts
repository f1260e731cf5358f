/** Drafts of profiles: of deployments observed in process, by a clock that passes only where the plan waits, and by the command. */
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { loadContract } from '../../mocks/contract/contract.ts';
import { loadProfile } from '../../mocks/contract/profile.ts';
import { type Draft, type DraftInput, draftProfile, writeDraft } from '../../tests/server/draft/draft.ts';
import { gather } from '../../tests/server/probe/run.ts';
import { targetIn } from '../../tests/server/probe/target.ts';
import type { Evidence } from '../../tests/server/support/evidence.ts';
import { createVirtualClock } from '../../tests/support/clock.ts';
import { createSecrets } from '../../tests/support/secrets.ts';
import { outputPath } from '../../tests/support/testing/output-path.ts';
import { type MockOptions, startMock } from '../mock/index.ts';
import { json, startDeployment, untimed } from './testing/deployment.ts';
import { expectNowhere, newFolder, run } from './testing/mrs.ts';

const LIFETIME_SECONDS = 60;

/** What a run sees of a mock. */
async function observeMock(options: MockOptions): Promise<Evidence> {
  const clock = createVirtualClock();
  await using mock = await startMock({ ...options, tokenLifetime: LIFETIME_SECONDS, now: clock.now });
  const [client] = mock.clients;
  const env = {
    ...{ MRS_BASE_URL: mock.url, MRS_CLIENT_ID: client?.id, MRS_CLIENT_SECRET: client?.secret },
    ...{ MRS_TOKEN_LIFETIME: String(LIFETIME_SECONDS), MRS_TIMEOUT: '60' },
    MRS_HEALTH_PATHS: mock.healthPaths.join(','),
  };
  return await observe(env, clock);
}

const observe = (env: NodeJS.ProcessEnv, clock = createVirtualClock()) =>
  gather(targetIn(env), { secrets: createSecrets(), clock, progress: () => {} });

/** The draft of what was seen, in a file of this name. */
function leaveDraft(
  file: string,
  evidence: Evidence,
  on: Pick<DraftInput, 'profile' | 'buildsOn'> = {},
): Draft {
  const draft = draftProfile({ evidence, ...on });
  writeFileSync(file, writeDraft(draft));
  return draft;
}

test('a mock under the draft of a variant shows what the variant showed', async () => {
  const options = { variant: 'health-elsewhere' };
  const file = inOutput('health-elsewhere.overlay.yaml');
  const draft = leaveDraft(file, await observeMock(options));
  loadContract(await loadProfile(file));
  const again = leaveDraft(inOutput('again.overlay.yaml'), await observeMock({ profile: file }));
  expect(comparable(again)).toEqual(comparable(draft));
  expect(draft.drafted.length).toBeGreaterThan(10);
});

test('a refusal that holds the data or a token is left out of the draft', async () => {
  const records = ['quasar-20481', 'pulsar-77310'].map((source, number) => ({ number, source }));
  let isValid = false;
  await using deployment = await startDeployment({
    ...untimed,
    data: () => json(200, { requests: records }),
    refusedToken: ({ kind }) => json(kind === 'expired' ? 403 : 401, { error: kind, next: records }),
    issuesFor: (_, valid) => {
      isValid = valid;
      return true;
    },
    issued: (token) => json(isValid ? 200 : 401, { token }),
  });
  const file = inOutput('leak.overlay.yaml');
  const { left, drafted } = leaveDraft(file, await observe(deployment.env));
  const holds = /holds what only a client with valid credentials may get\.$/;
  const points = left.filter(({ reason }) => holds.test(reason)).map(({ answers }) => answers);
  expect([...new Set(points)].sort()).toEqual(['MRS-7c', 'MRS-7d', 'MRS-7e', 'MRS-7f', 'MRS-7g']);
  expect(drafted.filter(({ answers }) => answers.startsWith('MRS-7'))).toEqual([]);
});

test('the command drafts, and the next command accepts the draft', async () => {
  await using deployment = await startDeployment();
  const place = { env: deployment.env, cwd: newFolder() };
  const observed = await run(['observe'], place);
  expect(observed).toMatchObject({ code: 0, stderr: '' });
  expect(Math.max(...observed.stdout.split('\n').map((line) => line.length))).toBeLessThanOrEqual(80);
  expect(observed.stdout).toContain('next        mrs verify --profile draft.overlay.yaml');
  expect(observed.stdout).toContain('MRS-5d    What are the scopes called');
  expectNowhere(observed, [deployment.traits.clientSecret, ...deployment.tokens]);
  const verified = await run(['verify', '--profile', 'draft.overlay.yaml'], place);
  expect(verified.stdout.replace(/\s+/g, ' ')).toMatch(
    /Profile: draft .*; specification: conformant; profile: conformant /,
  );
  expect(verified.code).toBe(0);
});

test('without a token there is no draft, and code 3', async () => {
  const file = inOutput('absolute.overlay.yaml');
  await using refusing = await startDeployment({ issuesFor: () => false });
  const args = ['observe', '--draft-profile', file];
  const { code, stdout } = await run(args, { env: refusing.env });
  expect(stdout).toMatch(/Too little was seen for a draft\. /);
  expect([code, existsSync(file)]).toEqual([3, false]);
});

const inOutput = (name: string): string => {
  mkdirSync(outputPath(), { recursive: true });
  return outputPath(name);
};

/** A draft without date and address, so that two can be compared. */
const comparable = ({ overlay, drafted, left }: Draft): unknown =>
  JSON.parse(withoutFigures(JSON.stringify({ actions: overlay.actions, drafted, left })));

/** A text without what differs from run to run. */
const withoutFigures = (text: string): string =>
  text
    .replaceAll(/http:\/\/127\.0\.0\.1:\d+[^" \n`]*/g, 'URL')
    .replaceAll(/\d{4}-\d\d-\d\d(?!T)/g, 'DAY')
    .replaceAll(/(age of|requests in) [\d.]+ s\b/g, '$1 SECONDS s');
