/** Observes deployments side by side, and leaves for each its evidence and the tests that judge by it. */
import { writeFileSync } from 'node:fs';
import { loadProfile } from '../../mocks/contract/profile.ts';
import { createPublisher } from '../../tests/report/publish.ts';
import { gather } from '../../tests/server/probe/gather.ts';
import { defaultLimits } from '../../tests/server/probe/http.ts';
import { type Profile, readProfile } from '../../tests/server/support/declared.ts';
import { createVirtualClock } from '../../tests/support/clock.ts';
import { createSecrets } from '../../tests/support/secrets.ts';
import { type MockOptions, startMock } from '../index.ts';
import { contractFile, evidenceFile, type Selection } from './selection.ts';
import { leaveTests } from './tests.ts';

const LIFETIME_SECONDS = 90;

/** So many at a time: each has a deadline, and they share one process. */
const AT_A_TIME = 24;

export async function observeAll(directory: string, { defects, variants }: Selection): Promise<void> {
  const profiles = new Map<string, Profile | undefined>();
  for (const name of new Set([...defects, ...variants].flatMap(({ profile }) => profile ?? []))) {
    writeFileSync(contractFile(directory, name), JSON.stringify((await loadProfile(name)).document));
    profiles.set(name, readProfile(contractFile(directory, name)));
  }
  const waiting = [
    ...defects.map((one) => ({ ...one, options: { defect: one.name }, expected: Object.keys(one.fails) })),
    ...variants.map((one) => ({ ...one, options: { variant: one.name }, expected: [] })),
  ];
  await Promise.all(
    Array.from({ length: AT_A_TIME }, async () => {
      for (let next = waiting.shift(); next; next = waiting.shift()) {
        const { name, profile = '', options, expected } = next;
        const declared = profiles.get(profile);
        await observeOne(
          evidenceFile(directory, name),
          { ...options, ...(declared && { profile }) },
          declared,
        );
        leaveTests(directory, name, expected, declared && contractFile(directory, profile));
      }
    }),
  );
}

/** Deployment and plan live by one clock, which passes only where the plan waits: so nobody waits in fact. */
async function observeOne(file: string, options: MockOptions, profile: Profile | undefined): Promise<void> {
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
    { secrets, clock, progress: () => {}, ...(profile && { profile }) },
  );
  const publisher = createPublisher(secrets);
  publisher.write(file, JSON.stringify(evidence));
  if (publisher.problems.length > 0) throw new Error(publisher.problems.join(' '));
}
