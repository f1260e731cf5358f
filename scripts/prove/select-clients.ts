/** Which clients a proof is about. */
import { closest } from 'fastest-levenshtein';
import { defects } from '../../mocks/deployments/defects.ts';
import { variants } from '../../mocks/deployments/variants.ts';
import { permittedClients } from '../../tests/client/corpus/permitted.ts';
import type { PermittedClient, Subject, WrongClient } from '../../tests/client/corpus/subject.ts';
import { wrongClients } from '../../tests/client/corpus/wrong.ts';
import { permittedFeeds } from '../../tests/feed/corpus/permitted.ts';
import { wrongFeeds } from '../../tests/feed/corpus/wrong.ts';
import { UsageError } from '../../tests/support/usage-error.ts';

export interface ClientSelection {
  wrong: readonly WrongClient[];
  permitted: readonly PermittedClient[];
}

/** Those with these names, or all if there is none. */
export function selectClients(names: readonly string[]): ClientSelection {
  const chosen = ({ name }: Subject) => names.length === 0 || names.includes(name);
  return { wrong: wrongClients.filter(chosen), permitted: permittedClients.filter(chosen) };
}

/** Some of those whose scenarios are over soonest. */
const SAMPLE = ['stampede', 'token-in-query', 'dies-on-reset', 'accept-list'];

/** A fixed part of the proof. */
export const sampleClients = (): ClientSelection => selectClients(SAMPLE);

/** Throws UsageError for a name that no client, feed or deployment has. */
export function checkNames(names: readonly string[]): void {
  const known = [defects, variants, wrongClients, permittedClients, wrongFeeds, permittedFeeds]
    .flat()
    .map(({ name }) => name);
  const stranger = names.find((name) => !known.includes(name));
  if (stranger !== undefined)
    throw new UsageError(
      `"${stranger}" is not the name of a defect, variant, client or feed. The nearest is "${closest(stranger, known)}"; ` +
        'mrs prove --list lists all.',
    );
}
