/** Observes deployments side by side, and leaves for each its evidence and a file of tests that judge by it. */
import { readdirSync, writeFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Deployment } from '../mocks/deployment.ts';
import { type MockOptions, startMock } from '../mocks/index.ts';
import { createVirtualClock } from '../tests/support/clock.ts';
import { createPublisher } from '../tests/support/report/publish.ts';
import { createSecrets } from '../tests/support/secrets.ts';
import { gather } from '../tests/support/setup.ts';
import { evidenceFile, type Selection } from './prove-selection.ts';

const LIFETIME_SECONDS = 60;

export async function observeAll(directory: string, { defects, variants }: Selection): Promise<void> {
  const specs = listSpecs();
  const observe = async ({ name }: Deployment, options: MockOptions, expectedFailures: string[]) => {
    await observeOne(evidenceFile(directory, name), options);
    writeFileSync(join(directory, `${name}.spec.mjs`), testsOf(name, directory, specs, expectedFailures));
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
  await using mock = await startMock({ ...options, tokenLifetimeSeconds: LIFETIME_SECONDS, now: clock.now });
  const [client] = mock.clients;
  const evidence = await gather(
    {
      ...{ baseUrl: mock.url, clientId: client?.id ?? '', clientSecret: client?.secret ?? '' },
      ...{ tokenLifetimeSeconds: LIFETIME_SECONDS, maxWaitSeconds: LIFETIME_SECONDS, timeoutSeconds: 10 },
      ...{ healthPaths: [...mock.healthPaths], safe: false },
    },
    { secrets, clock, progress: () => {} },
  );
  const publisher = createPublisher(secrets);
  publisher.write(file, JSON.stringify(evidence));
  if (publisher.problems.length > 0) throw new Error(publisher.problems.join(' '));
}

/** The specs of the tree that runs, as URLs. */
function listSpecs(): string[] {
  const tests = new URL('../tests/', import.meta.url);
  const pattern = new RegExp(`^\\d.*\\.spec\\${extname(fileURLToPath(import.meta.url))}$`);
  return readdirSync(tests)
    .filter((name) => pattern.test(name))
    .map((name) => new URL(name, tests).href);
}

/**
 * A file of tests for one deployment. A project for each would need a worker process for each, which takes most of a
 * second; files share a worker. The query makes Node evaluate a spec anew, so that it defines its tests once more.
 * Nobody reads a stack of theirs, and to map each to its sources would take a quarter of the whole time.
 */
function testsOf(name: string, directory: string, specs: string[], expectedFailures: string[]): string {
  const support = new URL(`../tests/support/test${extname(fileURLToPath(import.meta.url))}`, import.meta.url)
    .href;
  const options = { evidenceFile: evidenceFile(directory, name), expectedFailures };
  return [
    `import { test } from ${JSON.stringify(support)};`,
    'Error.prepareStackTrace = undefined;',
    `test.use(${JSON.stringify(options)});`,
    ...specs.map((spec) => `await import(${JSON.stringify(`${spec}?${name}`)});`),
  ].join('\n');
}
