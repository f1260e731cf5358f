/** Deployments observed over HTTP and judged in this process: a run of the program for each would take a minute. */
import { loadProfile } from '../../../mocks/contract/profile.ts';
import { judgeAll as judgeEvidence } from '../../../tests/server/judge.ts';
import { gather } from '../../../tests/server/probe/gather.ts';
import { readTarget } from '../../../tests/server/probe/target.ts';
import { buildReport, type Report } from '../../../tests/server/report/report.ts';
import { declaredRequirements, profileIn } from '../../../tests/server/support/declared.ts';
import { realClock } from '../../../tests/support/clock.ts';
import { ledger } from '../../../tests/support/requirements.ts';
import { createSecrets } from '../../../tests/support/secrets.ts';
import { startDeployment, type Traits } from './deployment.ts';

export interface Case {
  traits?: Partial<Traits>;
  /** Under which profile it is judged. */
  profile?: string;
  /** Variables in addition to those of the deployment, or in their place. */
  env?: Record<string, string>;
}

/** So many are observed at a time: their tokens live a few seconds of real time, which a busy machine uses up. */
const AT_ONCE = 6;

/** The report on each deployment, in the order given. */
export async function judgeAll(cases: readonly Case[]): Promise<Report[]> {
  const reports: Report[] = [];
  for (let nth = 0; nth < cases.length; nth += AT_ONCE)
    reports.push(...(await Promise.all(cases.slice(nth, nth + AT_ONCE).map(judgeCase))));
  return reports;
}

async function judgeCase({ traits = {}, env = {}, profile: name }: Case): Promise<Report> {
  const document = name === undefined ? undefined : (await loadProfile(name)).document;
  const profile = document && profileIn(structuredClone(document) as Record<string, unknown>);
  await using deployment = await startDeployment(traits);
  const evidence = await gather(readTarget({ ...deployment.env, ...env }, profile), {
    ...(profile && { profile }),
    secrets: createSecrets(),
    clock: realClock,
    progress: () => {},
  });
  const { verdicts, problems } = judgeEvidence(evidence, profile);
  const rows = profile ? [...ledger, ...declaredRequirements(profile)] : ledger;
  return buildReport(rows, evidence, verdicts, problems);
}
