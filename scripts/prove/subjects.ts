/** What a proof is about: of each kind those that are wrong in one way, and those that differ only as is permitted. */
import { closest } from 'fastest-levenshtein';
import { defects } from '../../mocks/deployments/defects.ts';
import { variants } from '../../mocks/deployments/variants.ts';
import { permittedClients } from '../../tests/client/corpus/permitted.ts';
import { permittedReaders } from '../../tests/client/corpus/reader/permitted-readers.ts';
import { wrongReaders } from '../../tests/client/corpus/reader/wrong-readers.ts';
import { wrongClients } from '../../tests/client/corpus/wrong.ts';
import { permittedFeeds, wrongFeeds } from '../../tests/feed/corpus/feeds.ts';
import { UsageError } from '../../tests/support/usage-error.ts';
import type { Verdict } from '../../tests/support/verdict.ts';
import { listOfNamed } from '../mock/lists.ts';

export type Kind = 'deployment' | 'client' | 'reader' | 'feed';

/** One of them, and what a judge must find in it and nothing else. */
export interface Subject {
  name: string;
  /** What it does, as the rest of a sentence. */
  summary: string;
  kind: Kind;
  isWrong: boolean;
  /** By id: what must be said of the violation; with a verdict, if it is to be no other. */
  finds: Readonly<Record<string, { says: RegExp; verdict?: Verdict }>>;
  /** May be found, too. */
  also?: readonly string[];
  /** Any requirement may be one that could not be run: the stored verdicts say which. */
  mayNotRun?: boolean;
  /** Of a client. */
  strategy?: string;
}

/** The rows of a table as subjects. What they must say is by the id of the requirement or rule. */
const subjectsOf = <Row extends { name: string; summary: string }>(
  kind: Kind,
  isWrong: boolean,
  rows: readonly Row[],
  says: (row: Row) => Readonly<Record<string, RegExp>> | undefined = () => ({}),
  verdictOf: (row: Row) => Verdict | undefined = () => undefined,
): Subject[] =>
  rows.map((row) => {
    const verdict = verdictOf(row);
    const finds = Object.entries(says(row) ?? {}).map(([id, text]) => [
      id,
      { says: text, ...(verdict && { verdict }) },
    ]);
    return { ...row, kind, isWrong, finds: Object.fromEntries(finds) };
  });

const warned = () => 'warned' as const;
const verdictOfFeed = (feed: { isWarning?: boolean }) => (feed.isWarning ? 'warned' : 'failed');

/** No two have the same name, of whatever kind. */
export const subjects: readonly Subject[] = [
  ...subjectsOf('deployment', true, defects, ({ fails }) => fails),
  ...subjectsOf('deployment', false, variants),
  ...subjectsOf('client', true, wrongClients, ({ catches }) => catches),
  ...subjectsOf('client', false, permittedClients, ({ warns }) => warns, warned),
  ...subjectsOf('reader', true, wrongReaders, ({ catches }) => catches),
  ...subjectsOf('reader', false, permittedReaders, ({ warns }) => warns, warned),
  ...subjectsOf('feed', true, wrongFeeds, ({ rule, says }) => ({ [rule]: says }), verdictOfFeed),
  ...subjectsOf('feed', false, permittedFeeds, ({ warns }) => warns, warned),
];

/** Those with these names, or all if there is none. Throws UsageError for a name that no subject has. */
export function subjectsNamed(names: readonly string[]): readonly Subject[] {
  const known = subjects.map(({ name }) => name);
  const stranger = names.find((name) => !known.includes(name));
  if (stranger !== undefined)
    throw new UsageError(
      `"${stranger}" is not the name of a defect, variant, client, reader or feed. The nearest is "${closest(stranger, known)}"; ` +
        'mrs prove --list lists all.',
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

/** The subjects of each kind that has some. */
export const byKind = (selected: readonly Subject[]) =>
  (['deployment', 'client', 'reader', 'feed'] as const)
    .map((kind) => ({ kind, all: selected.filter((one) => one.kind === kind) }))
    .filter(({ all }) => all.length > 0);

/** All names and what they do, in 80 columns. */
export const listOf = (selected: readonly Subject[]): string =>
  byKind(selected)
    .flatMap(({ kind, all }) => [
      ...listOfNamed(
        all.filter(({ isWrong }) => isWrong),
        `wrong ${kind}s. Each is wrong in one way:`,
      ),
      ...listOfNamed(
        all.filter(({ isWrong }) => !isWrong),
        `permitted ${kind}s. Each differs from most ${kind}s:`,
      ),
    ])
    .join('\n\n');

// What a judge made of a subject, and how that differs.

/** A requirement or rule, as a judge reports it. */
export interface Found {
  id: string;
  verdict: Verdict;
  said: readonly string[];
  /** What decided: the request and its answer, the scenario, or the place in the feed. */
  by?: string;
}

export interface Judged {
  outcome: string;
  found: readonly Found[];
  /** Ids of requirements that the profile leaves out, so that they may ask nothing. */
  leftOut?: readonly string[];
  /** Of a client. */
  strategy?: string;
}

/** What a profile declares has the name of the profile in its id. */
export const isDeclared = (id: string): boolean => id.includes('@');

/** A sentence for each difference. */
export function faultsIn(subject: Subject, { outcome, found, leftOut = [], strategy }: Judged): string[] {
  const { name, summary, isWrong, finds, also = [], mayNotRun } = subject;
  const faultOf = ({ id, verdict, said }: Found): string[] => {
    const does = `${name}: ${id} is ${verdict}`;
    const wanted = finds[id];
    if (also.includes(id)) return [];
    if (wanted) {
      const verdicts = wanted.verdict ? [wanted.verdict] : ['failed', 'warned'];
      if (!verdicts.includes(verdict)) return [`${does}, and should be ${verdicts[0]}. ${said[0]}`];
      const isSaid = said.some((sentence) => wanted.says.test(sentence));
      return isSaid ? [] : [`${does} for another reason than ${wanted.says}. It said: ${said[0]}`];
    }
    if (mayNotRun && verdict === 'could-not-run') return [];
    // What a run does not bring about by itself, such as a limit, is judged where it is met.
    const mayNotApply = !isWrong || isDeclared(id) || leftOut.includes(id);
    const isPlain = verdict === 'passed' || (verdict === 'not-applicable' && mayNotApply);
    return isPlain ? [] : [`${does}, which nothing here explains. ${said[0]}`];
  };
  const silent = Object.entries(finds).filter(([id]) => !found.some((one) => one.id === id));
  const isAccepted = mayNotRun ? outcome === 'incomplete' : outcome.startsWith('conformant');
  return [
    ...(isWrong || isAccepted ? [] : [`${name}, which ${summary}, is permitted, and is ${outcome}.`]),
    ...(subject.strategy === undefined || subject.strategy === strategy
      ? []
      : [`${name}: its strategy is ${subject.strategy}, and ${strategy} was seen.`]),
    ...found.flatMap(faultOf),
    ...silent.map(([id, { says, verdict = 'failed' }]) => `${name}: ${id} is not ${verdict} for ${says}.`),
  ];
}

/**
 * The outcome, and the ids by their verdict, without those that passed: `nonconformant: failed MRS-1.3 (data.withoutToken 200)`.
 * What decided is only with what is violated: a subject that comes to violate it in another way differs.
 */
export function verdictsOf(outcome: string, judged: readonly Pick<Found, 'id' | 'verdict' | 'by'>[]): string {
  const rows = judged.filter(({ verdict }) => verdict !== 'passed');
  const named = [...new Set(rows.map(({ verdict }) => verdict))]
    .sort()
    .map((verdict) =>
      [verdict, ...rows.flatMap((row) => (row.verdict === verdict ? nameOf(row) : []))].join(' '),
    );
  return [outcome, named.join('; ')].filter(Boolean).join(': ');
}

const nameOf = ({ id, verdict, by }: Pick<Found, 'id' | 'verdict' | 'by'>): string =>
  by !== undefined && (verdict === 'failed' || verdict === 'warned') ? `${id} (${by})` : id;

/**
 * Those of a subject. What differs between runs is left out: what a mistake of a client also breaks, and the scenario in which
 * callers that run side by side are seen first. What must be said of a client is in its row.
 */
export function lastingVerdictsOf({ kind, isWrong, also = [] }: Subject, { outcome, found }: Judged): string {
  if (!isWrong || kind === 'deployment' || kind === 'feed') return verdictsOf(outcome, found);
  const lasting = found.filter(({ id }) => !also.includes(id));
  return verdictsOf(
    outcome,
    kind === 'client' ? lasting.map(({ id, verdict }) => ({ id, verdict })) : lasting,
  );
}
