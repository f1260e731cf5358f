/** The scenarios of an examination: what the mock plays and what the judge waits for, joined by name; and which of them are played. */
import { closest } from 'fastest-levenshtein';
import { secondsIn } from '../../mocks/clock.ts';
import { loadProfile } from '../../mocks/contract/profile.ts';
import { variants } from '../../mocks/deployments/variants.ts';
import type { MockClient, MockOptions } from '../../mocks/index.ts';
import type { Scenario as MockScenario } from '../../mocks/scenarios.ts';
import { scenarios as played } from '../../mocks/scenarios.ts';
import { type Catalogue, OF_CLIENTS } from '../../tests/client/judge.ts';
import { feedCatalogue, feedScenarios } from '../../tests/client/reader.ts';
import { type Scenario as JudgedScenario, scenarios as judged } from '../../tests/client/scenarios.ts';
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
  /** What the client's secret ends with; nothing for most. */
  secretSuffix: string;
  /** `renewal`: number of the token request that replaces the client's first token. */
  script(renewal: number): NonNullable<MockClient['script']>;
  /** What the mock serves, where that is not the data of every other scenario. */
  mock?: Pick<MockOptions, 'records' | 'variant'>;
  /** Of a feed without tokens: how many records it has at last. */
  served?: number;
}

/** A scenario as it is judged, and as the mock plays it. */
function joined(ofJudge: JudgedScenario, ofMock: MockScenario): Scenario {
  const { agreedSeconds } = ofJudge;
  const { summary, secretSuffix = '' } = ofMock;
  const termsAt = (renewal: number) => ofMock.terms({ now: Date.now(), renewal });
  const lifetimesSeconds = [termsAt(2).tokenLifetime ?? agreedSeconds].flat().map(secondsIn);
  const script = (renewal: number) => termsAt(renewal).script ?? [];
  return { ...ofJudge, summary, secretSuffix, lifetimesSeconds, script };
}

/** Throws Error if the mock does not play a scenario that is judged. */
function playedAs(name: string): MockScenario {
  const found = played.find((one) => one.name === name);
  if (!found) throw new Error(`The scenario "${name}" is missing in mocks/scenarios.ts.`);
  return found;
}

export const scenarios: readonly Scenario[] = judged.map((one) => joined(one, playedAs(one.name)));

/** For readers of a feed without tokens. A permitted deployment is a scenario in which nothing else happens. */
export const readerScenarios: readonly Scenario[] = feedScenarios.map((scenario) => {
  const { name, serves, servesAtLast = serves, scheduled: records = serves, plays = name } = scenario;
  const variant = variants.find((one) => one.name === name && name.startsWith('rec-'));
  const permitted = variant && { name, summary: `the feed ${variant.summary}`, terms: () => ({}) };
  return {
    ...joined(scenario, permitted ?? playedAs(plays)),
    ...(scenario.summary !== undefined && { summary: scenario.summary }),
    served: servesAtLast,
    mock: { records, ...(variant && { variant: name }) },
  };
});

export interface Subject {
  catalogue: Catalogue;
  scenarios: readonly Scenario[];
  /** Name of the profile, if it has no tokens. */
  feed?: string;
}

/**
 * What is examined under this profile. Throws MockError for a profile that cannot be loaded, and UsageError for one that
 * declares neither tokens nor records.
 */
export async function subjectUnder(given: string | undefined): Promise<Subject> {
  const profile = given === undefined ? undefined : await loadProfile(given);
  if (!profile || profile.notOffered.length === 0) return { catalogue: OF_CLIENTS, scenarios };
  const { name, document } = profile;
  if (document['x-records'] === undefined)
    throw new UsageError(
      `The profile ${name} has neither tokens nor records, so that there is nothing to examine. Declare x-records, as ods-record does, or name another --profile.`,
    );
  return { catalogue: feedCatalogue(name), scenarios: readerScenarios, feed: name };
}

/** Those with these names, in the order of the catalogue; all without a name. Throws UsageError for an unknown name. */
export function selectScenarios(of: readonly Scenario[], names: readonly string[] = []): readonly Scenario[] {
  const known = of.map(({ name }) => name);
  const unknown = names.find((name) => !known.includes(name));
  if (unknown !== undefined)
    throw new UsageError(
      `There is no scenario "${unknown}". The nearest is "${closest(unknown, known)}"; mrs certify --list shows all.`,
    );
  return names.length === 0 ? of : of.filter(({ name }) => names.includes(name));
}

/** Throws UsageError for an option that is about tokens. */
export function checkFeedOptions(
  { feed }: Subject,
  options: { processes: number; tokenLifetime?: number },
): void {
  if (feed === undefined) return;
  const stranger =
    (options.processes > 1 && '--processes') || (options.tokenLifetime !== undefined && '--token-lifetime');
  if (stranger)
    throw new UsageError(
      `${stranger} is for clients with tokens, and the profile ${feed} has none. Leave it out; the program after -- reads the feed from MRS_DATA_URL.`,
    );
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

/** In seconds, from the start of the client; enough for one that polls each few seconds. */
const DEADLINE = 30;

/**
 * The time limit of a scenario, in seconds, where none is set. One with a token lifetime of its own takes until its tokens
 * have expired, and two more where a client that renews by its clock meets those that end early.
 */
export const deadlineOf = ({ longLived, tokensToOutlive = 1, agreedSeconds }: Scenario): number =>
  DEADLINE + (longLived === false ? (tokensToOutlive + 2) * agreedSeconds : 0);

/** What an examination consists of, in 80 columns. */
export function listOfExamination({ catalogue: { rules }, scenarios, feed }: Subject): string {
  const textsOf = (isClause: boolean) =>
    rules
      .filter(({ clause }) => (clause !== undefined) === isClause)
      .map(({ id, clause, statement }) => ({
        name: isClause ? `${clause} ${id}` : id,
        summary: statement.replace(/\.$/, ''),
      }));
  const played = scenarios.map(({ name, summary, agreedSeconds }) => ({
    name: feed === undefined ? `${name} (${agreedSeconds} s)` : name,
    summary,
  }));
  return [
    ...listOfNamed(played, feed === undefined ? 'scenarios, with their MRS_TOKEN_LIFETIME:' : 'scenarios:'),
    ...listOfNamed(
      textsOf(true),
      feed === undefined ? 'clauses that bind clients:' : `rules of HTTP and ${feed}:`,
    ),
    ...listOfNamed(textsOf(false), 'rules of good practice, whose violation is a warning:'),
  ].join('\n\n');
}
