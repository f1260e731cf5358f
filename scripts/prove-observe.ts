/** Observes deployments side by side, and leaves for each its evidence and the tests that judge by it. */
import type { Deployment } from '../mocks/deployment.ts';
import { type MockOptions, startMock } from '../mocks/index.ts';
import { createVirtualClock } from '../tests/support/clock.ts';
import { gather } from '../tests/support/gather.ts';
import { defaultLimits } from '../tests/support/http.ts';
import { createPublisher } from '../tests/support/report/publish.ts';
import { createSecrets } from '../tests/support/secrets.ts';
import { evidenceFile, type Selection } from './prove-selection.ts';
import { leaveTests } from './prove-tests.ts';

const LIFETIME_SECONDS = 60;

export async function observeAll(directory: string, { defects, variants }: Selection): Promise<void> {
  const observe = async ({ name }: Deployment, options: MockOptions, expectedFailures: string[]) => {
    await observeOne(evidenceFile(directory, name), options);
    leaveTests(directory, name, expectedFailures);
  };
  await Promise.all([
    ...defects.map((one) => observe(one, { defect: one.name }, Object.keys(one.fails))),
    ...variants.map((one) => observe(one, { variant: one.name }, [])),
  ]);
}

/** Deployment and plan live by one clock, which passes only where the plan waits: so nobody waits in fact. */
async function observeOne(file: string, options: MockOptions): Promise<void> {
  const clock = createVirtualClock();
  const secrets = createSecrets();
  await using mock = await startMock({ ...options, tokenLifetime: LIFETIME_SECONDS, now: clock.now });
  const [client] = mock.clients;
  const evidence = await gather(
    {
      ...{ baseUrl: mock.url, clientId: client?.id ?? '', clientSecret: client?.secret ?? '' },
      ...{ tokenLifetimeSeconds: LIFETIME_SECONDS, maxWaitSeconds: LIFETIME_SECONDS, timeoutSeconds: 10 },
      bodyLimitBytes: defaultLimits.bodyBytes,
      ...{ healthPaths: [...mock.healthPaths], safe: false, allowUploads: true },
    },
    { secrets, clock, progress: () => {} },
  );
  const publisher = createPublisher(secrets);
  publisher.write(file, JSON.stringify(evidence));
  if (publisher.problems.length > 0) throw new Error(publisher.problems.join(' '));
}
