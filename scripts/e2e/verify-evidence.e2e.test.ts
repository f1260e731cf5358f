/** `mrs verify --evidence`: what a run saw is judged again, without a request. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, _baseTest as test } from '@playwright/test';
import { json, startDeployment } from './testing/deployment.ts';
import { newDirectory, verify } from './testing/verify-run.ts';

test('evidence is judged again as the run judged it, from a file without a secret, and nothing is sent', async () => {
  await using deployment = await startDeployment({
    refusedToken: () => json(401, { error: 'expired' }),
  });
  const run = await verify(deployment.env);
  expect(run.code).toBe(1);
  const sent = deployment.calls.length;
  const file = join(run.directory, 'evidence.json');
  const text = readFileSync(file, 'utf8');
  for (const secret of [deployment.traits.clientSecret, ...deployment.tokens])
    expect(text).not.toContain(secret);

  // The variables of the deployment are those of a shell in which runs are made.
  const again = await verify(deployment.env, ['--evidence', file]);
  expect(again).toMatchObject({ code: 1, stderr: '' });
  const { proof } = run.report ?? {}; // The proof of this suite may end between the two.
  expect({ ...again.report, proof }).toEqual(run.report);
  expect(deployment.calls).toHaveLength(sent);
});

test('evidence under a profile is judged by what the profile declares', async () => {
  const run = await verify({ MRS_PROFILE: 'rfc6750' });
  const again = await verify({}, ['--evidence', join(run.directory, 'evidence.json')]);
  expect(again.report?.requirements).toEqual(run.report?.requirements);
  expect(again.report?.profile).toMatchObject({ name: 'rfc6750', declared: 'conformant' });
  expect(again.code).toBe(0);
});

test('a file that is no evidence, and an option of a run, are refused with exit code 2', async () => {
  const file = join(newDirectory(), 'evidence.json');
  writeFileSync(file, '{"requests": []}');
  const foreign = await verify({}, ['--evidence', file]);
  expect(foreign).toMatchObject({
    code: 2,
    stderr: `${file} is not evidence of a run. Name an evidence.json that mrs verify wrote.\n`,
  });
  const withOption = await verify({}, ['--evidence', file, '--token-lifetime', '90']);
  expect(withOption).toMatchObject({
    code: 2,
    stderr: '--token-lifetime is for a run, and --evidence sends no request. Leave one of them out.\n',
  });
});
