/** Which clients and readers of feeds a proof is about. */
import { closest } from 'fastest-levenshtein';
import { defects } from '../../mocks/deployments/defects.ts';
import { variants } from '../../mocks/deployments/variants.ts';
import { permittedClients } from '../../tests/client/corpus/permitted.ts';
import { permittedReaders } from '../../tests/client/corpus/reader/permitted-readers.ts';
import type { PermittedReader, WrongReader } from '../../tests/client/corpus/reader/reader-subject.ts';
import { wrongReaders } from '../../tests/client/corpus/reader/wrong-readers.ts';
import type { Named, PermittedClient, WrongClient } from '../../tests/client/corpus/subject.ts';
import { wrongClients } from '../../tests/client/corpus/wrong.ts';
import { permittedFeeds } from '../../tests/feed/corpus/permitted.ts';
import { wrongFeeds } from '../../tests/feed/corpus/wrong.ts';
import { UsageError } from '../../tests/support/usage-error.ts';

export interface ClientSelection {
  wrong: readonly WrongClient[];
  permitted: readonly PermittedClient[];
}

export interface ReaderSelection {
  wrong: readonly WrongReader[];
  permitted: readonly PermittedReader[];
}

const among =
  (names: readonly string[]) =>
  ({ name }: Named): boolean =>
    names.length === 0 || names.includes(name);

/** Those with these names, or all if there is none. */
export function selectClients(names: readonly string[]): ClientSelection {
  const chosen = among(names);
  return { wrong: wrongClients.filter(chosen), permitted: permittedClients.filter(chosen) };
}

/** Those with these names, or all if there is none. */
export function selectReaders(names: readonly string[]): ReaderSelection {
  const chosen = among(names);
  return { wrong: wrongReaders.filter(chosen), permitted: permittedReaders.filter(chosen) };
}

/** Some of those whose scenarios are over soonest. */
const SAMPLE = ['stampede', 'token-in-query', 'dies-on-reset', 'accept-list'];

/** A fixed part of the proof. */
export const sampleClients = (): ClientSelection => selectClients(SAMPLE);

/** The same of readers. */
export const sampleReaders = (): ReaderSelection => selectReaders(['reader-default-list', 'reader-correct']);

/** Throws UsageError for a name that no client, feed or deployment has. */
export function checkNames(names: readonly string[]): void {
  const known = [
    defects,
    variants,
    wrongClients,
    permittedClients,
    wrongReaders,
    permittedReaders,
    wrongFeeds,
    permittedFeeds,
  ]
    .flat()
    .map(({ name }) => name);
  const stranger = names.find((name) => !known.includes(name));
  if (stranger !== undefined)
    throw new UsageError(
      `"${stranger}" is not the name of a defect, variant, client, reader or feed. The nearest is "${closest(stranger, known)}"; ` +
        'mrs prove --list lists all.',
    );
}
