/** Many deployments judged at once: a run of the program for each would take a minute. */
import { spawn } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { json } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { test } from '@playwright/test';
import type { JSONReport, JSONReportSuite } from '@playwright/test/reporter';
import { loadProfile } from '../../../mocks/contract/profile.ts';
import { gather } from '../../../tests/server/probe/gather.ts';
import { readTarget } from '../../../tests/server/probe/target.ts';
import { buildReport, type Report } from '../../../tests/server/report/report.ts';
import { verdictOf } from '../../../tests/server/report/test-verdict.ts';
import { declaredRequirements, type Profile, readProfile } from '../../../tests/server/support/declared.ts';
import type { Evidence } from '../../../tests/server/support/evidence.ts';
import { realClock } from '../../../tests/support/clock.ts';
import { ledger } from '../../../tests/support/requirements.ts';
import { createSecrets } from '../../../tests/support/secrets.ts';
import { contractFile, evidenceFile } from '../../prove/selection.ts';
import { leaveTests } from '../../prove/tests.ts';
import { startDeployment, type Traits } from './deployment.ts';

export interface Case {
  traits?: Partial<Traits>;
  /** Under which profile it is judged. */
  profile?: string;
  /** Variables beside those of the deployment, or in their place. */
  env?: Record<string, string>;
  /** Ids of the requirements that it breaks; of no weight for the verdicts. */
  fails?: readonly string[];
}

/** The report on each deployment, in the order given. */
export async function judgeAll(cases: readonly Case[]): Promise<Report[]> {
  const directory = test.info().outputPath('deployments');
  mkdirSync(directory, { recursive: true });
  const evidence = await Promise.all(
    cases.map(async ({ traits = {}, env = {}, fails = [], profile }, nth) => {
      const contract = profile && contractFile(directory, profile);
      if (contract) writeFileSync(contract, JSON.stringify((await loadProfile(profile)).document));
      const declared = contract ? readProfile(contract) : undefined;
      const seen = await observe(traits, env, declared);
      writeFileSync(evidenceFile(directory, String(nth)), JSON.stringify(seen));
      leaveTests(directory, String(nth), fails, contract);
      return { seen, rows: declared ? [...ledger, ...declaredRequirements(declared)] : ledger };
    }),
  );
  const { suites } = await runTests(directory);
  return evidence.map(({ seen, rows }, nth) => {
    const suite = suites.find(({ title }) => title === `${nth}.spec.mjs`);
    const judged = (suite?.specs ?? []).flatMap(({ title, tests }) =>
      tests.flatMap(({ results }) => results.map((result) => verdictOf({ title }, resultOf(result)))),
    );
    return buildReport(
      rows,
      seen,
      judged,
      judged.flatMap(({ problem }) => problem ?? []),
    );
  });
}

async function observe(
  traits: Partial<Traits>,
  env: Record<string, string>,
  profile?: Profile,
): Promise<Evidence> {
  await using deployment = await startDeployment(traits);
  return await gather(readTarget({ ...deployment.env, ...env }, profile), {
    ...(profile && { profile }),
    secrets: createSecrets(),
    clock: realClock,
    progress: () => {},
  });
}

function runTests(directory: string): Promise<JSONReport> {
  const playwright = fileURLToPath(import.meta.resolve('@playwright/test/cli'));
  const config = fileURLToPath(new URL('../../../dist/scripts/prove/prove.config.js', import.meta.url));
  const run = spawn(process.execPath, [playwright, 'test', '--config', config, '--reporter', 'json'], {
    env: { PATH: process.env.PATH, HOME: process.env.HOME, MRS_PROOF_DIR: directory },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  return json(run.stdout) as Promise<JSONReport>;
}

type JSONReportResult = JSONReportSuite['specs'][number]['tests'][number]['results'][number];

/** The same in the terms in which Playwright tells a reporter within its process. */
const resultOf = ({ status = 'interrupted', annotations, error }: JSONReportResult) => ({
  status,
  annotations,
  ...(error && { error }),
});
