/** What a proof is about: of each kind those that are wrong in one way, and those that differ only as is permitted. */
import { closest } from 'fastest-levenshtein';
import { defects } from '../../mocks/deployments/defects.ts';
import type { Defect, Variant } from '../../mocks/deployments/deployment.ts';
import { variants } from '../../mocks/deployments/variants.ts';
import { permittedClients } from '../../tests/client/corpus/permitted.ts';
import { permittedReaders } from '../../tests/client/corpus/reader/permitted-readers.ts';
import { wrongReaders } from '../../tests/client/corpus/reader/wrong-readers.ts';
import type {
  Named,
  PermittedClient,
  PermittedReader,
  WrongClient,
  WrongReader,
} from '../../tests/client/corpus/subject.ts';
import { wrongClients } from '../../tests/client/corpus/wrong.ts';
import {
  type PermittedFeed,
  permittedFeeds,
  type WrongFeed,
  wrongFeeds,
} from '../../tests/feed/corpus/feeds.ts';
import { UsageError } from '../../tests/support/usage-error.ts';
import { listOfNamed } from '../mock/lists.ts';

export interface Group<Wrong extends Named = Named, Permitted extends Named = Named> {
  wrong: readonly Wrong[];
  permitted: readonly Permitted[];
}

export interface Subjects {
  deployments: Group<Defect, Variant>;
  clients: Group<WrongClient, PermittedClient>;
  readers: Group<WrongReader, PermittedReader>;
  feeds: Group<WrongFeed, PermittedFeed>;
}

export interface Selection extends Subjects {
  /** `sample`: each requirement has a defect in it. `named`: only what was asked for, so that one may have none. */
  scope: 'whole' | 'sample' | 'named';
}

/** No two subjects have the same name, of whatever kind. */
const all: Subjects = {
  deployments: { wrong: defects, permitted: variants },
  clients: { wrong: wrongClients, permitted: permittedClients },
  readers: { wrong: wrongReaders, permitted: permittedReaders },
  feeds: { wrong: wrongFeeds, permitted: permittedFeeds },
};

export const subjectsIn = ({ wrong, permitted }: Group): Named[] => [...wrong, ...permitted];

/** Those with these names, or all if there is none. Throws UsageError for a name that no subject has. */
export function selectNamed(names: readonly string[]): Selection {
  if (names.length === 0) return { ...all, scope: 'whole' };
  const known = Object.values(all)
    .flatMap(subjectsIn)
    .map(({ name }) => name);
  const stranger = names.find((name) => !known.includes(name));
  if (stranger !== undefined)
    throw new UsageError(
      `"${stranger}" is not the name of a defect, variant, client, reader or feed. The nearest is "${closest(stranger, known)}"; ` +
        'mrs prove --list lists all.',
    );
  return { ...amongAll(names), scope: 'named' };
}

function amongAll(names: readonly string[]): Subjects {
  const among = (subjects: readonly Named[]) => subjects.filter(({ name }) => names.includes(name));
  const groups = Object.entries(all).map(([kind, { wrong, permitted }]) => [
    kind,
    { wrong: among(wrong), permitted: among(permitted) },
  ]);
  return Object.fromEntries(groups) as unknown as Subjects;
}

/** Some of those whose scenarios are over soonest; feeds with a mistake in the body, a field, a record and the list. */
const SAMPLE = [
  ...['stampede', 'token-in-query', 'dies-on-reset', 'accept-list', 'reader-default-list', 'reader-correct'],
  ...['feed-html-type', 'feed-digit-string', 'feed-megahertz', 'feed-start-slides'],
  ...['feed-plain', 'feed-erratic-target', 'feed-legacy-agreed'],
];

/** Of this many variants, one is in a sample. */
const VARIANT_STEP = 16;

/**
 * A fixed part of the proof: for each requirement that a defect fails, the first defect that fails it, if no earlier
 * one does; some variants, clients, readers and feeds.
 */
export function selectSample(): Selection {
  const covered = new Set<string>();
  const covering = defects.filter(({ fails }) => {
    const before = covered.size;
    for (const id of Object.keys(fails)) covered.add(pointOf(id));
    return covered.size > before;
  });
  const some = variants.filter((_, nth) => nth % VARIANT_STEP === 0);
  const names = [...covering, ...some].map(({ name }) => name);
  return { ...amongAll([...SAMPLE, ...names]), scope: 'sample' };
}

/** `MRS-2b@` of `MRS-2b@nrao-ods`, which is judged alike under every profile; the id of what is stated. */
export const pointOf = (id: string): string => id.replace(/@.*/, '@');

/** All names and what they do, in 80 columns. */
export const listOf = ({ scope: _, ...kinds }: Selection): string =>
  Object.entries<Group>(kinds)
    .flatMap(([kind, { wrong, permitted }]) => [
      ...listOfNamed(wrong, `wrong ${kind}. Each is wrong in one way:`),
      ...listOfNamed(permitted, `permitted ${kind}. Each differs from most ${kind}:`),
    ])
    .join('\n\n');
