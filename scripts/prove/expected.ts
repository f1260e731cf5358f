/** What a subject of a proof should come to, what it came to, and how the two differ. */
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
  /** Of a deployment: one for each requirement. */
  cells?: readonly Cell[];
}

export interface Cell {
  id: string;
  verdict: ItemVerdict;
  /** Why it is not as stated, as a sentence. */
  fault?: string | undefined;
}

const WORDS: Record<ItemVerdict, string> = {
  passed: 'passed',
  failed: 'failed',
  'could-not-run': 'could not be run',
  'not-applicable': 'was not applicable',
  warned: 'warned',
  'not-seen': 'was not seen',
};

/** One cell for each that was found, and one for each that should have been and was not. */
export function compare(name: string, expected: Expected, found: readonly Found[]): Cell[] {
  const { finds, also = [], cannotRun = [], mayNotRun, mayNotApply } = expected;
  const faultOf = ({ id, verdict, said }: Found): string | undefined => {
    const does = `${id} ${WORDS[verdict]}`;
    const wanted = finds[id];
    if (also.includes(id) || (mayNotRun && verdict === 'could-not-run')) return undefined;
    if (wanted) {
      const verdicts = wanted.verdict ? [wanted.verdict] : ['failed', 'warned'];
      if (!verdicts.includes(verdict)) return `${does}, and should have ${verdicts[0]}. ${said[0]}`;
      const isSaid = said.some((sentence) => wanted.says.test(sentence));
      return isSaid ? undefined : `${does} for another reason than ${wanted.says}. It said: ${said[0]}`;
    }
    const isPlain = verdict === (cannotRun.includes(id) ? 'could-not-run' : 'passed');
    const isLeftOut = verdict === 'not-applicable' && !cannotRun.includes(id) && mayNotApply?.(id);
    return isPlain || isLeftOut ? undefined : `${does}, which nothing here explains. ${said[0]}`;
  };
  const cells = found.map((one): Cell => {
    const fault = faultOf(one);
    return { id: one.id, verdict: one.verdict, fault: fault && `${name}: ${fault}` };
  });
  const silent = Object.entries(finds).filter(([id]) => !found.some((one) => one.id === id));
  return [
    ...cells,
    ...silent.map(([id, { says, verdict = 'failed' }]): Cell => {
      return {
        id,
        verdict: 'not-seen',
        fault: `${name}: ${id} should have ${verdict} for ${says}. It did not.`,
      };
    }),
  ];
}

export const faultsIn = (cells: readonly Cell[]): string[] => cells.flatMap(({ fault }) => fault ?? []);

/** Warnings that a permitted subject draws, by rule. */
export const warnings = (warns: Partial<Record<string, RegExp>> = {}): Expected['finds'] =>
  Object.fromEntries(
    Object.entries(warns).flatMap(([id, says]) => (says ? [[id, { says, verdict: 'warned' as const }]] : [])),
  );
