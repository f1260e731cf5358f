/** `mrs verify --evidence`: what a run saw is judged again, without a request. */
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, _baseTest as test } from '@playwright/test';
import { json, startDeployment, untimed } from './testing/deployment.ts';
import { factIn, newDirectory, verify } from './testing/verify-run.ts';

test('evidence is judged again as the run judged it, from a file without a secret, and nothing is sent', async () => {
  await using deployment = await startDeployment({
    ...untimed,
    health: ({ token }) => json(token ? 200 : 403, {}),
  });
  const run = await verify(deployment.env);
  expect(run.code).toBe(1);
  const sent = deployment.calls.length;
  const file = join(run.directory, 'evidence.har');
  const text = readFileSync(file, 'utf8');
  for (const secret of [deployment.traits.clientSecret, ...deployment.tokens])
    expect(text).not.toContain(secret);

  // The other variables of the deployment are those of a shell in which runs are made.
  const { MRS_BASE_URL = '', ...rest } = deployment.env;
  const again = await verify(rest, ['--evidence', file]);
  expect(again).toMatchObject({ code: 1, stderr: '' });
  for (const member of [
    'outcome',
    'subject',
    'counts',
    'items',
    'sections',
    'exchanges',
    'startedAt',
  ] as const)
    expect(again.report?.[member], member).toEqual(run.report?.[member]);
  const digest = createHash('sha256').update(text.trimEnd()).digest('hex');
  expect(factIn(again.report, 'Evidence')).toBe(`sha256:${digest}`);
  expect(again.stdout).toMatch(/\n✗ Judged again: [\s\S]*\noutcome: nonconformant \(.*; judged again\)\n$/);

  const beside = await verify({ MRS_BASE_URL }, ['--evidence', file]);
  expect(beside).toMatchObject({ code: 2, stdout: '' });
  expect(beside.stderr).toMatch(
    /^--base-url \(MRS_BASE_URL\) names a deployment, and --evidence sends no request/,
  );
  expect(deployment.calls).toHaveLength(sent);
});

test('evidence under a profile is judged by what the profile declares', async () => {
  const run = await verify({ MRS_PROFILE: 'rfc6750' });
  const again = await verify({}, ['--evidence', join(run.directory, 'evidence.har')]);
  expect(again.report?.items).toEqual(run.report?.items);
  expect(factIn(again.report, 'Profile')).toMatch(/^rfc6750 .*; profile: conformant(;|$)/);
  expect(again.code).toBe(0);
});

test('a file that is no evidence, and an option of a run, are refused with exit code 2', async () => {
  const file = join(newDirectory(), 'evidence.har');
  writeFileSync(file, '{"requests": []}');
  const foreign = await verify({}, ['--evidence', file]);
  expect(foreign).toMatchObject({
    code: 2,
    stderr: `${file} is not evidence of a run. Name an evidence.har that mrs verify wrote.\n`,
  });
  const withOption = await verify({}, ['--evidence', file, '--token-lifetime', '90']);
  expect(withOption).toMatchObject({
    code: 2,
    stderr: '--token-lifetime is for a run, and --evidence sends no request. Leave one of them out.\n',
  });
});
