/** Sends the requests of the run, once, before Playwright runs the requirements as tests of the answers. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from '@playwright/test';
import { createPublisher, namesIn } from '../../tests/report/publish.ts';
import { DEPLOYMENT_OPTIONS } from '../../tests/server/probe/options.ts';
import { fail } from '../../tests/server/suite.ts';
import { fileOf } from '../../tests/server/support/evidence-file.ts';
import { optionsIn } from '../../tests/support/option-table.ts';
import { createSecrets } from '../../tests/support/secrets.ts';
import { gatherEvidence, isNamed, profileOf, withoutSecrets } from './gather-evidence.ts';

// biome-ignore lint/correctness/noEmptyPattern: Playwright asks for an object pattern
test('The requests of the run are sent', async ({}, { project }) => {
  const given = optionsIn(DEPLOYMENT_OPTIONS, process.env);
  if (!isNamed(given)) console.log('Bundled mock: MRS_BASE_URL is not set.');
  const profile = await profileOf(given.values.profile);
  const secrets = createSecrets();
  const evidence = await gatherEvidence(given, profile, { secrets }).catch((error) =>
    fail(secrets.redact(String(error.message)).slice(0, 500)),
  );
  const publisher = createPublisher(secrets, namesIn(fileOf(evidence)));
  mkdirSync(project.outputDir, { recursive: true });
  publisher.write(
    join(project.outputDir, 'evidence.har'),
    `${JSON.stringify(fileOf(evidence, withoutSecrets(profile, secrets)))}\n`,
  );
  if (publisher.problems.length > 0) fail(publisher.problems.join(' '));
});
