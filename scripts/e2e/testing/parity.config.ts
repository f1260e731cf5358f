/** The requirements as tests of Playwright on saved evidence: a project for each file in MRS_TEST_EVIDENCE. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { _baseTest, defineConfig } from '@playwright/test';
import { type EvidenceFixture, runAsTests } from '../../../tests/server/suite.ts';
import { readEvidence } from '../../../tests/server/support/evidence-file.ts';

const folder = process.env.MRS_TEST_EVIDENCE ?? '';
const test = _baseTest.extend<object, EvidenceFixture>({
  evidence: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright asks for an object pattern
    async ({}, use, { project }) => use(readEvidence(join(folder, project.name)).evidence),
    { scope: 'worker' },
  ],
});
runAsTests(test);

export default defineConfig({
  testDir: '../../../tests/server',
  testMatch: '*.spec.ts',
  outputDir: `${folder}-output`,
  projects: readdirSync(folder).map((name) => ({ name })),
});
