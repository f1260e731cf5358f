/** Runs of `mrs verify` for tests, in this process. */
import { loadProfile } from '../../../mocks/contract/profile.ts';
import type { Item, Report } from '../../../tests/report/report.ts';
import { judgeAll as judgeEvidence } from '../../../tests/server/judge.ts';
import { gather } from '../../../tests/server/probe/run.ts';
import { targetIn } from '../../../tests/server/probe/target.ts';
import { profileIn } from '../../../tests/server/profile.ts';
import { reportOf } from '../../../tests/server/report/report.ts';
import { createVirtualClock } from '../../../tests/support/clock.ts';
import { createSecrets } from '../../../tests/support/secrets.ts';
import { startDeployment, type Traits, untimed } from './deployment.ts';
import { type Left, run } from './mrs.ts';

/** The whole of `mrs verify`, in an environment that has nothing but `env`, and in a folder of its own. */
export const verify = (env: Record<string, string>, args: readonly string[] = []): Promise<Left> =>
  run(['verify', ...args], { env });

/** The same on a deployment that knows an expired token. */
export async function judge(traits: Partial<Traits>, env: Record<string, string> = {}): Promise<Left> {
  await using deployment = await startDeployment({ ...untimed, ...traits });
  return await verify({ ...deployment.env, ...env });
}

export interface Case {
  traits?: Partial<Traits>;
  /** Under which profile it is judged. */
  profile?: string;
  /** Variables in addition to those of the deployment, or in their place. */
  env?: Record<string, string>;
}

const LIFETIME_MS = 60_000;
const AT_ONCE = 6;

/** The report on each deployment, in the order given: observed over HTTP, by a clock that no run waits for. */
export async function judgeAll(cases: readonly Case[]): Promise<Report[]> {
  const reports: Report[] = [];
  for (let nth = 0; nth < cases.length; nth += AT_ONCE)
    reports.push(...(await Promise.all(cases.slice(nth, nth + AT_ONCE).map(judgeCase))));
  return reports;
}

async function judgeCase({ traits = {}, env = {}, profile: name }: Case): Promise<Report> {
  const document = name === undefined ? undefined : (await loadProfile(name)).document;
  const profile = document && profileIn(structuredClone(document) as Record<string, unknown>);
  // The deployment and the run share a clock that advances only where the run waits, however busy the machine is.
  const clock = createVirtualClock();
  await using deployment = await startDeployment({ tokenLifetimeMs: LIFETIME_MS, ...traits }, clock.now);
  const evidence = await gather(targetIn({ ...deployment.env, ...env }, profile), {
    ...(profile && { profile }),
    ...{ secrets: createSecrets(), clock, progress: () => {} },
  });
  return reportOf({ evidence, profile, ...judgeEvidence(evidence, profile) });
}

/** The items of a verdict, in order. */
export const itemsIn = (report: Report | undefined, verdict: Item['verdict']): Item[] =>
  (report?.items ?? []).filter((item) => item.verdict === verdict);

export const itemIn = (report: Report | undefined, id: string): Item | undefined =>
  report?.items.find((item) => item.id === id);

/** The ids of the requirements that failed, in order. */
export const failedIn = (report?: Report): string[] => itemsIn(report, 'failed').map(({ id }) => id);

/** A fact by its name. */
export const factIn = (report: Report | undefined, name: string): string | undefined =>
  report?.facts.find((fact) => fact.name === name)?.text;
