/** What a judge made of a subject, and how that differs from what it must find. */
import type { Verdict } from '../../tests/support/verdict.ts';
import type { Subject } from './subjects.ts';

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
