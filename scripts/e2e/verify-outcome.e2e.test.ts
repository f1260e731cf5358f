/** The outcome of `mrs verify` for a deployment that is down, or that decides nothing. */
import { randomUUID } from 'node:crypto';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, _baseTest as test } from '@playwright/test';
import { json, startDeployment, type Traits, untimed } from './testing/deployment.ts';
import { judgeAll } from './testing/judge-all.ts';
import { mrsHere } from './testing/mrs.ts';
import {
  failedIn,
  itemIn,
  itemsIn,
  judge,
  newDirectory,
  seenIn,
  verify,
  verifyHere,
} from './testing/verify-run.ts';

test('the run is incomplete on a deployment that is down', async () => {
  await using deployment = await startDeployment();
  await deployment[Symbol.asyncDispose]();
  const run = await verifyHere(deployment.env);
  expect(run).toMatchObject({ code: 3, stderr: '', report: { outcome: 'incomplete' } });
  expect(failedIn(run.report)).toEqual([]);
});

/** What settles nothing is held against nobody. */
const undecided: Record<string, Partial<Traits>> = {
  'answers 503 to all': { send: () => ({ status: 503 }) },
  'answers 429 to all': { send: () => ({ status: 429, headers: { 'retry-after': '60' } }) },
  'lets its tokens live for a day': { tokenLifetimeMs: 86_400_000 },
  'issues a token answer that is nested without measure': {
    issued: () => ({ ...json(200, null), body: `${'['.repeat(100_000)}${']'.repeat(100_000)}` }),
  },
};

test('deployments that settle nothing leave the run incomplete, one that breaks down is nonconformant', async () => {
  const [broken, refusing, ...reports] = await judgeAll([
    { traits: { send: () => json(500, { error: 'oh' }) } },
    // With the number of the request beside it, it may look like a token.
    { traits: { refusedForm: () => json(200, { error: 'invalid_client', request_id: randomUUID() }) } },
    ...Object.values(undecided).map((traits) => ({ traits })),
  ]);
  const seen = reports.map((report) => ({ ...report, failed: failedIn(report) }));
  for (const [nth, what] of Object.keys(undecided).entries())
    expect(seen[nth], what).toMatchObject({ outcome: 'incomplete', problems: [], failed: [] });
  expect(broken).toMatchObject({ outcome: 'nonconformant' });
  expect(failedIn(broken)).toContain('MRS-4.1a');
  expect(refusing, 'a refusal with status 200 is a refusal').toMatchObject({ outcome: 'conformant' });
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

test('a run reports that files cannot be read or written, after the verdicts', async () => {
  const GITHUB_STEP_SUMMARY = test.info().outputPath('none', 'summary.md');
  const MRS_BASELINE = test.info().outputPath('baseline.yaml');
  mkdirSync(dirname(MRS_BASELINE), { recursive: true });
  writeFileSync(MRS_BASELINE, '[]');
  const traits: Partial<Traits> = {
    send(answer) {
      rmSync(MRS_BASELINE, { force: true });
      return answer;
    },
  };
  const variables = { GITHUB_STEP_SUMMARY, MRS_BASELINE, MRS_HEALTH_PATHS: '' };
  const run = await judge(traits, variables);
  expect(run).toMatchObject({
    code: 2,
    report: { outcome: 'conformant', tally: expect.stringMatching(/\b2 not applicable\b/) },
    stderr:
      `mrs: The baseline ${MRS_BASELINE} cannot be read (ENOENT). Name another, or write it anew.\n` +
      `mrs: ${GITHUB_STEP_SUMMARY} could not be written (ENOENT).\n`,
  });
  expect(run.stdout).toMatch(/\noutcome: conformant /);
  expect(seenIn(run).includes(`${untimed.expiredToken}`), 'the expired token was left behind').toBe(false);
});

test('an expired token of MRS_EXPIRED_TOKEN that a newer one has replaced proves nothing of expiry', async () => {
  await using deployment = await startDeployment({
    tokenLifetimeMs: 60_000,
    opens: ({ kind, newest }) => kind === 'valid' && newest,
    refusedToken: () => json(401, {}),
  });
  const old = { MRS_MAX_WAIT: '1', MRS_EXPIRED_TOKEN: 'old-3f9a61c07d' };
  const run = await verifyHere({ ...deployment.env, ...old });
  expect(run, run.stdout).toMatchObject({ code: 3, stderr: '', report: { outcome: 'incomplete' } });
  expect(itemsIn(run.report, 'could-not-run')).toMatchObject([
    { id: 'MRS-5.6a', reason: expect.stringContaining('is answered alike') },
    { id: 'MRS-7a', reason: expect.stringContaining('but the newest') },
  ]);
});

test('a quiet run says why a baseline changes its exit code', async () => {
  await using deployment = await startDeployment({
    ...untimed,
    health: ({ token }) => json(token ? 200 : 403, {}),
  });
  const MRS_BASELINE = test.info().outputPath('known.yaml');
  const accept = (requirement: string) =>
    writeFileSync(
      MRS_BASELINE,
      `- { requirement: ${requirement}, reason: known, owner: ops, until: 2999-01-01 }\n`,
    );
  accept('MRS-4.3b');
  const accepted = await verify({ ...deployment.env, MRS_BASELINE }, ['--quiet']);
  expect(accepted, accepted.stdout).toMatchObject({ code: 0, report: { outcome: 'nonconformant' } });
  expect(accepted.stdout).toMatch(/^report: .*\noutcome: accepted /);
  accept('MRS-1.3');
  const evidence = join(accepted.directory, 'evidence.har');
  const again = ['judge', '--quiet', evidence, '--report-dir', newDirectory()];
  const stale = await mrsHere(again, { env: { MRS_BASELINE } });
  expect(stale.stdout).toMatch(
    /^The baseline accepts failed for MRS-1\.3, which is passed now\. Take the entry out\.\nreport: .*\noutcome: nonconformant /,
  );
  expect(stale.code).toBe(1);
});
