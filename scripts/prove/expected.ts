/** What a subject of a proof should come to, and how what it came to differs. */
import type { ItemVerdict } from '../../tests/support/verdict.ts';

/** A requirement or rule, as a judge reports it. */
export interface Found {
  id: string;
  verdict: ItemVerdict;
  said: readonly string[];
}

/** What should be found, and nothing else. */
export interface Expected {
  /** By id: what must be said of the violation; with a verdict, if it is to be no other. */
  finds: Readonly<Record<string, { says: RegExp; verdict?: ItemVerdict }>>;
  /** May be found, too. */
  also?: readonly string[];
  cannotRun?: readonly string[];
  /** Any requirement may be one that could not be run. */
  mayNotRun?: boolean;
  /** Whether it may ask nothing. */
  mayNotApply?: (id: string) => boolean;
}

/** What one subject of a proof came to. */
export interface Result {
  /** Absent where it could not be judged. */
  verdicts?: string;
  /** What is not as it should be with it, as sentences. */
  faults: readonly string[];
  /** What went wrong with the proof itself, as sentences. */
  problems?: readonly string[];
}

/** A sentence for each difference. */
export function faultsIn(name: string, expected: Expected, found: readonly Found[]): string[] {
  const { finds, also = [], cannotRun = [], mayNotRun, mayNotApply } = expected;
  const faultOf = ({ id, verdict, said }: Found): string[] => {
    const does = `${name}: ${id} is ${verdict}`;
    const wanted = finds[id];
    if (also.includes(id) || (mayNotRun && verdict === 'could-not-run')) return [];
    if (wanted) {
      const verdicts = wanted.verdict ? [wanted.verdict] : ['failed', 'warned'];
      if (!verdicts.includes(verdict)) return [`${does}, and should be ${verdicts[0]}. ${said[0]}`];
      const isSaid = said.some((sentence) => wanted.says.test(sentence));
      return isSaid ? [] : [`${does} for another reason than ${wanted.says}. It said: ${said[0]}`];
    }
    const isPlain = verdict === (cannotRun.includes(id) ? 'could-not-run' : 'passed');
    const isLeftOut = verdict === 'not-applicable' && !cannotRun.includes(id) && mayNotApply?.(id);
    return isPlain || isLeftOut ? [] : [`${does}, which nothing here explains. ${said[0]}`];
  };
  const silent = Object.entries(finds).filter(([id]) => !found.some((one) => one.id === id));
  return [
    ...found.flatMap(faultOf),
    ...silent.map(([id, { says, verdict = 'failed' }]) => `${name}: ${id} is not ${verdict} for ${says}.`),
  ];
}

/** What must be said of what fails, or warns, by the id of the rule. */
export const saying = (
  rules: Readonly<Partial<Record<string, RegExp>>> = {},
  verdict?: ItemVerdict,
): Expected['finds'] =>
  Object.fromEntries(
    Object.entries(rules).flatMap(([id, says]) =>
      says ? [[id, { says, ...(verdict && { verdict }) }]] : [],
    ),
  );
