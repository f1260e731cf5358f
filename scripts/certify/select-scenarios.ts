/** What an examination is about: clients with tokens, or readers of a feed that has none; and which scenarios it plays. */
import { closest } from 'fastest-levenshtein';
import { loadProfile } from '../../mocks/contract/profile.ts';
import { type Catalogue, OF_CLIENTS } from '../../tests/client/judge.ts';
import { feedCatalogue } from '../../tests/client/reader/feed-catalogue.ts';
import { UsageError } from '../../tests/support/usage-error.ts';
import { readerScenarios } from './reader-catalogue.ts';
import { type Scenario, scenarios } from './scenario-catalogue.ts';

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

/** Throws UsageError for an option that is about tokens, or about a client that the user starts. */
export function checkFeedOptions(
  { feed }: Subject,
  options: { listen?: true; processes: number; tokenLifetime?: number },
): void {
  if (feed === undefined) return;
  const { listen, processes, tokenLifetime } = options;
  const stranger = [
    listen && '--listen',
    processes > 1 && '--processes',
    tokenLifetime !== undefined && '--token-lifetime',
  ].find(Boolean);
  if (stranger)
    throw new UsageError(
      `${stranger} is for clients with tokens, and the profile ${feed} has none. Leave it out; the program after -- reads the feed from MRS_DATA_URL.`,
    );
}
