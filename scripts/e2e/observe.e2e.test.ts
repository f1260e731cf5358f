import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, _baseTest as test } from '@playwright/test';
import { loadContract } from '../../mocks/contract/contract.ts';
import { loadProfile } from '../../mocks/contract/profile.ts';
import { leaveObservation } from '../../tests/server/draft/questions.ts';
import { judgeAll } from '../../tests/server/judge.ts';
import { reportOf } from '../../tests/server/report/report.ts';
import type { MockOptions } from '../index.ts';
import { type Answer, type Deployment, startDeployment } from './testing/deployment.ts';
import { mrs, mrsHere } from './testing/mrs.ts';
import {
  comparable,
  driftOf,
  leaveDraft,
  observeMock,
  suiteProfile,
  withoutFigures,
} from './testing/observed.ts';
import { verifyHere } from './testing/verify-run.ts';

/** Of the ways in which responses can differ, some. */
const DIFFERENT = ['missing-token-empty', 'unknown-token-redirect', 'data-json-suffix', 'health-elsewhere'];
const PROFILES = ['rfc6750', 'nrao-ods'];

for (const name of [...DIFFERENT, ...PROFILES])
  test(`a mock under the draft of ${name} shows what that showed, and ${name} matches its own draft`, async () => {
    const options: MockOptions = PROFILES.includes(name) ? { profile: name } : { variant: name };
    const file = inOutput(`${name}.overlay.yaml`);
    const draft = leaveDraft(file, await observeMock(options));
    loadContract(await loadProfile(file));
    const again = leaveDraft(inOutput('again.overlay.yaml'), await observeMock({ profile: file }));
    expect(comparable(again)).toEqual(comparable(draft));
    expect(draft.drafted.length).toBeGreaterThan(10);
    const profile = await suiteProfile(file);
    const { judged, failed } = driftOf(profile, await observeMock(options, { profile }));
    expect(failed).toEqual([]);
    expect(judged).toBeGreaterThan(5);
  });

test('a run on a deployment with a violation leaves a draft without it, and questions', async () => {
  const evidence = await observeMock({ defect: 'expired-401' });
  const written: string[] = [];
  const publisher = { write: (_: string, text: string) => written.push(text) } as never;
  const place = { draft: 'draft.overlay.yaml', questions: 'questions.md' };
  const report = reportOf({ evidence, profile: undefined, ...judgeAll(evidence) });
  const { text } = leaveObservation(report, evidence, place, publisher);
  const files = [text, ...written].join(`\n${'-'.repeat(80)}\n`);
  expect(withoutFigures(files)).toMatchSnapshot('observation.txt');
});

for (const [name, point, reason] of [
  ['missing-token-login-page', 'MRS-7e', /200, text\/html, which a client can take for a success/],
  ['missing-token-error-with-200', 'MRS-7e', /200, .*json, which a client can take for a success/],
  ['wrong-credentials-error-with-200', 'MRS-7g', /200, .*json, which a client can take for a success/],
] as const)
  test(`a refusal as in ${name} is left out of the draft`, async () => {
    const file = inOutput(`${name}.overlay.yaml`);
    const { left } = leaveDraft(file, await observeMock({ variant: name }));
    loadContract(await loadProfile(file));
    expect(left).toEqual([{ answers: point, reason: expect.stringMatching(reason) }]);
  });

test('a health check that does not answer with success is left out of the draft', async () => {
  const evidence = await observeMock({}, { healthPaths: ['/health/', '/none/'] });
  const { drafted, left } = leaveDraft(inOutput('health.overlay.yaml'), evidence);
  const reason = expect.stringMatching(/\/none\/.*: 404.*Only a 2xx answer at a plain path is drafted\./);
  expect(left).toEqual([{ answers: 'MRS-4.3c', reason }]);
  expect(drafted.filter(({ answers }) => answers === 'MRS-4.3c')).toHaveLength(1);
});

test('a changed deployment is reported at each point that changed', async () => {
  const file = inOutput('plain.overlay.yaml');
  leaveDraft(file, await observeMock({}));
  const profile = await suiteProfile(file);
  const changed: Record<string, RegExp> = {
    'missing-token-empty':
      /^MRS-7e@plain expected the media type application\/json as drafted; seen: .*no body/,
    'unknown-token-redirect': /^MRS-7f@plain expected status 401 as drafted; seen: .*302/,
    'expired-html': /^MRS-7c@plain expected the media type application\/json as drafted/,
    'data-array': /^MRS-4.2g@plain expected a JSON object as drafted/,
    'health-elsewhere': /^MRS-4.3c@plain expected a 2xx status; seen: .*404/,
  };
  for (const [name, pattern] of Object.entries(changed)) {
    const evidence = await observeMock({ variant: name }, { profile, healthPaths: ['/health/'] });
    expect(driftOf(profile, evidence).failed.join('\n'), name).toMatch(new RegExp(pattern, 'm'));
  }
});

test('a draft on a profile keeps what that declares of a status that other responses now have', async () => {
  const base = inOutput('base.overlay.yaml');
  const path = "$.paths['/token/'].post.responses";
  const declared = { 'x-declared': { answers: 'MRS-7g', statement: 'Wrong credentials get an empty 401.' } };
  const empty = {
    description: 'No.',
    'x-response-when': 'wrong-credentials',
    'x-headers': { Allow: 'POST' },
  };
  const actions = [
    { target: `${path}['401']`, remove: true },
    { target: path, update: { 401: { ...empty, ...declared } } },
  ];
  const overlay = {
    overlay: '1.0.0',
    info: { title: 'Base', version: '1' },
    'x-builds-on': 'rfc6750',
    actions,
  };
  writeFileSync(base, JSON.stringify(overlay));
  const profile = await suiteProfile(base);
  const evidence = await observeMock({ profile: base, variant: 'bad-form-401' }, { profile });
  const file = inOutput('draft.overlay.yaml');
  leaveDraft(file, evidence, { profile, buildsOn: './base.overlay.yaml' });
  const loaded = await loadProfile(file);
  loadContract(loaded);
  const { paths } = loaded.document as {
    paths: Record<string, { post: { responses: Record<string, Record<string, unknown>> } }>;
  };
  const response = paths['/token/']?.post.responses['401'];
  const { description: _, ...kept } = empty;
  expect(response?.['x-without-body']).toEqual({ 'wrong-credentials': kept });
  expect(JSON.stringify(response)).toContain('"x-response-when":"malformed-request"');
});

test('a draft leaves out what varies', async () => {
  let count = 0;
  const vary = (): Answer => ({
    status: 401,
    headers: {
      'content-type': 'application/json',
      'www-authenticate': `Bearer realm="x", nonce="a1b2c3d4e${++count}"`,
      'retry-after': String(count),
      'x-request-id': `r-${count}`,
    },
    body: JSON.stringify({
      ...{
        error: 'no',
        at: `2026-01-0${(count % 9) + 1}T10:00:0${count % 10}Z`,
        requestId: `req-${count}-f3a`,
      },
      ...{ uptime: count, trace: null, list: [{ n: count }] },
    }),
  });
  const drafts = [];
  for (const nth of [1, 2]) {
    await using deployment = await startDeployment({
      ...{ refusedToken: vary, refusedForm: vary, tokenLifetimeMs: 600_000 },
    });
    drafts.push(leaveDraft(inOutput(`vary-${nth}.overlay.yaml`), await observeDeployment(deployment)));
  }
  const [one, other] = drafts.map((draft) => JSON.stringify(comparable(draft as never)));
  expect(one).toBe(other);
  expect(one).toContain('"pattern":"^Bearer\\\\b"');
  expect(one).not.toMatch(/nonce|a1b2|f3a|2026-01/);
});

test('the command drafts, and the next command is content with the draft', async () => {
  await using deployment = await startDeployment();
  const folder = directory();
  const observed = await mrs(['observe'], { env: deployment.env, cwd: folder });
  expect(observed).toMatchObject({ code: 0, stderr: '' });
  expect(Math.max(...observed.stdout.split('\n').map((line) => line.length))).toBeLessThanOrEqual(80);
  expect(observed.stdout).toContain('next        mrs verify --profile draft.overlay.yaml');
  const [draft, questions] = ['draft.overlay.yaml', 'questions.md'].map((one) =>
    readFileSync(join(folder, one), 'utf8'),
  );
  expect(questions).toContain('**MRS-5d** What are the scopes called');
  for (const secret of [deployment.traits.clientSecret, ...deployment.tokens])
    expect([observed.stdout, draft, questions].join('\n')).not.toContain(secret);
  const verified = await mrsHere(['verify', '--profile', 'draft.overlay.yaml'], {
    env: deployment.env,
    cwd: folder,
  });
  expect(verified.stdout.replace(/\s+/g, ' ')).toMatch(
    /Profile: draft .*; specification: conformant; profile: conformant /,
  );
  expect(verified.code).toBe(0);
});

test('a draft can have an absolute path', async () => {
  await using deployment = await startDeployment();
  const file = inOutput('absolute.overlay.yaml');
  const observed = await mrsHere(['observe', '--draft-profile', file], {
    env: deployment.env,
    cwd: tmpdir(),
  });
  expect(observed).toMatchObject({ code: 0, stderr: '' });
  loadContract(await loadProfile(file));
});

test('without a token there is no draft, and code 3', async () => {
  await using deployment = await startDeployment({ issuesFor: () => false });
  const draft = { draft: inOutput('draft.overlay.yaml'), questions: inOutput('questions.md') };
  const { code, stdout } = await verifyHere(deployment.env, draft);
  expect(stdout).toMatch(/Too little was seen for a draft. No token was obtained/);
  expect(code).toBe(3);
  expect(() => readFileSync(draft.draft)).toThrow('ENOENT');
});

for (const [what, file, sentence] of [
  ['a name that no profile can have', 'My Draft.overlay.yaml', 'small letters, digits and hyphens'],
  ['an existing file', 'there.overlay.yaml', 'already exists'],
] as const)
  test(`${what} is refused before anything is sent`, async () => {
    const folder = directory();
    writeFileSync(join(folder, 'there.overlay.yaml'), '');
    const env = { MRS_BASE_URL: 'http://127.0.0.1:9', MRS_CLIENT_ID: 'a', MRS_CLIENT_SECRET: 'b' };
    const { code, stderr } = await mrsHere(['observe', '--draft-profile', file], { env, cwd: folder });
    expect(stderr).toContain(sentence);
    expect(code).toBe(2);
  });

const inOutput = (name: string): string => join(directory(), name);

function directory(): string {
  const made = test.info().outputPath('observed');
  mkdirSync(made, { recursive: true });
  return made;
}

async function observeDeployment({ env }: Deployment) {
  const { gather } = await import('../../tests/server/probe/run.ts');
  const { realClock } = await import('../../tests/support/clock.ts');
  const { createSecrets } = await import('../../tests/support/secrets.ts');
  const { readTarget } = await import('../../tests/server/probe/target.ts');
  const { MRS_TOKEN_LIFETIME: _, ...rest } = env;
  return gather(readTarget(rest), { secrets: createSecrets(), clock: realClock, progress: () => {} });
}
