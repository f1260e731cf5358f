/** The proof: every test against the evidence of every deployment in MRS_PROOF_DIR; see prove.ts. */
import { availableParallelism } from 'node:os';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { defineConfig } from '@playwright/test';

const reporter = new URL(`./reporter${extname(fileURLToPath(import.meta.url))}`, import.meta.url);
const directory = process.env.MRS_PROOF_DIR ?? '';

export default defineConfig({
  testDir: directory,
  testMatch: '*.spec.mjs',
  outputDir: join(directory, '.playwright'),
  reporter: [[fileURLToPath(reporter)]],
  workers: availableParallelism(),
  retries: 0,
});
