/** Sends the requests of the run, once, before Playwright runs the requirements as tests of the answers. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from '@playwright/test';
import { gatherEvidence, profileOf, withoutSecrets } from '../../dist/scripts/verify/gather-evidence.js';
import { createPublisher, namesIn } from '../../dist/tests/report/publish.js';
import { fail } from '../../dist/tests/server/suite.js';
import { fileOf } from '../../dist/tests/server/support/evidence-file.js';
import { runSecrets } from '../../dist/tests/support/secrets.js';

// biome-ignore lint/correctness/noEmptyPattern: Playwright asks for an object pattern
test('The requests of the run are sent', async ({}, { project }) => {
  if (!('MRS_BASE_URL' in process.env)) console.log('Bundled mock: MRS_BASE_URL is not set.');
  const profile = await profileOf(process.env.MRS_PROFILE);
  const evidence = await gatherEvidence(process.env, profile).catch((error) =>
    fail(runSecrets.redact(String(error.message)).slice(0, 500)),
  );
  const publisher = createPublisher(runSecrets, namesIn(fileOf(evidence)));
  mkdirSync(project.outputDir, { recursive: true });
  publisher.write(
    join(project.outputDir, 'evidence.har'),
    `${JSON.stringify(fileOf(evidence, withoutSecrets(profile)))}\n`,
  );
  if (publisher.problems.length > 0) fail(publisher.problems.join(' '));
});
