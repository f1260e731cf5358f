/** Sends the requests of the run, once, before Playwright runs the requirements as tests of the answers. */
import { join } from 'node:path';
import { test } from '@playwright/test';
import { writeText } from '../../tests/report/publish.ts';
import { DEPLOYMENT_OPTIONS } from '../../tests/server/probe/options.ts';
import { fail } from '../../tests/server/suite.ts';
import { fileOf } from '../../tests/server/support/evidence-file.ts';
import { replaceFile } from '../../tests/support/files.ts';
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
  const content = secrets.seal(fileOf(evidence, withoutSecrets(profile, secrets)));
  const file = join(project.outputDir, 'evidence.har');
  const [problem] = writeText(replaceFile, file, `${JSON.stringify(content)}\n`);
  if (problem !== undefined) fail(problem);
});
