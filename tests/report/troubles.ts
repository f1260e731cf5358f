/** What a reader has to know first: each violation in a sentence, the gravest first, and what could not be judged. */
import { type Item, itemsInOrder, type ReportModel } from './model.ts';
import { several } from './text.ts';

export interface Trouble {
  verdict: 'failed' | 'warned' | 'could-not-run';
  /** What is wrong, as sentences. */
  sentence: string;
  /** Those that it is about: one of what failed or warns, all that share a reason otherwise. */
  items: readonly [Item, ...Item[]];
}

/** Failures, then warnings, then one for each reason why items could not be judged. */
export function troublesOf(model: ReportModel): Trouble[] {
  const items = itemsInOrder(model);
  const broken = items.flatMap((item): Trouble[] =>
    item.verdict === 'failed' || item.verdict === 'warned'
      ? [{ verdict: item.verdict, sentence: violationOf(item), items: [item] }]
      : [],
  );
  return [...broken, ...unjudged(model, items)];
}

/** What is wrong with an item that failed or warns. */
function violationOf({ violation, trouble, findings, statement, accepted }: Item): string {
  const [first] = findings;
  const rest = findings.length - 1;
  const sentence =
    violation ?? trouble ?? (first ? `${first.seen}${rest > 0 ? ` (and ${rest} more)` : ''}` : statement);
  return accepted === undefined ? sentence : `${sentence} It is ${fullStop(accepted)}`;
}

/** Items that could not be judged, by their reason. */
export function unjudged({ cause, items: { noun } }: ReportModel, items: readonly Item[]): Trouble[] {
  const left = items.filter(({ verdict }) => verdict === 'could-not-run');
  const roots = [...new Set(left.map(({ reason }) => rootOf(reason)))];
  return roots.flatMap((root): Trouble[] => {
    const [first, ...others] = left.filter(({ reason }) => rootOf(reason) === root);
    if (!first) return [];
    const { reason = '' } = first;
    if (reason === cause) return [{ verdict: 'could-not-run', sentence: reason, items: [first, ...others] }];
    const why = others.length > 0 ? (reason.split(SEEN, 1)[0] ?? '') : reason;
    const sentence = `${several(others.length + 1, noun)} could not be tested. ${fullStop(why)}`;
    return [{ verdict: 'could-not-run', sentence, items: [first, ...others] }];
  });
}

/** Reasons that follow from another requirement begin alike. */
const rootOf = (reason = ''): string => ROOTS.find((root) => reason.startsWith(root)) ?? reason;

const ROOTS = ['No token was obtained', 'The data was not served'];
/** Begins what was seen of one request, which can be another for each. */
const SEEN = /(?<=\(see [^)]*\)): /;

const fullStop = (text: string): string => (/[.!?]$/.test(text) ? text : `${text}.`);
