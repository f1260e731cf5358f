/** The rules for mitigation request records, tests/feed-rules.yaml. */
import { createRequire } from 'node:module';
import type { Severity } from '../support/verdict.ts';

/** S and D are findings and fail a feed; H is a warning. */
export type RuleClass = 'S' | 'D' | 'H';

export interface Rule {
  id: string;
  class: RuleClass;
  severity: Severity;
  statement: string;
  why: string;
  source: string;
  remedy: string;
}

/** In the order of reports. */
export const RULES: readonly Rule[] = createRequire(import.meta.url)('mrs-contract/feed-rules.json');

const byId = new Map(RULES.map((rule) => [rule.id, rule]));

export const findRule = (id: string): Rule | undefined => byId.get(id);

export function ruleOf(id: string): Rule {
  const rule = byId.get(id);
  if (!rule) throw new Error(`tests/feed-rules.yaml has no rule ${id}.`);
  return rule;
}
