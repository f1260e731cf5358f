/** What a proof is about: of each kind those that are wrong in one way, and those that differ only as is permitted. */
import { closest } from 'fastest-levenshtein';
import { defects } from '../../mocks/deployments/defects.ts';
import type { Deployment } from '../../mocks/deployments/deployment.ts';
import { variants } from '../../mocks/deployments/variants.ts';
import { permittedClients } from '../../tests/client/corpus/permitted.ts';
import { permittedReaders, wrongReaders } from '../../tests/client/corpus/readers.ts';
import { wrongClients } from '../../tests/client/corpus/wrong.ts';
import {
  type PermittedFeed,
  permittedFeeds,
  type WrongFeed,
  wrongFeeds,
} from '../../tests/feed/corpus/feeds.ts';
import { UsageError } from '../../tests/support/usage-error.ts';
import type { Verdict } from '../../tests/support/verdict.ts';

/** One of them, and what a judge must find in it and nothing else. Its row in the corpus has more. */
interface About<Kind extends string> {
  name: string;
  /** What it does, as the rest of a sentence. */
  summary: string;
  kind: Kind;
  isWrong: boolean;
  /** By id: what must be said of the violation; with a verdict, if it is to be no other. */
  finds: Readonly<Record<string, { says: RegExp; verdict?: Verdict | undefined }>>;
  /** May be found, too. */
  also?: readonly string[];
  /** Any requirement may be one that could not be run: the stored verdicts say which. */
  mayNotRun?: boolean;
  /** Of a client. */
  strategy?: string;
}

export type Kind = 'deployment' | 'client' | 'reader' | 'feed';
export type Subject = About<Kind>;

/** The rows of a table as subjects; `says`: what must be said of each, by the id of the requirement or rule. */
const subjectsOf = <Row extends { name: string; summary: string }, Of extends Kind>(
  kind: Of,
  isWrong: boolean,
  rows: readonly Row[],
  says: (row: Row) => Readonly<Record<string, RegExp>> | undefined = () => ({}),
  verdictOf: (row: Row) => Verdict | undefined = () => undefined,
): (Row & About<Of>)[] =>
  rows.map((row) => {
    const rules = Object.entries(says(row) ?? {});
    const finds = Object.fromEntries(
      rules.map(([id, text]) => [id, { says: text, verdict: verdictOf(row) }]),
    );
    return { ...row, kind, isWrong, finds };
  });

const warned = () => 'warned' as const;

/** A subject with its row. */
type Row =
  | (About<'deployment'> & Deployment)
  | (About<'client'> & Pick<(typeof wrongClients)[number], 'behaviour'>)
  | (About<'reader'> & Pick<(typeof wrongReaders)[number], 'behaviour'>)
  | (About<'feed'> & Pick<WrongFeed | PermittedFeed, 'profile'>);
export type RowOf<Of extends Kind> = Extract<Row, { kind: Of }>;

/** No two have the same name, of whatever kind. */
export const corpus: readonly Row[] = [
  ...subjectsOf('deployment', true, defects, ({ fails }) => fails),
  ...subjectsOf('deployment', false, variants),
  ...subjectsOf('client', true, wrongClients, ({ finds }) => finds),
  ...subjectsOf('client', false, permittedClients, ({ finds }) => finds, warned),
  ...subjectsOf('reader', true, wrongReaders, ({ finds }) => finds),
  ...subjectsOf('reader', false, permittedReaders, ({ finds }) => finds, warned),
  ...subjectsOf(
    'feed',
    true,
    wrongFeeds,
    ({ rule, says }) => ({ [rule]: says }),
    ({ isWarning }) => (isWarning ? 'warned' : 'failed'),
  ),
  ...subjectsOf('feed', false, permittedFeeds, ({ warns }) => warns, warned),
];

export const subjects: readonly Subject[] = corpus;

/** Those with these names, or all if there is none. Throws UsageError for a name that no subject has. */
export function subjectsNamed(names: readonly string[]): readonly Subject[] {
  const known = subjects.map(({ name }) => name);
  const stranger = names.find((name) => !known.includes(name));
  if (stranger !== undefined)
    throw new UsageError(
      `"${stranger}" is not the name of a defect, variant, client, reader or feed. The nearest is "${closest(stranger, known)}".`,
    );
  return names.length === 0 ? subjects : subjects.filter(({ name }) => names.includes(name));
}

/** `MRS-2b@` of `MRS-2b@nrao-ods`, which is judged alike under every profile; the id of what is stated. */
export const pointOf = (id: string): string => id.replace(/@.*/, '@');

/** Some of those whose scenarios are over soonest; feeds with a mistake in the body, a field, a record and the list. */
const SAMPLE = [
  ...['stampede', 'token-in-query', 'dies-on-reset', 'accept-list', 'reader-default-list', 'reader-correct'],
  ...['feed-html-type', 'feed-digit-string', 'feed-megahertz', 'feed-start-slides'],
  ...['feed-plain', 'feed-erratic-target', 'feed-legacy-agreed'],
];
/** Of this many variants, one is in a sample. */
const VARIANT_STEP = 16;

/** A fixed part: for each requirement the first defect that fails it, if no earlier one does; and some of the others. */
export function sampleOfSubjects(): readonly Subject[] {
  const covered = new Set<string>();
  return subjects.filter(({ kind, name, isWrong, finds }, nth) => {
    if (kind !== 'deployment') return SAMPLE.includes(name);
    if (!isWrong) return nth % VARIANT_STEP === 0;
    const before = covered.size;
    for (const id of Object.keys(finds)) covered.add(pointOf(id));
    return covered.size > before;
  });
}
