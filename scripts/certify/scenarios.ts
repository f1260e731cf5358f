/** The scenarios of an examination: what the mock plays and what the judge waits for, joined by name; and which of them are played. */
import { secondsIn } from '../../mocks/clock.ts';
import { nearestInWords } from '../../mocks/contract/mock-error.ts';
import { loadProfile } from '../../mocks/contract/profile.ts';
import { variants } from '../../mocks/deployments/variants.ts';
import type { MockClient, MockOptions } from '../../mocks/index.ts';
import { scenarios as played } from '../../mocks/scenarios.ts';
import type { Catalogue } from '../../tests/client/judge.ts';
import { catalogueOf, type Subject } from '../../tests/client/reader.ts';
import {
  feedScenarios,
  type Scenario as JudgedScenario,
  scenarios as judged,
} from '../../tests/client/scenarios.ts';
import { longLivedFrom } from '../../tests/client/traffic.ts';
import { UsageError } from '../../tests/support/usage-error.ts';
import { listOfNamed } from '../mock/lists.ts';

export interface Scenario extends JudgedScenario {
  /** What the client meets, as a sentence without its subject. */
  summary: string;
  /** In seconds, of the client's first token, its second and so on; the last is for all that follow. */
  lifetimesSeconds: readonly number[];
  /** Whether no token expires in it by itself; without it: where tokens live for a minute or more. */
  longLived?: boolean;
  /** What the client's id and its secret end with; nothing for most. */
  idSuffix: string;
  secretSuffix: string;
  /** `renewal`: number of the token request that replaces the client's first token. */
  script(renewal: number): NonNullable<MockClient['script']>;
  /** What the mock serves, where that is not what it does in every other scenario. */
  mock: Pick<MockOptions, 'records' | 'variant' | 'basePath'>;
  /** Of a feed without tokens: how many records it has at last. */
  served?: number;
}

/** A scenario as it is judged, and as the mock plays it. Throws Error if the mock does not play it. */
function joined(
  ofJudge: JudgedScenario,
  ofMock = played.find(({ name }) => name === ofJudge.name),
): Scenario {
  if (!ofMock) throw new Error(`The scenario "${ofJudge.name}" is missing in mocks/scenarios.ts.`);
  const { summary, secretSuffix = '', terms } = ofMock;
  const { says, suffix, ...mock } = ofJudge.form ?? {};
  const termsAt = (renewal: number) => terms({ now: Date.now(), renewal });
  return {
    ...ofJudge,
    ...{ summary: says === undefined ? summary : `${summary}; ${says}`, mock },
    ...{ idSuffix: suffix ?? '', secretSuffix: suffix ?? secretSuffix },
    lifetimesSeconds: [termsAt(2).tokenLifetime ?? ofJudge.agreedSeconds].flat().map(secondsIn),
    script: (renewal) => termsAt(renewal).script ?? [],
  };
}

export const scenarios: readonly Scenario[] = judged.map((one) => joined(one));

/** For readers of a feed without tokens. A permitted deployment is a scenario in which nothing else happens. */
export const readerScenarios: readonly Scenario[] = feedScenarios.map((scenario) => {
  const { name, serves, servesAtLast = serves, scheduled: records = serves } = scenario;
  const variant = variants.find((one) => one.name === name && name.startsWith('rec-'));
  const summary = variant ? `the feed ${variant.summary}` : scenario.summary;
  return {
    ...joined(scenario, summary === undefined ? undefined : { name, summary, terms: () => ({}) }),
    served: servesAtLast,
    mock: { records, ...(variant && { variant: name }) },
  };
});

/** What is examined, on what, and in which scenarios. */
interface Examined extends Subject {
  catalogue: Catalogue;
  scenarios: readonly Scenario[];
}

/**
 * What is examined under this profile. Throws MockError for a profile that cannot be loaded, and UsageError for one that
 * declares neither tokens nor records.
 */
export async function subjectUnder(given: string | undefined): Promise<Examined> {
  const profile = given === undefined ? undefined : await loadProfile(given);
  const hasTokens = !profile || profile.notOffered.length === 0;
  if (profile?.document['x-records'] !== undefined) {
    const subject: Subject = { feed: profile.name, ...(hasTokens && { hasTokens }) };
    const [{ served, mock } = {}] = readerScenarios.filter(({ isBaseline }) => isBaseline);
    const withRecords = [
      ...scenarios.map((one) => (one.isBaseline && served && mock ? { ...one, served, mock } : one)),
      ...readerScenarios.filter(({ isBaseline }) => !isBaseline),
    ];
    return {
      ...subject,
      catalogue: catalogueOf(subject),
      scenarios: hasTokens ? withRecords : readerScenarios,
    };
  }
  if (hasTokens) return { catalogue: catalogueOf({}), scenarios };
  throw new UsageError(
    `The profile ${profile.name} has neither tokens nor records, so that there is nothing to examine. Declare x-records, as ods-record does, or name another --profile.`,
  );
}

/**
 * The scenarios that are chosen, in the order of the catalogue; all without a name. Throws UsageError for an unknown name,
 * and for an option about tokens where there are none.
 */
export function chosenScenarios(
  { scenarios: all, feed, hasTokens }: Examined,
  names: readonly string[] = [],
  tokenLifetime: number | undefined,
  processes: number,
): readonly Scenario[] {
  const stranger = (processes > 1 && '--processes') || (tokenLifetime !== undefined && '--token-lifetime');
  if (feed !== undefined && !hasTokens && stranger)
    throw new UsageError(
      `${stranger} is for clients with tokens, and the profile ${feed} has none. Leave it out.`,
    );
  const known = all.map(({ name }) => name);
  const unknown = names.find((name) => !known.includes(name));
  if (unknown !== undefined)
    throw new UsageError(
      `There is no scenario "${unknown}". ${nearestInWords(unknown, known)}See mrs certify --list.`,
    );
  const chosen = names.length === 0 ? all : all.filter(({ name }) => names.includes(name));
  return tokenLifetime === undefined ? chosen : chosen.map((one) => withTokenLifetime(one, tokenLifetime));
}

/**
 * The scenario with tokens of `seconds`. One in which no token expires stays as it is; where a first token lives shorter
 * or longer than agreed, it still does.
 */
export function withTokenLifetime(scenario: Scenario, seconds: number): Scenario {
  const { agreedSeconds, lifetimesSeconds } = scenario;
  if (agreedSeconds >= longLivedFrom) return scenario;
  const [first = agreedSeconds, ...rest] = lifetimesSeconds;
  const scaled = first < agreedSeconds ? (first / agreedSeconds) * seconds : seconds + first - agreedSeconds;
  return { ...scenario, agreedSeconds: seconds, lifetimesSeconds: [scaled, ...rest], longLived: false };
}

/**
 * The time limit of a scenario, in seconds, where none is set: enough for a client that polls each few seconds. With a token
 * lifetime of its own, up to three tokens have to expire, and two more where a client that renews by its clock meets early ends.
 */
export const deadlineOf = ({ longLived, agreedSeconds }: Scenario): number =>
  30 + (longLived === false ? 5 * agreedSeconds : 0);

/** What an examination consists of, in 80 columns. */
export function listOfExamination({ catalogue: { rules }, scenarios, feed, hasTokens }: Examined): string {
  const played = scenarios.map(({ name, summary, agreedSeconds }) => ({
    name: feed === undefined || hasTokens ? `${name} (MRS_TOKEN_LIFETIME ${agreedSeconds})` : name,
    summary,
  }));
  const asked = rules.map(({ id, clause = 'good practice', statement }) => ({
    name: `${id} (${clause})`,
    summary: statement.replace(/\.$/, ''),
  }));
  return [...listOfNamed(played, 'scenarios:'), ...listOfNamed(asked, 'rules:')].join('\n\n');
}
