/** Deployments observed in process, by a clock that passes only where the plan waits. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type MockOptions, startMock } from '../../mocks/index.ts';
import { loadProfile } from '../../mocks/profile.ts';
import { createVirtualClock } from '../../tests/support/clock.ts';
import { contractDocument } from '../../tests/support/contract.ts';
import { type Profile, profileIn } from '../../tests/support/declared.ts';
import type { Evidence } from '../../tests/support/evidence.ts';
import { gather } from '../../tests/support/gather.ts';
import { defaultLimits } from '../../tests/support/http.ts';
import { type Draft, draftProfile } from '../../tests/support/report/draft.ts';
import { writeDraft } from '../../tests/support/report/draft-text.ts';
import { createSecrets } from '../../tests/support/secrets.ts';
import { evidenceFile } from '../prove-selection.ts';
import { runTests } from './judge-all.ts';

export const LIFETIME_SECONDS = 60;

/** What a profile declares, as the suite reads it. */
export async function suiteProfile(nameOrFile: string): Promise<Profile> {
  const { document } = await loadProfile(nameOrFile);
  return profileIn(structuredClone(document) as Record<string, unknown>) as Profile;
}

export interface Run {
  profile?: Profile;
  /** Those of the mock, unless others are given. */
  healthPaths?: string[];
}

/** What a run sees of a mock. */
export async function observeMock(
  options: MockOptions,
  { profile, healthPaths }: Run = {},
): Promise<Evidence> {
  const clock = createVirtualClock();
  await using mock = await startMock({ ...options, tokenLifetime: LIFETIME_SECONDS, now: clock.now });
  const [client] = mock.clients;
  const target = {
    ...{ baseUrl: mock.url, clientId: client?.id ?? '', clientSecret: client?.secret ?? '' },
    ...{ tokenLifetimeSeconds: LIFETIME_SECONDS, maxWaitSeconds: LIFETIME_SECONDS, timeoutSeconds: 10 },
    ...{ bodyLimitBytes: defaultLimits.bodyBytes, healthPaths: healthPaths ?? [...mock.healthPaths] },
    ...{ safe: false, allowUploads: false },
  };
  return await gather(target, {
    ...{ secrets: createSecrets(), clock, progress: () => {} },
    ...(profile && { profile }),
  });
}

/** The draft of what was seen, in a file of this name. */
export function leaveDraft(file: string, evidence: Evidence): Draft {
  const draft = draftProfile({ evidence, document: contractDocument });
  writeFileSync(file, writeDraft(draft));
  return draft;
}

/** A draft without date, address and notes, so that two can be compared. */
export const comparable = ({ overlay, drafted, left }: Draft): unknown =>
  JSON.parse(
    JSON.stringify({ actions: overlay.actions, drafted, left })
      .replaceAll(/http:\/\/127\.0\.0\.1:\d+[^" ]*/g, 'URL')
      .replaceAll(/\d{4}-\d\d-\d\d(?!T)/g, 'DAY'),
  );

/** A deployment that was seen again, with what was drafted of it before. */
export interface SeenAgain {
  name: string;
  evidence: Evidence;
  profile: Profile;
}

/** By name: each declared requirement that failed, with what was expected and seen. */
export async function driftOf(directory: string, seen: readonly SeenAgain[]): Promise<Map<string, string[]>> {
  for (const { name, evidence, profile } of seen) {
    writeFileSync(evidenceFile(directory, name), JSON.stringify(evidence));
    const contract = join(directory, `${name}.contract.json`);
    writeFileSync(contract, JSON.stringify(profile.document));
    writeFileSync(
      join(directory, `${name}.spec.mjs`),
      [
        `import { test } from ${JSON.stringify(urlOf('support/test.js'))};`,
        'Error.prepareStackTrace = undefined;',
        `process.env.MRS_CONTRACT = ${JSON.stringify(contract)};`,
        `test.use(${JSON.stringify({ evidenceFile: evidenceFile(directory, name), expectedFailures: [] })});`,
        `await import(${JSON.stringify(`${urlOf('profile.spec.js')}?${name}`)});`,
      ].join('\n'),
    );
  }
  const { suites } = await runTests(directory);
  return new Map(
    seen.map(({ name }) => {
      const own = suites.find(({ title }) => title === `${name}.spec.mjs`);
      const failed = (own?.specs ?? []).filter(({ ok }) => !ok);
      return [
        name,
        failed.map(({ title, tests }) => {
          const [error] = tests.flatMap(({ results }) => results.flatMap((result) => result.errors));
          return `${title.split(' ', 1)[0]} ${error?.message?.split('\n')[0] ?? ''}`;
        }),
      ];
    }),
  );
}

/** Of what was built: to compile it anew in each worker would take longer than to run it. */
const urlOf = (path: string): string => new URL(`../../dist/tests/${path}`, import.meta.url).href;
