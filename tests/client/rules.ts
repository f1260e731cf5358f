/** Everything that a client is examined on, in the order of the specification; good practice last. */
import type { Rule } from './rule.ts';
import { goodPracticeRules } from './rules/good-practice.ts';
import { outageRules } from './rules/outages.ts';
import { refusalRules } from './rules/refusals.ts';
import { requestRules } from './rules/requests.ts';
import { retryStormRules } from './rules/retry-storms.ts';
import { tokenMemberRule } from './rules/token-member.ts';
import { tokenReuseRules } from './rules/token-reuse.ts';

const all = [
  ...requestRules,
  tokenMemberRule,
  ...tokenReuseRules,
  ...refusalRules,
  ...retryStormRules,
  ...outageRules,
  ...goodPracticeRules,
];

export const rules: readonly Rule[] = [
  ...all.filter(({ clause }) => clause !== undefined).sort((a, b) => compare(a.clause, b.clause)),
  ...all.filter(({ clause }) => clause === undefined),
];

/** By the number of the clause, 5 before 5.2; then by its letter. */
function compare(a = '', b = ''): number {
  const numbers = new Intl.Collator('en', { numeric: true });
  const [ofA, ofB] = [a, b].map((clause) => clause.replace(/[a-z]$/, ''));
  return numbers.compare(ofA ?? '', ofB ?? '') || numbers.compare(a, b);
}
