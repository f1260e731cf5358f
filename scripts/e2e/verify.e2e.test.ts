/**
 * `mrs verify` against deployments that share no code with the mock, so that no mistake of the mock can hide in both, and
 * against the mock in every mode of its clock. The proof has hundreds of other deployments.
 */
import { createHash, randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { isBinding, ledger } from '../../tests/support/requirements.ts';
import { json, startDeployment, type Traits, untimed } from './testing/deployment.ts';
import { expectNowhere, newFolder, run as runCommand } from './testing/mrs.ts';
import { factIn, failedIn, itemIn, judge, judgeAll, verify } from './testing/verify-run.ts';

test('a correct deployment is conformant, at a cost of at most ninety requests', async () => {
  await using deployment = await startDeployment();
  const run = await verify(deployment.env);
  expect(run, run.stderr).toMatchObject({ code: 0, stderr: '', report: { outcome: 'conformant' } });
  expect(run.report?.items.map(({ id, verdict }) => `${id} ${verdict}`)).toEqual(
    ledger.filter(isBinding).map(({ id }) => `${id} passed`),
  );
  expect(run.lastLine).toMatch(/^outcome: conformant \(\d+ passed, 0 failed, /);
  // Four, and another for each that a busy machine let expire.
  expect(deployment.tokens.length).toBeGreaterThanOrEqual(4);
  expect(factIn(run.report, 'Requests')).toMatch(new RegExp(`^${deployment.calls.length} in `));
  expect(deployment.calls.length).toBeLessThanOrEqual(90);
  // The path of a report is as long as it is.
  const lines = run.stdout.split('\n').filter((line) => !line.startsWith('report: '));
  for (const line of lines) expect(line.length, line).toBeLessThanOrEqual(80);
});

/** Deployments, and what each fails. */
const WRONG: readonly [Partial<Traits>, fails: string][] = [
  [{ issuesFor: () => true }, 'MRS-4.1e MRS-4.1f MRS-4.1g MRS-4.1h MRS-4.1i MRS-4.1j'],
  [{ opens: ({ kind }) => kind === 'valid' || kind === 'missing' }, 'MRS-1.3'],
  [{ opens: ({ kind }) => kind !== 'missing' }, 'MRS-5.5a MRS-5.5b MRS-5.6a MRS-7a'],
  [{ opens: () => false }, 'MRS-4.2a'],
  [{ health: ({ token }) => json(token ? 200 : 403, {}) }, 'MRS-4.3b'],
  [{ issued: (token) => json(201, { token, scope: 'all' }) }, 'MRS-4.1a MRS-4.1l'],
  // With the number of the request next to it, it may look like a token.
  [{ refusedForm: () => json(200, { error: 'invalid_client', request_id: randomUUID() }) }, ''],
];

test('a deployment that is wrong in one way fails what names it, and only that', async () => {
  const reports = await judgeAll(WRONG.map(([traits]) => ({ traits })));
  const outcomeOf = (fails: string) => (fails === '' ? 'conformant' : 'nonconformant');
  expect(reports.map((report) => [failedIn(report).join(' '), report.outcome, report.problems])).toEqual(
    WRONG.map(([, fails]) => [fails, outcomeOf(fails), []]),
  );
});

test('deployments that decide nothing leave the run incomplete, one that breaks down is nonconformant', async () => {
  const undecided: Partial<Traits>[] = [
    { send: () => ({ status: 503 }) },
    { send: () => ({ status: 429, headers: { 'retry-after': '60' } }) },
    { tokenLifetimeMs: 86_400_000 },
    { issued: () => ({ ...json(200, null), body: `${'['.repeat(100_000)}${']'.repeat(100_000)}` }) },
  ];
  const [broken, ...reports] = await judgeAll([
    { traits: { send: () => json(500, { error: 'oh' }) } },
    ...undecided.map((traits) => ({ traits })),
  ]);
  expect(reports.map((report) => [report.outcome, report.problems, failedIn(report)])).toEqual(
    undecided.map(() => ['incomplete', [], []]),
  );
  expect([broken?.outcome, failedIn(broken).includes('MRS-4.1a')]).toEqual(['nonconformant', true]);
});

test('a stated lifetime that is too short is not held against the deployment', async () => {
  const env = { MRS_TOKEN_LIFETIME: '40' }; // Tokens live 60 s.
  const [stated, wrongStatus] = await judgeAll([
    { env },
    { env, traits: { refusedToken: () => json(401, {}) } },
  ]);
  expect(stated).toMatchObject({ outcome: 'incomplete', reason: 'token-lifetime-differs', problems: [] });
  const { reason = '', exchanges } = itemIn(stated, 'MRS-5.6a') ?? {};
  expect(reason).toMatch(
    /^The token expired between 5\d(\.\d)? s and 6\d(\.\d)? s after it was obtained, not after 40 s: set --token-lifetime /,
  );
  // The refusal that ended it first, and then each read with it that was accepted too late.
  const late = exchanges?.map((id) => stated?.exchanges.find((one) => one.id === id)?.response?.status);
  expect(late).toEqual([403, ...Array.from({ length: (exchanges?.length ?? 0) - 1 }, () => 200)]);
  expect(itemIn(stated, 'MRS-7a')).toMatchObject({ verdict: 'passed' });
  expect(itemIn(stated, 'MRS-5.6b')).toMatchObject({ verdict: 'passed' });
  // Another mistake of the deployment is not hidden.
  expect(failedIn(wrongStatus)).toEqual(['MRS-7a']);

  const MRS_TOKEN_LIFETIME = /such as (\d+s)/.exec(reason)?.[1] ?? '';
  const [advised] = await judgeAll([{ env: { MRS_TOKEN_LIFETIME } }]);
  expect(advised).toMatchObject({ outcome: 'conformant' });
});

test('a run reports that a file cannot be written, after the verdicts', async () => {
  const GITHUB_STEP_SUMMARY = join(newFolder(), 'none', 'summary.md');
  const run = await judge({}, { GITHUB_STEP_SUMMARY, MRS_HEALTH_PATHS: '' });
  expect(run).toMatchObject({
    code: 2,
    report: { outcome: 'conformant', tally: expect.stringMatching(/\b2 not applicable\b/) },
    stderr: `mrs: ${GITHUB_STEP_SUMMARY} could not be written (ENOENT).\n`,
  });
  expect(run.stdout.match(/^outcome: .*/gm)).toEqual(['outcome: error (1 problem with the reports)']);
  expectNowhere(run, [`${untimed.expiredToken}`]);
});

test('evidence is judged again as the run judged it, without a request, and a baseline accepts what failed', async () => {
  await using deployment = await startDeployment({
    ...untimed,
    health: ({ token }) => json(token ? 200 : 403, {}),
  });
  const MRS_BASELINE = join(newFolder(), 'known.yaml');
  const accept = (requirement: string) =>
    writeFileSync(
      MRS_BASELINE,
      `- { requirement: ${requirement}, reason: known, owner: ops, until: 2999-01-01 }\n`,
    );
  accept('MRS-4.3b');
  const run = await verify({ ...deployment.env, MRS_BASELINE }, ['--quiet']);
  expect(run, run.stdout).toMatchObject({ code: 0, report: { outcome: 'nonconformant' } });
  expect(run.stdout).toMatch(/^report: .*\noutcome: accepted /);

  const sent = deployment.calls.length;
  const text = run.files['reports/verify/evidence.har'] ?? '';
  for (const secret of [deployment.traits.clientSecret, ...deployment.tokens])
    expect(text).not.toContain(secret);
  const file = join(run.folder, 'reports/verify/evidence.har');
  // The variables of the deployment are those of a shell in which runs are made.
  const again = await judgeAgain(file, deployment.env);
  expect(again).toMatchObject({ code: 1, stderr: '' });
  const judged = ['outcome', 'subject', 'counts', 'items', 'sections', 'exchanges', 'startedAt'] as const;
  for (const member of judged) expect(again.report?.[member], member).toEqual(run.report?.[member]);
  const digest = createHash('sha256').update(text.trimEnd()).digest('hex');
  expect(again.report?.properties.judgedAgain).toBe(`sha256:${digest}`);
  expect(again.stdout).toMatch(
    /\nNo request was sent: this judges [\s\S]*\noutcome: nonconformant \(.*; judged again\)\n$/,
  );

  accept('MRS-1.3');
  const stale = await judgeAgain(file, { MRS_BASELINE }, ['--quiet']);
  expect(stale.stdout).toMatch(
    /^MRS-1\.3 is passed now, and the baseline accepts it as failed\. Take the entry out\.\nreport: .*\noutcome: nonconformant /,
  );
  expect(stale.code).toBe(1);
  expect(deployment.calls).toHaveLength(sent);
});

test('evidence under a profile is judged by what the profile declares', async () => {
  const run = await verify({ MRS_PROFILE: 'rfc6750' });
  const again = await judgeAgain(join(run.folder, 'reports/verify/evidence.har'));
  expect(again.report?.items).toEqual(run.report?.items);
  expect(factIn(again.report, 'Profile')).toMatch(/^rfc6750 .*; profile: conformant(;|$)/);
  expect(again.code).toBe(0);
});

/** `mrs judge` on the evidence of a run. */
const judgeAgain = (file: string, env: Record<string, string> = {}, args: readonly string[] = []) =>
  runCommand(['judge', file, ...args], { env });
