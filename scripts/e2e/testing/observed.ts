/** Deployments observed in process, by a clock that passes only where the plan waits. */
import { writeFileSync } from 'node:fs';
import { loadProfile } from '../../../mocks/contract/profile.ts';
import { type Draft, type DraftInput, draftProfile, writeDraft } from '../../../tests/server/draft/draft.ts';
import { defaultLimits } from '../../../tests/server/probe/http.ts';
import { gather } from '../../../tests/server/probe/run.ts';
import { declaredBy, type Profile, profileIn } from '../../../tests/server/profile.ts';
import { contractDocument } from '../../../tests/server/support/contract.ts';
import { type Evidence, exchanges, inWords, isAnswered } from '../../../tests/server/support/evidence.ts';
import { createVirtualClock } from '../../../tests/support/clock.ts';
import { createSecrets } from '../../../tests/support/secrets.ts';
import { type MockOptions, startMock } from '../../index.ts';

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
    ...{ tokenLifetimeSeconds: LIFETIME_SECONDS, maxWaitSeconds: LIFETIME_SECONDS, timeoutSeconds: 60 },
    ...{ bodyLimitBytes: defaultLimits.bodyBytes, healthPaths: healthPaths ?? [...mock.healthPaths] },
    safe: false,
  };
  return await gather(target, {
    ...{ secrets: createSecrets(), clock, progress: () => {} },
    ...(profile && { profile }),
  });
}

/** The draft of what was seen, in a file of this name. */
export function leaveDraft(
  file: string,
  evidence: Evidence,
  on: Pick<DraftInput, 'profile' | 'buildsOn'> = {},
): Draft {
  const draft = draftProfile({ evidence, document: on.profile?.document ?? contractDocument, ...on });
  writeFileSync(file, writeDraft(draft));
  return draft;
}

/** A draft without date and address, so that two can be compared. */
export const comparable = ({ overlay, drafted, left }: Draft): unknown =>
  JSON.parse(withoutFigures(JSON.stringify({ actions: overlay.actions, drafted, left })));

/** A text without what differs from run to run. */
export const withoutFigures = (text: string): string =>
  text
    .replaceAll(/http:\/\/127\.0\.0\.1:\d+[^" \n`]*/g, 'URL')
    .replaceAll(/\d{4}-\d\d-\d\d(?!T)/g, 'DAY')
    .replaceAll(/(age of|requests in) [\d.]+ s\b/g, '$1 SECONDS s');

/** Each declared requirement that fails, with what was expected and seen; and how many there are. */
export function driftOf(profile: Profile, evidence: Evidence): { failed: string[]; judged: number } {
  const rows = declaredBy(profile);
  const failed = rows.flatMap(({ id: point, judge }) => {
    const judgement = judge(evidence);
    if (judgement.verdict === 'passed') return [];
    const seen = exchanges(evidence)
      .filter(({ id }) => judgement.exchanges.includes(id))
      .map((exchange) => (isAnswered(exchange) ? inWords(exchange) : exchange.what));
    const { expected, reason = `expected ${expected}; seen: ${seen.join('; ')}` } = judgement;
    return [`${point} ${reason}`];
  });
  return { failed, judged: rows.length };
}
