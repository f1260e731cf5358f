/** A thread of a proof: observes and judges each deployment that it is sent the name of, and posts the report. */
import { parentPort } from 'node:worker_threads';
import { loadProfile } from '../../mocks/contract/profile.ts';
import type { Report } from '../../tests/report/report.ts';
import { judgeAll } from '../../tests/server/judge.ts';
import { gather } from '../../tests/server/probe/run.ts';
import type { Target } from '../../tests/server/probe/target.ts';
import { type Profile, profileIn } from '../../tests/server/profile.ts';
import { reportOf } from '../../tests/server/report/report.ts';
import type { Evidence } from '../../tests/server/support/evidence.ts';
import { createVirtualClock } from '../../tests/support/clock.ts';
import { createSecrets } from '../../tests/support/secrets.ts';
import { type MockOptions, startMock } from '../index.ts';

/** What a thread is sent: a deployment itself holds functions. */
export interface DeploymentName {
  kind: 'defect' | 'variant';
  name: string;
  profile?: string | undefined;
}

/** What it posts: what a proof needs of the report, or why there is none, as a sentence. */
export type Posted = { name: string } & (
  | { report: Pick<Report, 'outcome' | 'items' | 'problems' | 'properties'> }
  | { problem: string }
);

parentPort?.on('message', async (deployment: DeploymentName) => {
  const { name } = deployment;
  const posted: Posted = await reportOn(deployment).then(
    ({ outcome, items, problems, properties }) => ({
      name,
      report: { outcome, items, problems, properties },
    }),
    (error: Error) => ({ name, problem: `${name}: it could not be judged: ${error.message}` }),
  );
  parentPort?.postMessage(posted);
});

const LIFETIME_SECONDS = 90;

async function reportOn({ kind, name, profile: profileName }: DeploymentName): Promise<Report> {
  const profile = profileName === undefined ? undefined : await profileOf(profileName);
  const options = { [kind]: name, ...(profileName !== undefined && { profile: profileName }) };
  // Through the form in which it is saved, as `mrs verify` judges it.
  const evidence: Evidence = JSON.parse(JSON.stringify(await observe(options, profile)));
  return reportOf({ evidence, profile, ...judgeAll(evidence, profile) });
}

const profiles = new Map<string, Promise<Profile | undefined>>();

/** Each once: what is compared by it is compiled for each. */
function profileOf(name: string): Promise<Profile | undefined> {
  const known =
    profiles.get(name) ??
    loadProfile(name).then(({ document }) => profileIn(structuredClone(document) as Record<string, unknown>));
  profiles.set(name, known);
  return known;
}

/** The deployment and the run share one clock, which advances only where the run waits: nothing waits in fact. */
async function observe(options: MockOptions, profile: Profile | undefined): Promise<Evidence> {
  const clock = createVirtualClock();
  const faults: unknown[] = [];
  const onFault = (fault: unknown) => faults.push(fault);
  await using mock = await startMock({
    ...options,
    tokenLifetime: LIFETIME_SECONDS,
    now: clock.now,
    onFault,
  });
  const { url: baseUrl, healthPaths, clients } = mock;
  const [client] = clients;
  const target: Target = {
    ...{ baseUrl, healthPaths: [...healthPaths], safe: false },
    ...{ clientId: client?.id ?? '', clientSecret: client?.secret ?? '' },
    ...{ tokenLifetimeSeconds: LIFETIME_SECONDS, maxWaitSeconds: LIFETIME_SECONDS },
    timeoutSeconds: 10,
  };
  const secrets = createSecrets();
  const run = { secrets, clock, progress: () => {}, ...(profile && { profile }) };
  const evidence = await gather(target, run);
  if (faults.length > 0) throw new Error(`the mock met an exception: ${faults[0]}`);
  return evidence;
}
