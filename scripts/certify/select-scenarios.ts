/** Which scenarios an examination plays, and with which profile it can play them. */
import { closest } from 'fastest-levenshtein';
import { loadProfile } from '../../mocks/contract/profile.ts';
import { UsageError } from '../../tests/support/usage-error.ts';
import { type Scenario, scenarios } from './scenario-catalogue.ts';

/** Those with these names, in the order of the catalogue; all without a name. Throws UsageError for an unknown name. */
export function selectScenarios(names: readonly string[] = []): readonly Scenario[] {
  const known = scenarios.map(({ name }) => name);
  const unknown = names.find((name) => !known.includes(name));
  if (unknown !== undefined)
    throw new UsageError(
      `There is no scenario "${unknown}". The nearest is "${closest(unknown, known)}"; mrs certify --list shows all.`,
    );
  return names.length === 0 ? scenarios : scenarios.filter(({ name }) => names.includes(name));
}

/** Throws UsageError for a profile that has no tokens, and for one that cannot be loaded. */
export async function checkProfile(name: string): Promise<void> {
  const profile = await loadProfile(name);
  if (profile.notOffered.length > 0)
    throw new UsageError(
      `The profile ${profile.name} has no tokens, so that there is nothing to examine. Name another --profile.`,
    );
}
